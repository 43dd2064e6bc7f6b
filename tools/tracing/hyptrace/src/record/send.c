// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a recording. See send.h.
 *
 * The protocol is version 3 of what "trace-cmd listen" and "trace-cmd record -N" speak, as
 * lib/trace-cmd/trace-msg.c of trace-cmd has it. There is a connection for messages, and one for
 * each CPU, through which its sub-buffers go.
 *
 *	listen			record
 *	"tracecmd"
 *				"-1V3\0"
 *	"V3\0"
 *				"766679\0\0"
 *	"OK"
 *				TINIT: number of CPUs, sub-buffer size, the option "tcp"
 *	RINIT: a port for each CPU
 *				SEND_DATA: a piece of the file's head, which is all before the data
 *				...
 *				FIN_DATA
 *				CLOSE
 *
 * A message begins with three words, big-endian: its size, its type, and the size of its fixed
 * part, which follows. Behind that is the variable part.
 *
 * What is only known at the end is in the head as well, such as the names of tasks. So it is sent
 * at the end; but listen gives up when there is nothing for 5 seconds, so before that, a byte of
 * what is known from the beginning is sent now and then.
 *
 * While listen waits for the head, it also gives up when one of its readers of data ends. So the
 * end of the data is told when all of the head has arrived. Each reader closes its connection
 * once it has read all. Then CLOSE is sent, after which listen gives its readers a second, and
 * makes the file. It closes the first connection then.
 *
 * The data is read from the files of the incomplete recording, where it is anyway; so nothing of it
 * is lost, and recording never waits for the network.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/util.h"
#include "record/save.h"
#include "record/send.h"
#include "trace/datw.h"

#define HELLO		"tracecmd"
#define WANT_VERSION	"-1V3"
#define HAS_VERSION	"V3"
#define VERSION_MAGIC	"766679\0"
#define READY		"OK"
#define OPTION_TCP	"tcp"

enum message { CLOSE = 0, TINIT = 1, RINIT = 2, SEND_DATA = 3, FIN_DATA = 4 };

#define MAX_MESSAGE	8192

/* How long to wait for a connection or an answer, and for progress */
#define ANSWER_S	10
#define STUCK_S		30
/* At most this much of one CPU at a time, so that the others and messages get their turn */
#define MAX_PUSH	(1U << 20)
/* The file is copied after CLOSE: at this rate at least */
#define COPY_PER_S	(4ULL << 20)
/* How often to look for new data, and to tell that there will be more */
#define LOOK_MS		100
#define ALIVE_MS	2000
/* A port of a CPU is known before there is who accepts */
#define ACCEPT_MS	10

/**
 * struct msghead - what a message begins with
 * @size:	of all of it
 * @type:	enum message
 * @fixed:	size of the fixed part
 */
struct msghead {
	u32 size;
	u32 type;
	u32 fixed;
};

/**
 * struct cpulink - the connection of a CPU
 * @fd:		-1 if all was read
 * @f:		follows the buffer; NULL if the CPU is not recorded
 * @file:	has the sub-buffers
 * @sent:	bytes of them
 */
struct cpulink {
	int fd;
	const struct follower *f;
	int file;
	u64 sent;
};

enum stage { RECORDING, ENDING, STOPPED };

/**
 * struct sender - the connections
 * @to:		where to
 * @r:		what is recorded
 * @fd:		for messages, or -1
 * @nr:		number of lanes
 * @lane:	the lanes
 * @head:	a file in memory with the head, as far as it is known
 * @w:		writes the head, NULL once it is complete
 * @head_at:	what was sent of it
 * @loss:	what is said when the connection is lost while something is recorded
 * @advice:	what is said when it is lost now
 * @wake:	eventfd, readable when @stage has changed
 * @stage:	enum stage
 * @bytes:	of data, sent
 * @alive:	when the last message was sent, ns
 * @deadline:	when the other side has to have answered, ns
 * @queued:	what it has not acknowledged so far, bytes
 * @progress:	when there was progress last, or nothing to be sent, ns
 * @failed:	the connection is lost, which was printed
 * @thread:	sends
 * @running:	@thread was created
 */
