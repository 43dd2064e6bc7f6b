// SPDX-License-Identifier: GPL-2.0
/*
 * The files that control a trace remote, except for those in lifecycle.c: what they
 * accept, and that a refused write changes nothing.
 *
 * Needs root. Runs on the remotes "hypervisor" and "test", and skips one that does
 * not exist.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/ways.h"
#include "variants.h"

#define SYSTEM		"events/%s"
#define TEST_KB		64

#define TOO_LARGE_FOR_U64	"18446744073709551616"

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
}

FIXTURE_TEARDOWN(remote)
{
	source_close(&self->src);
	events_free(&self->ev);
}

/*
 * tracing_on, write_event
 */

TEST_F(remote, tracing_on_refuses)
{
	static const char *const texts[] = {
		"", " ", "2", "-1", "x", "1x", "1 1", "on", "4294967296", "4294967297",
	};
	const struct source *src = &self->src;
	unsigned int i, on;
	char buf[64];

	for (on = 0; on <= 1; on++) {
		ASSERT_EQ(0, source_on(src, on));
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			EXPECT_EQ(-EINVAL, source_put(src, texts[i], "tracing_on"))
				TH_LOG("'%s'", texts[i]);
		}
		EXPECT_EQ(-ERANGE, source_put(src, TOO_LARGE_FOR_U64, "tracing_on"));
		ASSERT_LT(0, source_get(src, buf, sizeof(buf), "tracing_on"));
		EXPECT_STREQ(on ? "1\n" : "0\n", buf);
		EXPECT_EQ(on, source_loaded(src));
	}
}

TEST_F(remote, write_event_refuses)
{
	static const char *const texts[] = {
		"", " ", "\n", "x", "-1", "1x", "1 2", "0x", "08", "1.5",
	};
	const struct source *src = &self->src;
	unsigned int i;

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		EXPECT_EQ(-EINVAL, source_put(src, texts[i], "write_event"))
			TH_LOG("'%s'", texts[i]);
	}
	EXPECT_EQ(-ERANGE, source_put(src, TOO_LARGE_FOR_U64, "write_event"));
	EXPECT_EQ(-ERANGE, source_put(src, "0x10000000000000000", "write_event"));

	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(0, self->ev.nr);
}

TEST_F(remote, write_event_takes)
{
	const struct source *src = &self->src;

	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, source_on(src, true));
	EXPECT_EQ(0, source_put(src, "0", "write_event"));
	EXPECT_EQ(0, source_put(src, "42\n", "write_event"));
	EXPECT_EQ(0, source_put(src, "0x10", "write_event"));
	EXPECT_EQ(0, source_put(src, "18446744073709551615", "write_event"));

	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	ASSERT_EQ(4, self->ev.nr);
	EXPECT_EQ(0, self->ev.list[0].id);
	EXPECT_EQ(42, self->ev.list[1].id);
	EXPECT_EQ(16, self->ev.list[2].id);
	EXPECT_EQ(UINT64_MAX, self->ev.list[3].id);
}

/* While off, not enabled, or not even loaded: nothing is recorded or loaded */
TEST_F(remote, write_event_needs_its_event)
{
	const struct source *src = &self->src;

	source_write(src, 1);
	EXPECT_EQ(0, source_loaded(src));

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_put(src, "0", SYSTEM "/selftest/enable", src->remote));
	source_write(src, 2);
	ASSERT_EQ(0, source_put(src, "1", SYSTEM "/selftest/enable", src->remote));
	ASSERT_EQ(0, source_write(src, 3));
	ASSERT_EQ(0, source_on(src, false));
	source_write(src, 4);

	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	ASSERT_EQ(1, self->ev.nr);
	EXPECT_EQ(3, self->ev.list[0].id);
}

/*
 * trace_clock, options/overwrite, buffer_percent, free_buffer
 */

