/* SPDX-License-Identifier: GPL-2.0-only */
/* One version for all programs. */
#include "lib/version.h"
