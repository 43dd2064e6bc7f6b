// SPDX-License-Identifier: GPL-2.0
/*
 * All interleavings of one or two swapping readers and a writer that crosses
 * sub-buffers, is switched off and on, and is reset.
 *
 * They run as coroutines that stop before and after each shared access of the writer's
 * code. From each such point, each of them in turn continues; their state (stacks,
 * registers, the buffer) is saved before and restored after that. A state that was seen
 * before is not entered again. Sub-buffers are so small that one or two events fill one.
 *
 * The memory model is sequential consistency, so this does not test the barriers.
 */
#include <errno.h>
#include <ucontext.h>
#include "lib.h"

#define STACK_SIZE	(64 << 10)
#define MAX_DEPTH	4096
#define MAX_REGIONS	32
/* As in the writer */
#define SWAP_ATTEMPTS	8

/**
 * struct coro - one side
 * @low: below this, its stack is unused while it is stopped
 */
struct coro {
	ucontext_t	context;
	char		*low;
	bool		done;
	char		*stack;
};

/**
 * struct scenario - what all sides do
 * @slots: ring sub-buffers
 * @before: events written before
 * @taken: swaps before
 * @program: what the writer does: 'w' writes an event, '0' switches it off, '1' on,
 *	     'r' resets it on its own CPU
 * @swaps: number of swaps of each reader, each after reading all there is
 * @readers: one or two; they share a sub-buffer, under a lock
 * @size: of an event: 108 fills a sub-buffer, 52 half of one
 */
struct scenario {
	u32	slots;
	u32	before;
	u32	taken;
	const char *program;
	u32	swaps;
	u32	readers;
	u32	size;
	bool	overwrite;
};

enum { WRITER, READER, READER2, NR_SIDES };

/* All that changes while the sides run; saved and restored as a whole */
static struct world {
	struct coro	side[NR_SIDES];
	struct buf	b;
	struct reader	r;
	/* The host's lock and EL2's, modelled as one */
	bool		locked;
	/* Links are being moved */
	bool		moving;
	bool		off;
	/* Number of events since the last reset */
	u32		events;
	/* The swap: exchanges lost, and whether head was read for the next one */
	u32		attempts;
	bool		looked;
} world;

static struct scenario now;
static ucontext_t scheduler;
static int running;
static char path[MAX_DEPTH + 1];

static struct {
	char	*start;
	size_t	size;
} regions[MAX_REGIONS];
static int nr_regions;

/* How often the rare cases happened; a test in which they do not happen proves nothing */
static struct {
	u64	states;
	u64	ends;
	u64	swap_lost;
	u64	writer_lost;
	u64	late_store;
	u64	busy;
	u64	uncounted;
} seen;

static struct event expect_now(u32 seq)
{
	return (struct event){ seq, now.size, 10 * seq };
}

static void write_one(struct buf *b)
{
	world.events += !world.off;
	buf_write_as(b, now.size, 10 * (b->tried + 1));
}

static void print_path(void)
{
	printf("# slots %u before %u taken %u program %s swaps %u readers %u size %u overwrite %d\n",
	       now.slots, now.before, now.taken, now.program, now.swaps, now.readers,
	       now.size, now.overwrite);
	printf("# schedule %s\n", path);
}

/* The writer is not on the reader's sub-buffer, unless the reader has caught up */
static void check_apart(void)
{
	struct buf *b = &world.b;

	if (!world.moving && b->w.tail_id == b->meta->reader.id)
		CHECK_EQ(buf_head(b), b->w.tail + 1);
}

static bool is_shared(const volatile void *addr)
{
	struct buf *b = &world.b;
	u32 i;

	if (addr == &b->w.head || addr == &b->w.tail)
		return true;
	for (i = 0; i < b->nr; i++) {
		struct rb_writer_subbuf *sub = buf_subbuf(b, i);

		if (addr == &sub->slot || addr == &sub->page->commit)
			return true;
	}
	return false;
}

/* Each attempt reads head again, so it fails only if the writer moved it meanwhile */
static void note_swap(const struct shim_access *access)
{
	if (access->op == SHIM_LOAD)
		world.looked = true;
	if (access->op != SHIM_CMPXCHG || !access->done)
		return;
	CHECK(world.looked);
	world.looked = false;
	world.moving = access->won;
	world.attempts += !access->won;
	seen.swap_lost += !access->won;
}

