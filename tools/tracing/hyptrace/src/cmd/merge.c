// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace merge
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/guestfit.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/merge.h"
#include "lib/log.h"
#include "lib/outfile.h"
#include "trace/datw.h"

/**
 * struct merging - a merge in progress
 * @o:		what the user wants
 * @host:	recording of the host, or NULL
 * @guest:	the guest; @guest.d may be NULL
 * @clock:	relates its clock to the counter: @guest.d, or another recording; may be NULL
 * @name:	its name, or NULL
 * @output:	path of the result, or NULL
 * @fit:	where the guest's events lie
 */
struct merging {
	const struct merge_options *o;
	struct datr *host;
	struct datr_guest guest;
	struct datr *clock;
	char *name;
	char *output;
	struct guestcheck_result fit;
};

/* Files */

static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len;

	path = slash ? slash + 1 : path;
	len = strlen(path);
	if (len > 4 && !strcmp(path + len - 4, ".dat"))
		len -= 4;
	return xasprintf("%.*s", (int)len, path);
}

static int check_guests(const struct merging *m)
{
	unsigned int i;

	if (datr_nr_guests(m->guest.d))
		return log_error("%s has a guest itself: expected it as the first file",
				 datr_name(m->guest.d));
	for (i = 0; i < datr_nr_guests(m->host); i++) {
		if (!strcmp(datr_guest(m->host, i)->name, m->name))
			return log_error("%s has a guest '%s' already: expected another --name",
					 datr_name(m->host), m->name);
	}
	return 0;
}

/* The host's may be replaced by what is more */
static int check_output(const struct merging *m)
{
	struct stat st;

	if (stat(m->output, &st) || !datr_is_file(m->guest.d, &st))
		return 0;
	return log_error("%s is the recording of the guest: expected another output file",
			 m->o->output);
}

static int open_all(struct merging *m)
{
	m->host = datr_open(m->o->host);
	m->guest.d = m->host ? datr_open(m->o->guest) : NULL;
	if (!m->guest.d)
		return -1;
	m->clock = m->o->counter_of ? datr_open(m->o->counter_of) : m->guest.d;
	if (!m->clock)
		return -1;
	m->name = m->o->name ? xasprintf("%s", m->o->name) : base_name(m->o->guest);
	m->output = output_path(m->o->output);
	if (!m->name || !m->output)
		return -1;
	m->guest.name = m->name;
	if (!datr_grows(m->host))
		return log_error("%s: not written by hyptrace: expected version 7, with options that are not compressed",
				 datr_name(m->host));
	return check_guests(m) || check_output(m) ? -1 : 0;
}

/* Return: the fd, or -1 with a message */
static int open_copy(const char *path, struct datcopy *c)
{
	struct stat st;

	*c = (struct datcopy) { .from = open(path, O_RDONLY | O_CLOEXEC) };
	if (c->from < 0 || fstat(c->from, &st))
		return log_error("cannot read %s: %s", path, strerror(errno));
	c->size = st.st_size;
	return c->from;
}

static int copy_host(const struct merging *m, int to)
{
	struct datcopy c;
	int err;

	if (open_copy(m->o->host, &c) < 0)
		return -1;
	err = datcopy_plain(&c, to);
	close(c.from);
	return err ? log_error("cannot write %s: %s", m->output, strerror(err)) : 0;
}

static int append_guest(const struct merging *m, int to)
{
	struct datcopy c;
	struct datw *w;
	int fd;

	if (open_copy(m->o->guest, &c) < 0)
		return -1;
	fd = dup(to);
	w = fd < 0 ? NULL : datw_append(fd, m->output, m->host, NULL);
	if (w)
		datw_guest(w, &m->guest, &c);
	close(c.from);
	return w ? datw_finish(w) : -1;
}

static int write_output(const struct merging *m)
{
	struct outfile *f = outfile_new(m->output);
	int ret = -1;

	if (!f)
		return -1;
	if (!copy_host(m, outfile_fd(f)) && !append_guest(m, outfile_fd(f)))
		ret = outfile_finish(f);
	outfile_free(f);
	return ret;
}

