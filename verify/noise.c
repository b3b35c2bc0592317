// SPDX-License-Identifier: GPL-2.0-only
/*
 * Student's distribution by the continued fraction of the incomplete beta
 * function (DLMF 8.17.22, evaluated by the modified method of Lentz).  Of our own,
 * since the library that has it, GSL, is GPL-3.0-or-later, which a program that is
 * GPL-2.0-only can't be linked with.
 */
#include "verify/noise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define FRACTION_TERMS 300

struct figure figure_from(const double *values, unsigned int n)
{
	struct figure f = {.n = n};
	double squares = 0;

	/* a running mean: that of equal values is exactly their value, however many there are */
	for (unsigned int i = 0; i < n; i++)
		f.mean += (values[i] - f.mean) / (i + 1);
	/* two passes: the difference of large squares loses what it is to show */
	for (unsigned int i = 0; i < n; i++)
		squares += (values[i] - f.mean) * (values[i] - f.mean);
	f.stdev = n > 1 ? sqrt(squares / (n - 1)) : 0;
	return f;
}

static double not_zero(double v)
{
	return fabs(v) < DBL_MIN ? DBL_MIN : v;
}

/* The fraction converges fast for x < (a + 1) / (a + b + 2), which the caller sees to. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), f = d;

	for (int m = 1; m <= FRACTION_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double factor;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		f *= c * d;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		factor = c * d;
		f *= factor;
		if (fabs(factor - 1) < 1e-14)
			break;
	}
	return f;
}

/* The regularized incomplete beta function I_x(a, b). */
static double beta_regular(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double df)
{
	return beta_regular(df / 2, 0.5, df / (df + t * t));
}

double welch_p(const struct figure *a, const struct figure *b, double step)
{
	double rounding = step * step / 12;
	double va, vb, sum, df;

	if (a->n < 2 || b->n < 2)
		return NAN;
	va = fmax(a->stdev * a->stdev, rounding) / a->n;
	vb = fmax(b->stdev * b->stdev, rounding) / b->n;
	sum = va + vb;
	if (!isfinite(sum))
		return NAN;
	if (sum <= 0)
		return a->mean == b->mean ? 1 : 0;
	df = sum * sum / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
	return student_two_sided((a->mean - b->mean) / sqrt(sum), df);
}

static int by_p(const void *a, const void *b, void *p)
{
	double x = ((const double *)p)[*(const unsigned int *)a];
	double y = ((const double *)p)[*(const unsigned int *)b];

	return x < y ? -1 : x > y;
}

void holm_correct(double *p, unsigned int n)
{
	unsigned int *order __cleanup_free = xcalloc(n, sizeof(*order));
	unsigned int known = 0;
	double worst = 0;

	for (unsigned int i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[known++] = i;
	qsort_r(order, known, sizeof(*order), by_p, p);
	for (unsigned int k = 0; k < known; k++) {
		worst = fmax(worst, fmin(1, p[order[k]] * (known - k)));
		p[order[k]] = worst;
	}
}
