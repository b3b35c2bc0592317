/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a difference between two kernels larger than the noise between boots?
 *
 * Welch's t test, two-sided, over the boots of each kernel; then Holm's
 * correction over all comparisons of the report, since of fifty tables of pure
 * noise some line looks "significant" by itself.  A difference is claimed only
 * where the corrected test says so at NOISE_LEVEL.  With one boot there is no
 * noise to compare with, so nothing is ever claimed.
 *
 * A permutation test was rejected: with the three boots that people have time
 * for, its smallest p is 0.1, whatever the figures.
 */
#ifndef BP_NOISE_H
#define BP_NOISE_H

#include "lib/util.h"

#define NOISE_LEVEL 0.05 /* of the whole report: the chance that any claim is wrong */
#define NOISE_TEST "Welch's t test, two-sided, Holm's correction"

struct figure {
	double mean, stdev; /* stdev of the sample; 0 when n == 1 */
	unsigned int n;	    /* captures that have it; 0: not known */
};

/* Mean and deviation of @n values. */
struct figure figure_from(const double *values, unsigned int n);

/*
 * The probability of a difference of means at least this large if both are
 * boots of one thing (B. L. Welch, Biometrika 34, 1947).  @step is the unit
 * that the figure is counted in, 0 if it is continuous: a count that is the same in
 * each of a few boots still has the noise of its rounding, step^2 / 12.
 * NAN where a side has fewer than two boots.
 */
double welch_p(const struct figure *a, const struct figure *b, double step);

/* P(|T| >= @t) for Student's t with @df degrees of freedom. */
double student_two_sided(double t, double df);

/* S. Holm, Scand. J. Statist. 6, 1979: p becomes comparable with NOISE_LEVEL; NAN stays. */
void holm_correct(double *p, unsigned int n);

#endif