struct sender {
	const struct address *to;
	const struct recording *r;
	int fd;
	unsigned int nr;
	struct cpulink *lane;
	int head;
	struct datw *w;
	off_t head_at;
	char *loss;
	const char *advice;
	int wake;
	int stage;
	u64 bytes;
	u64 alive;
	u64 deadline;
	u64 queued;
	u64 progress;
	bool failed;
	pthread_t thread;
	bool running;
};

#define CLOSED		"connection lost: closed by trace-cmd listen"

/* Errors */

static enum stage stage_of(const struct sender *s)
{
	return __atomic_load_n(&s->stage, __ATOMIC_ACQUIRE);
}

static void set_stage(struct sender *s, enum stage stage)
{
	/* pairs with stage_of(): the head, and all data, are there before ENDING */
	__atomic_store_n(&s->stage, stage, __ATOMIC_RELEASE);
	event_raise(s->wake);
}

/* Return: -1, always. There is no message if it is the other thread that has ended it */
static int __printf(2, 3)
lost(struct sender *s, const char *fmt, ...)
{
	va_list args;
	char text[256];

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	s->failed = true;
	if (stage_of(s) == STOPPED)
		return -1;
	return log_error("%s: %s%s", s->to->text, text, s->advice);
}

static const char *reason(int err)
{
	return err == EAGAIN || err == EINPROGRESS ? "timed out" : strerror(err);
}

/* Messages */

static int put(struct sender *s, const void *data, size_t size)
{
	const u8 *at = data;
	ssize_t n;

	while (size) {
		n = send(s->fd, at, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lost(s, "connection lost: %s", reason(errno));
		at += n;
		size -= n;
	}
	s->alive = now_ns();
	return 0;
}

static int wait_for(int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, ms);
}

/* Until the deadline */
static int get(struct sender *s, void *data, size_t size)
{
	u8 *at = data;
	ssize_t n;

	while (size) {
		if (now_ns() >= s->deadline)
			return lost(s, "no answer of trace-cmd listen: timed out");
		if (!wait_for(s->fd, POLLIN, LOOK_MS))
			continue;
		n = recv(s->fd, at, size, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return lost(s, "no answer of trace-cmd listen: %s",
				    n ? strerror(errno) : "connection closed");
		at += n;
		size -= n;
	}
	return 0;
}

/* @expected is what trace-cmd of version 2.6 or later answers */
static int expect(struct sender *s, const char *expected, size_t size)
{
	char answer[16];

	if (get(s, answer, size))
		return -1;
	return memcmp(answer, expected, size) ?
	       lost(s, "this is not trace-cmd listen, or it is too old") : 0;
}

static int put_message(struct sender *s, enum message type, const void *fixed, u32 fixed_size,
		       const void *data, u32 size)
{
	struct msghead h = {
		.size = htonl(sizeof(h) + fixed_size + size),
		.type = htonl(type),
		.fixed = htonl(fixed_size),
	};

	if (put(s, &h, sizeof(h)) || put(s, fixed, fixed_size))
		return -1;
	return put(s, data, size);
}

/* The next bytes of the head, @max at most. Return: 0, or -1 with a message. */
static int put_piece(struct sender *s, size_t max)
{
	char piece[MAX_MESSAGE - sizeof(struct msghead)];
	ssize_t n = pread(s->head, piece, MIN(max, sizeof(piece)), s->head_at);

	if (n < 0)
		return lost(s, "cannot read the descriptions of events: %s", strerror(errno));
	s->head_at += n;
	return n ? put_message(s, SEND_DATA, NULL, 0, piece, n) : 0;
}

/* Connections */

/* Return: the socket; -1 with errno set */
static int connect_one(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
	socklen_t size = sizeof(int);
	int err = 0;

	if (fd < 0)
		return -1;
	if (!connect(fd, a->ai_addr, a->ai_addrlen))
		return fd;
	err = errno;
	if (err == EINPROGRESS && wait_for(fd, POLLOUT, ANSWER_S * 1000) > 0)
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size);
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

static int connect_any(struct sender *s)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *a;
	int err = getaddrinfo(s->to->host, s->to->port, &hints, &list);

	if (err)
		return lost(s, "%s", err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
	for (a = list; a && s->fd < 0; a = a->ai_next) {
		s->fd = connect_one(a);
		err = errno;
	}
	freeaddrinfo(list);
	return s->fd < 0 ? lost(s, "cannot connect: %s", reason(err)) : 0;
}

/* Messages block, but not for ever */
static int set_blocking(struct sender *s)
{
	const struct timeval stuck = { .tv_sec = STUCK_S };

	if (fcntl(s->fd, F_SETFL, 0) ||
	    setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &stuck, sizeof(stuck)))
		return lost(s, "cannot use the socket: %s", strerror(errno));
	return 0;
}

