// SPDX-License-Identifier: GPL-2.0
/*
 * From a recording to a file. See save.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/log.h"
#include "record/clock.h"
#include "record/counter.h"
#include "record/save.h"
#include "record/timekind.h"
#include "record/tracefs.h"
#include "trace/datw.h"
#include "trace/sidecpus.h"

/* A file of @d, with its u64 size in front. Return: 0, or -1 with a message. */
static int put_file64(struct datw *w, const struct tdir *d, const char *file)
{
	size_t size;
	char *text = tdir_read(d, file, &size);

	if (!text)
		return -1;
	datw_u64(w, size);
	datw_bytes(w, text, size);
	free(text);
	return 0;
}

static int save_header_info(struct datw *w, const struct tdir *d)
{
	int ret;

	datw_begin(w, DAT_HEADER_INFO);
	datw_string(w, "header_page");
	ret = put_file64(w, d, "events/header_page");
	datw_string(w, "header_event");
	if (!ret)
		ret = put_file64(w, d, "events/header_event");
	datw_end(w);
	return ret;
}

static int put_formats(struct datw *w, const struct tdir *d,
		       const char *system)
{
	struct strlist events = { 0 };
	int ret = tdir_events(d, system, &events);
	unsigned int i;
	char *file;

	datw_u32(w, events.nr);
	for (i = 0; !ret && i < events.nr; i++) {
		file = xasprintf("events/%s/%s/format", system, events.str[i]);
		ret = file ? put_file64(w, d, file) : -1;
		free(file);
	}
	strlist_free(&events);
	return ret;
}

static int save_ftrace_formats(struct datw *w, const struct tdir *d)
{
	int ret;

	datw_begin(w, DAT_FTRACE_EVENTS);
	ret = put_formats(w, d, "ftrace");
	datw_end(w);
	return ret;
}

/* The systems of the chosen events that are not in @list yet; ftrace's are all saved */
static int add_systems(struct strlist *list, const struct strlist *events)
{
	unsigned int i;
	int ret = 0;
	char *system;

	for (i = 0; !ret && i < events->nr; i++) {
		system = strndup(events->str[i],
				 strcspn(events->str[i], "/"));
		if (!system)
			return log_oom();
		if (strcmp(system, "ftrace") && !strlist_has(list, system))
			ret = strlist_add(list, system);
		free(system);
	}
	return ret;
}

static int save_event_formats(struct datw *w, const struct recording *r)
{
	struct strlist systems = { 0 };
	unsigned int i, nr_host;
	int ret;

	ret = add_systems(&systems, &r->events[HOST]);
	nr_host = systems.nr;
	if (!ret)
		ret = add_systems(&systems, &r->events[HYP]);
	datw_begin(w, DAT_EVENT_FORMATS);
	datw_u32(w, systems.nr);
	for (i = 0; !ret && i < systems.nr; i++) {
		datw_string(w, systems.str[i]);
		ret = put_formats(w, r->dir[i < nr_host ? HOST : HYP],
				  systems.str[i]);
	}
	datw_end(w);
	strlist_free(&systems);
	return ret;
}

/* A file that some kernels do not have */
static void save_file(struct datw *w, enum dat_id id, const char *path)
{
	size_t size = 0;
	char *text = read_file(path, &size);

	datw_begin(w, id);
	if (id == DAT_CMDLINES)
		datw_u64(w, size);
	else
		datw_u32(w, size);
	datw_bytes(w, text, size);
	datw_end(w);
	free(text);
}

/* The same, of the host's top directory */
static void save_optional(struct datw *w, enum dat_id id, const char *name)
{
	const char *root = tracefs_root();
	char *path = root ? xasprintf("%s/%s", root, name) : NULL;

	if (path)
		save_file(w, id, path);
	free(path);
}

static void save_uname(struct datw *w)
{
	struct utsname u;
	char *text;

	if (uname(&u))
		return;
	text = xasprintf("%s %s %s %s", u.sysname, u.nodename, u.release,
			 u.machine);
	if (text)
		datw_option(w, DAT_UNAME, text, strlen(text) + 1);
	free(text);
}

static void save_clock(struct datw *w, const char *clock)
{
	char *text = xasprintf("[%s]\n", clock);

	if (text)
		datw_option(w, DAT_TRACECLOCK, text, strlen(text) + 1);
	free(text);
}

static void save_text(struct datw *w, char *text)
{
	if (text)
		datw_option(w, DAT_CPUSTAT, text, strlen(text) + 1);
	free(text);
}

/* For readers that need boot time, or the counter */
static void save_clocksnap(struct datw *w, const struct recording *r)
{
	save_text(w, clock_snap(r->dir[HOST], r->cpus.cpu[0], r->clock[HOST], r->from_boot));
	save_text(w, counter_snap(r->clock[HOST]));
}

/*
 * Which events were enabled, and with a filter: hyptrace check must know which may be missing, and
 * compare which filter it was
 */
static void save_choice(struct datw *w, const struct recording *r, enum side side)
{
	const struct strlist *events = &r->events[side];
	const char *filter;
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		filter = r->filters[side].str[i];
		save_text(w, xasprintf("hyptrace: %s=%s\n", *filter ? "filtered" : "enabled",
				       events->str[i]));
		if (*filter)
			save_text(w, xasprintf("hyptrace: filter=%s %s\n", events->str[i],
					       filter));
	}
}

