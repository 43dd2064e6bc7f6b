// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of trace_pipe_raw: those of a trace remote behave like those of the
 * kernel's own ring buffer, down to the errno of each refusal. So each test runs on
 * both, and each difference is explained where it is tested.
 *
 * Needs root. Runs on an instance and on the remotes "hypervisor" and "test", and
 * skips a remote that does not exist.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/reader.h"
#include "variants.h"

#define RAW_FILE	"per_cpu/cpu%d/trace_pipe_raw"
#define PAGE		SUBBUF_SIZE
/* The largest file, in pages; 64 bits can address twice as much */
#define MAX_PAGES	((1UL << 63) / PAGE)

FIXTURE(map) {
	struct source	src;
	struct events	ev;
	int		cpu;
	int		fd;
	size_t		pages;	/* that can be mapped */
};

FIXTURE_FOR_SOURCES_AND_SIZES(map);
VARIANT(map, hypervisor_1m, HYPERVISOR, 1024);
VARIANT(map, software_1m, SOFTWARE, 1024);
VARIANT(map, ordinary_1m, NULL, 1024);

/* Starts empty, on, with one file open and nothing mapped */
FIXTURE_SETUP(map)
{
	struct mapping m;

	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;

	self->cpu = nr_cpus() - 1;
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	self->fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, RAW_FILE, self->cpu);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, source_on(&self->src, true));

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	self->pages = m.size / PAGE;
	ASSERT_LE(4, self->pages);
	mapping_unmap(&m);
}

FIXTURE_TEARDOWN(map)
{
	if (self->fd >= 0)
		close(self->fd);
	source_close(&self->src);
	events_free(&self->ev);
}

/* Every page can be read */
static unsigned long touch(const void *map, size_t size)
{
	const char *p = map;
	unsigned long sum = 0;
	size_t i;

	for (i = 0; i < size; i += PAGE)
		sum += LOAD(p[i]) + LOAD(p[i + PAGE - 1]);
	return sum;
}

/* mmap() the file with MAP_SHARED and PROT_READ; errno is kept */
static void *map_pages(int fd, size_t offset, size_t pages)
{
	return mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, offset * PAGE);
}

/* Expect that the kernel counts the buffer as mapped, or as not mapped */
static void expect_mapped(struct __test_metadata *_metadata, int fd, bool mapped)
{
	errno = 0;
	EXPECT_EQ(mapped ? 0 : -1, ioctl(fd, TRACE_MMAP_IOCTL_GET_READER));
	EXPECT_EQ(mapped ? 0 : ENODEV, errno);
}

/* Expect that a mapping keeps the buffer, or that an instance could be removed */
static void expect_in_use(struct __test_metadata *_metadata, const struct source *src,
			  bool used)
{
	EXPECT_TRUE(!src->remote || source_loaded(src) == used);
	EXPECT_TRUE(src->remote || !used || rmdir(src->dir));
}

/* Write more events than the ring has room for */
static __u64 overflow(const struct source *src, int cpu, __u64 first)
{
	__u64 id = first;
	struct stats stats;

	do {
		if (source_write_many(src, id, 150) || source_stats(src, cpu, &stats))
			return 0;
		id += 150;
	} while (!stats.overrun);
	return id;
}

/*
 * The meta page
 */

TEST_F(map, meta_page)
{
	struct trace_buffer_meta *meta;
	struct mapping m;
	unsigned int i;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	meta = m.meta;
	EXPECT_EQ(PAGE, meta->meta_page_size);
	EXPECT_LE(offsetof(struct trace_buffer_meta, dropped) + sizeof(meta->dropped),
		  meta->meta_struct_len);
	EXPECT_EQ(PAGE, meta->subbuf_size);
	EXPECT_EQ(self->pages - 1, meta->nr_subbufs);
	EXPECT_LE(variant->size_kb * 1024, (meta->nr_subbufs - 1) * SUBBUF_DATA_SIZE);
	EXPECT_EQ(!!variant->remote, meta->flags & TRACE_BUFFER_META_REMOTE);
	EXPECT_EQ(0, meta->reader.id);
	EXPECT_EQ(0, meta->reader.read);
	EXPECT_EQ(0, meta->reader.lost_events);
	EXPECT_EQ(0, meta->entries);
	EXPECT_EQ(0, meta->overrun);
	EXPECT_EQ(0, meta->read);
	EXPECT_EQ(0, meta->pages_touched);
	EXPECT_EQ(0, meta->pages_lost);
	EXPECT_EQ(0, meta->pages_read);
	EXPECT_EQ(0, meta->dropped);
	EXPECT_EQ(0, meta->closed_bytes);
	EXPECT_EQ(0, meta->pages_gone);
	for (i = 0; i < meta->nr_subbufs; i++)
		EXPECT_EQ(0, mapping_subbuf(&m, i)->commit);
	for (i = meta->meta_struct_len; i < PAGE; i++)
		ASSERT_EQ(0, ((char *)meta)[i]);
	mapping_unmap(&m);
}

