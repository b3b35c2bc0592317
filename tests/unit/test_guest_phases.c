// SPDX-License-Identifier: GPL-2.0-only
/* What the agent asks of an experiment's phases before it runs them: all that are shipped. */
#include "guest/agent.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "guest/phase.h"
#include "guest/workload.h"
#include "lib/experiment.h"

static void test_shipped(void **state)
{
	unsigned int roots = 0, replays = 0;
	glob_t found;

	(void)state;
	assert_int_equal(glob("experiments/*.ini", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct experiment *exp;
		struct err e;
		bool replay;

		if (experiment_load(found.gl_pathv[i], &exp, &e))
			fail_msg("%s", e.msg);
		/* phases of a root file system have no pattern, all others do */
		for (unsigned int p = 0; p < exp->n_phases; p++) {
			bool root = root_phase(&exp->phases[p]);

			assert_true(root == !pattern_named(exp->phases[p].pattern));
			roots += root;
		}
		replay = agent_replays_requests(exp);
		assert_true(replay == !strcmp(exp->name, "replay-block"));
		replays += replay;
		experiment_free(exp);
	}
	globfree(&found);
	/* or nothing of this was tested */
	assert_true(roots >= 2);
	assert_int_equal(replays, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shipped)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
