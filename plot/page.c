// SPDX-License-Identifier: GPL-2.0-only
/* plot/page.html as part of the program, so that an installed one needs no file. */
#include "plot/page.h"

__asm__(".section .rodata\n"
	".global plot_page\n"
	"plot_page:\n"
	".incbin \"plot/page.html\"\n"
	".byte 0\n"
	".previous\n");
