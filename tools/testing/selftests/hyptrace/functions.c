// SPDX-License-Identifier: GPL-2.0
/*
 * The function tracers of the hypervisor: the lists of functions, and what is recorded of
 * the hypercall that writes the event selftest, whose functions are known.
 *
 * Needs root, and a kernel with CONFIG_NVHE_EL2_FUNCTION_TRACER. What looks at EL2's text needs
 * hyp_calls.ko, and CONFIG_NVHE_EL2_TEXT_TEST.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/calls.h"
#include "lib/text.h"
#include "variants.h"

#define PREFIX		"__kvm_nvhe_"
#define TEST_KB		4096

#define FILTER		"set_ftrace_filter"
#define NOTRACE		"set_ftrace_notrace"
#define GRAPH		"set_graph_function"

#define ALL_ENABLED	"#### all functions enabled ####\n"
#define NONE_DISABLED	"#### no functions disabled ####\n"

/* What an entry from the host and this hypercall call */
#define TRAP		PREFIX "handle_trap"
#define HANDLER		PREFIX "handle___hyp_trace_selftest"

/* From the kernel: the depth of a graph; enum hyp_bench and how often it calls itself */
#define MAX_DEPTH	32
#define BENCH		"/sys/kernel/debug/hyp_bench"
#define BENCH_DEEP	8
#define BENCH_DEPTH	40

static char names[1 << 16], buf[1 << 16];

FIXTURE(functions) {
	struct source	src;
	struct text	text;
};

/* What is written to the file is appended to what it had, or replaces that */
static int put(const struct source *src, const char *words, const char *file, int flags)
{
	int fd = source_open_file(src, O_WRONLY | flags, "%s", file), ret = 0;

	if (fd < 0)
		return fd;
	if (*words)
		ret = write(fd, words, strlen(words)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static int append(const struct source *src, const char *words, const char *file)
{
	return put(src, words, file, O_APPEND);
}

static int replace(const struct source *src, const char *words, const char *file)
{
	return put(src, words, file, O_TRUNC);
}

static void reset(const struct source *src)
{
	source_put(src, "nop", "current_tracer");
	replace(src, "", FILTER);
	replace(src, "", NOTRACE);
	replace(src, "", GRAPH);
}

FIXTURE_SETUP(functions)
{
	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	if (source_get(&self->src, buf, sizeof(buf), "current_tracer") < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_FUNCTION_TRACER");
	ASSERT_EQ(0, pin_to_cpu(0));
	reset(&self->src);
	ASSERT_LT(0, source_get(&self->src, names, sizeof(names), "available_filter_functions"));
}

FIXTURE_TEARDOWN(functions)
{
	reset(&self->src);
	source_close(&self->src);
	text_free(&self->text);
}

/* Is there a line of this text? */
static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);
	const char *at;

	for (at = text; (at = strstr(at, line)); at++) {
		if ((at == text || at[-1] == '\n') && (at[len] == '\n' || !at[len]))
			return true;
	}
	return false;
}

static unsigned int nr_lines(const char *text)
{
	unsigned int nr = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		nr++;
	}
	return nr;
}

/* The lines of available_filter_functions that match */
static unsigned int nr_matching(const char *pattern)
{
	static char copy[sizeof(names)];
	char *line, *rest = copy;
	unsigned int nr = 0;

	memcpy(copy, names, sizeof(copy));
	while ((line = strsep(&rest, "\n")) && *line)
		nr += !fnmatch(pattern, line, 0);
	return nr;
}

#define EXPECT_FILE(text, file)							\
	do {									\
		ASSERT_LT(0, source_get(&self->src, buf, sizeof(buf), file));	\
		EXPECT_STREQ(text, buf);					\
	} while (0)

#define EXPECT_NR(nr, file)							\
	do {									\
		ASSERT_LT(0, source_get(&self->src, buf, sizeof(buf), file));	\
		EXPECT_EQ(nr, nr_lines(buf));					\
	} while (0)

