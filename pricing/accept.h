/* accept.h: which rows of a feed are believed. Pure: rows of one fetch are
   gathered and folded into offers, the whole is judged against the last good
   one, then each offer against what is kept. Storage acts on the outcome. */
#ifndef GPUTCO_PRICING_ACCEPT_H
#define GPUTCO_PRICING_ACCEPT_H

#include <stddef.h>

#include "pricing/feed.h"

/* What became of the rows, by reason. example: the first row of a kind. */
struct tally {
    long row;                            /* prices read */
    long refused[REFUSAL_COUNT];
    char example[REFUSAL_COUNT][80];
};
long tally_alarms(const struct tally *tally); /* refused, expected ones out */

/* "refused 3: price of zero (zero_price), first …" of one reason; 0 and nothing
   written when no row has it. TALLY_LINE holds the longest. */
enum { TALLY_LINE = 240 };
int tally_line(const struct tally *tally, int reason, char *out, size_t size);

/* Rows of one feed while it is read. */
struct batch;
struct batch *batch_open(const struct feed *feed); /* NULL: no memory */

/* What other feeds say (own books never count): readers derive prices from it,
   and a first price far from it waits. Lives as long as the batch; others may
   be NULL. */
void batch_know(struct batch *batch, const struct price_table *others,
                int day);
void batch_close(struct batch *batch);             /* accepts NULL */
struct feed_sink batch_sink(struct batch *batch);
const struct tally *batch_tally(const struct batch *batch);

/* 1: the sink stopped because more came than any feed holds. */
int batch_full(const struct batch *batch);

/* One row by itself: a price a machine can have, names that can be names,
   the feed's currency. Returns -1 or the refusal. */
int accept_row(const struct feed *feed, const struct feed_row *row);

/* One row an offer: zones become their region, copies one. Prices on demand
   must agree or all of the offer's rows are refused; spot is the lower median
   of the region's zones. Sorted by feed_row_compare. NO_MEMORY or GOOD. */
enum status batch_fold(struct batch *batch);
const struct feed_row *batch_rows(const struct batch *batch, size_t *count);

/* Exchange rates of the feed, as they came. */
const struct rate *batch_rates(const struct batch *batch, size_t *count);

/* Readings of the feed, as they came; batch_judge_readings leaves those that
   can be believed (accept_reading.h). */
struct accept_reading_rule;
const struct reading *batch_readings(const struct batch *batch, size_t *count);
enum status batch_judge_readings(struct batch *batch,
                                 const struct accept_reading_rule *rule,
                                 char *why, size_t why_byte);

/* All rates or none: GOOD, or FEED_REFUSED with a sentence when there are
   fewer than ten currencies a day, no USD, a value that is none, or one that
   moved by more than a quarter since the last rate of `known` within ten days
   of it (further back: more than twofold). accept: the operator has looked. */
enum status accept_rates(const struct rate *rate, size_t count,
                         const struct rate_table *known, int accept,
                         char *why, size_t why_byte);

/* Offers of which no row could be used though the feed still has them: they
   keep their old price. Sorted; term TERM_COUNT stands for any. After
   batch_fold. */
const struct feed_row *batch_kept(const struct batch *batch, size_t *count);

/* Provider, instance, region, term, payment, day. */
int feed_row_compare(const struct feed_row *a, const struct feed_row *b);

/* An observation as kept. last_seen_day 0: still in the feed, seen on the
   feed's last good day. */
struct stored {
    struct feed_row row;
    long long id;
    int first_seen_day, last_seen_day, gone_day;
};

/* A price that waits for a second day. */
struct held {
    const char *provider, *instance, *region;
    enum term term;
    enum payment payment;
    double price_per_hour, upfront_price;
    int first_day;
};

enum change_kind {
    CHANGE_NONE,        /* as kept, seen again */
    CHANGE_DETAIL,      /* same price, other facts: written over */
    CHANGE_NEW,         /* an offer not kept so far */
    CHANGE_PRICE,       /* a new observation of a kept offer */
    CHANGE_CORRECTED,   /* another price for the same day: written over */
    CHANGE_BACK,        /* gone earlier the same day */
    CHANGE_HELD,        /* the old price, or none, stays until the new one is
                           seen again */
    CHANGE_KEPT,        /* only unusable rows: the old price stays */
    CHANGE_GONE,        /* no longer in the feed */
    CHANGE_KIND_COUNT
};

struct change {
    enum change_kind kind;
    const struct feed_row *row; /* NULL for KEPT, GONE */
    const struct stored *old;   /* NULL for NEW, and HELD of a first price */
    int held_day;               /* HELD: first day the price was seen */
};

struct accept_rule {
    int day;            /* of the fetch */
    int trusted;        /* own rows: nothing is held, nothing counted */
    int accept;         /* the operator has looked: as trusted, this once */
    long last_count;    /* offers of the last good fetch, 0: none */
};

/* What is kept of one feed: all observations sorted by feed_row_compare with
   effective_day replaced by the day they count from. */
struct kept {
    const struct stored *stored;
    size_t count;
    const struct held *held;
    size_t held_count;
};

/* A changed price beyond these is held (reliability P13). */
#define ACCEPT_RISE 3.0
#define ACCEPT_FALL (1.0 / 3.0)

/* Compares a folded batch with what is kept. GOOD with *out (freed by the
   caller) in key order; FEED_REFUSED with a sentence when the fetch as a
   whole cannot be right: no rows, fewer than 80 % or more than 400 % of the
   last good one (of a FEED_DERIVED one any), a median ratio to the kept prices
   outside 0.5 to 2, or most rows in another currency or unit. An offer in a
   region that nobody knows, or with an older day than the kept one, changes
   nothing. What the prices say of each other is noted in the batch's tally
   (cross.h). */
enum status accept_compare(struct batch *batch, const struct kept *kept,
                           const struct accept_rule *rule,
                           struct change **out, size_t *count, char *why,
                           size_t why_byte);

#endif
