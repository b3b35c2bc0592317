/* SPDX-License-Identifier: GPL-2.0-only */
/* What patterns that run a phase by themselves share with the others. */
#ifndef BP_GUEST_PHASE_H
#define BP_GUEST_PHASE_H

#include "guest/agent.h"

/* Waits until the disk has no request in flight, so that every completion is in the trace. */
bool phase_wait_quiet(const struct agent *a);

/* Members of FRAME_PHASE. */
json_t *phase_vmstat_json(const struct vmstat *v);
json_t *phase_loss_json(const struct cpu_drain *loss, unsigned int cpus);

#endif
