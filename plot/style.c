// SPDX-License-Identifier: GPL-2.0-only
#include "plot/style.h"

#include <string.h>

#include "lib/size.h"
#include "verify/report/report.h"

u32 cause_colour(enum ra_cause c)
{
	static const u32 colours[RA_CAUSES] = {
		[RA_SYNC_READ] = 0x009e73,  /* bluish green */
		[RA_READAROUND] = 0xd55e00, /* vermillion */
		[RA_SEQ_FAULT] = 0xcc79a7,  /* reddish purple */
		[RA_HUGEPAGE] = 0xe69f00,   /* orange */
		[RA_EXEC] = 0xf0e442,	    /* yellow */
		[RA_MARKER] = 0x0072b2,	    /* blue */
		[RA_FORCED] = 0x56b4e9,	    /* sky blue */
		[RA_UNKNOWN] = 0x999999,
	};

	return (unsigned int)c < RA_CAUSES ? colours[c] : 0x999999;
}

u32 kernel_colour(unsigned int kernel)
{
	static const u32 colours[] = {0x666666, 0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7, 0x000000};

	return colours[kernel % ARRAY_SIZE(colours)];
}

/* Twelve even steps of matplotlib's viridis, which is in the public domain (CC0). */
u32 order_colour(unsigned int order)
{
	static const u32 colours[ORDER_SHADES] = {0x440154, 0x482173, 0x433e85, 0x38588c,
						  0x2d708e, 0x25858e, 0x1e9b8a, 0x2ab07f,
						  0x52c569, 0x86d549, 0xc2df23, 0xfde725};

	return colours[MIN(order, ORDER_SHADES - 1)];
}

const char *kernel_name(const struct plot *p, unsigned int kernel)
{
	return kernel_head(p->kernels[kernel]);
}

char *plot_title(const struct plot *p)
{
	const struct experiment *exp = p->run->exp;
	char *path __cleanup_free = printable(p->run->path);
	char *summary __cleanup_free = printable(exp ? exp->summary : "");
	char *name __cleanup_free = printable(exp ? exp->name : "");

	if (!exp || !exp->name[0] || !p->run->has_json)
		return xstrdup(path);
	return xasprintf("%s: %s", name, summary);
}

char *plot_subtitle(const struct plot *p)
{
	const struct capture_result *cr = &p->analysis->captures[0];
	const struct capture *c = cr->capture;
	char size[SIZE_TEXT_MAX], repeat[80] = "";
	char *text, *safe;

	if (!c->has_json) {
		text = xasprintf("%s, %llu events",
				 cr->guest.format[0] ? cr->guest.format : cr->host.format,
				 (unsigned long long)(cr->guest.events + cr->host.events));
	} else {
		if (p->captures > p->n_kernels)
			snprintf(repeat, sizeof(repeat), ", boot %u of %u of each kernel",
				 p->repeat, p->captures / p->n_kernels);
		text = xasprintf("%s on %s, read_ahead_kb %llu, %s%s",
				 size_text(c->file_size, size),
				 c->filesystem[0] ? c->filesystem : "an unknown file system",
				 (unsigned long long)c->read_ahead_kb,
				 strcmp(c->accel, "tcg") ? accel_name(c->accel)
							 : "TCG: times are no performance claim",
				 repeat);
	}
	safe = printable(text);
	free(text);
	return safe;
}

char *phase_title(const struct plot *p, const struct plot_phase *phase)
{
	const struct panel *first = &phase->panels[0];
	const struct plot_file *f = first->n_files ? &first->files[first->file] : NULL;
	char *name __cleanup_free = printable(phase_label(phase->name));
	char *text, *more;
	bool cut = false;

	for (unsigned int k = 0; k < p->n_kernels; k++)
		cut |= phase->panels[k].more;
	if (f && first->n_files > 1 && !first->capture->capture->file_ino)
		text = xasprintf("%s, file %u,%u inode %llu (of %u)", name, f->dev >> 20,
				 f->dev & 0xfffffu, (unsigned long long)f->ino, first->n_files);
	else
		text = xstrdup(name);
	if (!cut)
		return text;
	more = xasprintf("%s, the first %u windows and faults", text, PLOT_MARKS_MAX);
	free(text);
	return more;
}

bool request_counts(const struct panel *p, u64 counts[SIZE_CLASSES])
{
	const struct phase_figures *f = p->stats ? p->stats->figures : NULL;
	const struct request_figures *r;

	if (!f || (f->why[FIG_HOST][0] && f->why[FIG_GUEST][0]))
		return false;
	r = f->why[FIG_HOST][0] ? &f->guest : &f->host;
	memcpy(counts, r->by_size, sizeof(r->by_size));
	return r->requests;
}

bool order_pages_of(const struct panel *p, u64 pages[ORDERS_MAX])
{
	bool any = false;

	if (!p->stats || p->stats->folios_unknown_order)
		return false;
	for (unsigned int i = 0; i < ORDERS_MAX; i++) {
		pages[i] = p->stats->folios[i] << i;
		any |= pages[i];
	}
	return any;
}
