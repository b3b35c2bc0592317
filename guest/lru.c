// SPDX-License-Identifier: GPL-2.0-only
#include "guest/lru.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kernel-page-flags.h>

#include "lib/fileio.h"

#define BIT(n) (1ull << (n))

void lru_count(struct lru_pages *l, const u64 *flags, size_t n)
{
	/* anonymous memory and shmem are not read ahead; what is unevictable was locked by us */
	const u64 not_file = BIT(KPF_ANON) | BIT(KPF_SWAPBACKED) | BIT(KPF_UNEVICTABLE) |
			     BIT(KPF_NOPAGE) | BIT(KPF_SLAB);
	const u64 used = BIT(KPF_REFERENCED) | BIT(KPF_ACTIVE);

	for (size_t i = 0; i < n; i++) {
		if (!(flags[i] & BIT(KPF_LRU)) || flags[i] & not_file)
			continue;
		l->file++;
		l->unreferenced += !(flags[i] & used);
	}
}

int lru_read(struct lru_pages *l)
{
	static u64 flags[32768];
	int fd __cleanup_close = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	*l = (struct lru_pages){0};
	if (fd < 0)
		return -errno;
	while ((n = fd_read_full(fd, flags, sizeof(flags))) > 0)
		lru_count(l, flags, (size_t)n / sizeof(flags[0]));
	return (int)n;
}
