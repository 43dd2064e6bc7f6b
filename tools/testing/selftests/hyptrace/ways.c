// SPDX-License-Identifier: GPL-2.0
/*
 * The ways to consume the events of a CPU; see ways.h.
 */
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
