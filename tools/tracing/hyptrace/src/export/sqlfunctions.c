// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for queries. See sqlfunctions.h. They compute what stat and compare do, by the same
 * code; each keeps the values of a group in memory.
 */
#include <stdlib.h>

#include "analysis/dist.h"
#include "analysis/ttest.h"
#include "export/sqlfunctions.h"
#include "lib/array.h"
#include "lib/util.h"

/**
 * struct sqlsample - values
 * @value:	whole numbers, from 0 on
 * @real:	the same numbers as they were
 * @nr:		how many
 * @room:	of @value
 * @real_room:	of @real
 */
struct sqlsample {
	u64 *value;
	double *real;
	size_t nr;
	size_t room;
	size_t real_room;
};

/**
 * struct sqlsamples - what an aggregate function has collected
 * @sample:	values; of functions of two samples, where the second argument is 0 or 1
 * @percent:	the second argument of percentile()
 */
struct sqlsamples {
	struct sqlsample sample[2];
	double percent;
};

static bool add(struct sqlsample *s, sqlite3_context *ctx, sqlite3_value *v)
{
	if (array_room(&s->value, &s->room, s->nr + 1, sizeof(*s->value)) ||
	    array_room(&s->real, &s->real_room, s->nr + 1, sizeof(*s->real))) {
		sqlite3_result_error_nomem(ctx);
		return false;
	}
	s->value[s->nr] = sqlite3_value_int64(v);
	s->real[s->nr++] = sqlite3_value_double(v);
	return true;
}

static bool take(sqlite3_context *ctx, struct sqlsamples *s, unsigned int which, sqlite3_value *v)
{
	if (sqlite3_value_double(v) < 0) {
		sqlite3_result_error(ctx, "a value is negative: expected numbers from 0 on", -1);
		return false;
	}
	return add(&s->sample[which], ctx, v);
}

static struct sqlsamples *samples_of(sqlite3_context *ctx)
{
	struct sqlsamples *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (!s)
		sqlite3_result_error_nomem(ctx);
	return s;
}

/* Of one sample; a NULL does not count */
static void step_one(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct sqlsamples *s = samples_of(ctx);

	if (!s || sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	s->percent = argc > 1 ? sqlite3_value_double(argv[1]) : 0;
	if (s->percent < 0 || s->percent > 100)
		sqlite3_result_error(ctx, "bad percentage: expected 0 to 100", -1);
	else
		take(ctx, s, 0, argv[0]);
}

/* Of two samples */
static void step_two(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct sqlsamples *s = samples_of(ctx);

	(void)argc;
	if (s && sqlite3_value_type(argv[0]) != SQLITE_NULL &&
	    sqlite3_value_type(argv[1]) != SQLITE_NULL)
		take(ctx, s, sqlite3_value_int64(argv[1]) != 0, argv[0]);
}

static int compare(const void *a, const void *b)
{
	return compare_u64(*(const u64 *)a, *(const u64 *)b);
}

static const u64 *sorted(struct sqlsample *s)
{
	if (s->nr)
		qsort(s->value, s->nr, sizeof(*s->value), compare);
	return s->value;
}

static void free_samples(struct sqlsamples *s)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		free(s->sample[i].value);
		free(s->sample[i].real);
	}
}

static void put_percentile(sqlite3_context *ctx, struct sqlsamples *s)
{
	struct sqlsample *one = &s->sample[0];

	if (one->nr)
		sqlite3_result_int64(ctx, dist_quantile(sorted(one), one->nr, s->percent));
}

static void put_middle_mean(sqlite3_context *ctx, struct sqlsamples *s)
{
	struct sqlsample *one = &s->sample[0];

	if (one->nr)
		sqlite3_result_double(ctx, dist_middle_mean(sorted(one), one->nr));
}

static void put_ttest_p(sqlite3_context *ctx, struct sqlsamples *s)
{
	const struct sqlsample *a = &s->sample[0], *b = &s->sample[1];
	struct estimate x, y;

	if (a->nr < 2 || b->nr < 2)
		return;
	x = estimate_mean(a->real, a->nr);
	y = estimate_mean(b->real, b->nr);
	sqlite3_result_double(ctx, ttest(&x, &y));
}

/**
 * struct aggregate - an aggregate function
 * @doc:	for people
 * @nr_args:	how many arguments it has
 * @step:	takes a row
 * @put:	gives the result, unless it is NULL
 */
struct aggregate {
	struct sqlfunction doc;
	int nr_args;
	void (*step)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
	void (*put)(sqlite3_context *ctx, struct sqlsamples *s);
};

static const struct aggregate aggregates[] = {
	{ { "percentile", "x, percent",
	    "the smallest x that percent % of all do not exceed, as stat has it" },
	  2, step_one, put_percentile },
	{ { "middle_mean", "x", "the mean of x without the smallest and the largest tenth" },
	  1, step_one, put_middle_mean },
	{ { "ttest_p", "x, b",
	    "p of Welch's t-test: whether the mean of x with b differs from that without b" },
	  2, step_two, put_ttest_p },
	{ .put = NULL }
};

struct sqlfunction sqlfunction(unsigned int i)
{
	return aggregates[i].doc;
}

static void finish(sqlite3_context *ctx)
{
	const struct aggregate *a = sqlite3_user_data(ctx);
	struct sqlsamples *s = sqlite3_aggregate_context(ctx, 0);

	if (!s)
		return;
	a->put(ctx, s);
	free_samples(s);
}

int sqlfunctions_add(sqlite3 *db)
{
	const struct aggregate *a;
	int ret = SQLITE_OK;

	for (a = aggregates; !ret && a->doc.name; a++)
		ret = sqlite3_create_function_v2(db, a->doc.name, a->nr_args, SQLITE_UTF8,
						 (void *)a, NULL, a->step, finish, NULL);
	return ret;
}