static void note(const struct shim_access *access)
{
	struct buf *b = &world.b;

	if (running != WRITER && access->addr == &b->w.head)
		note_swap(access);
	else if (access->op == SHIM_CMPXCHG && access->done)
		seen.writer_lost += !access->won;
	/* The writer stores to a slot in only one place */
	if (access->op == SHIM_STORE && access->done && running == WRITER &&
	    access->addr != &b->w.tail && access->value < b->nr) {
		u32 i;

		for (i = 0; i < b->nr; i++)
			seen.late_store += access->addr == &buf_subbuf(b, i)->slot;
	}
}

static __attribute__((noinline)) void stop(void)
{
	struct coro *side = &world.side[running];

	/* Below are this frame and swapcontext()'s */
	side->low = (char *)__builtin_frame_address(0) - 256;
	swapcontext(&side->context, &scheduler);
}

static void sched_hook(const struct shim_access *access)
{
	note(access);
	if (is_shared(access->addr))
		stop();
}

static void lock(void)
{
	while (world.locked)
		stop();
	world.locked = true;
}

static void unlock(void)
{
	world.locked = false;
}

static void reset(void)
{
	lock();
	world.moving = true;
	rb_writer_reset(&world.b.w);
	world.moving = false;
	world.b.tried = 0;
	world.b.refused = 0;
	world.events = 0;
	reader_reset(&world.r);
	unlock();
}

static void set_on(bool on)
{
	lock();
	rb_writer_set_on(&world.b.w, on);
	world.off = !on;
	unlock();
}

static void writer_side(void)
{
	const char *op;

	for (op = now.program; *op; op++) {
		switch (*op) {
		case 'w':
			write_one(&world.b);
			break;
		case 'r':
			reset();
			break;
		case '0':
		case '1':
			set_on(*op == '1');
			break;
		}
	}
	world.side[WRITER].done = true;
}

/*
 * Is a sub-buffer left for the reader, as the meta page has it? The writer may have
 * overwritten one that it has not counted yet.
 */
static bool is_one_left(void)
{
	const struct trace_buffer_meta *meta = world.b.meta;
	u64 head, tail;

	rb_meta_range(meta, now.slots, &head, &tail);
	CHECK(head <= tail + 1);
	seen.uncounted += meta->pages_lost + meta->pages_read != head;
	return head <= tail;
}

static void take_turn(void)
{
	bool left;
	int ret;

	lock();
	reader_read(&world.r, ~0U);
	world.attempts = 0;
	left = is_one_left();
	ret = reader_swap(&world.r);
	world.moving = false;
	CHECK(ret != RB_SWAP_NOTHING || !left);
	if (ret < 0) {
		CHECK_EQ(ret, -EBUSY);
		CHECK_EQ(world.attempts, SWAP_ATTEMPTS);
		seen.busy++;
	}
	CHECK(world.attempts <= SWAP_ATTEMPTS);
	unlock();
}

static void reader_side(void)
{
	u32 i;

	for (i = 0; i < now.swaps; i++)
		take_turn();
	world.side[running].done = true;
}

static void region(void *start, size_t size)
{
	CHECK(nr_regions < MAX_REGIONS);
	regions[nr_regions].start = start;
	regions[nr_regions++].size = size;
}

static void setup_side(int i, void (*fn)(void))
{
	struct coro *side = &world.side[i];
	static char stacks[NR_SIDES][STACK_SIZE] __attribute__((aligned(64)));

	side->stack = stacks[i];
	memset(side->stack, 0, STACK_SIZE);
	CHECK(!getcontext(&side->context));
	side->context.uc_stack.ss_sp = side->stack;
	side->context.uc_stack.ss_size = STACK_SIZE;
	side->context.uc_link = &scheduler;
	makecontext(&side->context, fn, 0);
	side->low = side->stack + STACK_SIZE - 1024;
	side->done = false;
}

static void setup(const struct scenario *s)
{
	struct buf *b = &world.b;
	u32 i;

	now = *s;
	memset(&world, 0, sizeof(world));
	buf_init(b, s->slots + 1);
	b->w.overwrite = s->overwrite;
	rb_writer_set_on(&b->w, true);
	reader_init(&world.r, b);
	world.r.expect = expect_now;
	world.r.compare = 0;
	for (i = 0; i < s->before; i++)
		write_one(b);
	for (i = 0; i < s->taken; i++) {
		reader_read(&world.r, ~0U);
		reader_swap(&world.r);
	}
	world.r.racing = true;

	nr_regions = 0;
	region(&world, sizeof(world));
	region(b->meta, sizeof(*b->meta));
	for (i = 0; i < b->nr; i++) {
		if (i % RB_WRITER_SUBBUFS_PER_PAGE == 0)
			region(b->w.table[i / RB_WRITER_SUBBUFS_PER_PAGE], PAGE_SIZE);
		region(buf_subbuf(b, i)->page, PAGE_SIZE);
	}
	setup_side(WRITER, writer_side);
	setup_side(READER, reader_side);
	setup_side(READER2, reader_side);
	world.side[READER2].done = now.readers < 2;
}