TEST_F(map, get_reader)
{
	unsigned long late = late_writes();
	struct trace_buffer_meta *meta;
	struct mapping m;
	__u32 read;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	meta = m.meta;

	/* Nothing there */
	EXPECT_EQ(0, ioctl(m.fd, TRACE_MMAP_IOCTL_GET_READER));
	EXPECT_EQ(0, meta->reader.id);
	EXPECT_EQ(0, meta->reader.read);

	/* A sub-buffer that is being written */
	ASSERT_EQ(0, source_write_many(&self->src, 0, 16));
	EXPECT_EQ(0, LOAD(meta->reader.id));
	EXPECT_EQ(1, mapping_next(&m, &self->ev));
	EXPECT_EQ(16, self->ev.nr);
	EXPECT_EQ(1, meta->reader.id);
	EXPECT_EQ(16, meta->entries);
	EXPECT_EQ(16, meta->read);
	EXPECT_EQ(0, meta->overrun);
	read = meta->reader.read;
	EXPECT_EQ(read, mapping_subbuf(&m, 1)->commit);
	EXPECT_TRUE(!variant->remote || late_writes() != late || read == 16 * EVENT_SIZE);

	/* Nothing new; then more on the same one */
	EXPECT_EQ(0, mapping_next(&m, &self->ev));
	EXPECT_EQ(read, meta->reader.read);
	ASSERT_EQ(0, source_write(&self->src, 16));
	EXPECT_EQ(1, mapping_next(&m, &self->ev));
	EXPECT_EQ(1, meta->reader.id);
	EXPECT_LT(read, meta->reader.read);
	EXPECT_EQ(17, meta->read);
	EXPECT_EQ(17, events_first_wrong(&self->ev, 0));
	EXPECT_EQ(gettid(), self->ev.list[0].pid);
	EXPECT_EQ(gettid(), self->ev.list[16].pid);
	EXPECT_EQ(NULL, self->ev.error) TH_LOG("%s", self->ev.error);
	mapping_unmap(&m);
}

/* The reader's ids are in range, each sub-buffer gets its turn, the counters add up */
TEST_F(map, ids)
{
	__u64 nr = overflow(&self->src, self->cpu, 0), next = 0;
	bool seen[1024] = {};
	struct mapping m;
	unsigned int i;
	int ret;

	ASSERT_LT(0, nr);
	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	ASSERT_GE(ARRAY_SIZE(seen), m.meta->nr_subbufs);
	seen[m.meta->reader.id] = true;
	while ((ret = mapping_next(&m, &self->ev)) > 0) {
		ASSERT_GT(m.meta->nr_subbufs, m.meta->reader.id);
		seen[m.meta->reader.id] = true;
	}
	EXPECT_EQ(0, ret);
	for (i = 0; i < m.meta->nr_subbufs; i++)
		EXPECT_TRUE(seen[i]);

	EXPECT_EQ(self->ev.nr, events_first_unexplained(&self->ev, &next, true));
	EXPECT_EQ(nr, next);
	EXPECT_EQ(nr, self->ev.nr + m.meta->overrun);
	EXPECT_EQ(self->ev.nr, m.meta->read);
	EXPECT_EQ(1, self->ev.losses);
	EXPECT_EQ(NULL, self->ev.error) TH_LOG("%s", self->ev.error);
	mapping_unmap(&m);
}

