/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BP_VERSION_H
#define BP_VERSION_H

#define BLKPROOF_VERSION "0.1"

#endif
