// SPDX-License-Identifier: GPL-2.0-only
/* By ioctls, see netdevice(7) and ip(7): the initramfs has no ip(8). */
#include "guest/net.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <net/route.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "guest/sys.h"
#include "lib/contract.h"

#define CARD_TIMEOUT_MS 3000
#define CARD_RETRY_MS 20

static void set_address(struct sockaddr *to, const char *text)
{
	struct sockaddr_in a = {.sin_family = AF_INET};

	inet_pton(AF_INET, text, &a.sin_addr);
	memcpy(to, &a, sizeof(a));
}

/* The first interface that is a device; "" if there is none yet. */
static void card_find(char name[IFNAMSIZ])
{
	DIR *dir = opendir("/sys/class/net");
	struct dirent *d;
	char path[300];

	name[0] = '\0';
	while (dir && !name[0] && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/device", d->d_name);
		if (d->d_name[0] != '.' && strlen(d->d_name) < IFNAMSIZ && !access(path, F_OK))
			memcpy(name, d->d_name, strlen(d->d_name) + 1);
	}
	if (dir)
		closedir(dir);
}

static int up(int fd, const char *name)
{
	struct ifreq r = {.ifr_flags = 0};

	memcpy(r.ifr_name, name, strlen(name) + 1);
	if (ioctl(fd, SIOCGIFFLAGS, &r))
		return -errno;
	r.ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, &r) ? -errno : 0;
}

static int address(int fd, const char *name)
{
	struct ifreq r = {.ifr_flags = 0};

	memcpy(r.ifr_name, name, strlen(name) + 1);
	set_address(&r.ifr_addr, GUEST_NET_ADDRESS);
	if (ioctl(fd, SIOCSIFADDR, &r))
		return -errno;
	set_address(&r.ifr_netmask, GUEST_NET_MASK);
	return ioctl(fd, SIOCSIFNETMASK, &r) ? -errno : 0;
}

static int route(int fd)
{
	struct rtentry r = {.rt_flags = RTF_UP | RTF_GATEWAY};

	set_address(&r.rt_dst, "0.0.0.0");
	set_address(&r.rt_genmask, "0.0.0.0");
	set_address(&r.rt_gateway, GUEST_NET_GATEWAY);
	return ioctl(fd, SIOCADDRT, &r) ? -errno : 0;
}

int net_setup(struct err *e)
{
	int fd __cleanup_close = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char card[IFNAMSIZ];
	unsigned int ms;
	int ret;

	if (fd < 0)
		return err_errno(e, -errno, "no network in this kernel (config: net)");
	ret = up(fd, "lo");
	if (ret)
		return err_errno(e, ret, "the loopback device");
	for (ms = 0, card_find(card); !card[0] && ms < CARD_TIMEOUT_MS; ms += CARD_RETRY_MS) {
		sys_sleep_ms(CARD_RETRY_MS);
		card_find(card);
	}
	if (!card[0])
		return err_set(e, -ENODEV, "no network card (config: net)");
	ret = up(fd, card);
	if (!ret)
		ret = address(fd, card);
	if (ret)
		return err_errno(e, ret, "network card %s", card);
	ret = route(fd);
	return ret ? err_errno(e, ret, "route through %s", GUEST_NET_GATEWAY) : 0;
}