/* What the writer of a remote does is seen at once, without any call */
TEST_F(map, live_counters)
{
	unsigned long late = late_writes();
	unsigned int room, subbuf;
	struct mapping m;
	__u64 i;

	if (!variant->remote)
		SKIP(return, "an ordinary buffer updates the meta page on the ioctl");

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	room = m.meta->nr_subbufs - 1;
	for (i = 0; i < (room + 2) * EVENTS_PER_SUBBUF; i++) {
		subbuf = i / EVENTS_PER_SUBBUF;
		ASSERT_EQ(0, source_write(&self->src, i));
		ASSERT_EQ(i + 1, LOAD(m.meta->entries));
		if (late_writes() != late)
			SKIP(return, "the machine stalls");
		ASSERT_EQ(subbuf, LOAD(m.meta->pages_touched));
		ASSERT_EQ(subbuf < room ? 0 : subbuf - room + 1, LOAD(m.meta->pages_lost));
		ASSERT_EQ(m.meta->pages_lost * EVENTS_PER_SUBBUF, LOAD(m.meta->overrun));
		ASSERT_EQ(0, LOAD(m.meta->dropped));
		/* Sub-buffer 0 is the reader's, so number n is in 1 + n % room */
		ASSERT_EQ((i % EVENTS_PER_SUBBUF + 1) * EVENT_SIZE,
			  LOAD(mapping_subbuf(&m, 1 + subbuf % room)->commit));
	}
	EXPECT_EQ(0, LOAD(m.meta->pages_read));
	EXPECT_EQ(0, LOAD(m.meta->reader.id));
	EXPECT_EQ(0, LOAD(m.meta->read));

	for (i = 1; mapping_next(&m, &self->ev) > 0; i++) {
		ASSERT_EQ(i, LOAD(m.meta->pages_read));
		ASSERT_EQ(i == 1 ? 2 * EVENTS_PER_SUBBUF : 0, LOAD(m.meta->reader.lost_events));
	}
	EXPECT_EQ(room + 1, i);
	mapping_unmap(&m);
}

/* Two words that programs find at the same place with any kernel that has them */
TEST_F(map, lost_and_touched)
{
	struct {
		__u32	sizes[4];
		__u64	reader[2];
		__u64	flags;
		__u64	entries[3];
		__u64	pages_lost;
		__u64	pages_touched;
	} *meta;
	unsigned long late = late_writes();
	unsigned int room, subbuf;
	struct mapping m;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	meta = (void *)m.meta;
	ASSERT_LE(sizeof(*meta), m.meta->meta_struct_len);
	room = m.meta->nr_subbufs - 1;
	for (subbuf = 0; subbuf < room + 3; subbuf++) {
		ASSERT_EQ(0, source_write_many(&self->src, 0, EVENTS_PER_SUBBUF));
		if (late_writes() != late)
			SKIP(return, "the machine stalls");
		/* An ordinary buffer has larger events, and updates the page on the ioctl */
		if (!variant->remote)
			continue;
		ASSERT_EQ(subbuf, LOAD(meta->pages_touched));
		ASSERT_EQ(subbuf < room ? 0 : subbuf - room + 1, LOAD(meta->pages_lost));
	}

	/* The one being written and the lost ones are not among those that can be read */
	ASSERT_EQ(0, ioctl(self->fd, TRACE_MMAP_IOCTL_GET_READER));
	EXPECT_LE(3, LOAD(meta->pages_lost));
	EXPECT_EQ(room - 1, LOAD(meta->pages_touched) - LOAD(meta->pages_lost));
	mapping_unmap(&m);
}

/*
 * What is refused
 */

TEST_F(map, refused_protections)
{
	static const struct {
		int open_flags, prot, flags, error;
	} cases[] = {
		/* The VFS: the file is not open for writing */
		{ O_RDONLY, PROT_READ | PROT_WRITE, MAP_SHARED, EACCES },
		{ O_RDONLY, PROT_WRITE, MAP_SHARED, EACCES },
		/* The file itself */
		{ O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED, EPERM },
		{ O_RDWR, PROT_WRITE, MAP_SHARED, EPERM },
		{ O_RDONLY, PROT_READ | PROT_EXEC, MAP_SHARED, EPERM },
		{ O_RDONLY, PROT_EXEC, MAP_SHARED, EPERM },
		{ O_RDONLY, PROT_READ, MAP_PRIVATE, EPERM },
		{ O_RDONLY, PROT_READ | PROT_WRITE, MAP_PRIVATE, EPERM },
		{ O_RDWR, PROT_READ, MAP_PRIVATE, EPERM },
		{ O_RDONLY, PROT_NONE, MAP_PRIVATE, EPERM },
	};
	unsigned int i, again;
	void *map;
	int fd;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		again = i / 2;
		fd = source_open_file(&self->src, cases[again].open_flags | O_NONBLOCK,
				      RAW_FILE, self->cpu);
		ASSERT_LE(0, fd);
		/* Each with one page, then with all pages */
		map = mmap(NULL, i & 1 ? self->pages * PAGE : PAGE, cases[again].prot,
			   cases[again].flags, fd, 0);
		EXPECT_EQ(MAP_FAILED, map) TH_LOG("case %u", again);
		EXPECT_EQ(cases[again].error, errno) TH_LOG("case %u", again);
		expect_mapped(_metadata, fd, false);
		close(fd);
	}
}

