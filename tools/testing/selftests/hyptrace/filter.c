// SPDX-License-Identifier: GPL-2.0
/*
 * Which events are recorded: set_event, available_events, and the filters, whose
 * results are compared with what the expressions mean.
 *
 * Needs root. Runs on the remotes "hypervisor" and "test", and skips one that does
 * not exist.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/ways.h"
#include "variants.h"

#define FILTER		"events/%s/selftest/filter"
#define TEST_KB		64
#define NR_EXPRESSIONS	60
#define MAX_TERMS	32

FIXTURE(remote) {
	struct source	src;
	struct events	ev;
};

FIXTURE_FOR_REMOTES(remote, TEST_KB);

FIXTURE_SETUP(remote)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(remote)
{
	source_put(&self->src, "0", FILTER, self->src.remote);
	source_close(&self->src);
	events_free(&self->ev);
}

static void expect_file(struct __test_metadata *_metadata, const struct source *src,
			const char *file, const char *text)
{
	char buf[4096];

	ASSERT_LE(0, source_get(src, buf, sizeof(buf), file, src->remote));
	EXPECT_STREQ(text, buf);
}

/*
 * Expressions, and what they mean
 */

struct expression {
	char		text[2048];
	size_t		len;
	unsigned int	terms;
	/* The values of the current event */
	__u64		id;
	__s32		pid;
};

static void add(struct expression *e, const char *text)
{
	e->len += snprintf(e->text + e->len, sizeof(e->text) - e->len, "%s", text);
}

static unsigned int any(unsigned int *seed, unsigned int nr)
{
	return rand_r(seed) % nr;
}

static bool holds_u64(unsigned int op, __u64 a, __u64 b)
{
	switch (op) {
	case 0: return a == b;
	case 1: return a != b;
	case 2: return a < b;
	case 3: return a <= b;
	case 4: return a > b;
	case 5: return a >= b;
	default: return a & b;
	}
}

static bool holds_s64(unsigned int op, __s64 a, __s64 b)
{
	switch (op) {
	case 2: return a < b;
	case 3: return a <= b;
	case 4: return a > b;
	case 5: return a >= b;
	default: return holds_u64(op, a, b);
	}
}

static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };

/* A comparison of a small number, one with the top bit, or of the pid */
static bool add_term(struct expression *e, unsigned int *seed)
{
	unsigned int op = any(seed, ARRAY_SIZE(ops));
	__u64 value = any(seed, 20);
	__s64 pid;
	char text[80];

	e->terms++;
	if (!any(seed, 4)) {
		pid = (__s64)any(seed, 3) - 1 + e->pid * (int)any(seed, 2);
		snprintf(text, sizeof(text), "common_pid%s%lld", ops[op], (long long)pid);
		add(e, text);
		return holds_s64(op, e->pid, pid);
	}
	if (!any(seed, 4))
		value |= 1ULL << 63;
	snprintf(text, sizeof(text), any(seed, 2) ? "id %s %llu" : "id%s0x%llx", ops[op],
		 (unsigned long long)value);
	add(e, text);
	return holds_u64(op, e->id, value);
}

/* Add a random expression, the same for the same @seed; returns its value for @e */
static bool add_expression(struct expression *e, unsigned int *seed, int depth)
{
	bool negate = !any(seed, 4), left, right, and;

	if (!depth || !any(seed, 3) || e->terms > MAX_TERMS / 2)
		return add_term(e, seed);

	add(e, negate ? "!(" : "(");
	left = add_expression(e, seed, depth - 1);
	and = any(seed, 2);
	add(e, and ? " && " : "||");
	right = add_expression(e, seed, depth - 1);
	add(e, ")");
	return negate != (and ? left && right : left || right);
}

static const __u64 ids[] = {
	0, 1, 2, 3, 7, 8, 15, 16, 19, 20, 1ULL << 32, 1ULL << 63, (1ULL << 63) + 5, ~0ULL,
};

