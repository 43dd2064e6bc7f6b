// SPDX-License-Identifier: GPL-2.0
/*
 * Copies data into a trace.dat file. See datcopy.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "trace/datcopy.h"
#include "trace/datfile.h"

/* Larger ones are hardly compressed better; a reader that needs one event unpacks a chunk */
#define CHUNK_SIZE	BIT(18)

static void tell(const struct datcopy *c, u64 bytes)
{
	if (c->watch)
		c->watch->fn(c->watch->ctx, bytes);
}

/* Return: 0, or an errno */
static int write_all(int fd, const void *data, size_t size)
{
	const u8 *at = data;
	ssize_t n;

	while (size) {
		n = write(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		at += n;
		size -= n;
	}
	return 0;
}

/* If the kernel cannot copy between the two files itself */
static int copy_by_hand(int from, int to, u64 left)
{
	char buf[65536];
	ssize_t n;
	int err;

	while (left) {
		n = read(from, buf, MIN(left, sizeof(buf)));
		if (n <= 0)
			return n ? errno : EIO;
		err = write_all(to, buf, n);
		if (err)
			return err;
		left -= n;
	}
	return 0;
}

int datcopy_plain(const struct datcopy *c, int to)
{
	u64 left = c->size;
	ssize_t n;

	if (lseek(c->from, 0, SEEK_SET) < 0)
		return errno;
	while (left) {
		n = copy_file_range(c->from, NULL, to, NULL, left, 0);
		if (n < 0 && errno == ENOSPC)
			return errno;
		if (!n || (n < 0 && errno != EINTR))
			return copy_by_hand(c->from, to, left);
		left -= MAX(n, 0);
		tell(c, MAX(n, 0));
	}
	return 0;
}

size_t datchunk_room(const struct packing *packing, u32 size)
{
	return DAT_CHUNK_HEADER + packing->room(size);
}

size_t datchunk_pack(const struct packing *packing, const void *data, u32 size, void *out)
{
	u8 *body = (u8 *)out + DAT_CHUNK_HEADER;
	u32 made = packing->pack(data, size, body, packing->room(size));

	memcpy(out, &made, sizeof(made));
	memcpy((u8 *)out + sizeof(made), &size, sizeof(size));
	return made ? DAT_CHUNK_HEADER + made : 0;
}

/**
 * struct press - makes chunks
 * @packing:	how
 * @size:	of a chunk's data
 * @data:	room for it
 * @chunk:	room for what it becomes
 */
struct press {
	const struct packing *packing;
	u32 size;
	u8 *data;
	u8 *chunk;
};

static int read_at(int from, void *data, size_t size, u64 at)
{
	ssize_t n = pread(from, data, size, at);

	if (n < 0)
		return errno;
	return (size_t)n == size ? 0 : EIO;
}

static int put_chunk(const struct datcopy *c, int to, const struct press *p, u64 at, u64 *written)
{
	u32 size = MIN(p->size, c->size - at);
	int err = read_at(c->from, p->data, size, at);
	size_t made;

	if (err)
		return err;
	made = datchunk_pack(p->packing, p->data, size, p->chunk);
	if (!made)
		return ENOMEM;
	*written += made;
	tell(c, size);
	return write_all(to, p->chunk, made);
}

static int put_chunks(const struct datcopy *c, int to, const struct press *p, u64 *written)
{
	u32 nr = (c->size + p->size - 1) / p->size;
	int err = write_all(to, &nr, sizeof(nr));
	u64 at;

	*written = 0;
	for (at = 0; !err && at < c->size; at += p->size)
		err = put_chunk(c, to, p, at, written);
	return err;
}

int datcopy_packed(const struct datcopy *c, int to, const struct packing *packing, u64 *size)
{
	struct press p = {
		.packing = packing,
		.size = MAX(CHUNK_SIZE / c->page_size, 1ULL) * c->page_size,
	};
	int err = ENOMEM;

	p.data = malloc(p.size);
	p.chunk = malloc(datchunk_room(packing, p.size));
	if (p.data && p.chunk)
		err = put_chunks(c, to, &p, size);
	free(p.chunk);
	free(p.data);
	return err;
}