TEST_F(map, mprotect)
{
	size_t size = self->pages * PAGE;
	int fd, writable;
	void *map;

	for (writable = 0; writable <= 1; writable++) {
		fd = source_open_file(&self->src, (writable ? O_RDWR : O_RDONLY) | O_NONBLOCK,
				      RAW_FILE, self->cpu);
		ASSERT_LE(0, fd);
		map = map_pages(fd, 0, self->pages);
		ASSERT_NE(MAP_FAILED, map);

		EXPECT_EQ(-1, mprotect(map, size, PROT_READ | PROT_WRITE));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(-1, mprotect(map, size, PROT_WRITE));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(-1, mprotect(map, PAGE, PROT_READ | PROT_WRITE));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(0, mprotect(map, size, PROT_READ));
		touch(map, size);

		/* To PROT_NONE and back; refused for a part, which would split the mapping */
		EXPECT_EQ(0, mprotect(map, size, PROT_NONE));
		EXPECT_EQ(0, mprotect(map, size, PROT_READ));
		touch(map, size);
		EXPECT_EQ(-1, mprotect(map, PAGE, PROT_NONE));
		EXPECT_EQ(EINVAL, errno);
		touch(map, size);
		EXPECT_EQ(0, munmap(map, size));
		expect_mapped(_metadata, fd, false);
		close(fd);
	}
}

/* A remote, and an ordinary buffer to compare it with */
FIXTURE(pair) {
	struct source	src;
	struct source	ordinary;
};

FIXTURE_FOR_REMOTES(pair, 1);

FIXTURE_SETUP(pair)
{
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	ASSERT_EQ(0, instance_open(&self->ordinary, "hyptrace_map"));
}

FIXTURE_TEARDOWN(pair)
{
	source_close(&self->ordinary);
	source_close(&self->src);
}

/* A remote allows what an ordinary buffer allows, and refuses what that refuses */
TEST_F(pair, mprotect_exec)
{
	int ret[2], error[2], i, fd;
	void *map;

	for (i = 0; i < 2; i++) {
		fd = source_open_file(i ? &self->src : &self->ordinary, O_RDONLY, RAW_FILE, 0);
		ASSERT_LE(0, fd);
		map = map_pages(fd, 0, 1);
		ASSERT_NE(MAP_FAILED, map);
		errno = 0;
		ret[i] = mprotect(map, PAGE, PROT_READ | PROT_EXEC);
		error[i] = errno;
		munmap(map, PAGE);
		close(fd);
	}
	EXPECT_EQ(ret[0], ret[1]);
	EXPECT_EQ(error[0], error[1]);
}

/* Offsets and lengths in pages: whatever ends within the file is granted, and no more */
TEST_F(map, ranges)
{
	const size_t all = self->pages;
	const struct {
		size_t offset, pages;
		int error;
	} cases[] = {
		{ 0, 1, 0 }, { 0, 2, 0 }, { 0, all - 1, 0 }, { 0, all, 0 },
		{ 0, all + 1, EINVAL }, { 0, 2 * all, EINVAL }, { 0, 65536, EINVAL },
		{ 1, 1, 0 }, { 1, all - 2, 0 }, { 1, all - 1, 0 },
		{ 1, all, EINVAL }, { 1, all + 1, EINVAL },
		{ 2, all - 2, 0 }, { 2, all - 1, EINVAL },
		{ all - 2, 2, 0 }, { all - 2, 3, EINVAL },
		{ all - 1, 1, 0 }, { all - 1, 2, EINVAL },
		{ all, 1, EINVAL }, { all, all, EINVAL },
		{ all + 1, 1, EINVAL }, { 2 * all, 1, EINVAL },
		{ 1UL << 20, 1, EINVAL }, { 1UL << 32, 1, EINVAL },
		{ (1UL << 32) + 1, 1, EINVAL }, { MAX_PAGES / 2, 1, EINVAL },
		{ MAX_PAGES - 2, 1, EINVAL },
		/* The VFS: past the largest file, or past 64 bits */
		{ MAX_PAGES, 1, EOVERFLOW }, { 2 * MAX_PAGES - 1, 1, EOVERFLOW },
		{ 2 * MAX_PAGES - 1, 2, EOVERFLOW },
	};
	unsigned int i;
	void *map;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		errno = 0;
		map = map_pages(self->fd, cases[i].offset, cases[i].pages);
		EXPECT_EQ(cases[i].error, errno)
			TH_LOG("%zu pages at %zu of %zu", cases[i].pages, cases[i].offset, all);
		if (map != MAP_FAILED) {
			touch(map, cases[i].pages * PAGE);
			expect_mapped(_metadata, self->fd, true);
			EXPECT_EQ(0, munmap(map, cases[i].pages * PAGE));
		}
		expect_mapped(_metadata, self->fd, false);
	}

	EXPECT_EQ(MAP_FAILED, mmap(NULL, 0, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, 100));
	EXPECT_EQ(EINVAL, errno);

	/* A length that is no multiple of the page size is rounded up */
	map = mmap(NULL, (all - 1) * PAGE + 1, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	touch(map, all * PAGE);
	munmap(map, all * PAGE);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, all * PAGE + 1, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
	expect_mapped(_metadata, self->fd, false);
}