/* To the same machine, at another port */
static int connect_lane(struct sender *s, struct cpulink *l, u16 port)
{
	struct sockaddr_storage peer;
	struct addrinfo a = {
		.ai_addr = (struct sockaddr *)&peer, .ai_addrlen = sizeof(peer),
	};

	if (getpeername(s->fd, a.ai_addr, &a.ai_addrlen))
		return lost(s, "connection lost: %s", strerror(errno));
	a.ai_family = peer.ss_family;
	/* which is at the same place for IPv6 */
	((struct sockaddr_in *)&peer)->sin_port = htons(port);
	do {
		l->fd = connect_one(&a);
	} while (l->fd < 0 && errno == ECONNREFUSED && now_ns() < s->deadline &&
		 !usleep(ACCEPT_MS * 1000));
	return l->fd < 0 ? lost(s, "cannot connect to port %u: %s", port, reason(errno)) : 0;
}

static int connect_lanes(struct sender *s, const char *ports, size_t size)
{
	unsigned int i;
	u64 port;

	for (i = 0; i < s->nr; i++) {
		if (!memchr(ports, '\0', size) || parse_number(ports, ADDRESS_MAX_PORT, &port))
			return lost(s, "trace-cmd listen has sent no port for CPU %u", i);
		/* listen waits for messages meanwhile */
		if (connect_lane(s, &s->lane[i], port) || put_piece(s, 1))
			return -1;
		size -= strlen(ports) + 1;
		ports += strlen(ports) + 1;
	}
	return 0;
}

static int take_ports(struct sender *s)
{
	struct msghead h;
	char ports[MAX_MESSAGE];
	u32 nr, size;

	if (get(s, &h, sizeof(h)))
		return -1;
	size = ntohl(h.size) - sizeof(h) - sizeof(nr);
	if (ntohl(h.type) != RINIT || ntohl(h.fixed) != sizeof(nr) || size > sizeof(ports))
		return lost(s, "trace-cmd listen has answered with message %u of %u bytes, expected its ports",
			    ntohl(h.type), ntohl(h.size));
	if (get(s, &nr, sizeof(nr)) || get(s, ports, size))
		return -1;
	if (ntohl(nr) != s->nr)
		return lost(s, "trace-cmd listen has %u ports, expected %u", ntohl(nr), s->nr);
	s->deadline = now_ns() + STUCK_S * NSEC_PER_SEC;
	return connect_lanes(s, ports, size);
}

static int greet(struct sender *s, u32 subbuf_size)
{
	const u32 init[] = { htonl(s->nr), htonl(subbuf_size), htonl(1) };

	s->deadline = now_ns() + ANSWER_S * NSEC_PER_SEC;
	if (expect(s, HELLO, strlen(HELLO)) || put(s, WANT_VERSION, sizeof(WANT_VERSION)) ||
	    expect(s, HAS_VERSION, sizeof(HAS_VERSION)) ||
	    put(s, VERSION_MAGIC, sizeof(VERSION_MAGIC)) || expect(s, READY, strlen(READY)) ||
	    put_message(s, TINIT, init, sizeof(init), OPTION_TCP, sizeof(OPTION_TCP)) ||
	    take_ports(s))
		return -1;
	return 0;
}

