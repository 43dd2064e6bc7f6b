// SPDX-License-Identifier: GPL-2.0
/*
 * A file that appears when it is complete. See outfile.h.
 *
 * The directory may be one in which other users can create files. So the unfinished file
 * is always a new one, with a name that no other process can take first.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/outfile.h"
#include "lib/util.h"

/* A random name that exists already is unlikely */
#define TRIES		10

#define BUFFER_SIZE	65536

/**
 * struct outfile - a file that is being written
 * @path:	its name
 * @unfinished:	the name that it has until then
 * @fd:		the file
 * @error:	errno of the first write that has failed, or 0
 * @out:	writes it
 */
struct outfile {
	char *path;
	char *unfinished;
	int fd;
	int error;
	FILE *out;
};

/* The name of the unfinished file, or NULL. A signal handler reads it. */
static char *to_remove;

static void set_to_remove(char *name)
{
	__atomic_store_n(&to_remove, name, __ATOMIC_SEQ_CST);
}

/* The target of a link that is open */
static char *open_path(int fd)
{
	char *link = xasprintf("/proc/self/fd/%d", fd), *target = NULL;

	if (link)
		target = realpath(link, NULL);
	if (link && !target)
		log_error("cannot read %s: %s", link, strerror(errno));
	free(link);
	return target;
}

char *output_path(const char *path)
{
	char *target = NULL;
	struct stat st;
	int fd;

	if (!*path) {
		log_error("no output file: expected the name of a file");
		return NULL;
	}
	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return xasprintf("%s", path);
	/* realpath(path) would not see that the kernel refuses to follow (protected_symlinks) */
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		log_error("cannot follow the link %s: %s", path, strerror(errno));
	else if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		log_error("%s exists and is not a regular file", path);
	else
		target = open_path(fd);
	if (fd >= 0)
		close(fd);
	return target;
}

void outfile_remove(void)
{
	const char *name = __atomic_load_n(&to_remove, __ATOMIC_SEQ_CST);

	if (name)
		unlink(name);
}

/* By the time it returns, @sig has its default action again */
static void remove_and_end(int sig)
{
	outfile_remove();
	raise(sig);
}

static void catch_signals(void)
{
	static const int list[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction act = { .sa_handler = remove_and_end, .sa_flags = SA_RESETHAND }, old;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(list); i++) {
		if (!sigaction(list[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(list[i], &act, NULL);
	}
	signal(SIGXFSZ, SIG_IGN);
}

/* Return: the fd, or -1 with errno set */
static int create_unfinished(struct outfile *f)
{
	unsigned int number;
	int fd = -1, i;

	for (i = 0; i < TRIES && fd < 0; i++) {
		free(f->unfinished);
		f->unfinished = NULL;
		if (getrandom(&number, sizeof(number), 0) < 0 ||
		    asprintf(&f->unfinished, "%s.%08x", f->path, number) < 0)
			return -1;
		fd = open(f->unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

/* The same, without a signal in between */
static int create_and_note(struct outfile *f)
{
	sigset_t all, before;
	int fd, err;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = create_unfinished(f);
	err = errno;
	if (fd >= 0)
		set_to_remove(f->unfinished);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return fd;
}

/* Of the stream: less than @size after an error, which the stream does not keep */
static ssize_t write_all(void *cookie, const char *buf, size_t size)
{
	struct outfile *f = cookie;
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = write(f->fd, buf + done, size - done);
		if (n <= 0)
			break;
		done += n;
	}
	if (done < size && !f->error)
		f->error = errno;
	return done;
}

static int begin(struct outfile *f, const char *path)
{
	static const cookie_io_functions_t functions = { .write = write_all };

	f->path = strdup(path);
	f->fd = f->path ? create_and_note(f) : -1;
	if (f->fd < 0)
		return -1;
	f->out = fopencookie(f, "w", functions);
	return f->out ? setvbuf(f->out, NULL, _IOFBF, BUFFER_SIZE) : -1;
}

struct outfile *outfile_new(const char *path)
{
	struct outfile *f = calloc(1, sizeof(*f));

	catch_signals();
	if (f)
		f->fd = -1;
	if (f && !begin(f, path))
		return f;
	log_error("cannot create %s: %s", path, strerror(errno));
	outfile_free(f);
	return NULL;
}

FILE *outfile_stream(const struct outfile *f)
{
	return f->out;
}

int outfile_fd(const struct outfile *f)
{
	return f->fd;
}

int outfile_finish(struct outfile *f)
{
	if (fflush(f->out) || ferror(f->out))
		return log_error("cannot write %s: %s", f->path, strerror(f->error));
	if (rename(f->unfinished, f->path))
		return log_error("cannot rename %s to %s: %s", f->unfinished, f->path,
				 strerror(errno));
	set_to_remove(NULL);
	return 0;
}

int outfile_write(const char *name, int (*write)(FILE *out, void *ctx), void *ctx)
{
	char *path = output_path(name);
	struct outfile *f = path ? outfile_new(path) : NULL;
	int ret = -1;

	/* what the stream has met is reported by outfile_finish() */
	if (f)
		ret = write(f->out, ctx) && !ferror(f->out) ? -1 : outfile_finish(f);
	outfile_free(f);
	free(path);
	return ret;
}

void outfile_free(struct outfile *f)
{
	if (!f)
		return;
	outfile_remove();
	set_to_remove(NULL);
	if (f->out)
		fclose(f->out);
	if (f->fd >= 0)
		close(f->fd);
	free(f->unfinished);
	free(f->path);
	free(f);
}