/*
 * Functions that must not be traced: what writes records, what reports a panic, the entry of a
 * CPU, and assembly. All others of EL2's text have to be available.
 */
static const char *const untraced[] = {
	/* trace.c, functions.c, function_entry.S */
	"__trace_*", "hyp_reserve_slow", "hyp_commit_slow", "hyp_kimage_address",
	"hyp_printk_pointer", "write_slow", "hyp_passes_filter*", "hyp_write_record*", "read_clock*",
	"notify_host*", "hyp_trace_*",
	"hyp_function*", "__hyp_function_*", "graph_slow", "call_slow", "return_slow", "put_slow*",
	"unhook*",
	/* trace_buffers.c, trace_control.c */
	"__hyp_trace_*", "hyp_take_page", "hyp_return_page", "hyp_share_pages", "hyp_unshare_pages",
	"lock_cpu", "unlock_cpu", "enable_locked*", "enable_this_cpu", "enable_event_locked*",
	"set_event_id", "refresh_event*", "any_writer_is_on", "clock_parts",
	"hyp_address", "unpin_parts", "set_clock_locked*", "begin_locked*", "add_subbufs_locked*",
	"unload_some_locked*", "pin_parts*",
	/* trace_triggers.c */
	"hyp_write_triggered", "hyp_filter_*", "hyp_triggers_*", "remote_filter_*",
	"remote_trigger*", "word_*",
	"set_word*", "set_stopped*", "event_changed*",
	"switch_trace*", "switch_event*", "acts_after*", "act", "act.*", "before_event*",
	"after_event*", "triggers_begin*", "triggers_end*", "wait_for_cpu*", "hyp_counter_to_ns",
	"note_time*", "write_event*", "take_triggers*", "count_of*", "arm_event*",
	"let_go_on*", "is_stack*", "wants_stack*",
	/* counters.c */
	"hyp_count_*", "__hyp_counters_*", "count.*", "give.*", "take_back*",
	/* trace_boot.c */
	"hyp_boot_*", "add_entry*", "add_ups*", "is_more_of_last*", "passes_filter*",
	"write_entry*", "write_log*",
	/* clock.c, text.c, ring_buffer_writer.c */
	"hyp_clock_*", "refresh", "hyp_text_*", "write_insn*", "rb_*", "start_subbuf",
	/* stack.c, stacktrace.c, and what leads there */
	"hyp_write_stack", "add_caller*", "hyp_unwind", "kvm_nvhe_prepare_backtrace", "unwind*",
	"pkvm_save_backtrace*", "hyp_prepare_backtrace", "hyp_panic",
	"hyp_panic_bad_stack", "kvm_unexpected_el2_exception",
	/* setup.c, psci-relay.c */
	"__pkvm_init", "__pkvm_init_finalise", "__kvm_host_psci_cpu_*entry",
	/* static inline functions of headers, which the kernel never traces */
	"ctxt_has_*", "kvm_hyp_handle_*", "__get_fault_info", "__kvm_skip_instr",
	"hyp_phys_to_virt", "hyp_virt_to_phys", "hyp_page_count", "__activate_cptr_traps*",
	"__sysreg_save_el1_state", "__sysreg_restore_el1_state", "fixup_guest_exit",
	"__activate_traps_hfgxtr", "__deactivate_traps_common",
	"__deactivate_cptr_traps*", "__clean_dcache_guest_page", "__invalidate_icache_guest_page",
	/* host.S */
	"__host_enter*", "__host_exit", "__host_hvc", "__hyp_do_panic", "__kvm_hyp_host_vector",
	"__kvm_hyp_host_forward_smc", "kvm_host_psci_cpu_entry",
	/* hyp-entry.S, entry.S, fpsimd.S, cache.S, and what is copied from lib/ */
	"__kvm_hyp_vector", "__guest_*", "__fpsimd_*", "__sve_*", "__pi_*", "el1_*", "el2_*",
	"el2[th]_*_invalid", "__bp_harden_hyp_vecs", "abort_guest_exit_*", "*memcpy", "*memset",
	"*memmove", "clear_page", "copy_page", "dcache_clean_inval_poc", "icache_inval_pou",
	"__arm_smccc_*", "arm_smccc_1_2_*", "__ashlti3", "__ashrti3", "__lshrti3",
	"wa_epilogue",
	/* Not functions */
	"__hyp_section_*", "__hyp_text_start", "__hyp_text_end", "__hyp_idmap_text_end",
	"__hyp_stub_vectors", "__st[ao]*_kvm_ex_table", "$*",
};