TEST_F(remote, clocks)
{
	const struct source *src = &self->src;
	char before[256], buf[256], host[256], *clock, *state;

	if (source_get(src, before, sizeof(before), "trace_clock") < 0)
		SKIP(return, "there is no trace_clock");

	/* The default is the host's default, so that their traces can be merged */
	EXPECT_EQ(0, strncmp("[local]", before, 7));
	ASSERT_LT(0, file_read(TRACEFS "/trace_clock", host, sizeof(host)));

	EXPECT_EQ(-EINVAL, source_set_clock(src, ""));
	EXPECT_EQ(-EINVAL, source_set_clock(src, "x"));
	EXPECT_EQ(-EINVAL, source_set_clock(src, "loca"));
	EXPECT_EQ(-EINVAL, source_set_clock(src, "local boot"));
	EXPECT_EQ(-EINVAL, source_set_clock(src, "[local]"));
	EXPECT_EQ(-EINVAL, source_set_clock(src, "a name much longer than that of any clock"));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "trace_clock"));
	EXPECT_STREQ(before, buf);

	for (clock = strtok_r(before, " []\n", &state); clock;
	     clock = strtok_r(NULL, " []\n", &state)) {
		EXPECT_EQ(0, source_set_clock(src, clock)) TH_LOG("%s", clock);
		ASSERT_EQ(0, source_clock(src, buf, sizeof(buf)));
		EXPECT_STREQ(clock, buf);
		EXPECT_EQ(0, source_loaded(src));
	}
	EXPECT_EQ(0, source_put(src, "local\n", "trace_clock"));
}

/* Timestamps of two clocks are never mixed in a buffer */
TEST_F(remote, new_clock_clears)
{
	const struct source *src = &self->src;
	struct mapping m;

	if (source_set_clock(src, "boot"))
		SKIP(return, "there is no other clock");

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 1));
	ASSERT_EQ(0, source_set_clock(src, "boot"));
	ASSERT_EQ(0, source_write(src, 2));
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(2, self->ev.nr);

	ASSERT_EQ(0, source_write(src, 3));
	ASSERT_EQ(0, source_set_clock(src, "local"));
	EXPECT_EQ(1, source_loaded(src));
	ASSERT_EQ(0, source_write(src, 4));
	events_clear(&self->ev);
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	ASSERT_EQ(1, self->ev.nr);
	EXPECT_EQ(4, self->ev.list[0].id);

	/* As for an ordinary buffer, also while it is mapped */
	ASSERT_EQ(0, mapping_open(&m, src, 0, O_NONBLOCK));
	ASSERT_EQ(0, source_write(src, 5));
	EXPECT_EQ(0, source_set_clock(src, "boot"));
	ASSERT_EQ(0, source_write(src, 6));
	events_clear(&self->ev);
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	ASSERT_EQ(1, self->ev.nr);
	EXPECT_EQ(6, self->ev.list[0].id);
	mapping_close(&m);
}

static void check_setting(struct __test_metadata *_metadata, const struct source *src,
			  const char *file, const char *const *bad, int nr_bad)
{
	char before[64], buf[64];
	int i;

	ASSERT_LT(0, source_get(src, before, sizeof(before), "%s", file));
	for (i = 0; i < nr_bad; i++) {
		EXPECT_EQ(-EINVAL, source_put(src, bad[i], "%s", file))
			TH_LOG("'%s' > %s", bad[i], file);
	}
	EXPECT_EQ(-ERANGE, source_put(src, TOO_LARGE_FOR_U64, "%s", file));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "%s", file));
	EXPECT_STREQ(before, buf);

	EXPECT_EQ(0, source_put(src, "0\n", "%s", file));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "%s", file));
	EXPECT_STREQ("0\n", buf);
	EXPECT_EQ(0, source_put(src, before, "%s", file));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "%s", file));
	EXPECT_STREQ(before, buf);
}

TEST_F(remote, overwrite_refuses)
{
	static const char *const bad[] = { "", "2", "-1", "x", "1 1", "4294967296" };

	if (source_set_overwrite(&self->src, true) == -ENOENT)
		SKIP(return, "there is no options/overwrite");
	check_setting(_metadata, &self->src, "options/overwrite", bad, ARRAY_SIZE(bad));
}

