// SPDX-License-Identifier: GPL-2.0
/*
 * addpart DEVICE NUMBER START LENGTH: tell the kernel of a partition, in sectors.
 *
 * util-linux's own, as far as the guests need it: from Debian 13 on there is none.
 */
#include <fcntl.h>
#include <linux/blkpg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SECTOR 512LL

int main(int argc, char **argv)
{
	struct blkpg_partition part = { 0 };
	struct blkpg_ioctl_arg arg = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(part), .data = &part,
	};
	int fd;

	if (argc != 5) {
		fprintf(stderr, "usage: addpart DEVICE NUMBER START LENGTH (in sectors)\n");
		return 2;
	}
	part.pno = atoi(argv[2]);
	part.start = atoll(argv[3]) * SECTOR;
	part.length = atoll(argv[4]) * SECTOR;
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || ioctl(fd, BLKPG, &arg) < 0) {
		perror(argv[1]);
		return 1;
	}
	close(fd);
	return 0;
}