static bool chooses_mode(const char *option)
{
	static const char * const prefixes[] = { "kvm-arm.", "arm64_sw.", "id_aa64" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(option, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

/* What of the kernel's command line chooses the mode of KVM, an option each */
static void save_mode(struct datw *w)
{
	char *line = read_file("/proc/cmdline", NULL), *rest = line, *option;
	bool any = false;

	while ((option = strsep(&rest, "\n "))) {
		if (!chooses_mode(option))
			continue;
		save_text(w, xasprintf("hyptrace: option=%s\n", option));
		any = true;
	}
	if (line && !any)
		save_text(w, xasprintf("hyptrace: option=no option\n"));
	free(line);
}

static void save_machine(struct datw *w)
{
	save_text(w, timekind_text());
	save_mode(w);
}

/* The id of this boot: names that the kernel has later are valid for the same boot only */
static char *boot_text(void)
{
	char *id = read_file("/proc/sys/kernel/random/boot_id", NULL), *text;

	if (!id)
		return NULL;
	id[strcspn(id, "\n")] = '\0';
	text = xasprintf("hyptrace: boot=%s\n", id);
	free(id);
	return text;
}

u32 save_nr_cpus(const struct recording *r)
{
	return r->cpus.cpu[r->cpus.nr - 1] + 1;
}

/*
 * How an earlier boot ended, a line each, and the end of its kernel's log. The clocks and tasks of
 * this boot say nothing of it
 */
static void save_last_boot(struct datw *w, const struct recording *r)
{
	const char *info = r->last_boot;
	size_t len;

	for (; *info; info += len + !!info[len]) {
		len = strcspn(info, "\n");
		save_text(w, xasprintf(DAT_LAST_BOOT "%.*s\n", (int)len, info));
	}
	save_text(w, xasprintf(DAT_LAST_LOG "%s", r->last_log));
}

static void save_options(struct datw *w, const struct recording *r, u32 nr_cpus)
{
	static const char version[] = "hyptrace " VERSION;

	datw_option(w, DAT_CPUCOUNT, &nr_cpus, sizeof(nr_cpus));
	datw_option(w, DAT_VERSION_TEXT, version, sizeof(version));
	save_uname(w);
	if (r->last_boot) {
		save_last_boot(w, r);
	} else {
		save_clocksnap(w, r);
		save_text(w, boot_text());
		save_machine(w);
	}
	save_choice(w, r, HOST);
	save_choice(w, r, HYP);
}

static void save_comms(struct datw *w)
{
	save_optional(w, DAT_CMDLINES, "saved_cmdlines");
}

static int save_events(struct datw *w, const struct recording *r)
{
	if (save_header_info(w, r->dir[HOST]) ||
	    save_ftrace_formats(w, r->dir[HOST]) ||
	    save_event_formats(w, r))
		return -1;
	save_file(w, DAT_KALLSYMS, "/proc/kallsyms");
	save_optional(w, DAT_PRINTK, "printk_formats");
	return 0;
}

int save_descriptions(struct datw *w, const struct recording *r)
{
	int ret = save_events(w, r);

	if (!ret)
		save_comms(w);
	return ret;
}

static void save_buffers(struct datw *w, const struct recording *r,
			 const struct streams *s)
{
	struct datw_buffer b = { .cpus = &r->cpus };
	enum side side, read;

	for (side = HOST; side < NR_SIDES; side++) {
		if (!r->dir[side])
			continue;
		b.name = side_buffer(side);
		b.clock = r->clock[side];
		read = recording_reads(r, side) ? side : HYP;
		b.page_size = follower_subbuf_size(s->cpu[0][read].f);
		datw_buffer(w, &b);
	}
}

int save_head(int fd, const char *path, const struct recording *r,
	      const struct streams *s, const struct packing *packing)
{
	struct datw *w = datw_open(fd, path, packing);

	if (!w)
		return -1;
	if (save_events(w, r)) {
		datw_abort(w);
		return -1;
	}
	save_options(w, r, save_nr_cpus(r));
	save_clock(w, r->clock[HOST]);
	save_buffers(w, r, s);
	return datw_finish(w);
}

u32 save_sent_nr_cpus(const struct recording *r)
{
	return save_nr_cpus(r) * (r->dir[HYP] ? 2 : 1);
}

struct datw *save_sent(int fd, const char *path, const struct recording *r, u32 page_size)
{
	struct datw *w = datw_open_v6(fd, path, page_size);

	if (!w)
		return NULL;
	if (save_events(w, r)) {
		datw_abort(w);
		return NULL;
	}
	save_options(w, r, save_sent_nr_cpus(r));
	save_text(w, sidecpus_format(save_nr_cpus(r), r->clock[HOST]));
	datw_flush(w);
	return w;
}

static bool is_of_this_boot(const struct datr *d)
{
	char *boot = boot_text();
	bool same = boot && datr_has_text(d, boot);

	free(boot);
	return same;
}

static const char end_text[] = "hyptrace: ended\n";

bool save_has_end(const struct datr *d)
{
	return datr_has_text(d, end_text);
}

static void save_texts(struct datw *w, const struct strlist *texts)
{
	unsigned int i;

	for (i = 0; i < texts->nr; i++)
		datw_option(w, DAT_CPUSTAT, texts->str[i], strlen(texts->str[i]) + 1);
	datw_option(w, DAT_CPUSTAT, end_text, sizeof(end_text));
}

void save_end(struct datw *w, const struct datr *d, const struct strlist *texts)
{
	if (is_of_this_boot(d))
		save_comms(w);
	save_texts(w, texts);
}

int save_sent_end(struct datw *w, const struct recording *r, const struct strlist *texts)
{
	save_comms(w);
	save_texts(w, texts);
	return datw_finish_v6(w, save_sent_nr_cpus(r));
}