/*
 * The states: each consists of all regions, and of the used parts of the stacks.
 */
static size_t stack_used(int i)
{
	return world.side[i].stack + STACK_SIZE - world.side[i].low;
}

static char *save(void)
{
	size_t size = 0;
	char *state, *to;
	int i;

	for (i = 0; i < nr_regions; i++)
		size += regions[i].size;
	for (i = 0; i < NR_SIDES; i++)
		size += stack_used(i);
	state = malloc(size);
	CHECK(state);
	to = state;
	for (i = 0; i < nr_regions; i++) {
		memcpy(to, regions[i].start, regions[i].size);
		to += regions[i].size;
	}
	for (i = 0; i < NR_SIDES; i++) {
		memcpy(to, world.side[i].low, stack_used(i));
		to += stack_used(i);
	}
	return state;
}

static void restore(const char *state)
{
	int i;

	for (i = 0; i < nr_regions; i++) {
		memcpy(regions[i].start, state, regions[i].size);
		state += regions[i].size;
	}
	for (i = 0; i < NR_SIDES; i++) {
		memcpy(world.side[i].low, state, stack_used(i));
		state += stack_used(i);
	}
}

static u64 hash_bytes(u64 hash, const void *start, size_t size)
{
	const char *at = start;
	u64 word;

	for (; size >= 8; size -= 8, at += 8) {
		memcpy(&word, at, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	for (; size; size--)
		hash = (hash ^ (u8)*at++) * 0x100000001b3ULL;
	return hash;
}

static u64 hash_state(void)
{
	u64 hash = 1;
	int i;

	for (i = 0; i < nr_regions; i++)
		hash = hash_bytes(hash, regions[i].start, regions[i].size);
	for (i = 0; i < NR_SIDES; i++)
		hash = hash_bytes(hash, world.side[i].low, stack_used(i));
	return hash ? hash : 1;
}

static u64 *known;
static u64 known_size, nr_known;

static void known_put(u64 hash)
{
	u64 at = hash % known_size;

	while (known[at])
		at = (at + 1) % known_size;
	known[at] = hash;
}

static void known_grow(void)
{
	u64 *old = known, size = known_size, i;

	known_size = size ? 2 * size : 1 << 16;
	known = calloc(known_size, sizeof(*known));
	CHECK(known);
	for (i = 0; i < size; i++)
		if (old[i])
			known_put(old[i]);
	free(old);
}

/* False if it was known */
static bool add_known(u64 hash)
{
	u64 at;

	if (2 * nr_known >= known_size)
		known_grow();
	for (at = hash % known_size; known[at]; at = (at + 1) % known_size)
		if (known[at] == hash)
			return false;
	known[at] = hash;
	nr_known++;
	return true;
}

static void check_end(void)
{
	struct reader *r = &world.r;
	struct buf *b = &world.b;

	CHECK(!world.locked);
	seen.ends++;
	r->racing = false;
	buf_check(b);
	reader_account(r);
	reader_drain(r);
	rb_writer_set_on(&b->w, true);
	world.off = false;
	/* There is room now, so the last losses are reported with this event */
	write_one(b);
	reader_drain(r);
	CHECK_EQ(r->lost, b->w.overrun + b->w.dropped);
	CHECK_EQ(r->next, b->tried + 1);
	CHECK_EQ(b->tried, world.events);
}

static void step(int side)
{
	running = side;
	shim_hook = sched_hook;
	swapcontext(&scheduler, &world.side[side].context);
	shim_hook = NULL;
	check_apart();
}

static void explore(u32 depth)
{
	char *state;
	int side;

	if (!add_known(hash_state()))
		return;
	seen.states++;
	state = save();
	CHECK(depth < MAX_DEPTH);
	for (side = 0; side < NR_SIDES; side++) {
		if (world.side[side].done)
			continue;
		path[depth] = "wrs"[side];
		path[depth + 1] = '\0';
		step(side);
		explore(depth + 1);
		restore(state);
	}
	if (world.side[WRITER].done && world.side[READER].done && world.side[READER2].done)
		check_end();
	restore(state);
	free(state);
}

static void run(const struct scenario *s)
{
	setup(s);
	nr_known = 0;
	if (known)
		memset(known, 0, known_size * sizeof(*known));
	explore(0);
	buf_free(&world.b);
}

static void report(void)
{
	printf("# %llu states, %llu ends; late store %llu times, busy %llu\n",
	       seen.states, seen.ends, seen.late_store, seen.busy);
	printf("# exchange lost by the swapper %llu times, by the writer %llu\n",
	       seen.swap_lost, seen.writer_lost);
}

/* Start from each fill level, with the reader on its first sub-buffer and on another */
static void run_all(struct scenario s)
{
	u32 per_page = s.size == 108 ? 1 : 2;

	memset(&seen, 0, sizeof(seen));
	for (s.before = 0; s.before <= s.slots * per_page + 1; s.before++)
		for (s.taken = 0; s.taken <= 1; s.taken++)
			run(&s);
	report();
}

/* Run all, and check that the rare cases have happened */
static void run_crossing(struct scenario s)
{
	run_all(s);
	CHECK(seen.late_store);
	if (s.overwrite)
		CHECK(seen.swap_lost && seen.writer_lost && seen.uncounted);
}

static void test_overwrite_2(void)
{
	run_crossing((struct scenario){ 2, 0, 0, "wwwww", 2, 1, 108, true });
	run_crossing((struct scenario){ 2, 0, 0, "wwwwww", 2, 1, 52, true });
}

static void test_overwrite_3(void)
{
	run_crossing((struct scenario){ 3, 0, 0, "wwwww", 2, 1, 108, true });
}

static void test_overwrite_swaps(void)
{
	run_crossing((struct scenario){ 2, 0, 0, "wwww", 3, 1, 108, true });
}

static void test_keep_oldest(void)
{
	run_crossing((struct scenario){ 2, 0, 0, "wwwwww", 2, 1, 108, false });
	run_crossing((struct scenario){ 2, 0, 0, "wwwwww", 2, 1, 52, false });
	run_crossing((struct scenario){ 3, 0, 0, "wwwwwww", 2, 1, 108, false });
}

static void test_two_readers(void)
{
	run_crossing((struct scenario){ 2, 0, 0, "wwww", 1, 2, 108, true });
	run_crossing((struct scenario){ 3, 0, 0, "www", 1, 2, 108, true });
	run_crossing((struct scenario){ 2, 0, 0, "wwww", 1, 2, 108, false });
}

static void test_switches(void)
{
	run_all((struct scenario){ 2, 0, 0, "ww0w1ww", 2, 1, 108, true });
	run_all((struct scenario){ 2, 0, 0, "w0w1ww", 1, 2, 52, true });
	run_all((struct scenario){ 2, 0, 0, "ww0w1ww", 2, 1, 108, false });
}

static void test_resets(void)
{
	run_all((struct scenario){ 2, 0, 0, "wwrwww", 2, 1, 108, true });
	run_all((struct scenario){ 3, 0, 0, "wwrwrww", 2, 1, 108, true });
	run_all((struct scenario){ 2, 0, 0, "wrwww", 1, 2, 52, true });
	run_all((struct scenario){ 2, 0, 0, "wwrwww", 2, 1, 108, false });
	run_all((struct scenario){ 2, 0, 0, "ww0wr1www", 2, 1, 108, true });
}

static void test_busy(void)
{
	struct scenario s = { 2, 2, 0, "wwwwwwwwww", 1, 1, 108, true };

	memset(&seen, 0, sizeof(seen));
	run(&s);
	report();
	CHECK(seen.busy);
}

static const struct test tests[] = {
	{ "interleavings: overwrite, 2 slots, 2 swaps", test_overwrite_2 },
	{ "interleavings: overwrite, 3 slots, 2 swaps", test_overwrite_3 },
	{ "interleavings: overwrite, 2 slots, 3 swaps", test_overwrite_swaps },
	{ "interleavings: keep the oldest", test_keep_oldest },
	{ "interleavings: two readers", test_two_readers },
	{ "interleavings: off and on", test_switches },
	{ "interleavings: resets", test_resets },
	{ "interleavings: overwrite, swap gives up", test_busy },
};

int main(int argc, char **argv)
{
	test_fail_hook = print_path;
	return run_tests(tests, ARRAY_SIZE(tests), argc > 1 ? argv[1] : NULL);
}