/* It lists what the kernel has, of which a remote has one */
TEST_F(remote, trace_options)
{
	static const char *const bad[] = { "x", "print-parent", "overwrit", "overwrite x" };
	const struct source *src = &self->src;
	char before[2048], buf[2048];
	unsigned int i;

	if (source_get(src, before, sizeof(before), "trace_options") == -ENOENT)
		SKIP(return, "there is no trace_options");
	EXPECT_NE(NULL, strstr(before, "\noverwrite\n"));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, source_put(src, bad[i], "trace_options")) TH_LOG("%s", bad[i]);
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "trace_options"));
	EXPECT_STREQ(before, buf);

	EXPECT_EQ(0, source_put(src, "nooverwrite", "trace_options"));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "options/overwrite"));
	EXPECT_STREQ("0\n", buf);
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "trace_options"));
	EXPECT_NE(NULL, strstr(buf, "\nnooverwrite\n"));
	EXPECT_EQ(0, source_put(src, "overwrite", "trace_options"));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "trace_options"));
	EXPECT_STREQ(before, buf);
}

TEST_F(remote, buffer_percent_refuses)
{
	static const char *const bad[] = { "", "101", "-1", "x", "50%", "4294967296" };
	char buf[16];

	if (source_get(&self->src, buf, sizeof(buf), "buffer_percent") == -ENOENT)
		SKIP(return, "there is no buffer_percent");
	check_setting(_metadata, &self->src, "buffer_percent", bad, ARRAY_SIZE(bad));
}

TEST_F(remote, free_buffer)
{
	const struct source *src = &self->src;
	struct mapping m;
	char buf[16];
	int fd;

	fd = source_open_file(src, O_WRONLY, "free_buffer");
	if (fd == -ENOENT)
		SKIP(return, "there is no free_buffer");
	ASSERT_LE(0, fd);

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 1));
	EXPECT_EQ(1, source_loaded(src));
	close(fd);
	EXPECT_EQ(0, source_loaded(src));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "tracing_on"));
	EXPECT_STREQ("0\n", buf);

	/* A mapped buffer is emptied, and stays */
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 2));
	ASSERT_EQ(0, mapping_open(&m, src, 0, O_NONBLOCK));
	EXPECT_EQ(0, source_put(src, "1", "free_buffer"));
	EXPECT_EQ(1, source_loaded(src));
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(0, self->ev.nr);
	mapping_close(&m);
	EXPECT_EQ(0, source_loaded(src));
}

/*
 * events/
 */

/* Get the names of the remote's events; returns how many there are */
static int event_names(const struct source *src, char names[][64], int max)
{
	char path[256];
	struct dirent *d;
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/" SYSTEM, src->dir, src->remote);
	dir = opendir(path);
	if (!dir)
		return -errno;

	while ((d = readdir(dir)) && nr < max) {
		if (d->d_type == DT_DIR && d->d_name[0] != '.')
			snprintf(names[nr++], sizeof(names[0]), "%.63s", d->d_name);
	}
	closedir(dir);
	return nr;
}

static void expect_enabled(struct __test_metadata *_metadata, const struct source *src,
			   const char *all, const char *system, const char *selftest,
			   const char *other)
{
	char buf[16];

	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "events/enable"));
	EXPECT_STREQ(all, buf);
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), SYSTEM "/enable", src->remote));
	EXPECT_STREQ(system, buf);
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), SYSTEM "/selftest/enable", src->remote));
	EXPECT_STREQ(selftest, buf);
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), SYSTEM "/%s/enable", src->remote,
				src->other));
	EXPECT_STREQ(other, buf);
}

