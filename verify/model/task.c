// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "verify/model/model.h"

#define SLOTS (MODEL_MAX_TASKS * 2)
#define POOL_TASKS 256u

static u32 slot_of(s32 pid)
{
	return ((u32)pid * 0x9e3779b1u) >> 15 & (SLOTS - 1);
}

/* After a hole in the trace, nobody knows what a task went on with. */
static struct task *valid(const struct model *m, struct task *t)
{
	if (t->holes != m->holes) {
		t->holes = m->holes;
		t->last = LAST_NONE;
		t->window_open = false;
	}
	return t;
}

/*
 * The state of @pid; made if it is new.  When the table is full, everything is
 * forgotten and the model says so.
 */
struct task *task_get(struct model *m, s32 pid, u16 cpu)
{
	struct task **last = &m->cpu_task[cpu & 255];
	struct task *t = *last;
	u32 i;

	if (t && t->pid == pid)
		return valid(m, t);
	if (!m->tasks)
		m->tasks = xcalloc(SLOTS, sizeof(*m->tasks));
	for (i = slot_of(pid); m->tasks[i]; i = (i + 1) & (SLOTS - 1)) {
		if (m->tasks[i]->pid == pid) {
			*last = m->tasks[i];
			return valid(m, *last);
		}
	}
	if (m->n_tasks == MODEL_MAX_TASKS) {
		m->overflow = true;
		tasks_forget(m);
		i = slot_of(pid);
	}
	if (!m->task_pool[m->n_tasks / POOL_TASKS])
		m->task_pool[m->n_tasks / POOL_TASKS] = xcalloc(POOL_TASKS, sizeof(*t));
	t = &m->task_pool[m->n_tasks / POOL_TASKS][m->n_tasks % POOL_TASKS];
	m->n_tasks++;
	memset(t, 0, sizeof(*t));
	t->pid = pid;
	t->holes = m->holes;
	m->tasks[i] = t;
	*last = t;
	return t;
}

void tasks_each(struct model *m, void (*fn)(struct model *m, struct task *t))
{
	for (u32 i = 0; i < m->n_tasks; i++)
		fn(m, valid(m, &m->task_pool[i / POOL_TASKS][i % POOL_TASKS]));
}

void tasks_forget(struct model *m)
{
	for (u32 i = 0; m->chains && i < m->n_tasks; i++)
		task_drop_chain(m, &m->task_pool[i / POOL_TASKS][i % POOL_TASKS]);
	if (m->tasks)
		memset(m->tasks, 0, SLOTS * sizeof(*m->tasks));
	memset(m->cpu_task, 0, sizeof(m->cpu_task));
	m->n_tasks = 0;
}

void tasks_free(struct model *m)
{
	for (u32 i = 0; i < ARRAY_SIZE(m->task_pool); i++)
		free(m->task_pool[i]);
	free(m->tasks);
}
