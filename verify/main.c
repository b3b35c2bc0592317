// SPDX-License-Identifier: GPL-2.0-only
#include "verify/command.h"

int main(int argc, char **argv)
{
	return verify_main(argc, argv);
}