TEST_F(remote, enable)
{
	static const char *const texts[] = { "", "2", "-1", "x", "X", "0x1", "1 0" };
	static const char *const files[] = {
		"events/enable", SYSTEM "/enable", SYSTEM "/selftest/enable",
	};
	const struct source *src = &self->src;
	unsigned int i, j;
	int ret;

	expect_enabled(_metadata, src, "X\n", "X\n", "1\n", "0\n");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (j = 0; j < ARRAY_SIZE(texts); j++) {
			EXPECT_EQ(-EINVAL, source_put(src, texts[j], files[i], src->remote))
				TH_LOG("'%s' > %s", texts[j], files[i]);
		}
	}
	expect_enabled(_metadata, src, "X\n", "X\n", "1\n", "0\n");

	ASSERT_EQ(0, source_put(src, "1", "events/enable"));
	expect_enabled(_metadata, src, "1\n", "1\n", "1\n", "1\n");
	ASSERT_EQ(0, source_put(src, "0\n", SYSTEM "/enable", src->remote));
	/* The writer's messages belong to another system */
	ret = source_put(src, "0", "events/ftrace/enable");
	ASSERT_TRUE(!ret || ret == -ENOENT);
	expect_enabled(_metadata, src, "0\n", "0\n", "0\n", "0\n");
	ASSERT_EQ(0, source_put(src, "1\n", SYSTEM "/enable", src->remote));
	expect_enabled(_metadata, src, ret ? "1\n" : "X\n", "1\n", "1\n", "1\n");
	ASSERT_EQ(0, source_put(src, "0", SYSTEM "/selftest/enable", src->remote));
	expect_enabled(_metadata, src, "X\n", "X\n", "0\n", "1\n");
	ASSERT_EQ(0, source_put(src, "0", "events/enable"));
	expect_enabled(_metadata, src, "0\n", "0\n", "0\n", "0\n");
}

/* Only what is enabled is recorded, and it survives unloading */
TEST_F(remote, enable_works)
{
	const struct source *src = &self->src;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_put(src, "1", "events/enable"));
	ASSERT_EQ(0, source_write(src, 1));
	ASSERT_EQ(0, source_reset(src));
	ASSERT_EQ(0, source_loaded(src));

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 0, 100));
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(100, self->ev.nr);
	EXPECT_EQ(0, self->ev.others);

	events_clear(&self->ev);
	ASSERT_EQ(0, source_put(src, "1", "events/enable"));
	ASSERT_EQ(0, source_write_many(src, 0, 10));
	ASSERT_EQ(0, source_put(src, "0", "events/enable"));
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(10, self->ev.nr);
	EXPECT_LE(10 * src->others, self->ev.others);
	EXPECT_EQ(NULL, self->ev.error) TH_LOG("%s", self->ev.error);
}

static int format_id(const struct source *src, const char *event)
{
	char buf[4096], *id;

	if (source_get(src, buf, sizeof(buf), SYSTEM "/%s/format", src->remote, event) < 0)
		return -1;
	id = strstr(buf, "\nID: ");
	return id ? atoi(id + 5) : -1;
}

/* Does an event of the kernel have this id? */
static bool id_is_taken(int id)
{
	char cmd_path[512], buf[16];
	struct dirent *d, *e;
	bool taken = false;
	DIR *dir, *sub;

	dir = opendir(TRACEFS "/events");
	while (dir && (d = readdir(dir))) {
		snprintf(cmd_path, sizeof(cmd_path), TRACEFS "/events/%s", d->d_name);
		sub = d->d_type == DT_DIR && d->d_name[0] != '.' ? opendir(cmd_path) : NULL;
		while (sub && (e = readdir(sub))) {
			snprintf(cmd_path, sizeof(cmd_path), TRACEFS "/events/%.100s/%.100s/id",
				 d->d_name, e->d_name);
			if (e->d_type == DT_DIR && file_read(cmd_path, buf, sizeof(buf)) > 0)
				taken |= atoi(buf) == id;
		}
		if (sub)
			closedir(sub);
	}
	if (dir)
		closedir(dir);
	return taken;
}