/* All */

static void tell(const struct merging *m)
{
	const struct datr_guest *g = &m->guest;

	log_note("%s: guest %s: %llu events, %llu of them outside of its vCPUs' runs, %llu not checked; the host's clock is its clock and %lld ns, with an error of at most %llu ns",
		 m->o->output, g->name, m->fit.events + m->fit.skipped + m->fit.cut,
		 m->fit.violations, m->fit.skipped + m->fit.cut, g->shift, g->error);
}

int merge_files(const struct merge_options *o)
{
	struct merging m = { .o = o };
	int ret = open_all(&m);

	if (!ret)
		ret = guestfit_find(m.host, &m.guest, m.clock, o->task, &m.fit);
	if (!ret)
		ret = write_output(&m);
	if (!ret && !o->quiet)
		tell(&m);
	if (m.clock != m.guest.d)
		datr_free(m.clock);
	datr_free(m.guest.d);
	datr_free(m.host);
	free(m.name);
	free(m.output);
	return ret;
}

/* The command line */

#define DEFAULT_OUTPUT		"merged.dat"

static const char doc[] =
	"Adds the recording of a guest, GUEST, to HOST, that of the machine on which it\n"
	"ran. In the result, their events are on one clock. Both are recorded at the\n"
	"same time, with the clock mono_raw: on the host by 'hyptrace record\n"
	"--clock=mono_raw' with all hypervisor events, in the guest by 'hyptrace record\n"
	"--host-only --clock=mono_raw'. For a second guest, repeat the command with the\n"
	"result.\n"
	"\vBoth recordings say what their clock was at some values of the counter. HOST\n"
	"also has CNTVOFF, by which a guest's counter is behind that of the machine. So\n"
	"the difference of the clocks is known; its largest error is printed. Of\n"
	"several VMs, merge takes the one that ran whenever the guest has events.\n"
	"\n"
	"hyptrace report, check and export --html show the guest's events; trace-cmd\n"
	"and all other commands ignore them.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors; 2 for a wrong command line.";

enum { OPT_NAME = CMDLINE_KEYS, OPT_COUNTER_OF, OPT_TASK };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "output file [" DEFAULT_OUTPUT "]", 0 },
	{ "name", OPT_NAME, "NAME", 0, "name of the guest [that of GUEST, without .dat]", 0 },
	{ "counter-of", OPT_COUNTER_OF, "FILE", 0,
	  "if GUEST is trace-cmd's: a recording by hyptrace record --host-only of the same boot of the guest",
	  0 },
	{ "task", OPT_TASK, "PID", 0,
	  "a task that runs one of the guest's vCPUs, if it fits to several VMs", 0 },
	{ "quiet", 'q', NULL, 0, "print no summary", 0 },
	{ 0 }
};

static error_t take_path(struct merge_options *o, char *arg)
{
	const char **path = o->host ? &o->guest : &o->host;

	if (*path)
		return cmdline_told(log_error("expected HOST and GUEST, got '%s' as well", arg));
	*path = arg;
	return 0;
}

static int check_paths(const struct merge_options *o, const struct argp_state *state)
{
	if (o->guest)
		return 0;
	return log_error("expected HOST and GUEST, got %s: see %s --help",
			 o->host ? "one file" : "none", state->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct merge_options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case OPT_NAME:
		o->name = arg;
		return *arg ? 0 : cmdline_told(log_error("bad name '': expected a name"));
	case OPT_COUNTER_OF:
		o->counter_of = arg;
		return 0;
	case OPT_TASK:
		return cmdline_told(cmdline_number("task", arg, INT32_MAX, &o->task));
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		return take_path(o, arg);
	case ARGP_KEY_END:
		return cmdline_told(check_paths(o, state));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "HOST GUEST",
	.doc = doc,
};

int merge_main(int argc, char **argv)
{
	struct merge_options o = { .output = DEFAULT_OUTPUT };

	if (cmdline_parse(&argp, argc, argv, 0, &o))
		return EXIT_USAGE;
	return merge_files(&o) ? EXIT_ERROR : EXIT_OK;
}