/* A refused mapping leaves nothing behind that would keep the buffer */
TEST_F(map, refused_mapping_leaves_nothing)
{
	EXPECT_EQ(MAP_FAILED, map_pages(self->fd, self->pages, 1));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, self->fd, 0));
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, source_on(&self->src, false));
	expect_in_use(_metadata, &self->src, false);
	EXPECT_EQ(0, source_set_size(&self->src, 2 * variant->size_kb));
}

TEST_F(map, ioctls)
{
	static const unsigned long unknown[] = {
		_IO('R', 0x1f), _IO('R', 0x21), _IOR('R', 0x20, int), _IOW('R', 0x20, int),
		0x5401, ~0U,
	};
	struct mapping m;
	unsigned int i;
	int fd;

	expect_mapped(_metadata, self->fd, false);
	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	expect_mapped(_metadata, self->fd, true);
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		EXPECT_EQ(-1, ioctl(self->fd, unknown[i], 0)) TH_LOG("%lx", unknown[i]);
		EXPECT_EQ(ENOTTY, errno) TH_LOG("%lx", unknown[i]);
	}
	/* Wakes up the waiters */
	EXPECT_EQ(0, ioctl(self->fd, 0));

	fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe",
			      self->cpu);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, ioctl(fd, TRACE_MMAP_IOCTL_GET_READER));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(MAP_FAILED, map_pages(fd, 0, 1));
	EXPECT_EQ(ENODEV, errno);
	close(fd);
	mapping_unmap(&m);
	expect_mapped(_metadata, self->fd, false);
}

/* Mappings of the buffers of two CPUs are independent */
TEST_F(map, per_cpu)
{
	struct mapping m;
	int fd;

	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");

	fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, RAW_FILE, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	expect_mapped(_metadata, self->fd, true);
	expect_mapped(_metadata, fd, false);
	mapping_unmap(&m);
	close(fd);
}

/*
 * Partial unmaps, moves, copies
 */