static bool must_not_be_traced(const char *name)
{
	unsigned int i;

	/* Not that of an event */
	if (!strcmp(name, "__trace_do_switch"))
		return false;
	for (i = 0; i < ARRAY_SIZE(untraced); i++) {
		if (!fnmatch(untraced[i], name, 0))
			return true;
	}
	return false;
}

/* Each function of EL2's text is in exactly one of both lists */
TEST_F(functions, are_in_one_list)
{
	unsigned long long addr, start = 0, end = 0;
	unsigned int nr = 0;
	char name[256];
	FILE *f;
	int pass;

	ASSERT_EQ(0, file_write("/proc/sys/kernel/kptr_restrict", "0", 1));
	for (pass = 0; pass < 2; pass++) {
		f = fopen("/proc/kallsyms", "r");
		ASSERT_NE(NULL, f);
		while (fscanf(f, "%llx %*c %255s%*[^\n]", &addr, name) == 2) {
			if (!pass && !strcmp(name, PREFIX "__hyp_text_start"))
				start = addr;
			if (!pass && !strcmp(name, PREFIX "__hyp_text_end"))
				end = addr;
			if (!pass || addr < start || addr >= end ||
			    strncmp(name, PREFIX, strlen(PREFIX)))
				continue;
			nr++;
			EXPECT_NE(has_line(names, name),
				  must_not_be_traced(name + strlen(PREFIX))) {
				TH_LOG("%s is in %s", name,
				       has_line(names, name) ? "both lists" : "no list");
			}
		}
		fclose(f);
	}
	ASSERT_NE(0, start);
	ASSERT_LT(start, end);
	EXPECT_LT(nr_lines(names), nr);
	EXPECT_LT(200, nr_lines(names));
	EXPECT_TRUE(has_line(names, TRAP));
	EXPECT_TRUE(has_line(names, HANDLER));
}

TEST_F(functions, tracers)
{
	static const char *const bad[] = { "", "x", "functio", "function nop", "remote",
					   "function_graph_that_is_too_long_a_name" };
	unsigned int i;

	EXPECT_FILE("function_graph function nop\n", "available_tracers");
	EXPECT_FILE("nop\n", "current_tracer");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, source_put(&self->src, bad[i], "current_tracer"));
	EXPECT_FILE("nop\n", "current_tracer");
	ASSERT_EQ(0, source_put(&self->src, "function\n", "current_tracer"));
	EXPECT_FILE("function\n", "current_tracer");
	EXPECT_EQ(-EINVAL, source_put(&self->src, "x", "current_tracer"));
	EXPECT_FILE("function\n", "current_tracer");
}

