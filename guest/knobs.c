// SPDX-License-Identifier: GPL-2.0-only
#include "guest/knobs.h"

#include <errno.h>
#include <string.h>

#include "guest/sys.h"

int knob_fault_around(u64 bytes, struct err *e)
{
	char text[24];
	u64 now;
	int ret;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	ret = sys_write(KNOB_FAULT_AROUND, text);
	if (!ret)
		ret = sys_read_number(&now, KNOB_FAULT_AROUND);
	if (ret == -ENOENT)
		return err_set(e, ret,
			       KNOB_FAULT_AROUND
			       " does not exist: the kernel needs CONFIG_DEBUG_FS");
	if (ret)
		return err_errno(e, ret, KNOB_FAULT_AROUND);
	if (now != bytes)
		return err_set(e, -EINVAL, "fault_around_bytes: wrote %llu, the kernel keeps %llu",
			       (unsigned long long)bytes, (unsigned long long)now);
	return 0;
}

void knob_selected(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return;
	*close = '\0';
	memmove(text, open + 1, strlen(open + 1) + 1);
}

static int set_hugepage(const char *wanted, struct err *e)
{
	char line[64];
	int ret = sys_write(KNOB_HUGEPAGE, wanted);

	if (!ret)
		ret = sys_read_line(line, sizeof(line), KNOB_HUGEPAGE);
	if (ret)
		return err_errno(e, ret, KNOB_HUGEPAGE);
	knob_selected(line);
	if (strcmp(line, wanted))
		return err_set(e, -EINVAL, "transparent_hugepage: wrote %s, the kernel keeps %s",
			       wanted, line);
	return 0;
}

int knobs_set(const struct experiment *exp, u64 *fault_around, struct err *e)
{
	int ret = 0;

	if (exp->transparent_hugepage[0])
		ret = set_hugepage(exp->transparent_hugepage, e);
	if (!ret && exp->fault_around_bytes)
		ret = knob_fault_around(exp->fault_around_bytes, e);
	if (!ret && sys_read_number(fault_around, KNOB_FAULT_AROUND))
		*fault_around = 0;
	return ret;
}
