// SPDX-License-Identifier: GPL-2.0
/*
 * kexec KERNEL INITRD COMMAND-LINE - start another kernel, without shutting anything down
 *
 * For tests of what the next kernel finds; the guest has no such program.
 */
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4) {
		fprintf(stderr, "Usage: kexec KERNEL INITRD COMMAND-LINE\n");
		return 2;
	}
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (kernel < 0 || initrd < 0) {
		perror(kernel < 0 ? argv[1] : argv[2]);
		return 1;
	}
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3], 0)) {
		perror("kexec_file_load");
		return 1;
	}
	reboot(LINUX_REBOOT_CMD_KEXEC);
	perror("reboot");
	return 1;
}