/* Data */

/* While the recording goes on, the last sub-buffer is not sent: there may be more of it */
static u64 bytes_of(const struct cpulink *l, enum stage stage)
{
	if (!l->f)
		return 0;
	return stage == RECORDING ? follower_final(l->f) : follower_bytes(l->f);
}

static int push(struct sender *s, struct cpulink *l, u64 end)
{
	off_t at = l->sent;
	ssize_t n;

	if (l->sent == end)
		return 0;
	n = sendfile(l->fd, l->file, &at, MIN(end - l->sent, MAX_PUSH));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return lost(s, "connection lost: %s", n ? strerror(errno) : "no data");
	l->sent += n;
	s->progress = now_ns();
	__atomic_add_fetch(&s->bytes, n, __ATOMIC_RELAXED);
	return 0;
}

/*
 * Return: 1 if the other side has closed its end, 0 if not, -1 with a message. It does not say
 * anything any more, but for NOT_SUPP, which answers messages that it does not expect
 */
static int is_closed(struct sender *s, int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);

	if (n > 0)
		return lost(s, "connection lost: trace-cmd listen has given up");
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return lost(s, "connection lost: %s", strerror(errno));
	return !n;
}

static int must_be_open(struct sender *s, int fd)
{
	int ret = is_closed(s, fd);

	return ret > 0 ? lost(s, CLOSED) : ret;
}

/* Bytes that the other side has not acknowledged */
static int queued(int fd)
{
	int bytes = 0;

	return fd < 0 || ioctl(fd, SIOCOUTQ, &bytes) ? 0 : bytes;
}

static u64 queued_in_all(const struct sender *s)
{
	u64 sum = queued(s->fd);
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		sum += queued(s->lane[i].fd);
	return sum;
}

/* Return: -1 with a message if there has been no progress for long */
static int check_progress(struct sender *s, bool waiting)
{
	u64 before = s->queued;

	s->queued = queued_in_all(s);
	if (!waiting || s->queued != before)
		s->progress = now_ns();
	if (now_ns() - s->progress <= STUCK_S * NSEC_PER_SEC)
		return 0;
	return lost(s, "connection lost: trace-cmd listen has read nothing for %u s", STUCK_S);
}

/* What can be sent without waiting. Return: whether there is more, -1 with a message */
static int send_some(struct sender *s, enum stage stage)
{
	struct cpulink *l;
	int more = 0;

	for (l = s->lane; l < s->lane + s->nr; l++) {
		if (push(s, l, bytes_of(l, stage)) || must_be_open(s, l->fd))
			return -1;
		more |= l->sent < bytes_of(l, stage);
	}
	return check_progress(s, more) ? -1 : more;
}

static int keep_alive(struct sender *s)
{
	off_t at = s->head_at;

	if (must_be_open(s, s->fd))
		return -1;
	if (now_ns() - s->alive < ALIVE_MS * NSEC_PER_MSEC)
		return 0;
	if (put_piece(s, 1))
		return -1;
	return s->head_at > at ? 0 :
	       lost(s, "connection lost: there is nothing more to say to trace-cmd listen");
}

/* Until there is something to do, or for some time */
static void doze(struct sender *s, enum stage stage)
{
	struct pollfd p[1 + s->nr];
	unsigned int i;

	p[0] = (struct pollfd) { .fd = stage == RECORDING ? s->wake : -1, .events = POLLIN };
	for (i = 0; i < s->nr; i++) {
		const struct cpulink *l = &s->lane[i];

		p[1 + i] = (struct pollfd) {
			.fd = l->fd,
			.events = POLLIN | (l->sent < bytes_of(l, stage) ? POLLOUT : 0),
		};
	}
	poll(p, 1 + s->nr, LOOK_MS);
}

