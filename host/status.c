// SPDX-License-Identifier: GPL-2.0-only
#include "host/status.h"

#include <stddef.h>

const struct status_text status_texts[] = {
	{STATUS_OK, "the run is complete"},
	{STATUS_USAGE, "usage error, or an experiment that can't be run"},
	{STATUS_RESOURCES, "a program, disk space or memory is missing"},
	{STATUS_KERNEL, "a kernel: no source, a patch that does not apply, a failed build"},
	{STATUS_QEMU, "QEMU did not start, or ended without the guest's doing"},
	{STATUS_BOOT, "a guest did not boot"},
	{STATUS_PANIC, "a guest's kernel panicked"},
	{STATUS_AGENT, "the agent in the guest failed or crashed"},
	{STATUS_HANG, "a guest hung: no progress until the phase's timeout"},
	{STATUS_WRITE, "the run could not be written"},
	{STATUS_SERVER, "a server that the guest needs did not start, or ended"},
	{STATUS_INTERRUPTED, "interrupted"},
	{0, NULL},
};
