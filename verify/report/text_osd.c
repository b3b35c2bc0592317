// SPDX-License-Identifier: GPL-2.0-only
/* What OSDs read for what was asked for: the table that a patch to CephFS shows. */
#include <string.h>

#include "verify/report/report.h"

static const struct phase *spec_of(const struct analysis *a, const char *name)
{
	const struct experiment *exp = a->run->exp;

	for (unsigned int i = 0; exp && i < exp->n_phases; i++)
		if (!strcmp(exp->phases[i].name, name))
			return &exp->phases[i];
	return NULL;
}

/* "ior-hard-read 16 on 4 lazyio": if that is too long, the pattern is cut and not the numbers. */
static void row_label(char *label, size_t size, const struct phase *ph)
{
	char readers[48];
	int room, n = snprintf(readers, sizeof(readers), " %u on %u%s", ph->threads, ph->clients,
			       ph->lazyio ? " lazyio" : "");

	room = LABEL_MAX - n;
	if ((int)strlen(ph->pattern) > room)
		snprintf(label, size, "%.*s..%s", room - 2, ph->pattern, readers);
	else
		snprintf(label, size, "%s%s", ph->pattern, readers);
}

void text_osd_bytes(struct out *o, const struct summary *s)
{
	char text[NUMBER_TEXT_MAX], label[96];
	struct table t;

	table_init(&t, "OSD bytes / bytes asked", s->n_phases, s->n_kernels);
	for (unsigned int k = 0; k < s->n_kernels; k++)
		table_head(&t, k, kernel_head(s->kernels[k]));
	for (unsigned int p = 0; p < s->n_phases; p++) {
		const struct phase *ph = spec_of(s->a, s->phases[p]);

		if (ph)
			row_label(label, sizeof(label), ph);
		else
			snprintf(label, sizeof(label), "%s", s->phases[p]);
		table_label(&t, p, label);
		for (unsigned int k = 0; k < s->n_kernels; k++)
			table_cell(
				&t, p, k, "%s%s",
				number_text(summary_figure(s, METRIC_DEVICE_RATIO, p, k), 3, text),
				summary_differs(s, METRIC_DEVICE_RATIO, p, k) ? " *" : "");
	}
	out_line(o, 0, "%s", "");
	table_print(o, &t);
	out_line(o, 2,
		 "  n on m: readers, each with an open file of its own, on m mounts; lazyio: of "
		 "open files with LAZYIO, others as by default");
	table_free(&t);
}