TEST_F(functions, lists)
{
	unsigned int nr = nr_matching(PREFIX "handle___pkvm_*");

	ASSERT_LT(3, nr);
	EXPECT_FILE(ALL_ENABLED, FILTER);
	EXPECT_FILE(NONE_DISABLED, NOTRACE);
	EXPECT_FILE(ALL_ENABLED, GRAPH);

	/* With and without the prefix, several words, wildcards, and taking out */
	ASSERT_EQ(0, replace(&self->src, "handle_trap\n", FILTER));
	EXPECT_FILE(TRAP "\n", FILTER);
	ASSERT_EQ(0, append(&self->src, HANDLER, FILTER));
	EXPECT_NR(2, FILTER);
	ASSERT_EQ(0, append(&self->src, "handle___pkvm_* \t" TRAP, FILTER));
	EXPECT_NR(2 + nr, FILTER);
	ASSERT_EQ(0, append(&self->src, "!*handle___pkvm_*", FILTER));
	EXPECT_NR(2, FILTER);
	EXPECT_TRUE(has_line(buf, TRAP) && has_line(buf, HANDLER));
	ASSERT_EQ(0, append(&self->src, "!" TRAP, FILTER));
	EXPECT_FILE(HANDLER "\n", FILTER);
	ASSERT_EQ(0, replace(&self->src, "handle___hyp_trace_self[st]es?", FILTER));
	EXPECT_FILE(HANDLER "\n", FILTER);
}

TEST_F(functions, lists_refuse)
{
	static const char *const bad[] = {
		"x", "handle_trap x", "handle_tra", "!x", "!", "handle_trap:traceoff",
		"handle_trap,handle_trap", PREFIX, "hyp_panic", "__trace_selftest",
	};
	static char large[65537];
	unsigned int i;

	ASSERT_EQ(0, replace(&self->src, "handle_trap", NOTRACE));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, append(&self->src, bad[i], NOTRACE))
			TH_LOG("'%s'", bad[i]);
		EXPECT_FILE(TRAP "\n", NOTRACE);
	}
	memset(large, ' ', sizeof(large) - 1);
	EXPECT_EQ(0, append(&self->src, large + 1, NOTRACE));
	EXPECT_EQ(0, append(&self->src, large, NOTRACE));
	EXPECT_FILE(TRAP "\n", NOTRACE);
	ASSERT_EQ(0, replace(&self->src, "", NOTRACE));
	EXPECT_FILE(NONE_DISABLED, NOTRACE);
}

/* Trace one hypercall, and keep the text of this CPU */
#define TRACED()								\
	do {									\
		ASSERT_EQ(0, source_clear(&self->src));				\
		ASSERT_EQ(0, source_on(&self->src, true));			\
		ASSERT_EQ(0, source_write(&self->src, 42));			\
		ASSERT_EQ(0, source_on(&self->src, false));			\
		ASSERT_EQ(0, text_read(&self->src, 0, &self->text));		\
	} while (0)

TEST_F(functions, function)
{
	const struct text *t = &self->text;
	long i;

	ASSERT_EQ(0, replace(&self->src, "handle_trap handle___hyp_trace_selftest", FILTER));
	ASSERT_EQ(0, source_put(&self->src, "function", "current_tracer"));
	TRACED();
	i = text_find(t, "function", HANDLER " <-- " TRAP);
	ASSERT_LT(0, i);
	EXPECT_EQ(t->lines[i - 1],
		  strstr(t->lines[i - 1], "function " TRAP " <-- " PREFIX "__host_"));
	/* The event that the function writes comes after it */
	EXPECT_LT(i, text_find(t, "selftest", "id=42"));
	EXPECT_EQ(-1, text_find_from(t, i + 1, "function", HANDLER));

	ASSERT_EQ(0, replace(&self->src, "handle_trap", NOTRACE));
	TRACED();
	EXPECT_EQ(-1, text_find(t, "function", TRAP " <--"));
	EXPECT_LE(0, text_find(t, "function", HANDLER " <-- " TRAP));

	ASSERT_EQ(0, source_put(&self->src, "nop", "current_tracer"));
	TRACED();
	EXPECT_EQ(0, text_count(t, "function"));
	EXPECT_LE(0, text_find(t, "selftest", "id=42"));
}