/* Return: 0 at the end of the recording, when all is on its way; -1 otherwise */
static int send_data(struct sender *s)
{
	enum stage stage;
	int more;

	for (;;) {
		stage = stage_of(s);
		if (stage == STOPPED)
			return -1;
		more = send_some(s, stage);
		if (more < 0 || keep_alive(s))
			return -1;
		if (stage == ENDING && !more)
			return 0;
		doze(s, stage);
	}
}

/* Return: 0 once it has arrived, -1 with a message */
static int send_head(struct sender *s)
{
	off_t at;

	do {
		at = s->head_at;
		if (put_piece(s, MAX_MESSAGE))
			return -1;
	} while (s->head_at > at);
	if (put_message(s, FIN_DATA, NULL, 0, NULL, 0))
		return -1;
	while (queued(s->fd)) {
		if (must_be_open(s, s->fd) || check_progress(s, true))
			return -1;
		usleep(ACCEPT_MS * 1000);
	}
	return 0;
}

/* Return: how many lanes are open, -1 with a message */
static int close_lanes(struct sender *s)
{
	struct cpulink *l;
	int ret, open = 0;

	for (l = s->lane; l < s->lane + s->nr; l++) {
		if (l->fd < 0)
			continue;
		ret = is_closed(s, l->fd);
		if (ret < 0)
			return -1;
		if (ret && queued(l->fd))
			return lost(s, CLOSED);
		if (ret) {
			close(l->fd);
			l->fd = -1;
			s->progress = now_ns();
		}
		open += !ret;
	}
	return open;
}

static int end_lanes(struct sender *s)
{
	struct cpulink *l;
	int open;

	for (l = s->lane; l < s->lane + s->nr; l++)
		shutdown(l->fd, SHUT_WR);
	do {
		open = close_lanes(s);
		if (open < 0 || must_be_open(s, s->fd) || check_progress(s, true))
			return -1;
		if (open)
			doze(s, ENDING);
	} while (open);
	return 0;
}

static int wait_for_file(struct sender *s)
{
	u64 end = now_ns() + (STUCK_S + s->bytes / COPY_PER_S) * NSEC_PER_SEC;
	int ret;

	if (put_message(s, CLOSE, NULL, 0, NULL, 0))
		return -1;
	while (!(ret = is_closed(s, s->fd))) {
		if (now_ns() > end)
			return lost(s, "trace-cmd listen has read all, but does not end");
		wait_for(s->fd, POLLIN, LOOK_MS);
	}
	return ret < 0 ? -1 : 0;
}

static void *thread_main(void *arg)
{
	struct sender *s = arg;

	s->progress = now_ns();
	if (!send_data(s) && !send_head(s) && !end_lanes(s))
		wait_for_file(s);
	return NULL;
}

/* All */

/* Those of the hypervisor follow those of the host */
static struct cpulink *lane_of(struct sender *s, const struct stream *stream)
{
	u32 first = stream->side == HYP ? save_nr_cpus(s->r) : 0;

	return &s->lane[first + stream->cpu];
}

static int set_lane(struct sender *s, const struct stream *stream, int file, u32 *subbuf_size)
{
	u32 size = follower_subbuf_size(stream->f);
	struct cpulink *l = lane_of(s, stream);

	if (*subbuf_size && size != *subbuf_size)
		return log_error("sub-buffers of %u and of %u bytes cannot be in one file that is sent",
				 *subbuf_size, size);
	*subbuf_size = size;
	l->f = stream->f;
	l->file = file;
	return 0;
}

/* Return: the sub-buffer size, 0 with a message */
static u32 set_lanes(struct sender *s, const struct capture *c)
{
	const struct streams *streams = capture_streams(c);
	enum side side;
	unsigned int i;
	u32 size = 0;

	for (i = 0; i < streams->nr_cpus; i++) {
		for (side = HOST; side < NR_SIDES; side++) {
			if (streams->cpu[i][side].f &&
			    set_lane(s, &streams->cpu[i][side], capture_file(c, i, side), &size))
				return 0;
		}
	}
	return size;
}