TEST_F(map, parts)
{
	const size_t all = self->pages;
	const struct {
		size_t first, pages;
	} parts[] = {
		{ 0, 1 }, { all - 1, 1 }, { 1, 1 }, { 1, all - 1 }, { 0, all - 1 },
	};
	struct mapping m;
	unsigned int i;
	char *map;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	map = (char *)m.meta;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		EXPECT_EQ(-1, munmap(map + parts[i].first * PAGE, parts[i].pages * PAGE));
		EXPECT_EQ(EINVAL, errno);
		touch(map, m.size);
		expect_mapped(_metadata, self->fd, true);
	}

	/* Replacing a part would split the mapping, too */
	EXPECT_EQ(MAP_FAILED, mmap(map + PAGE, PAGE, PROT_READ,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_EQ(MAP_FAILED, mremap(map, m.size, m.size - PAGE, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mremap(map, m.size, m.size + PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);

	ASSERT_EQ(0, source_write_many(&self->src, 0, 50));
	EXPECT_EQ(0, mapping_drain(&m, &self->ev));
	EXPECT_EQ(50, events_first_wrong(&self->ev, 0));
	mapping_unmap(&m);
	expect_mapped(_metadata, self->fd, false);
}

/*
 * The kernel of the base counts mappings of an ordinary buffer a second time, for
 * snapshots. There it misses those that are moved or inherited, and warns
 */
static bool copies_are_miscounted(const struct source *src)
{
	char text[16];

	return !src->remote && source_get(src, text, sizeof(text), "snapshot") != -ENOENT;
}

TEST_F(map, move)
{
	struct mapping m;
	void *room, *map;

	if (copies_are_miscounted(&self->src))
		SKIP(return, "the kernel has snapshots");
	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	room = mmap(NULL, m.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, room);
	map = mremap(m.meta, m.size, m.size, MREMAP_MAYMOVE | MREMAP_FIXED, room);
	ASSERT_EQ(room, map);
	touch(map, m.size);
	expect_mapped(_metadata, self->fd, true);
	EXPECT_EQ(0, munmap(map, m.size));
	expect_mapped(_metadata, self->fd, false);
}

/* A child that does not inherit the mapping, and ends */
TEST_F(map, fork)
{
	struct mapping m;
	int status;
	pid_t pid;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	ASSERT_EQ(0, source_write_many(&self->src, 0, 10));

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		munmap(m.meta, m.size);
		expect_mapped(_metadata, self->fd, true);
		touch(m.meta, PAGE);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGSEGV, WTERMSIG(status));

	touch(m.meta, m.size);
	expect_mapped(_metadata, self->fd, true);
	EXPECT_EQ(10, m.meta->read);
	mapping_unmap(&m);
	expect_mapped(_metadata, self->fd, false);
}

/* Fork a child that inherits the mapping, and may unmap it; returns its exit status */
static int fork_with_mapping(struct mapping *m, bool unmaps)
{
	int status;
	pid_t pid;

	if (madvise(m->meta, m->size, MADV_DOFORK))
		return -errno;
	pid = fork();
	if (!pid) {
		touch(m->meta, m->size);
		if (ioctl(m->fd, TRACE_MMAP_IOCTL_GET_READER))
			_exit(1);
		if (unmaps && munmap(m->meta, m->size))
			_exit(2);
		/* The parent's mapping still counts */
		_exit(ioctl(m->fd, TRACE_MMAP_IOCTL_GET_READER) ? 3 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

TEST_F(map, fork_with_the_mapping)
{
	int unmaps, status;
	struct mapping m;

	if (copies_are_miscounted(&self->src))
		SKIP(return, "the kernel has snapshots");
	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	for (unmaps = 0; unmaps <= 1; unmaps++) {
		status = fork_with_mapping(&m, unmaps);
		if (status == -EINVAL) {
			mapping_unmap(&m);
			SKIP(return, "the kernel lets no child inherit a mapping");
		}
		EXPECT_EQ(0, status);
		touch(m.meta, m.size);
		ASSERT_EQ(0, source_write_many(&self->src, 10 * unmaps, 10));
		EXPECT_EQ(0, mapping_drain(&m, &self->ev));
	}
	EXPECT_EQ(20, events_first_wrong(&self->ev, 0));
	mapping_unmap(&m);
	expect_mapped(_metadata, self->fd, false);
}

/* The child keeps using the mapping after the parent has unmapped it */
TEST_F(map, child_outlives_the_mapping)
{
	struct mapping m;
	int pipefd[2], status;
	pid_t pid;
	char c;

	if (copies_are_miscounted(&self->src))
		SKIP(return, "the kernel has snapshots");
	ASSERT_EQ(0, pipe(pipefd));
	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	if (madvise(m.meta, m.size, MADV_DOFORK)) {
		EXPECT_EQ(EINVAL, errno);
		mapping_unmap(&m);
		SKIP(return, "the kernel lets no child inherit a mapping");
	}
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(pipefd[1]);
		read(pipefd[0], &c, 1);
		touch(m.meta, m.size);
		_exit(mapping_drain(&m, &self->ev) || self->ev.nr != 30);
	}
	mapping_unmap(&m);
	ASSERT_EQ(0, source_write_many(&self->src, 0, 30));
	close(pipefd[1]);
	close(pipefd[0]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	expect_mapped(_metadata, self->fd, false);
}

/*
 * How long the buffer stays
 */

TEST_F(map, stays_without_the_file)
{
	struct mapping m;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	ASSERT_EQ(0, source_write_many(&self->src, 0, 20));
	ASSERT_EQ(0, mapping_drain(&m, &self->ev));
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, source_on(&self->src, false));

	expect_in_use(_metadata, &self->src, true);
	EXPECT_EQ(-EBUSY, source_set_size(&self->src, 2 * variant->size_kb));
	touch(m.meta, m.size);
	EXPECT_EQ(20, m.meta->entries);
	events_add_page(&self->ev, &self->src, self->cpu, mapping_subbuf(&m, m.meta->reader.id),
			0, m.meta->reader.read);
	EXPECT_EQ(40, self->ev.nr);

	mapping_unmap(&m);
	expect_in_use(_metadata, &self->src, false);
	EXPECT_EQ(0, source_set_size(&self->src, 2 * variant->size_kb));
}

TEST_F(map, no_resize)
{
	struct mapping m;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	EXPECT_EQ(-EBUSY, source_set_size(&self->src, 2 * variant->size_kb));
	ASSERT_EQ(0, source_on(&self->src, false));
	EXPECT_EQ(-EBUSY, source_set_size(&self->src, 2 * variant->size_kb));
	touch(m.meta, m.size);
	EXPECT_EQ(self->pages - 1, m.meta->nr_subbufs);
	mapping_unmap(&m);
}

/* Clearing keeps a mapped buffer loaded */
TEST_F(map, clear_while_mapped)
{
	struct mapping m;
	__u64 nr;

	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	nr = overflow(&self->src, self->cpu, 0);
	ASSERT_LT(0, nr);
	ASSERT_EQ(1, mapping_next(&m, &self->ev));
	ASSERT_EQ(0, source_reset(&self->src));
	touch(m.meta, m.size);
	EXPECT_EQ(0, LOAD(m.meta->entries));
	EXPECT_EQ(0, LOAD(m.meta->overrun));
	EXPECT_EQ(0, LOAD(m.meta->read));
	EXPECT_EQ(0, LOAD(m.meta->reader.read));
	EXPECT_EQ(0, mapping_next(&m, &self->ev));

	events_clear(&self->ev);
	ASSERT_EQ(0, source_on(&self->src, true));
	ASSERT_EQ(0, source_write_many(&self->src, 500, 200));
	EXPECT_EQ(0, mapping_drain(&m, &self->ev));
	EXPECT_EQ(200, self->ev.nr);
	EXPECT_EQ(200, events_first_wrong(&self->ev, 500));
	EXPECT_EQ(0, self->ev.losses);
	mapping_unmap(&m);
}

/* A debugger, and the kernel on behalf of a system call, can read a mapping */
TEST_F(map, others_can_read)
{
	char page[MAX_SUBBUF_SIZE];
	struct mapping m;
	int mem, fds[2];
	size_t i;

	ASSERT_EQ(0, source_write_many(&self->src, 0, 50));
	ASSERT_EQ(0, mapping_map(&m, &self->src, self->cpu, self->fd));
	ASSERT_EQ(0, mapping_drain(&m, &self->ev));
	mem = open("/proc/self/mem", O_RDONLY);
	ASSERT_LE(0, mem);
	ASSERT_EQ(0, pipe(fds));
	for (i = 0; i < m.size; i += PAGE) {
		const char *p = (char *)m.meta + i;

		ASSERT_EQ(PAGE, pread(mem, page, PAGE, (uintptr_t)p));
		ASSERT_EQ(0, memcmp(page, p, PAGE));
		ASSERT_EQ(PAGE, write(fds[1], p, PAGE));
		ASSERT_EQ(PAGE, read(fds[0], page, PAGE));
		ASSERT_EQ(0, memcmp(page, p, PAGE));
	}
	close(mem);
	close(fds[0]);
	close(fds[1]);
	mapping_unmap(&m);
}

/*
 * Several mappings at once
 */

TEST_F(map, several_mappings)
{
	struct mapping a, b, c;
	int fd;

	fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, RAW_FILE, self->cpu);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mapping_map(&a, &self->src, self->cpu, self->fd));
	ASSERT_EQ(0, mapping_map(&b, &self->src, self->cpu, self->fd));
	ASSERT_EQ(0, mapping_map(&c, &self->src, self->cpu, fd));

	/* All map the same buffer */
	ASSERT_EQ(0, source_write_many(&self->src, 0, 5));
	ASSERT_EQ(0, mapping_drain(&a, &self->ev));
	EXPECT_EQ(0, memcmp(a.meta, b.meta, a.size));
	EXPECT_EQ(0, memcmp(a.meta, c.meta, a.size));

	mapping_unmap(&a);
	touch(b.meta, b.size);
	expect_mapped(_metadata, self->fd, true);
	mapping_unmap(&c);
	close(fd);
	touch(b.meta, b.size);
	expect_mapped(_metadata, self->fd, true);
	ASSERT_EQ(0, source_write_many(&self->src, 5, 5));
	ASSERT_EQ(0, mapping_drain(&b, &self->ev));
	EXPECT_EQ(10, events_first_wrong(&self->ev, 0));
	mapping_unmap(&b);
	expect_mapped(_metadata, self->fd, false);
}

/* In turn, several times around the ring: together, they see each event once */
TEST_F(map, readers_take_turns)
{
	struct mapping m[2];
	__u64 id = 0, next = 0;
	int fd, i, nr;

	fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, RAW_FILE, self->cpu);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mapping_map(&m[0], &self->src, self->cpu, self->fd));
	ASSERT_EQ(0, mapping_map(&m[1], &self->src, self->cpu, fd));
	for (i = 0; i < 100; i++) {
		nr = i * 37 % 401;
		ASSERT_EQ(0, source_write_many(&self->src, id, nr));
		id += nr;
		ASSERT_LE(0, mapping_next(&m[i % 3 % 2], &self->ev));
	}
	ASSERT_EQ(0, mapping_drain(&m[1], &self->ev));
	ASSERT_EQ(0, mapping_next(&m[0], &self->ev));

	EXPECT_EQ(self->ev.nr, events_first_unexplained(&self->ev, &next, true));
	EXPECT_EQ(id, next);
	EXPECT_EQ(id, m[0].meta->entries);
	EXPECT_EQ(id, self->ev.nr + m[0].meta->overrun);
	EXPECT_EQ(NULL, self->ev.error) TH_LOG("%s", self->ev.error);
	mapping_unmap(&m[0]);
	mapping_unmap(&m[1]);
	close(fd);
}