/* Depths go up by one with each call, and each return is that of the last call */
static bool is_nested(const struct text *t, unsigned int *calls, unsigned int *deepest)
{
	char stack[64][128], name[128];
	int depth = 0, at;
	size_t i;

	*calls = *deepest = 0;
	for (i = 0; i < t->nr; i++) {
		if (sscanf(t->lines[i], "funcgraph_entry --> %127s (%d)", name, &at) == 2) {
			if (at != depth || depth == 64)
				return false;
			memcpy(stack[depth++], name, sizeof(name));
			++*calls;
			if (depth > (int)*deepest)
				*deepest = depth;
		} else if (sscanf(t->lines[i], "funcgraph_exit <-- %127s (%d)", name, &at) == 2) {
			/* The first lines may be those of the call that switched tracing on */
			if (!depth && !*calls)
				continue;
			if (!depth || at != --depth || strcmp(stack[depth], name))
				return false;
		}
	}
	return true;
}

TEST_F(functions, graph)
{
	const struct text *t = &self->text;
	unsigned int calls, deepest;
	long i;

	ASSERT_EQ(0, source_put(&self->src, "function_graph", "current_tracer"));
	TRACED();
	EXPECT_TRUE(is_nested(t, &calls, &deepest));
	i = text_find(t, "funcgraph_entry", "--> " HANDLER " (1)");
	ASSERT_LT(0, i);
	EXPECT_STREQ("funcgraph_entry --> " TRAP " (0)", t->lines[i - 1]);
	/* This function calls only those that are not traced */
	EXPECT_STREQ("selftest id=42", t->lines[i + 1]);
	EXPECT_NE(NULL, strstr(t->lines[i + 2], "<-- " HANDLER " (1) (took: "));
	EXPECT_NE(NULL, strstr(t->lines[i + 3], "<-- " TRAP " (0) (took: "));
	EXPECT_LE(text_value(t->lines[i + 2], "(took: "), text_value(t->lines[i + 3], "(took: "));
	EXPECT_EQ(0, text_value(t->lines[i + 3], "over: "));

	/* Only what is below a function */
	ASSERT_EQ(0, replace(&self->src, "handle___hyp_trace_selftest", GRAPH));
	TRACED();
	EXPECT_TRUE(is_nested(t, &calls, &deepest));
	EXPECT_EQ(1, calls);
	EXPECT_EQ(-1, text_find(t, "funcgraph_entry", TRAP));
	EXPECT_LE(0, text_find(t, "funcgraph_entry", "--> " HANDLER " (0)"));
}

/* A function calls itself more often than there is room for: all of the calls return */
TEST_F(functions, too_deep)
{
	const struct text *t = &self->text;
	unsigned long long over = 0;
	unsigned int i, calls, deepest;
	long at;

	if (file_put_number(BENCH, BENCH_DEEP))
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TRACING_BENCH");
	ASSERT_EQ(0, replace(&self->src, "bench_deeper", FILTER));
	ASSERT_EQ(0, source_put(&self->src, "function_graph", "current_tracer"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, source_clear(&self->src));
		ASSERT_EQ(0, source_on(&self->src, true));
		ASSERT_EQ(0, file_put_number(BENCH, BENCH_DEEP));
		ASSERT_EQ(0, source_on(&self->src, false));
		ASSERT_EQ(0, text_read(&self->src, 0, &self->text));
		EXPECT_TRUE(is_nested(t, &calls, &deepest));
		EXPECT_EQ(MAX_DEPTH, calls);
		EXPECT_EQ(MAX_DEPTH, deepest);
		EXPECT_EQ(MAX_DEPTH, text_count(t, "funcgraph_exit"));
		at = text_find(t, "funcgraph_exit", "bench_deeper (0)");
		ASSERT_LT(0, at);
		if (i)
			EXPECT_EQ(over + BENCH_DEPTH - MAX_DEPTH,
				  text_value(t->lines[at], "over: "));
		over = text_value(t->lines[at], "over: ");
		EXPECT_NE(0, over);
	}
}

