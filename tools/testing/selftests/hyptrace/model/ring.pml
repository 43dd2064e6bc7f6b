/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the ring buffer's protocol for spin: the writer at EL2, the reader
 * swap, the host's readers, and the owner, which switches tracing on and off, resets,
 * unloads and loads. "make check" explores all behaviours within the bounds below.
 *
 * What stands for what
 *   writer		rb_writer_reserve(), rb_writer_commit(): write_event()
 *			next_subbuf(), overwrite_oldest(), free_slot_id(),
 *			close_subbuf(), start_subbuf(): cross()
 *			__hyp_trace_enable() on its CPU: switch_on(), switch_off()
 *   reader		rb_remote_get_reader_page(), rb_remote_swapped(), then one
 *			event (rb_advance_reader()) or all (rb_remote_consume_whole())
 *   swap()		__hyp_trace_swap_reader(), rb_writer_swap(), take_subbuf()
 *   iterator		rb_iter_head_event(), on any sub-buffer
 *   owner		__hyp_trace_reset() on either CPU, __hyp_trace_unload(),
 *			loaded()
 *   hostile		a host that asks for swaps without a lock and with any argument
 *   memory		when a store becomes visible to the other CPUs
 *   tlock, rlock	hyp_trace_cpu::lock, ring_buffer_per_cpu::reader_lock
 *
 * Events are numbered from 1 in the order in which they are tried. An event's data
 * is its number, and so is its time: a sub-buffer's timestamp is the number of its
 * first event.
 *
 * Memory order: the model is arm64's, where it is not weaker
 *   Stores. The writer's stores go to its queue. Any queued store may become visible
 *   to the others next, but
 *	- two stores to one location stay in order;
 *	- a store-release waits for all older ones: A (the page's commit), B (tail);
 *	- nothing passes a write barrier: D.
 *   As on arm64, a store becomes visible to all others at once, a CPU sees its own
 *   at once, and a plain store may pass an older store-release. A swapper's store to
 *   its slot is queued likewise; its other stores are read only by the holder of a
 *   lock. At most QUEUE stores are queued.
 *   Exchanges. A compare-and-exchange that succeeds waits for all older stores of its
 *   CPU: C. One that fails waits for nothing.
 *   Loads. Each is a step of its own. Two loads are in program order if an acquire
 *   (B, C) or a read barrier (A, D) is between them; otherwise both orders are
 *   explored. A mutant without such a barrier may do the second load first.
 *   Dependencies order nothing. What arm64 allows beyond that is checked in axioms/.
 *   Locks. An unlock waits for all stores of its CPU.
 *
 * Left out
 *   The counters in the meta page but that of the entries: they are copies, which are
 *   used at quiet points and are up to date there. A reader that sees old ones may find nothing although there
 *   is something, which changes nothing, or may ask for a swap, which it may do at any
 *   time here. The mark on a sub-buffer for lost events. The end of the sequence
 *   numbers. Tearing within one event: its data is one location.
 *
 * Bounds, by -D
 *   SLOTS	sub-buffers in the ring; one more is the reader's
 *   ROOM	events that fit on a sub-buffer
 *   VARY	1: fewer events may fill a sub-buffer, as they are larger
 *   EVENTS	events tried
 *   OVERWRITE	what a full buffer loses: 1 the oldest, 0 the new, 2 chosen by each enable
 *   READERS	0 to 2
 *   ITERATORS	0 or 1
 *   HOSTILE	0 or 1
 *   SWITCHES	times that the writer is switched off, and on
 *   RESETS	resets
 *   UNLOADS	unloads, each with a load
 *   ATTEMPTS	of a swap: SWAP_ATTEMPTS
 *   QUEUE	queued stores of the writer, 12 or 15; one crossing takes 11
 */
#ifndef SLOTS
#define SLOTS		2
#endif
#ifndef ROOM
#define ROOM		1
#endif
#ifndef VARY
#define VARY		0
#endif
#ifndef EVENTS
#define EVENTS		6
#endif
#ifndef OVERWRITE
#define OVERWRITE	1
#endif
#ifndef READERS
#define READERS		1
#endif
#ifndef ITERATORS
#define ITERATORS	0
#endif
#ifndef HOSTILE
#define HOSTILE		0
#endif
#ifndef SWITCHES
#define SWITCHES	0
#endif
#ifndef RESETS
#define RESETS		0
#endif
#ifndef UNLOADS
#define UNLOADS		0
#endif
#ifndef ATTEMPTS
#define ATTEMPTS	8
#endif
#ifndef QUEUE
#define QUEUE		12
#endif

#define PAGES		(SLOTS + 1)
#define HOST_TRIES	4	/* RB_REMOTE_SWAP_TRIES */

/*
 * The properties. A violation is reported by its name.
 */
hidden byte one_owner;		/* no sub-buffer belongs to both the writer and the reader */
hidden byte in_order;		/* an event is read once and whole, or lost and counted there */
hidden byte whole;		/* what an iterator accepts as an event is one */
hidden byte accounting;		/* written == read + in the buffer + overrun + dropped */
hidden byte counted;		/* what was read and overwritten is among the entries */
hidden byte bounded;		/* an attempt fails only if the writer moved meanwhile */
hidden byte mirror;		/* the host knows which sub-buffer is in which slot */
hidden byte off_is_off;		/* no store of a writer that is off */
hidden byte held;		/* EL2 touches no page that it has given back */
hidden byte nothing_left;	/* if a reader finds nothing in a quiet buffer, it is empty */
hidden byte deadlock;		/* checked by spin itself: each side comes to its end */
hidden byte sought;		/* not a property: for the rare cases below */

#define CHECK(property, cond)	assert(property || (cond))

/* With -DONLY=property, the others are not checked */
#ifdef ONLY
#define CHOOSE_PROPERTIES	one_owner = 1; in_order = 1; whole = 1; accounting = 1; \
	counted = 1; bounded = 1; mirror = 1; off_is_off = 1; held = 1; nothing_left = 1; ONLY = 0
#else
#define CHOOSE_PROPERTIES	skip
#endif

/* Rare cases: with -DSEEK=number, spin has to find an execution that reaches this one */
#define WRITER_LOSES	1
#define SWAPPER_LOSES	2
#define LATE_STORE	3	/* the writer needs a slot before the swapper's store is visible */
#define GIVES_UP	4
#define SEES_MORE	5
#define DROPS		6
#define TAKES_WHOLE	7
#define RESETS_OWN	8
#define RESETS_OTHER	9
#define LOADS_AGAIN	10
#define ACCEPTS		11	/* an iterator accepts an event that was overwritten meanwhile */
#define WRAPS		12	/* each sub-buffer was the reader's, and was written again */
#ifndef SEEK
#define SEEK		0
#endif
#define REACHED(what)		assert(sought || SEEK != what)

/* Shared memory, by location */
#define TAIL		0
#define ENTRIES		1
#define SLOT(s)		(2 + (s))
#define CLOSED(i)	(SLOT(SLOTS) + (i))		/* entries, and commit */
#define FIRST(i)	(CLOSED(PAGES) + (i))
#define COMMIT(i)	(FIRST(PAGES) + (i))
#define STAMP(i)	(COMMIT(PAGES) + (i))
#define DATA(i, k)	(STAMP(PAGES) + (i) * ROOM + (k))
#define LOCATIONS	(STAMP(PAGES) + PAGES * ROOM)

byte mem[LOCATIONS];
byte head_seq, head_id;		/* the head word, exchanged as a whole */

/* The writer's queue, and a swapper's */
#define PLAIN		0
#define RELEASE		1
#define BARRIER		2
byte q_len;
byte q_loc[QUEUE], q_val[QUEUE], q_kind[QUEUE];
bit q_ready[QUEUE];		/* may become visible next */
byte late_slot, late_id;	/* the slot plus one, 0 if there is no such store */

/* struct rb_writer */
bit on, open, shut, overwrite;
byte tail, tail_id, used, started, entries, dropped, overrun, lost;
byte reader_id, swaps;

/* struct hyp_trace_cpu */
bit tlock, loaded;
bit pages_held = 1;

/* The host: the buffer, its pages, and the event that the reader expects */
bit rlock;
byte h_slot[SLOTS];
byte h_read, h_entries, h_next = 1, h_total;

/* The owners by the rules alone: changed by successful exchanges and by resets */
byte own_slot[SLOTS], own_reader;

/* The progress of all sides */
byte tried, base;		/* events, and those before the last reset */
bit writing, written, owner_busy = (RESETS + UNLOADS > 0);

hidden byte at_i, sum;
hidden int seen_locs;

/*
 * Stores
 */
inline refresh_queue()
{
	at_i = 0;
	seen_locs = 0;
	sum = 0;
	do
	:: at_i < q_len ->
		if
		:: q_kind[at_i] == PLAIN ->
			q_ready[at_i] = !sum && !(seen_locs & (1 << q_loc[at_i]));
			seen_locs = seen_locs | (1 << q_loc[at_i])
		:: q_kind[at_i] == RELEASE ->
			q_ready[at_i] = (at_i == 0);
			seen_locs = seen_locs | (1 << q_loc[at_i])
		:: q_kind[at_i] == BARRIER ->
			q_ready[at_i] = 0;
			sum = 1
		fi;
		at_i++
	:: else -> break
	od;
	skip
}

inline remove(at)
{
	at_i = at;
	do
	:: at_i + 1 < q_len ->
		q_loc[at_i] = q_loc[at_i + 1];
		q_val[at_i] = q_val[at_i + 1];
		q_kind[at_i] = q_kind[at_i + 1];
		at_i++
	:: else -> break
	od;
	q_len--;
	q_loc[q_len] = 0;
	q_val[q_len] = 0;
	q_kind[q_len] = 0;
	q_ready[q_len] = 0
}

inline store(where, what, kind)
{
	q_loc[q_len] = where;
	q_val[q_len] = what;
	q_kind[q_len] = kind;
	q_len++
}

/* The newest queued store of its own, if there is one */
inline load(where, what)
{
	what = mem[where];
	at_i = 0;
	do
	:: at_i < q_len ->
		if
		:: q_kind[at_i] != BARRIER && q_loc[at_i] == where -> what = q_val[at_i]
		:: else
		fi;
		at_i++
	:: else -> break
	od;
	skip
}

#define FITS(n)		(q_len + (n) <= QUEUE)
#define NO_STORES	(q_len == 0)

inline visible(at)
{
	mem[q_loc[at]] = q_val[at];
	remove(at);
	do
	:: q_len && q_kind[0] == BARRIER -> remove(0)
	:: else -> break
	od;
	refresh_queue();
	check_quiet()
}

/*
 * Invariants that hold when no side is in the middle of an operation
 */
#define QUIET	(!writing && !rlock && !tlock && loaded && NO_STORES && !late_slot)

inline count_left()
{
	sum = mem[COMMIT(reader_id)] - h_read;
	at_i = head_seq;
	do
	:: at_i <= mem[TAIL] ->
		sum = sum + mem[COMMIT(mem[SLOT(at_i % SLOTS)])];
		at_i++
	:: else -> break
	od;
	skip
}

inline check_quiet()
{
	if
	:: QUIET ->
		count_left();
		CHECK(accounting, HOSTILE || tried - base == h_total + sum + overrun + dropped);
		CHECK(accounting, entries + dropped == tried - base);
		CHECK(accounting, HOSTILE || h_next - 1 - base - h_total <= overrun + dropped);
		CHECK(accounting, mem[TAIL] == tail && head_seq == lost + swaps);
		at_i = 0;
		do
		:: at_i < SLOTS ->
			CHECK(one_owner, mem[SLOT(at_i)] == own_slot[at_i]);
			CHECK(mirror, h_slot[at_i] == own_slot[at_i] || HOSTILE);
			at_i++
		:: else -> break
		od;
		CHECK(one_owner, reader_id == own_reader)
	:: else
	fi
}

#define LOCK(lock)	d_step { !lock -> lock = 1 }

/*
 * The writer
 */
inline check_store(id)
{
	CHECK(off_is_off, on && loaded);
	CHECK(held, pages_held);
	CHECK(one_owner, id != own_reader || head_seq == tail + 1)
}

/* There is room for it */
inline put()
{
	check_store(tail_id);
#ifdef M_A_COMMIT_FIRST
	store(COMMIT(tail_id), used + 1, RELEASE);
	store(DATA(tail_id, used), tried, PLAIN);
#elif defined(M_A_PLAIN)
	store(DATA(tail_id, used), tried, PLAIN);
	store(COMMIT(tail_id), used + 1, PLAIN);
#else
	store(DATA(tail_id, used), tried, PLAIN);
#ifndef M_A_COUNT_LATE
	store(ENTRIES, entries + 1, PLAIN);
#endif
	store(COMMIT(tail_id), used + 1, RELEASE);	/* A */
#ifdef M_A_COUNT_LATE
	store(ENTRIES, entries + 1, PLAIN);
#endif
#endif
	used++;
	entries++;
	refresh_queue()
}

inline close_subbuf()
{
	store(CLOSED(tail_id), entries - started, PLAIN)
}

inline start_subbuf(id, seq)
{
	store(FIRST(id), entries + dropped, PLAIN);
#ifdef M_D_STAMP_FIRST
	store(STAMP(id), tried, PLAIN);
	store(0, 0, BARRIER);
	store(COMMIT(id), 0, PLAIN);
#else
	store(COMMIT(id), 0, PLAIN);
#ifndef M_D_NO_BARRIER
	store(0, 0, BARRIER);				/* D */
#endif
	store(STAMP(id), tried, PLAIN);
#endif
#ifndef M_D_DATA_PASSES
	store(0, 0, BARRIER);				/* D */
#endif
	tail = seq;
	tail_id = id;
	used = 0;
	shut = 0;
	open = on;
	started = entries;
#ifdef M_B_PLAIN
	store(TAIL, tail, PLAIN)
#else
	store(TAIL, tail, RELEASE)			/* B */
#endif
}

inline drop_event()
{
#ifndef M_DROP_LEAVES_OPEN
	shut = 1;
	open = 0;
#endif
	dropped++;
	REACHED(DROPS)
}

/* The stores of CLOSED, SLOT, start_subbuf() and put() */
#define CROSS_STORES	11

inline cross()
{
	slot = (tail + 1) % SLOTS;
#ifdef M_C_WRITER_EARLY_SLOT
	/* The load of head is no acquire: the slot may be loaded before it */
	if
	:: d_step { load(SLOT(slot), early); early++ }
	:: early = 0
	fi;
#endif
	d_step { seq = head_seq; id = head_id };		/* C */
	if
	:: tail + 1 - seq == SLOTS && !overwrite ->
		d_step { drop_event(); goto_drop = 1 }
	:: tail + 1 - seq == SLOTS && overwrite ->
		d_step { load(SLOT(slot), victim); load(CLOSED(victim), n) };
		if
		:: d_step { head_seq == seq && head_id == id && NO_STORES ->
			head_seq++;				/* C */
			head_id = 0;
			overrun = overrun + n;
			lost++ }
#ifdef M_OVERWRITE_COUNTS_TWICE
		:: d_step { head_seq != seq || head_id != id -> overrun = overrun + n }
#else
		:: d_step { head_seq != seq || head_id != id -> REACHED(WRITER_LOSES) }
#endif
		fi;
		n = 0; victim = 0
	:: else
	fi;
	if
	:: goto_drop -> goto_drop = 0
	:: else ->
		/* All stores before the loads are still in the queue */
		d_step { FITS(CROSS_STORES) ->
#ifndef M_CLOSE_LATE
			close_subbuf();
#endif
			refresh_queue();
			seq = head_seq; id = head_id };		/* C */
		d_step {
			if
			:: id && seq - 1 + SLOTS == tail + 1 ->
				id--;
				REACHED(LATE_STORE + 100 * (late_slot != slot + 1));
				store(SLOT(slot), id, PLAIN)
			:: else ->
				load(SLOT(slot), id)
#ifdef M_C_WRITER_EARLY_SLOT
				;
				if
				:: early -> id = early - 1
				:: else
				fi
#endif
			fi;
			CHECK(one_owner, id == own_slot[slot]);
			CHECK(one_owner, id != own_reader);
#ifdef M_CLOSE_LATE
			n = tail_id;
			sum = entries - started;
			start_subbuf(id, tail + 1);
			store(CLOSED(n), sum, PLAIN);
			n = 0;
#else
			start_subbuf(id, tail + 1);
#endif
			put() }
	fi;
#ifdef M_C_WRITER_EARLY_SLOT
	early = 0;
#endif
	slot = 0; seq = 0; id = 0
}

inline write_event()
{
	if
	/* rb_writer_find() checks "open", everything else "on" */
	:: d_step { open && used < ROOM && FITS(4) ->
		tried++;
		if
		:: !used -> store(STAMP(tail_id), tried, PLAIN)
		:: else
		fi;
		put();
		check_quiet() }
	:: d_step { on && (!(open && used < ROOM) || (VARY && used)) ->
		tried++;
		writing = 1 };
		cross();
		d_step { writing = 0; check_quiet() }
	:: d_step { !(open && used < ROOM) && !on }
	fi
}

#define UNLOCK_WRITER	d_step { NO_STORES -> tlock = 0; check_quiet() }

inline switch_off()
{
	LOCK(tlock);
	d_step { on = 0; open = 0 };
#ifdef M_OFF_UNORDERED
	tlock = 0
#else
	UNLOCK_WRITER
#endif
}

inline switch_on()
{
	LOCK(tlock);
	if
	:: d_step { loaded ->
		on = 1;
		open = !shut }
#if OVERWRITE == 2
		;
		if
		:: overwrite = 0
		:: overwrite = 1
		fi
#endif
	:: else
	fi;
	UNLOCK_WRITER
}

proctype writer()
{
	byte slot, seq, id, n, victim;
	bit goto_drop;
#ifdef M_C_WRITER_EARLY_SLOT
	byte early;
#endif
#if SWITCHES
	byte switches;
#endif

	do
	:: tried < EVENTS && on -> write_event()
#if SWITCHES
	/* Until it sees that it is off, and then any number of times */
	:: tried < EVENTS && !on && open -> write_event()
	:: switches < SWITCHES && on -> switches++; switch_off()
	:: switches && !on -> switch_on()
	:: !on -> break
#endif
	:: tried == EVENTS -> break
	od;
	atomic { slot = 0; written = 1 }
}

/*
 * The swap
 */
#define NOTHING		0
#define DONE		1
#define MORE		2
#define BUSY		3
#define NODEV		4

inline win()
{
	CHECK(one_owner, id == own_slot[seq % SLOTS]);
	own_slot[seq % SLOTS] = own_reader;
	own_reader = id;
#ifdef M_C_HEAD_WITHOUT_ID
	head_id = 0;
#else
	head_id = reader_id + 1;
#endif
	head_seq = seq + 1;					/* C */
}

/* Leaves the events on @id unchanged: it has no other writer now */
inline take_subbuf()
{
	late_slot = seq % SLOTS + 1;
	late_id = reader_id;
	reader_id = id;
	lost_before = mem[FIRST(id)] - end;
	h_new = (t != seq -> mem[CLOSED(id)] : 0);
	swaps++
}

/* Sets @ret to the result, and @lost_before and @h_new to what it published */
inline swap(may_see)
{
	LOCK(tlock);
	attempt = 0;
	ret = BUSY;
	if
	:: !loaded -> ret = NODEV
	:: else ->
		do
		:: attempt < ATTEMPTS ->
			attempt++;
#ifdef M_B_SWAP_EARLY_CLOSED
			/* The load of tail is no acquire: these may be done before it */
			if
			:: d_step { early = mem[CLOSED(reader_id)] + 1;
				early_end = mem[FIRST(reader_id)] + mem[CLOSED(reader_id)] }
			:: early = 0
			fi;
#endif
			d_step {
#ifdef M_RETRY_OLD_HEAD
				if
				:: attempt == 1 -> seq = head_seq
				:: else
				fi;
#else
				seq = head_seq;			/* C */
#endif
				lost_then = lost };
			t = mem[TAIL];				/* B */
			if
			:: t + 1 == seq -> ret = NOTHING; break
			:: else
			fi;
			d_step {
				CHECK(held, pages_held);
				n = mem[CLOSED(reader_id)];
				end = mem[FIRST(reader_id)] + n;
#ifdef M_B_SWAP_EARLY_CLOSED
				if
				:: early -> n = early - 1; end = early_end
				:: else
				fi;
				early = 0; early_end = 0
#endif
			};
#ifndef M_NO_MORE
			if
			:: may_see != n -> REACHED(SEES_MORE); ret = MORE; break
			:: else
			fi;
#endif
			id = mem[SLOT(seq % SLOTS)];
			if
			:: d_step { head_seq == seq ->
				win();
				take_subbuf();
				ret = DONE }
#ifdef M_RETRY_MISSING
			:: d_step { head_seq != seq ->
				win();
				take_subbuf();
				ret = DONE }
#else
			:: d_step { head_seq != seq ->
				REACHED(SWAPPER_LOSES);
				CHECK(bounded, lost != lost_then) }
#endif
			fi;
			if
			:: ret == DONE -> break
			:: else
			fi
		:: else -> REACHED(GIVES_UP); break
		od
	fi;
	atomic { !late_slot ->
		tlock = 0;
		seq = 0; t = 0; id = 0; n = 0; end = 0; attempt = 0; lost_then = 0 }
}

/*
 * The host's readers
 */
inline swapped()
{
	/* The reader's old sub-buffer takes the place of its new one */
	at_i = 0;
	do
	:: at_i < SLOTS && h_slot[at_i] != reader_id -> at_i++
	:: else -> break
	od;
	CHECK(mirror, at_i < SLOTS);
#ifndef M_HOST_KEEPS_SLOT
	h_slot[at_i] = old;
#endif
	REACHED(WRAPS + 100 * (swaps <= PAGES || lost < PAGES));
	h_read = 0;
	h_entries = h_new;
	h_next = h_next + lost_before
}

inline consume_one()
{
	CHECK(in_order, mem[DATA(reader_id, h_read)] == h_next);
	CHECK(in_order, h_read || mem[STAMP(reader_id)] == h_next);
	h_read++;
	h_next++;
	h_total++;
	/* That of the overwritten ones is stored later than it is here */
	CHECK(counted, mem[ENTRIES] >= h_total + overrun)
}

inline consume_whole()
{
	REACHED(TAKES_WHOLE);
	CHECK(in_order, h_entries == mem[COMMIT(reader_id)]);
	do
	:: h_read < h_entries -> consume_one()
	:: else -> break
	od;
	skip
}

/* Sets @ret to the result; DONE for an event */
inline consume()
{
	LOCK(rlock);
	tries = 0;
	do
	:: tries < HOST_TRIES && loaded ->
		tries++;
#ifdef M_A_READ_EARLY
		/* No read barrier: the data may be loaded before the commit */
		if
		:: early = mem[DATA(reader_id, (h_read < ROOM -> h_read : 0))] + 1
		:: early = 0
		fi;
#endif
		c = mem[COMMIT(reader_id)];			/* A */
		if
		:: h_read < c -> ret = DONE; break
		:: else
		fi;
		old = reader_id;
		swap(h_read);
		if
		:: ret == NOTHING || ret == NODEV -> break
		:: ret == DONE -> d_step { swapped(); h_new = 0; lost_before = 0 }
		:: else
		fi;
		ret = NOTHING
	:: else -> ret = NOTHING; break
	od;
	if
	:: ret == DONE ->
		if
#ifdef M_A_READ_EARLY
		:: d_step { early -> CHECK(in_order, early - 1 == h_next); consume_one() }
#endif
		:: d_step { consume_one() }
		:: d_step { !h_read && h_entries -> consume_whole() }
		fi
	:: else
	fi;
	d_step { tries = 0; c = 0; old = 0;
#ifdef M_UNLOCK_MISSING
		rlock = (ret == NOTHING);
#else
		rlock = 0;
#endif
#ifdef M_A_READ_EARLY
		early = 0;
#endif
		check_quiet() }
}

#if READERS
proctype reader()
{
	byte seq, t, id, n, end, attempt, ret, lost_then, lost_before, h_new, tries, c, old;
#ifdef M_A_READ_EARLY
	byte early;
#endif
#ifdef M_B_SWAP_EARLY_CLOSED
	byte early, early_end;
#endif
	bit last;

	do
	:: d_step { last = written && NO_STORES && !owner_busy };
		consume();
		if
#ifdef M_STOPS_EARLY
		:: last && ret == DONE -> break
#endif
		:: last && ret == NOTHING -> break
		:: else -> ret = 0
		fi
	od;
	atomic {
		ret = 0;
		last = 0;
		if
		:: QUIET ->
			count_left();
			CHECK(nothing_left, !sum)
		:: else
		fi }
}
#endif

#if ITERATORS
/* At one event of any sub-buffer; it would try again if it does not accept the event */
proctype iterator()
{
	byte id, at, stamp, c, data, again;
	bit same;

	LOCK(rlock);
	do
	:: id < SLOTS -> id++
	:: break
	od;
	stamp = mem[STAMP(id)];
	c = mem[COMMIT(id)];					/* D, A */
	do
	:: at + 1 < c -> at++
	:: break
	od;
	data = mem[DATA(id, at)];				/* D */
	if
	:: same = (mem[STAMP(id)] == stamp); again = mem[COMMIT(id)]
	:: again = mem[COMMIT(id)]; same = (mem[STAMP(id)] == stamp)
	fi;
	if
	:: at < c && same && c <= again ->
		REACHED(ACCEPTS + 100 * (mem[COMMIT(id)] >= c));
		CHECK(whole, data == stamp + at)
	:: else
	fi;
	d_step { id = 0; at = 0; stamp = 0; c = 0; data = 0; again = 0; same = 0;
		rlock = 0; check_quiet() }
}
#endif

#if HOSTILE
/* EL2 has to withstand it; what such a host reads does not matter */
proctype hostile()
{
	byte seq, t, id, n, end, attempt, ret, lost_then, lost_before, h_new;
	byte may_see;

	do
	:: !written ->
		do
		:: may_see < ROOM -> may_see++
		:: break
		od;
		swap(may_see);
		d_step { ret = 0; lost_before = 0; h_new = 0; may_see = 0 }
	:: written -> break
	od;
	skip
}
#endif

/*
 * The owner
 */
inline forget()
{
	h_read = 0;
	h_entries = 0;
	h_next = tried + 1;
	h_total = 0;
	base = tried
}

inline reset_writer()
{
	entries = 0; dropped = 0; overrun = 0; lost = 0; swaps = 0; started = 0;
	mem[FIRST(reader_id)] = 0;
	mem[CLOSED(reader_id)] = 0;
#ifndef M_RESET_KEEPS_COMMIT
	mem[COMMIT(reader_id)] = 0;
#endif
	head_seq = 0;
	head_id = 0;
	tail = 0;
	tail_id = mem[SLOT(0)];
	mem[FIRST(tail_id)] = 0;
	mem[COMMIT(tail_id)] = 0;
	mem[STAMP(tail_id)] = 0;
	mem[TAIL] = 0;
	mem[ENTRIES] = 0;
	used = 0;
	shut = 0;
#ifdef M_RESET_OPENS
	open = 1
#else
	open = on
#endif
}

inline init_writer()
{
	reader_id = 0;
	own_reader = 0;
	at_i = 0;
	do
	:: at_i < SLOTS ->
		mem[SLOT(at_i)] = at_i + 1;
		own_slot[at_i] = at_i + 1;
		h_slot[at_i] = at_i + 1;
		at_i++
	:: else -> break
	od;
	reset_writer()
}

inline reset()
{
	LOCK(rlock);
	if
	/* On the writer's own CPU, by an interrupt: all of its stores are in order */
	:: d_step { !writing && !tlock && NO_STORES && loaded ->
		REACHED(RESETS_OWN);
		reset_writer();
		forget() }
	/* On another CPU */
	:: LOCK(tlock);
		if
#ifdef M_RESET_WHILE_ON
		:: d_step { loaded -> reset_writer(); forget() }
#else
		:: d_step { loaded && !on -> REACHED(RESETS_OTHER); reset_writer(); forget() }
#endif
#ifdef M_RESET_OPENS
			;
			open = on
#endif
		:: else
		fi;
		tlock = 0
	fi;
	d_step { rlock = 0; check_quiet() }
}

inline unload_and_load()
{
	LOCK(rlock);
	LOCK(tlock);
	if
#ifdef M_UNLOAD_WHILE_ON
	:: d_step { loaded ->
#else
	:: d_step { loaded && !on ->
#endif
		loaded = 0;
		pages_held = 0;
		tlock = 0 };
		LOCK(tlock);
		d_step { REACHED(LOADS_AGAIN); init_writer(); pages_held = 1; loaded = 1; forget() }
	:: else
	fi;
	tlock = 0;
	d_step { rlock = 0; check_quiet() }
}

#if RESETS || UNLOADS
proctype owner()
{
	byte resets, unloads;

	do
	:: resets < RESETS -> resets++; reset()
	:: unloads < UNLOADS -> unloads++; unload_and_load()
	:: break
	od;
	atomic { resets = 0; unloads = 0; owner_busy = 0 }
}
#endif

/*
 * The memory
 */
#define BECOMES_VISIBLE(at)	:: d_step { at < q_len && q_ready[at] -> visible(at) }

proctype memory()
{
end:	do
	BECOMES_VISIBLE(0)
	BECOMES_VISIBLE(1)
	BECOMES_VISIBLE(2)
	BECOMES_VISIBLE(3)
	BECOMES_VISIBLE(4)
	BECOMES_VISIBLE(5)
	BECOMES_VISIBLE(6)
	BECOMES_VISIBLE(7)
	BECOMES_VISIBLE(8)
	BECOMES_VISIBLE(9)
	BECOMES_VISIBLE(10)
#if QUEUE > 11
	BECOMES_VISIBLE(11)
	BECOMES_VISIBLE(12)
	BECOMES_VISIBLE(13)
#endif
	:: d_step { late_slot ->
		mem[SLOT(late_slot - 1)] = late_id;
		late_slot = 0;
		late_id = 0;
		check_quiet() }
	od;
	skip
}

init {
	atomic {
		d_step {
			CHOOSE_PROPERTIES;
			init_writer();
			overwrite = (OVERWRITE != 0);
			on = 1;
			open = 1;
			loaded = 1
		};
		run memory();
		run writer();
#if READERS > 0
		run reader();
#endif
#if READERS > 1
		run reader();
#endif
#if ITERATORS
		run iterator();
#endif
#if HOSTILE
		run hostile();
		run hostile();
#endif
#if RESETS || UNLOADS
		run owner();
#endif
		skip
	}
}
