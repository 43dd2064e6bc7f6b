// SPDX-License-Identifier: GPL-2.0
/*
 * Standard output and standard error. See output.h.
 *
 * stdout and stderr become streams that hand each piece to a thread:
 *
 *	stream			thread
 *	copies the piece
 *	raises work	->	write()
 *	waits for done	<-	raises done
 *
 * What is before event_raise() in one of them is visible after event_wait() in the other.
 * The lock of the stream makes sure that there is one piece at a time. A stream that was
 * given up does not touch the piece any more, as its thread may still write it.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/param.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/output.h"
#include "lib/util.h"

#define PIECE_SIZE		16384

/**
 * struct output - a stream
 * @fd:		where it goes
 * @work:	eventfd: there is a piece
 * @done:	eventfd: it was written
 * @given_up:	the thread is not waited for any more
 * @error:	errno of the last failure
 * @size:	bytes of the piece
 * @written:	how many of them were written, or -1
 * @write_error: errno then
 * @piece:	the piece
 */
struct output {
	int fd;
	int work;
	int done;
	bool given_up;
	int error;
	size_t size;
	ssize_t written;
	int write_error;
	char piece[PIECE_SIZE];
};

static struct output outputs[] = { { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };

/* Either polls readable when the program has to end */
static int signal_pending = -1;
static int ending = -1;

static void *thread_main(void *arg)
{
	struct output *o = arg;

	for (;;) {
		event_wait(o->work);
		o->written = write(o->fd, o->piece, o->size);
		o->write_error = errno;
		event_raise(o->done);
	}
	return NULL;
}

/* Return: whether the thread has written the piece */
static bool wait_for_thread(struct output *o)
{
	struct pollfd p[] = {
		{ .fd = o->done, .events = POLLIN },
		{ .fd = signal_pending, .events = POLLIN },
		{ .fd = ending, .events = POLLIN },
	};

	while (poll(p, ARRAY_SIZE(p), -1) < 0)
		;
	if (!p[0].revents)
		poll(p, 1, OUTPUT_PATIENCE_MS);
	return p[0].revents;
}

/* Return: bytes written, or -1 after an error */
static ssize_t write_piece(struct output *o, const char *buf, size_t size)
{
	if (!o->given_up) {
		o->size = MIN(size, sizeof(o->piece));
		memcpy(o->piece, buf, o->size);
		event_raise(o->work);
		o->given_up = !wait_for_thread(o);
	}
	if (o->given_up) {
		o->error = ECANCELED;
		return -1;
	}
	event_wait(o->done);
	if (o->written < 0)
		o->error = o->write_error;
	return o->written;
}

/* Of a stream: less than @size after an error */
static ssize_t write_all(void *cookie, const char *buf, size_t size)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < size && n > 0) {
		n = write_piece(cookie, buf + done, size - done);
		done += MAX(n, 0);
	}
	return done;
}

/* It takes no signals: they are for the main thread. Return: an errno, or 0 */
static int create_thread(struct output *o)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, thread_main, o);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static FILE *start_one(struct output *o, int mode)
{
	static const cookie_io_functions_t functions = { .write = write_all };
	FILE *stream = fopencookie(o, "w", functions);

	if (!stream)
		return NULL;
	setvbuf(stream, NULL, mode, PIECE_SIZE);
	o->work = event_new();
	o->done = event_new();
	if (o->work < 0 || o->done < 0)
		return NULL;
	errno = create_thread(o);
	return errno ? NULL : stream;
}

int output_start(int signal_fd)
{
	FILE *out, *err;

	signal_pending = signal_fd;
	ending = event_new();
	out = start_one(&outputs[0], _IOFBF);
	err = start_one(&outputs[1], _IONBF);
	if (ending < 0 || !out || !err)
		return log_error("cannot prepare the output: %s", strerror(errno));
	fflush(stdout);
	stdout = out;
	stderr = err;
	return 0;
}

void output_end(void)
{
	if (ending >= 0)
		event_raise(ending);
}

int output_error(void)
{
	return outputs[0].error;
}
