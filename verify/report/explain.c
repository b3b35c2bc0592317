// SPDX-License-Identifier: GPL-2.0-only
/* --explain and --list-checks: the checks, in words. */
#include <string.h>

#include "verify/checks/check.h"
#include "verify/report/report.h"

static void limit_lines(struct out *o, const struct check *c, unsigned int indent)
{
	for (unsigned int i = 0; i < CHECK_LIMITS_MAX && c->limits[i].name; i++)
		out_line(o, indent + 2, "%*s%s = %g: %s", (int)indent, "", c->limits[i].name,
			 c->limits[i].value, c->limits[i].what);
}

void report_list_checks(struct out *o)
{
	for (unsigned int i = 0; i < n_all_checks; i++) {
		out_line(o, 2, "%s", all_checks[i]->name);
		out_line(o, 4, "    %s", all_checks[i]->summary);
		limit_lines(o, all_checks[i], 6);
	}
}

static const char *const event_names[EV_TYPES] = {
	[EV_FAULT] = "filemap:mm_filemap_fault",
	[EV_GET_PAGES] = "filemap:mm_filemap_get_pages",
	[EV_MAP_PAGES] = "filemap:mm_filemap_map_pages",
	[EV_FOLIO_ADD] = "filemap:mm_filemap_add_to_page_cache",
	[EV_FOLIO_DELETE] = "filemap:mm_filemap_delete_from_page_cache",
	[EV_RA_SYNC] = "readahead:page_cache_sync_ra",
	[EV_RA_ASYNC] = "readahead:page_cache_async_ra",
	[EV_RA_ORDER] = "readahead:page_cache_ra_order",
	[EV_RA_UNBOUNDED] = "readahead:page_cache_ra_unbounded",
	[EV_NETFS_READ] = "netfs:netfs_read",
	[EV_STRIDED_READ] = "ceph:ceph_strided_read",
	[EV_MARKER] = "ftrace:print (blkproof's markers)",
	[EV_RQ_QUEUE] = "block:block_bio_queue, or blktrace Q",
	[EV_RQ_MERGE] = "block:block_bio_backmerge, or blktrace M, F",
	[EV_RQ_GET] = "block:block_getrq, or blktrace G",
	[EV_RQ_INSERT] = "block:block_rq_insert, or blktrace I",
	[EV_RQ_ISSUE] = "block:block_rq_issue, or blktrace D",
	[EV_RQ_COMPLETE] = "block:block_rq_complete, or blktrace C",
	[EV_RQ_REQUEUE] = "block:block_rq_requeue, or blktrace R",
	[EV_RQ_REMAP] = "block:block_rq_remap, or blktrace A",
};

/*
 * Text as checks write it: an empty line between paragraphs, lines that start
 * with "- " are points of a list, and lines that start with a blank belong to
 * the point above them.  Any other line break only breaks the source.
 */
static void paragraphs(struct out *o, const char *text)
{
	char *join __cleanup_free = NULL;
	bool point = false;

	out_line(o, 0, "%s", "");
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n"), blanks = MIN(strspn(line, " "), n);
		bool starts = !n || !strncmp(line, "- ", 2) || (point && !blanks);
		char *old = join;

		if (join && starts) {
			out_line(o, point ? 4 : 2, "  %s", join);
			join = NULL;
		}
		if (starts || !old)
			point = !strncmp(line, "- ", 2);
		if (!n)
			out_line(o, 0, "%s", "");
		else
			join = xasprintf("%s%s%.*s", join ? join : "", join ? " " : "",
					 (int)(n - blanks), line + blanks);
		free(old);
		line += n + (line[n] == '\n');
	}
	if (join)
		out_line(o, point ? 4 : 2, "  %s", join);
}

void report_explain(struct out *o, const struct check *c)
{
	out_line(o, 2, "%s: %s", c->name, c->summary);
	if (c->explain)
		paragraphs(o, c->explain);
	if (c->limits[0].name) {
		out_line(o, 0, "%s", "");
		out_line(o, 0, "Limits (--set %s.NAME=VALUE)", c->name);
		limit_lines(o, c, 2);
	}
	out_line(o, 0, "%s", "");
	out_line(o, 0, "Needs; without them it can't be judged");
	for (unsigned int i = 0; i < EV_TYPES; i++)
		if (c->needs & 1ull << i && event_names[i])
			out_line(o, 4, "  %s", event_names[i]);
	if (c->caps & CAP_FOLIO_ORDER)
		out_line(o, 4, "  the field order of mm_filemap_add_to_page_cache");
	if (c->needs_json)
		out_line(o, 4, "  " CAPTURE_JSON " of a capture");
	if (c->needs_host)
		out_line(o, 4, "  the host's request log (" CAPTURE_BLKTRACE ")");
	if (!c->needs && !c->caps && !c->needs_json && !c->needs_host)
		out_line(o, 4, "  nothing but a trace");
}