TEST_F(remote, filters_mean_what_they_say)
{
	const struct source *src = &self->src;
	unsigned int i, j, seed, passed = 0;
	struct expression e;

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < NR_EXPRESSIONS; i++) {
		e = (struct expression){ .pid = getpid() };
		seed = i;
		add_expression(&e, &seed, 4);
		ASSERT_EQ(0, source_put(src, e.text, FILTER, src->remote)) TH_LOG("%s", e.text);
		for (j = 0; j < ARRAY_SIZE(ids); j++)
			ASSERT_EQ(0, source_write(src, ids[j]));

		events_clear(&self->ev);
		ASSERT_EQ(0, source_consume(src, 0, WAY_RAW, &self->ev));
		for (j = 0, passed = 0; j < ARRAY_SIZE(ids); j++) {
			e = (struct expression){ .pid = getpid(), .id = ids[j] };
			seed = i;
			if (!add_expression(&e, &seed, 4))
				continue;
			ASSERT_LT(passed, self->ev.nr) TH_LOG("%s: %llx", e.text, ids[j]);
			ASSERT_EQ(ids[j], self->ev.list[passed++].id) TH_LOG("%s", e.text);
		}
		ASSERT_EQ(passed, self->ev.nr) TH_LOG("%s", e.text);
	}
}

/* An event that is filtered out takes no space, and is neither lost nor dropped */
TEST_F(remote, filtered_out_costs_no_space)
{
	const struct source *src = &self->src;
	struct stats before, after;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 1));
	ASSERT_EQ(0, source_stats(src, 0, &before));
	ASSERT_EQ(0, source_put(src, "id > 1000000\n", FILTER, src->remote));
	ASSERT_EQ(0, source_write_many(src, 1, 10000));
	ASSERT_EQ(0, source_stats(src, 0, &after));
	EXPECT_EQ(before.entries, after.entries);
	EXPECT_EQ(before.bytes, after.bytes);
	EXPECT_EQ(0, after.overrun);
	EXPECT_EQ(0, after.dropped);

	ASSERT_EQ(0, source_put(src, "0", FILTER, src->remote));
	ASSERT_EQ(0, source_write(src, 2));
	ASSERT_EQ(0, source_stats(src, 0, &after));
	EXPECT_EQ(before.entries + 1, after.entries);
}

/* A filter stays while its event is off, and while the buffer is unloaded */
TEST_F(remote, filter_stays)
{
	const struct source *src = &self->src;

	ASSERT_EQ(0, source_put(src, "0", "events/%s/selftest/enable", src->remote));
	ASSERT_EQ(0, source_put(src, "id == 5", FILTER, src->remote));
	ASSERT_EQ(0, source_put(src, "1", "events/%s/selftest/enable", src->remote));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 0, 10));
	ASSERT_EQ(0, source_reset(src));
	ASSERT_EQ(0, source_loaded(src));
	expect_file(_metadata, src, FILTER, "id == 5\n");
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 0, 10));
	ASSERT_EQ(0, source_consume(src, 0, WAY_RAW, &self->ev));
	ASSERT_EQ(1, self->ev.nr);
	EXPECT_EQ(5, self->ev.list[0].id);
}

/* Linux 7 takes a filter of any event that ends with an operator */
static bool takes_open_end(void)
{
	static const char path[] = TRACEFS "/events/sched/sched_switch/filter";
	static const char text[] = "next_pid == 1 &&";
	bool takes = !file_write(path, text, strlen(text));

	file_write(path, "0", 1);
	return takes;
}

