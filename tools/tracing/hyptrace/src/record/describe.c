// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptions of events. See describe.h.
 *
 * They are written to memory as to a file, and read back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/log.h"
#include "record/describe.h"
#include "record/save.h"
#include "record/tracefs.h"
#include "trace/datr.h"
#include "trace/datw.h"

static const char file_name[] = "the descriptions of the events";

/* Closes @fd */
static int write_file(const struct recording *r, int fd)
{
	struct datw *w = datw_open(fd, file_name, NULL);

	if (!w)
		return -1;
	if (save_descriptions(w, r)) {
		datw_abort(w);
		return -1;
	}
	return datw_finish(w);
}

static int memory_file(void)
{
	int fd = memfd_create("hyptrace", MFD_CLOEXEC);

	return fd < 0 ? log_error("cannot create a memory file: %s", strerror(errno)) : fd;
}

static struct datr *write_and_read(const struct recording *r)
{
	int fd = memory_file(), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return NULL;
	if (copy >= 0 && !write_file(r, copy))
		return datr_open_fd(fd, file_name);
	if (copy < 0)
		log_error("cannot use a memory file: %s", strerror(errno));
	close(fd);
	return NULL;
}

struct evdb *describe_events(const struct recording *r)
{
	struct datr *d = write_and_read(r);
	struct evdb *db = d ? evdb_load(d) : NULL;

	datr_free(d);
	return db;
}

/* Names of tasks: each is looked up again after some time, as exec() changes it */

#define NR_CHECKED	1024
#define CHECK_NS	NSEC_PER_SEC

struct comms {
	struct {
		s32 pid;
		u64 at;
	} checked[NR_CHECKED];
};

struct comms *comms_new(void)
{
	struct comms *c = calloc(1, sizeof(*c));

	if (!c)
		log_oom();
	return c;
}

void comms_free(struct comms *c)
{
	free(c);
}

static bool is_fresh(struct comms *c, s32 pid)
{
	unsigned int i = pid % NR_CHECKED;
	u64 now = now_ns();

	if (c->checked[i].pid == pid && now - c->checked[i].at < CHECK_NS)
		return true;
	c->checked[i].pid = pid;
	c->checked[i].at = now;
	return false;
}

/* The text behind "PID " in a line of saved_cmdlines, or NULL */
static char *find_saved(char *text, s32 pid)
{
	char *line, *rest = text, *comm;

	while ((line = strsep(&rest, "\n"))) {
		if (strtol(line, &comm, 10) == pid && *comm == ' ')
			return comm + 1;
	}
	return NULL;
}

/* Of a task that has already ended */
static void learn_saved(struct evdb *db, s32 pid)
{
	const char *root = tracefs_root();
	char *path = root ? xasprintf("%s/saved_cmdlines", root) : NULL;
	char *text = path ? read_file(path, NULL) : NULL;
	char *comm = text ? find_saved(text, pid) : NULL;

	if (comm)
		evdb_set_comm(db, pid, comm);
	free(text);
	free(path);
}

void comms_learn(struct comms *c, struct evdb *db, s32 pid)
{
	char *path, *comm;

	if (pid <= 0 || is_fresh(c, pid))
		return;
	path = xasprintf("/proc/%d/comm", pid);
	comm = path ? read_file(path, NULL) : NULL;
	if (comm) {
		comm[strcspn(comm, "\n")] = '\0';
		evdb_set_comm(db, pid, comm);
	} else {
		learn_saved(db, pid);
	}
	free(comm);
	free(path);
}