TEST_F(remote, ids)
{
	const struct source *src = &self->src;
	char names[64][64], buf[64], expected[64];
	int ids[64], i, j, nr;

	nr = event_names(src, names, ARRAY_SIZE(names));
	ASSERT_LT(1, nr);
	for (i = 0; i < nr; i++) {
		ids[i] = format_id(src, names[i]);
		EXPECT_LT(0, ids[i]);
		EXPECT_GE(UINT16_MAX, ids[i]);
		EXPECT_FALSE(id_is_taken(ids[i])) TH_LOG("%s: %d", names[i], ids[i]);
		for (j = 0; j < i; j++)
			EXPECT_NE(ids[i], ids[j]);

		snprintf(expected, sizeof(expected), "%d\n", ids[i]);
		ASSERT_LT(0, source_get(src, buf, sizeof(buf), SYSTEM "/%s/id", src->remote,
					names[i]));
		EXPECT_STREQ(expected, buf);
	}
}

/* Check the fields of a format file, from @line on; returns the line after the last */
static const char *check_fields(struct __test_metadata *_metadata, const char *line)
{
	unsigned int offset, size, end = 0, is_signed;
	char decl[64];

	while (sscanf(line, "\tfield:%63[^;];\toffset:%u;\tsize:%u;\tsigned:%u;",
		      decl, &offset, &size, &is_signed) == 4) {
		EXPECT_EQ(end, offset) TH_LOG("%s", decl);
		EXPECT_NE(NULL, strchr(decl, ' ')) TH_LOG("%s", decl);
		EXPECT_GE(1, is_signed);
		end = offset + size;
		line = strchr(line, '\n') + 1;
		/* libtraceevent counts the common fields up to this line */
		if (end == 8) {
			EXPECT_EQ('\n', *line);
			line++;
		}
	}
	EXPECT_LE(8, end);
	return line;
}

TEST_F(remote, formats)
{
	static const char common[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	const struct source *src = &self->src;
	char names[64][64], buf[8192], head[4096 + 64];
	const char *rest;
	int i, nr;

	nr = event_names(src, names, ARRAY_SIZE(names));
	for (i = 0; i < nr; i++) {
		ASSERT_LT(0, source_get(src, buf, sizeof(buf), SYSTEM "/%s/format", src->remote,
					names[i]));
		snprintf(head, sizeof(head), "name: %s\nID: %d\nformat:\n", names[i],
			 format_id(src, names[i]));
		ASSERT_EQ(0, strncmp(buf, head, strlen(head))) TH_LOG("%s", buf);
		rest = buf + strlen(head);
		EXPECT_EQ(0, strncmp(rest, common, strlen(common))) TH_LOG("%s", rest);
		rest = check_fields(_metadata, rest);
		EXPECT_EQ(0, strncmp(rest, "\nprint fmt: \"", 13)) TH_LOG("%s", rest);
		EXPECT_EQ('\n', buf[strlen(buf) - 1]);
		/* The macros of the list of events mean nothing to a parser */
		EXPECT_EQ(NULL, strstr(rest, "SYM("));
	}

	ASSERT_LT(0, source_get(src, buf, sizeof(buf), SYSTEM "/selftest/format", src->remote));
	EXPECT_NE(NULL, strstr(buf, "\tfield:u64 id;\toffset:8;\tsize:8;\tsigned:0;\n\n"
				    "print fmt: \"id=%llu\", REC->id\n"));
}

/* The same formats as those of the kernel's own buffers, so existing parsers read them */
TEST_F(remote, headers)
{
	static const char *const files[] = { "header_page", "header_event" };
	char ours[4096], theirs[4096], path[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), TRACEFS "/events/%s", files[i]);
		ASSERT_LT(0, file_read(path, theirs, sizeof(theirs)));
		ASSERT_LT(0, source_get(&self->src, ours, sizeof(ours), "events/%s", files[i]));
		EXPECT_STREQ(theirs, ours);
	}
}

TEST_HARNESS_MAIN