static int alloc_lanes(struct sender *s)
{
	u32 i, nr = save_sent_nr_cpus(s->r);

	s->lane = calloc(nr, sizeof(*s->lane));
	if (!s->lane)
		return -1;
	s->nr = nr;
	for (i = 0; i < nr; i++)
		s->lane[i].fd = -1;
	return 0;
}

static struct sender *alloc_sender(const struct address *to, const struct recording *r,
				   const char *file)
{
	struct sender *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->to = to;
	s->r = r;
	s->loss = xasprintf("; the recording goes to %s", file);
	s->advice = "";
	s->fd = -1;
	s->wake = event_new();
	s->head = memfd_create("head", MFD_CLOEXEC);
	if (s->loss && s->wake >= 0 && s->head >= 0 && !alloc_lanes(s))
		return s;
	sender_free(s);
	return NULL;
}

static int begin_head(struct sender *s, u32 subbuf_size)
{
	int fd = fcntl(s->head, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return log_error("cannot prepare to send: %s", strerror(errno));
	s->w = save_sent(fd, s->to->text, s->r, subbuf_size);
	return s->w ? 0 : -1;
}

static int start(struct sender *s, u32 subbuf_size)
{
	int err;

	if (connect_any(s) || set_blocking(s) || greet(s, subbuf_size))
		return -1;
	s->advice = s->loss;
	err = pthread_create(&s->thread, NULL, thread_main, s);
	if (err)
		return log_error("cannot create a thread: %s", strerror(err));
	s->running = true;
	return 0;
}

struct sender *sender_new(const struct address *to, const struct recording *r,
			  const struct capture *c, const char *file)
{
	struct sender *s = alloc_sender(to, r, file);
	u32 size;

	if (!s) {
		log_error("cannot prepare to send: %s", strerror(errno));
		return NULL;
	}
	size = set_lanes(s, c);
	if (size && !begin_head(s, size) && !start(s, size))
		return s;
	sender_free(s);
	return NULL;
}

/* What the thread does next fails, and it says nothing of it */
static void stop(struct sender *s)
{
	set_stage(s, STOPPED);
	shutdown(s->fd, SHUT_RDWR);
}

static void interrupt(struct sender *s)
{
	if (stage_of(s) == STOPPED)
		return;
	log_error("%s: interrupted%s", s->to->text, s->loss);
	s->failed = true;
	stop(s);
}

/* Tells @watch meanwhile */
static void join(struct sender *s, const struct datwatch *watch, int sigfd)
{
	u64 told = 0, bytes;
	int err;

	do {
		if (wait_for(sigfd, POLLIN, LOOK_MS) > 0)
			interrupt(s);
		err = pthread_tryjoin_np(s->thread, NULL);
		bytes = __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);
		watch->fn(watch->ctx, bytes - told);
		told = bytes;
	} while (err == EBUSY);
	s->running = false;
}

int sender_finish(struct sender *s, const struct strlist *texts, const struct datwatch *watch,
		  int sigfd)
{
	struct datw *w = s->w;

	s->w = NULL;
	if (save_sent_end(w, s->r, texts))
		return -1;
	set_stage(s, ENDING);
	join(s, watch, sigfd);
	return s->failed ? -1 : 0;
}

void sender_free(struct sender *s)
{
	u32 i;

	if (!s)
		return;
	if (s->running) {
		stop(s);
		pthread_join(s->thread, NULL);
	}
	for (i = 0; i < s->nr; i++) {
		if (s->lane[i].fd >= 0)
			close(s->lane[i].fd);
	}
	datw_abort(s->w);
	if (s->head >= 0)
		close(s->head);
	if (s->fd >= 0)
		close(s->fd);
	if (s->wake >= 0)
		close(s->wake);
	free(s->lane);
	free(s->loss);
	free(s);
}
