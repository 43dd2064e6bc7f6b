// SPDX-License-Identifier: GPL-2.0
/*
 * The loops of native_bench that run inside the kernel.
 *
 * A system call of User-mode Linux takes microseconds, what is measured takes
 * nanoseconds. So one call does it many times: a command is written to the module
 * parameter "run", and the same parameter then reads as the time that it took, in
 * nanoseconds, and the number of bytes that it read.
 *
 *	remote N	write N events "selftest" of the remote "test"
 *	ordinary N	write N events "bench_selftest" of the kernel's own tracing
 *	take FD N	take N sub-buffers of a trace_pipe_raw that is mapped
 *	read FD TO LEN	read() all there is, but LEN bytes at most, to address TO of the
 *			caller
 *	splice FD PIPE TO	splice() all there is to a file, by way of a pipe
 *
 * The ids of events count from 0 in each command. The module contains the remote
 * "test", whose function that records an event is not exported; remote_test is not
 * to be loaded beside it.
 */
#include "remote_test.c"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/moduleparam.h>
#include <linux/pipe_fs_i.h>
#include <linux/splice.h>
#include <linux/trace_mmap.h>

#define CREATE_TRACE_POINTS
#include "bench_native_trace.h"

/**
 * struct bench_command - what to run, and what came out
 * @fd:		file of the caller
 * @pipe:	its pipe
 * @to_fd:	its file that @pipe goes to
 * @to:		its address
 * @nr:		events, sub-buffers or bytes
 * @bytes:	result: bytes that were read
 */
struct bench_command {
	int		fd;
	int		pipe;
	int		to_fd;
	unsigned long	to;
	unsigned long	nr;
	unsigned long	bytes;
};

static int bench_remote(struct bench_command *cmd)
{
	unsigned long id;

	for (id = 0; id < cmd->nr; id++)
		trace_selftest(id);
	return 0;
}

static int bench_ordinary(struct bench_command *cmd)
{
	unsigned long id;

	for (id = 0; id < cmd->nr; id++)
		trace_bench_selftest(id);
	return 0;
}

static int bench_take(struct bench_command *cmd)
{
	struct file *file __free(fput) = fget(cmd->fd);
	unsigned long i;
	long ret;

	if (!file)
		return -EBADF;

	for (i = 0; i < cmd->nr; i++) {
		ret = vfs_ioctl(file, TRACE_MMAP_IOCTL_GET_READER, 0);
		if (ret)
			return ret;
	}
	return 0;
}

static int bench_read(struct bench_command *cmd)
{
	struct file *file __free(fput) = fget(cmd->fd);
	ssize_t len;

	if (!file)
		return -EBADF;
	if (!file->f_op->read)
		return -EINVAL;

	while (cmd->bytes < cmd->nr) {
		len = file->f_op->read(file, (char __user *)cmd->to + cmd->bytes,
				       cmd->nr - cmd->bytes, &file->f_pos);
		if (len == -EAGAIN)
			return 0;
		if (len <= 0)
			return len;
		cmd->bytes += len;
	}
	return 0;
}

static int bench_splice(struct bench_command *cmd)
{
	struct file *file __free(fput) = fget(cmd->fd);
	struct file *pipe_file __free(fput) = fget(cmd->pipe);
	struct file *to __free(fput) = fget(cmd->to_fd);
	struct pipe_inode_info *pipe;
	ssize_t len;

	if (!file || !pipe_file || !to)
		return -EBADF;
	if (!S_ISFIFO(file_inode(pipe_file)->i_mode) || !to->f_op->splice_write)
		return -EINVAL;

	pipe = pipe_file->private_data;
	for (;;) {
		pipe_lock(pipe);
		len = vfs_splice_read(file, &file->f_pos, pipe, pipe->max_usage * PAGE_SIZE,
				      SPLICE_F_NONBLOCK);
		pipe_unlock(pipe);
		if (len == -EAGAIN)
			return 0;
		if (len <= 0)
			return len;
		cmd->bytes += len;
		len = to->f_op->splice_write(pipe, to, &to->f_pos, len, 0);
		if (len < 0)
			return len;
	}
}

static int bench_parse(const char *text, struct bench_command *cmd,
		       int (**run)(struct bench_command *cmd))
{
	if (sscanf(text, "remote %lu", &cmd->nr) == 1)
		*run = bench_remote;
	else if (sscanf(text, "ordinary %lu", &cmd->nr) == 1)
		*run = bench_ordinary;
	else if (sscanf(text, "take %d %lu", &cmd->fd, &cmd->nr) == 2)
		*run = bench_take;
	else if (sscanf(text, "read %d %lx %lu", &cmd->fd, &cmd->to, &cmd->nr) == 3)
		*run = bench_read;
	else if (sscanf(text, "splice %d %d %d", &cmd->fd, &cmd->pipe, &cmd->to_fd) == 3)
		*run = bench_splice;
	else
		return -EINVAL;
	return 0;
}

/* Of the last command; the lock of the module's parameters guards them */
static u64 bench_ns;
static unsigned long bench_bytes;

static int bench_set(const char *text, const struct kernel_param *param)
{
	int (*run)(struct bench_command *cmd);
	struct bench_command cmd = {};
	int ret = bench_parse(text, &cmd, &run);
	u64 start;

	if (ret)
		return ret;

	start = ktime_get_ns();
	ret = run(&cmd);
	bench_ns = ktime_get_ns() - start;
	bench_bytes = cmd.bytes;
	return ret;
}

static int bench_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%llu %lu\n", bench_ns, bench_bytes);
}

static const struct kernel_param_ops bench_ops = {
	.set	= bench_set,
	.get	= bench_get,
};
module_param_cb(run, &bench_ops, NULL, 0600);
MODULE_PARM_DESC(run, "A command; reads as its time in ns, and bytes read");
