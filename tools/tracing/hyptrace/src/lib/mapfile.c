// SPDX-License-Identifier: GPL-2.0
/*
 * A file that is mapped. See mapfile.h.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/mapfile.h"
#include "lib/outfile.h"
#include "lib/util.h"
#include "lib/visible.h"

/**
 * struct mapfile - a file
 * @next:	another one
 * @data:	its content
 * @size:	its size
 * @message:	why the program ends when it has become shorter
 */
struct mapfile {
	struct mapfile *next;
	void *data;
	size_t size;
	char *message;
};

/* All of them, for the signal handler */
static struct mapfile *mapped;

/* @at is of a page that does not exist any more, or cannot be read from the disk */
static void sigbus(int sig, siginfo_t *info, void *context)
{
	const char *at = info->si_addr;
	struct mapfile *m = mapped;

	(void)context;
	while (m && (at < (char *)m->data || at >= (char *)m->data + m->size))
		m = m->next;
	if (!m) {
		raise(sig);	/* the default action, see SA_RESETHAND */
		return;
	}
	outfile_remove();
	if (write(STDERR_FILENO, m->message, strlen(m->message)) < 0)
		_exit(EXIT_ERROR);
	_exit(EXIT_ERROR);
}

static void catch_sigbus(void)
{
	const struct sigaction act = {
		.sa_sigaction = sigbus, .sa_flags = SA_SIGINFO | SA_RESETHAND,
	};

	sigaction(SIGBUS, &act, NULL);
}

struct mapfile *mapfile_new(int fd, size_t size, const char *name)
{
	struct mapfile *m = calloc(1, sizeof(*m));
	char shown[1024];

	visible_copy(shown, sizeof(shown), name);
	if (m)
		m->message = xasprintf("hyptrace: %s: it became shorter while it was read, or its disk failed\n",
				       shown);
	if (!m || !m->message) {
		free(m);
		log_oom();
		return NULL;
	}
	m->size = size;
	m->data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (m->data == MAP_FAILED) {
		log_error("cannot map %s: %s", name, strerror(errno));
		free(m->message);
		free(m);
		return NULL;
	}
	m->next = mapped;
	mapped = m;
	catch_sigbus();
	return m;
}

const void *mapfile_data(const struct mapfile *m)
{
	return m->data;
}

void mapfile_free(struct mapfile *m)
{
	struct mapfile **p = &mapped;

	if (!m)
		return;
	while (*p != m)
		p = &(*p)->next;
	*p = m->next;
	munmap(m->data, m->size);
	free(m->message);
	free(m);
}