TEST_F(remote, filter_refuses)
{
	static const struct {
		const char	*text;
		const char	*why;
		int		pos;
	} wrong[] = {
		{ "", "Error", 0 },
		{ "id", "Invalid operator", 3 },
		{ "id >", "Invalid value (did you forget quotes)?", 5 },
		{ "id = 1", "Invalid operator", 4 },
		{ "id == x", "Invalid value (did you forget quotes)?", 7 },
		{ "id == 18446744073709551616", "Illegal integer value", 7 },
		{ "id == -1", "Illegal integer value", 7 },
		{ "id ~ \"1*\"", "Expecting numeric field", 6 },
		{ "nosuch == 1", "Field not found", 7 },
		{ "id == 1 &&", "Meaningless filter expression", 10 },
		{ "id == 1 && && id == 2", "Error", 0 },
		{ "(id == 1", "Too many '('", 0 },
		{ "id == 1 || ((id == 2)", "Too many '('", 11 },
		{ "id == 1)", "Too few '('", 7 },
		{ "id == 1 id == 2", "Too many terms in predicate expression", 8 },
		{ "id && 1", "Invalid value (did you forget quotes)?", 5 },
		/* What an ordinary event can do, but not the writer */
		{ "cpu == 0", "Illegal operation for field type", 0 },
		{ "comm == \"filter\"", "Illegal operation for field type", 0 },
		{ "id.function == vfs_read", "Illegal operation for field type", 0 },
	};
	const struct source *src = &self->src;
	char log[8192], expected[256];
	const char *last;
	unsigned int i;

	ASSERT_EQ(0, source_put(src, "id & 1", FILTER, src->remote));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (!strcmp(wrong[i].text, "id == 1 &&") && takes_open_end())
			continue;
		EXPECT_EQ(-EINVAL, source_put(src, wrong[i].text, FILTER, src->remote))
			TH_LOG("'%s'", wrong[i].text);
		ASSERT_LT(0, source_get(src, log, sizeof(log), "error_log"));
		snprintf(expected, sizeof(expected),
			 "event filter parse error: error: %s\n  Command: %s\n%*s^\n",
			 wrong[i].why, wrong[i].text, 11 + wrong[i].pos, "");
		last = strrchr(log, '[');
		ASSERT_NE(NULL, last);
		EXPECT_STREQ(expected, strchr(last, ']') + 2);
	}
	expect_file(_metadata, src, FILTER, "id & 1\n");

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 0, 10));
	ASSERT_EQ(0, source_consume(src, 0, WAY_RAW, &self->ev));
	EXPECT_EQ(5, self->ev.nr);

	i = source_open_file(src, O_WRONLY | O_TRUNC, "error_log");
	ASSERT_LE(0, (int)i);
	close(i);
	expect_file(_metadata, src, "error_log", "");
}

/* The most comparisons, and one more; the deepest nesting, and one deeper */
TEST_F(remote, filter_limits)
{
	const struct source *src = &self->src;
	struct expression e = {};
	unsigned int i;

	for (i = 0; i < MAX_TERMS; i++)
		add(&e, i ? "||id==9" : "id==9");
	EXPECT_EQ(0, source_put(src, e.text, FILTER, src->remote));
	add(&e, "||id==9");
	EXPECT_EQ(-EINVAL, source_put(src, e.text, FILTER, src->remote));

	e = (struct expression){};
	for (i = 0; i < 1000; i++)
		add(&e, "(");
	add(&e, "id==1");
	EXPECT_EQ(-EINVAL, source_put(src, e.text, FILTER, src->remote));
	e = (struct expression){};
	for (i = 0; i < 10; i++)
		add(&e, "!(");
	add(&e, "id==1");
	for (i = 0; i < 10; i++)
		add(&e, ")");
	EXPECT_EQ(0, source_put(src, e.text, FILTER, src->remote));
}