/* Nothing is lost of calls while it is switched at any time, on all CPUs */
TEST_F(functions, switched_all_the_time)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, source_on(&self->src, i & 1));
		ASSERT_EQ(0, source_put(&self->src, i % 3 ? "function_graph" : "function",
					"current_tracer"));
		source_write_many(&self->src, 0, 20);
		ASSERT_EQ(0, source_put(&self->src, i & 2 ? "nop" : "function_graph",
					"current_tracer"));
		source_write_many(&self->src, 0, 20);
	}
}

/* 0 or -EBUSY, if no function is traced or some are; -ENOENT or -EOPNOTSUPP if nothing can tell */
static int any_is_traced(void)
{
	return run_hyp_calls("untraced=1");
}

#define EXPECT_TRACED(traced)	EXPECT_EQ((traced) ? -EBUSY : 0, any_is_traced())

/* EL2's text is as it was before, by whatever way the last function is not traced any more */
TEST_F(functions, text_is_restored)
{
	static const char *const tracers[] = { "function", "function_graph" };
	unsigned int i;
	int ret = any_is_traced();

	if (ret == -ENOENT)
		SKIP(return, "there is no hyp_calls.ko");
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TEXT_TEST");
	EXPECT_EQ(0, ret);
	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		ASSERT_EQ(0, source_put(&self->src, tracers[i], "current_tracer"));
		EXPECT_TRACED(true);
		ASSERT_EQ(0, replace(&self->src, "handle_trap", FILTER));
		EXPECT_TRACED(true);
		ASSERT_EQ(0, replace(&self->src, "handle_trap", NOTRACE));
		EXPECT_TRACED(false);
		ASSERT_EQ(0, replace(&self->src, "", NOTRACE));
		EXPECT_TRACED(true);
		ASSERT_EQ(0, replace(&self->src, "", FILTER));
		ASSERT_EQ(0, source_put(&self->src, "nop", "current_tracer"));
		EXPECT_TRACED(false);
	}
	ASSERT_EQ(0, source_put(&self->src, "function", "current_tracer"));
	ASSERT_EQ(0, replace(&self->src, "handle_trap", GRAPH));
	ASSERT_EQ(0, source_put(&self->src, "function_graph", "current_tracer"));
	EXPECT_TRACED(true);
	ASSERT_EQ(0, source_put(&self->src, "nop", "current_tracer"));
	EXPECT_TRACED(false);
}

/* The formats are those of the kernel's own events, and have the same ids */
TEST_F(functions, formats)
{
	static const char *const events[] = { "function", "funcgraph_entry", "funcgraph_exit" };
	static char own[8192], theirs[8192];
	char path[256], *line, *rest;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(path, sizeof(path), TRACEFS "/events/ftrace/%s/format", events[i]);
		ASSERT_LT(0, file_read(path, theirs, sizeof(theirs)));
		ASSERT_LT(0, source_get(&self->src, own, sizeof(own), "events/ftrace/%s/format",
					events[i]));
		for (rest = theirs; (line = strsep(&rest, "\n"));) {
			if (*line)
				EXPECT_TRUE(has_line(own, line))
					TH_LOG("%s has no '%s'", events[i], line);
		}
		EXPECT_EQ(-ENOENT, source_put(&self->src, "1", "events/ftrace/%s/enable",
					      events[i]));
	}
	/* As in the kernel, these are not switched by events/enable */
	ASSERT_EQ(0, source_put(&self->src, "0", "events/enable"));
	ASSERT_EQ(0, source_put(&self->src, "function", "current_tracer"));
	ASSERT_EQ(0, source_on(&self->src, true));
	source_write(&self->src, 1);
	ASSERT_EQ(0, source_on(&self->src, false));
	ASSERT_EQ(0, text_read(&self->src, 0, &self->text));
	EXPECT_LE(0, text_find(&self->text, "function", HANDLER));
}

TEST_HARNESS_MAIN