/**
 * struct rival - a thread that competes for the events
 * @src:	where they are from
 * @cpu:	their CPU
 * @ret:	its errno
 * @stop:	nothing more will be written
 * @ev:		what it got
 */
struct rival {
	const struct source	*src;
	int			cpu;
	int			ret;
	int			*stop;
	struct events		ev;
};

static void *rival_main(void *data)
{
	struct rival *r = data;
	int fd, stop;

	fd = source_open_file(r->src, O_RDONLY | O_NONBLOCK, RAW_FILE, r->cpu);
	if (fd < 0) {
		r->ret = fd;
		return NULL;
	}
	/* It returns 0 if an event came between two looks of the kernel */
	do {
		stop = LOAD(*r->stop);
		r->ret = events_read_raw(&r->ev, r->src, r->cpu, fd);
	} while (!r->ret || (!stop && r->ret == -EAGAIN));
	close(fd);
	return NULL;
}

/* Two files are read while events are written */
TEST_F(map, readers_compete)
{
	const __u64 nr = 8000;
	struct rival rivals[2];
	struct stats stats;
	pthread_t tids[2];
	size_t i, j;
	int stop = 0, n;
	__u64 id;

	for (n = 0; n < 2; n++) {
		rivals[n] = (struct rival){ &self->src, self->cpu, 0, &stop, {} };
		ASSERT_EQ(0, pthread_create(&tids[n], NULL, rival_main, &rivals[n]));
	}
	ASSERT_EQ(0, source_write_many(&self->src, 0, nr));
	STORE(stop, 1);
	for (n = 0; n < 2; n++) {
		pthread_join(tids[n], NULL);
		EXPECT_EQ(-EAGAIN, rivals[n].ret);
		EXPECT_EQ(NULL, rivals[n].ev.error) TH_LOG("%s", rivals[n].ev.error);
		EXPECT_EQ(0, rivals[n].ev.backwards);
		for (i = 1; i < rivals[n].ev.nr; i++)
			ASSERT_LT(rivals[n].ev.list[i - 1].id, rivals[n].ev.list[i].id);
	}

	/* No event is read twice, and each one is either read or overwritten */
	for (i = 0, j = 0, id = 0; id < nr; id++) {
		bool a = i < rivals[0].ev.nr && rivals[0].ev.list[i].id == id;
		bool b = j < rivals[1].ev.nr && rivals[1].ev.list[j].id == id;

		ASSERT_FALSE(a && b) TH_LOG("%llu was read twice", id);
		i += a;
		j += b;
	}
	EXPECT_EQ(rivals[0].ev.nr, i);
	EXPECT_EQ(rivals[1].ev.nr, j);
	ASSERT_EQ(0, source_stats(&self->src, self->cpu, &stats));
	EXPECT_EQ(nr, i + j + stats.overrun);
	EXPECT_EQ(i + j, stats.read);
	events_free(&rivals[0].ev);
	events_free(&rivals[1].ev);
}

TEST_HARNESS_MAIN
