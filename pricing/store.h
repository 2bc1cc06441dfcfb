/* store.h: the one seam to where prices are kept between runs. One
   connection is one `struct store`; not shared between threads. SQL lives
   only behind this header (store_sqlite.c; another engine could follow). */
#ifndef GPUTCO_PRICING_STORE_H
#define GPUTCO_PRICING_STORE_H

#include "pricing/accept.h"
#include "pricing/own.h"
#include "pricing/price.h"
#include "pricing/status.h"

struct store;

/* STORE_WRITE creates the file and its schema and looks whether it is sound;
   STORE_SAVE does not look, and waits 2.5 s at most for another writer: for
   the short write of a request that somebody waits for. */
enum store_mode { STORE_READ, STORE_WRITE, STORE_SAVE };

/* Opens `where` (a file name). GOOD, or STORE_FAILED / STORE_MISSING with
   *out untouched and one sentence in `why` (why_byte). */
enum status store_open(const char *where, enum store_mode mode,
                       struct store **out, char *why, size_t why_byte);
void store_close(struct store *store); /* accepts NULL */

/* A number that moves whenever another connection commits prices or rates (not
   when it saves a study); cheap enough to ask once a second. */
enum status store_version(struct store *store, long *version);

/* Loads every feed's observations (all days) and rates into fresh, sorted
   tables, merged with the seed. The caller frees both with
   store_tables_free when no reader is left. */
struct store_tables {
    struct price_table prices;
    struct rate_table rates;
    struct own_table own;
    struct reading_table readings;
    void *memory;
};
enum status store_load(struct store *store, struct store_tables *out);
void store_tables_free(struct store_tables *tables);

/* -- for the refresh ------------------------------------------------------ */

/* What is remembered of a feed between runs. Times are seconds since 1970,
   UTC; 0: never. */
struct feed_state {
    char address[300];      /* last used; validators belong to it */
    char etag[300], last_modified[100];
    char body_hash[40];     /* of the last good body and its reader */
    char last_error[300];   /* "" after a good run */
    long long last_try, last_good;
    long long next_try;     /* not due before */
    long long retry_after;  /* the server asked not to be asked before */
    int good_day;           /* yyyymmdd of last_good */
    int failure_count;      /* since last_good */
    long offer_count;       /* of the last good generation */
    long long generation;   /* number of the last good one */
    long held_count, refused_count; /* of it: prices that wait, rows refused */
    long long changed;      /* when that was: the feed says the same since */
    char version[40];       /* what it called itself, or "" */
};

/* GOOD, also for a feed never asked (all zero). */
enum status store_feed_state(struct store *store, const char *feed,
                             struct feed_state *out);

/* How a run ended, for the list of generations. */
enum generation_end { GENERATION_GOOD, GENERATION_SAME, GENERATION_REFUSED,
                      GENERATION_FAILED };
extern const char *const generation_end_name[]; /* "good" ... "failed" */
struct generation {
    long long started, finished;
    enum generation_end end;
    long row_count, offer_count, new_count, changed_count, gone_count,
         held_count, refused_count;
    struct tally tally;     /* rows not taken, by reason; none of runs that an
                               older program made */
    char note[300];         /* why it is not good; of a good one the version */
};

/* The feed's last runs, newest first, at most `room` of them into `out`. GOOD
   with *count 0 for a feed never asked. */
enum { GENERATIONS_KEPT = 30 };
enum status store_generations(struct store *store, const char *feed,
                              struct generation *out, size_t room,
                              size_t *count);

/* One feed's run is one transaction: store_begin, then what was kept, the
   changes, the state, and store_commit; or store_rollback (also after any
   failure), which leaves everything as it was. Readers see all of it or
   nothing. */
enum status store_begin(struct store *store);
enum status store_commit(struct store *store);
void store_rollback(struct store *store);

/* All observations of the feed in the order accept_compare wants, and its
   held prices. *out is freed with store_kept_free. */
struct store_kept { struct kept kept; void *memory; };
enum status store_kept(struct store *store, const char *feed,
                       struct store_kept *out);
void store_kept_free(struct store_kept *kept);

/* Within a transaction: writes what accept_compare decided. `was_day` is the
   day of the last good run before: what is no longer seen was last seen then. */
enum status store_apply(struct store *store, const struct feed *feed,
                        const struct change *change, size_t count, int day,
                        int was_day);

/* Within a transaction: the state, and one line of the feed's generations of
   which the newest 30 are kept. generation->end GENERATION_GOOD moves
   state->generation. */
enum status store_record(struct store *store, const struct feed *feed,
                         struct feed_state *state,
                         const struct generation *generation);

/* Within a transaction: rates of one feed, each replacing that of its day. */
enum status store_rates(struct store *store, const char *feed,
                        const struct rate *rate, size_t count);

/* -- saved studies --------------------------------------------------------- */

enum { STUDY_ID_LENGTH = 22,     /* 128 bits in base64url */
       STUDY_PART_MAX = 32, STUDY_PART_BYTE_MAX = 500 * 1000,
       STUDY_DAY_MAX = 5000 };   /* saved on one day; then STORE_FULL */
#define STUDY_STORE_BYTE_MAX 8e9 /* of the whole file; then STORE_FULL */

/* One document of a saved study, as it is shown for ever; packed by the
   caller. `byte` is its size, whole_byte the size it unpacks to. */
struct study_part { char name[24]; const void *at; size_t byte, whole_byte; };

/* What is known of a saved study apart from its documents. query: canonical,
   without a leading '?'. */
struct study_head {
    char id[STUDY_ID_LENGTH + 1];
    int saved_day, as_of_day;    /* yyyymmdd */
    char model_version[16];
    const char *query;
};

/* Keeps a study. When one with the same query, day, model version and first
   document is there already, that one stays and its id is the answer.
   Durable once this returns GOOD. STORE_FULL when no more is taken. */
enum status store_study_save(struct store *store,
                             const struct study_head *head,
                             const struct study_part *part, int count,
                             char id[STUDY_ID_LENGTH + 1]);

/* A saved study and one of its documents: head.query and part.at live in
   `memory`, which the caller frees. part.at NULL: the study has no document
   of that name. NOT_FOUND: there is no such study. */
struct study_found { struct study_head head; struct study_part part; void *memory; };
enum status store_study_find(struct store *store, const char *id,
                             const char *part, struct study_found *out);

/* Within a transaction: all own prices of a book, in place of those before. */
enum status store_own_put(struct store *store, const char *feed,
                          const struct own_price *price, size_t count);

/* All own prices of all books; freed with store_own_free. store_load does
   both. */
enum status store_own_load(struct store *store, struct own_table *out);
void store_own_free(struct own_table *own);

/* Within a transaction: readings of one feed, each replacing that of its place
   and time; of hours those of the last three days before `now` stay, of
   longer times the newest. A forecast does not replace a measured value. */
enum status store_reading_put(struct store *store, const char *feed,
                              const struct reading *reading, size_t count,
                              long long now);

/* All readings, sorted; freed with store_reading_free. store_load does
   both. */
enum status store_reading_load(struct store *store,
                               struct reading_table *out);
void store_reading_free(struct reading_table *readings);

/* One sentence about the last failure. */
const char *store_why(const struct store *store);

#endif