/* As for an ordinary event, a constant is cut to the size of the field */
TEST_F(remote, constants_are_cut)
{
	static const char *const all[] = {
		"common_flags == 256", "common_flags < 257", "common_pid > 4294967295",
	};
	static const char *const none[] = { "common_flags != 256", "common_pid < 4294967295" };
	const struct source *src = &self->src;
	unsigned int i;

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		ASSERT_EQ(0, source_put(src, all[i], FILTER, src->remote)) TH_LOG("%s", all[i]);
		ASSERT_EQ(0, source_write(src, i));
	}
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		ASSERT_EQ(0, source_put(src, none[i], FILTER, src->remote)) TH_LOG("%s", none[i]);
		ASSERT_EQ(0, source_write(src, i));
	}
	ASSERT_EQ(0, source_consume(src, 0, WAY_RAW, &self->ev));
	EXPECT_EQ(ARRAY_SIZE(all), self->ev.nr);
}

/* The filter of a system is that of all its events that can have it */
TEST_F(remote, filter_of_system)
{
	const struct source *src = &self->src;

	ASSERT_EQ(0, source_put(src, "id == 5", "events/%s/filter", src->remote));
	expect_file(_metadata, src, FILTER, "id == 5\n");
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 0, 10));
	EXPECT_EQ(-EINVAL, source_put(src, "nosuch == 5", "events/%s/filter", src->remote));
	expect_file(_metadata, src, FILTER, "id == 5\n");
	ASSERT_EQ(0, source_put(src, "0", "events/%s/filter", src->remote));
	expect_file(_metadata, src, FILTER, "none\n");
	ASSERT_EQ(0, source_write(src, 6));
	ASSERT_EQ(0, source_consume(src, 0, WAY_RAW, &self->ev));
	ASSERT_EQ(2, self->ev.nr);
	EXPECT_EQ(5, self->ev.list[0].id);
	EXPECT_EQ(6, self->ev.list[1].id);
}

TEST_F(remote, set_event)
{
	static const char *const wrong[] = {
		"nosuch", "nosuch:selftest", "!nosuch", "!", "selftes", "selftest:",
	};
	const struct source *src = &self->src;
	char all[4096], selftest[64], text[128];
	unsigned int i;
	int fd, ret;

	snprintf(selftest, sizeof(selftest), "%s:selftest\n", src->remote);
	ASSERT_LT(0, source_get(src, all, sizeof(all), "available_events"));
	EXPECT_NE(NULL, strstr(all, selftest));
	expect_file(_metadata, src, "set_event", selftest);

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		fd = source_open_file(src, O_WRONLY, "set_event");
		ASSERT_LE(0, fd);
		EXPECT_EQ(-1, write(fd, wrong[i], strlen(wrong[i]))) TH_LOG("'%s'", wrong[i]);
		EXPECT_EQ(EINVAL, errno);
		close(fd);
	}
	expect_file(_metadata, src, "set_event", selftest);

	/* Without O_TRUNC, words add to what is on */
	fd = source_open_file(src, O_WRONLY, "set_event");
	ASSERT_LE(0, fd);
	ASSERT_EQ(4, write(fd, "*:*\n", 4));
	expect_file(_metadata, src, "set_event", all);
	/* A write takes one word */
	snprintf(text, sizeof(text), "!*:*\n%s:%s  selftest\n", src->remote, src->other);
	for (i = 0; i < strlen(text); i += ret) {
		ret = write(fd, text + i, strlen(text) - i);
		ASSERT_LT(0, ret);
	}
	close(fd);
	snprintf(text, sizeof(text), "%s:%s\n", src->remote, src->other);
	ASSERT_LT(0, source_get(src, all, sizeof(all), "set_event"));
	EXPECT_EQ(strlen(text) + strlen(selftest), strlen(all)) TH_LOG("%s", all);
	EXPECT_NE(NULL, strstr(all, text));
	EXPECT_NE(NULL, strstr(all, selftest));

	fd = source_open_file(src, O_WRONLY | O_TRUNC, "set_event");
	ASSERT_LE(0, fd);
	close(fd);
	expect_file(_metadata, src, "set_event", "");
	ASSERT_EQ(0, source_put(src, "selftest", "set_event"));
	expect_file(_metadata, src, "set_event", selftest);
}

TEST_HARNESS_MAIN
