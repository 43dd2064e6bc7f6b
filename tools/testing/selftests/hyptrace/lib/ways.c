// SPDX-License-Identifier: GPL-2.0
/*
 * The ways to consume the events of a CPU; see ways.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ways.h"

const char *const way_names[NR_WAYS] = {
	[WAY_PIPE]		= "per_cpu/cpuN/trace_pipe",
	[WAY_PIPE_ALL]		= "trace_pipe",
	[WAY_RAW]		= "trace_pipe_raw, pages",
	[WAY_RAW_PIECES]	= "trace_pipe_raw, parts of pages",
	[WAY_MAP]		= "trace_pipe_raw, mapped",
	[WAY_SPLICE]		= "trace_pipe_raw, spliced into a pipe",
	[WAY_SPLICE_FILE]	= "trace_pipe_raw, spliced into a file",
};

#define PIECE_SIZE	(sizeof(struct subbuf) + 10 * EVENT_SIZE + 8)

static int consume_pieces(struct events *ev, const struct source *src, int cpu, int fd)
{
	ssize_t ret;

	do {
		ret = events_read_some(ev, src, cpu, fd, PIECE_SIZE);
	} while (ret > 0);
	return ret;
}

/* Splice one sub-buffer into the pipe, and from there to the file if any, and list it */
static ssize_t splice_one(struct events *ev, const struct source *src, int cpu, int fd,
			  int pipe[2], int file)
{
	union {
		struct subbuf page;
		char bytes[MAX_SUBBUF_SIZE];
	} buf;
	ssize_t ret;

	ret = splice(fd, NULL, pipe[1], NULL, SUBBUF_SIZE, SPLICE_F_NONBLOCK);
	if (ret <= 0)
		return ret < 0 ? -errno : 0;
	if (file >= 0) {
		if (splice(pipe[0], NULL, file, NULL, ret, 0) != ret ||
		    pread(file, &buf, ret, lseek(file, 0, SEEK_CUR) - ret) != ret)
			return -EIO;
	} else if (read(pipe[0], &buf, ret) != ret) {
		return -EIO;
	}
	if (ret != SUBBUF_SIZE)
		return -EPROTO;
	events_add_raw(ev, src, cpu, &buf.page);
	return ret;
}

/* splice() moves only whole sub-buffers; read() takes the rest */
static int consume_spliced(struct events *ev, const struct source *src, int cpu, int fd,
			   bool to_file)
{
	int pipe[2], file = -1;
	ssize_t ret;

	if (pipe2(pipe, O_NONBLOCK))
		return -errno;
	if (to_file)
		file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	ret = to_file && file < 0 ? -errno : 1;
	while (ret > 0)
		ret = splice_one(ev, src, cpu, fd, pipe, file);
	if (file >= 0)
		close(file);
	close(pipe[0]);
	close(pipe[1]);
	return ret == -EAGAIN ? events_read_raw(ev, src, cpu, fd) : ret;
}

static int consume_file(const struct source *src, int cpu, enum way way, struct events *ev)
{
	int fd, ret;

	if (way == WAY_PIPE_ALL)
		fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "trace_pipe");
	else
		fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/%s", cpu,
				      way == WAY_PIPE ? "trace_pipe" : "trace_pipe_raw");
	if (fd < 0)
		return fd;

	if (way == WAY_RAW)
		ret = events_read_raw(ev, src, cpu, fd);
	else if (way == WAY_RAW_PIECES)
		ret = consume_pieces(ev, src, cpu, fd);
	else if (way == WAY_SPLICE || way == WAY_SPLICE_FILE)
		ret = consume_spliced(ev, src, cpu, fd, way == WAY_SPLICE_FILE);
	else
		ret = events_read_text(ev, fd);
	close(fd);
	return ret == -EAGAIN ? 0 : ret;
}

int source_consume(const struct source *src, int cpu, enum way way, struct events *ev)
{
	struct mapping m;
	int ret;

	if (way != WAY_MAP)
		return consume_file(src, cpu, way, ev);

	ret = mapping_open(&m, src, cpu, O_NONBLOCK);
	if (ret)
		return ret;
	ret = mapping_drain(&m, ev);
	mapping_close(&m);
	return ret;
}

int source_look(const struct source *src, int cpu, struct events *ev)
{
	int fd, ret;

	fd = cpu < 0 ? source_open_file(src, O_RDONLY, "trace") :
		       source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace", cpu);
	if (fd < 0)
		return fd;
	ret = events_read_text(ev, fd);
	close(fd);
	return ret;
}

unsigned int source_ring_subbufs(const struct source *src, int cpu)
{
	struct mapping m;
	unsigned int nr;

	if (mapping_open(&m, src, cpu, O_NONBLOCK))
		return 0;
	nr = m.meta->nr_subbufs - 1;
	mapping_close(&m);
	return nr;
}
