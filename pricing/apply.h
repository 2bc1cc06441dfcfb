/* apply.h: one feed's run from a fetched body to the store: read, fold,
   judge, and in one transaction write all of it or nothing. No network. */
#ifndef GPUTCO_PRICING_APPLY_H
#define GPUTCO_PRICING_APPLY_H

#include <stdio.h>

#include "pricing/store.h"

struct apply_run {
    const struct feed *feed;
    const char *address;        /* asked */
    long long now;              /* seconds since 1970 */
    int day;                    /* the same, yyyymmdd UTC */
    int accept;                 /* the operator has looked */
    int dry;                    /* judge, write nothing */
    const struct price_table *others; /* prices known before, NULL: none */
    const struct own_price *own; /* of a book, else NULL */
    size_t own_count;
    /* Each offer that does not stay as it is, before it is written; NULL:
       nobody asks. */
    void (*tell)(void *context, const struct change *change);
    void *tell_context;
};

/* What is known of a further body. retry_after: as in apply_failed. */
struct apply_more { unsigned long long hash; long retry_after; };

/* What a fetch brought. */
struct apply_body {
    FILE *file;                 /* the whole body, read from its start */
    const char *etag, *last_modified;
    unsigned long long hash;    /* of the body */
    /* Further bodies: empties `file`, fills it from the address and says what
       came; GOOD, or FETCH_FAILED with a sentence, or worse. NULL where the
       network is not wanted. */
    enum status (*more)(void *context, const char *address, FILE *file,
                        struct apply_more *got, char *why, size_t why_byte);
    void *context;
};

struct apply_outcome {
    struct tally tally;
    long offer_count, change[CHANGE_KIND_COUNT];
    char why[300];              /* when it is not GOOD or FEED_UNCHANGED */
    long retry_after;           /* of a further body */
    char version[40];           /* what the feed calls itself, or "" */
};

/* GOOD: a new generation; FEED_UNCHANGED: the same body as last time, its
   prices are seen again today; FEED_REFUSED: recorded, everything kept; or
   NO_MEMORY, STORE_FAILED: nothing was written. `store` may be NULL on a dry
   run. */
enum status apply_body(struct store *store, const struct apply_run *run,
                       const struct apply_body *body,
                       struct apply_outcome *out);

/* The server said that nothing changed. */
enum status apply_unchanged(struct store *store, const struct apply_run *run,
                            struct apply_outcome *out);

/* The feed could not be fetched (FETCH_FAILED) or was refused. retry_after:
   seconds the server asked to be left alone, 0: none. tally: of the rows read
   before, NULL: none. */
enum status apply_failed(struct store *store, const struct apply_run *run,
                         enum status how, const char *why, long retry_after,
                         const struct tally *tally);

/* May the body be asked for conditionally? Not when the address or the
   reader changed, nor while a price waits for its second day. */
int apply_conditional(struct store *store, const struct apply_run *run,
                      const struct feed_state *state);

/* Somebody's own price book, as a feed of its own: all of it in place of what
   the book held before, in one transaction. name: letters, digits, - and _, at
   most 18. dry: judged and not kept. */
enum status apply_book(struct store *store, const char *name, int dry,
                       long long now, int day, const struct feed_row *rent,
                       size_t rent_count, const struct own_price *own,
                       size_t own_count, struct apply_outcome *out);

/* Brings the seed in the store up to date with the program's. */
enum status apply_seed(struct store *store);

#endif
