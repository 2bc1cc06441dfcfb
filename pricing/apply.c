/* apply.c: from a body to the store (see apply.h). */
#include "pricing/apply.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/accept_reading.h"
#include "pricing/hash.h"

enum { HOUR_SECOND = 3600, BACKOFF_MAX_SECOND = 24 * HOUR_SECOND,
       UNCHANGED_MAX_SECOND = 30 * 24 * HOUR_SECOND, MONTH_HOUR = 720,
       PIECE_BYTE = 256 * 1024 };

static void hash_print(const struct feed *feed, unsigned long long hash,
                       char out[40])
{
    snprintf(out, 40, "%.12s-%d-%016llx", feed->reader->name,
             feed->reader->revision, hash);
}

/* Did the reader that made this hash read as the present one does? */
static int same_reader(const struct feed *feed, const char *body_hash)
{
    char prefix[40];

    snprintf(prefix, sizeof prefix, "%.12s-%d-", feed->reader->name,
             feed->reader->revision);
    return !strncmp(prefix, body_hash, strlen(prefix));
}

/* One body through the reader. */
static enum status read_one(const struct apply_run *run, FILE *file,
                            struct feed_parse *parse, char *piece,
                            struct apply_outcome *out)
{
    enum status status = GOOD;
    size_t count;

    rewind(file);
    while (status == GOOD && (count = fread(piece, 1, PIECE_BYTE, file)) > 0)
        status = feed_bytes(run->feed, parse, piece, count);
    if (status == GOOD && ferror(file)) {
        snprintf(out->why, sizeof out->why, "the fetched body could not be read back");
        status = STORE_FAILED;
    }
    if (status == GOOD)
        status = feed_end(run->feed, parse);
    if (status == FEED_REFUSED)
        snprintf(out->why, sizeof out->why, "%s", feed_why(parse));
    return status;
}

/* Where a feed has led so far. */
struct trail { uint64_t seen[FEED_STEP_MAX + 1]; int count; };

/* Why the next page may not be asked for, in out->why; else it is noted. */
static int goes_astray(const struct apply_run *run, const char *next,
                       const char *whole, struct trail *trail,
                       struct apply_outcome *out)
{
    const uint64_t hash = hash_text(HASH_START, whole);

    if (!feed_may_ask(run->feed, run->address, whole)) {
        snprintf(out->why, sizeof out->why,
                 "foreign_link: it leads to %.80s, which is not its host",
                 next);
        return 1;
    }
    for (int i = 0; i < trail->count; i++) {
        if (trail->seen[i] == hash) {
            snprintf(out->why, sizeof out->why,
                     "page_loop: page %d leads back to page %d",
                     trail->count, i + 1);
            return 1;
        }
    }
    if (trail->count == FEED_STEP_MAX) {
        snprintf(out->why, sizeof out->why,
                 "page_loop: it does not end after %d pages", trail->count);
        return 1;
    }
    trail->seen[trail->count++] = hash;
    return 0;
}

/* The body that the reader names next. *hash takes it in. */
static enum status read_next(const struct apply_run *run,
                             const struct apply_body *body, const char *next,
                             struct trail *trail, unsigned long long *hash,
                             struct apply_outcome *out)
{
    struct apply_more got = { 0, 0 };
    char whole[FEED_ADDRESS_BYTE], why[200] = "";
    enum status status;

    feed_whole(run->address, next, whole);
    if (!body->more || goes_astray(run, next, whole, trail, out))
        return FEED_REFUSED;
    status = body->more(body->context, whole, body->file, &got, why,
                        sizeof why);
    if (status != GOOD)
        snprintf(out->why, sizeof out->why, "incomplete: page %d: %s",
                 trail->count, why);
    *hash = (*hash ^ got.hash) * 1099511628211u;
    out->retry_after = got.retry_after;
    return status;
}

/* Does the feed call itself older than the last good one? Versions that are
   not as long cannot be told apart by their characters. */
static int went_back(const struct apply_run *run, const char *version,
                     const char *last, struct apply_outcome *out)
{
    if (run->accept || !*version || strlen(version) != strlen(last)
        || strcmp(version, last) >= 0)
        return 0;
    snprintf(out->why, sizeof out->why,
             "went_back: it is of %.40s, the last one was of %.40s", version,
             last);
    return 1;
}

/* All bodies; *hash becomes that of all of them, or of the first when that
   tells. */
static enum status read_body(const struct apply_run *run,
                             const struct apply_body *body,
                             struct batch *batch, const char *last_version,
                             unsigned long long *hash,
                             struct apply_outcome *out)
{
    struct trail trail = { .seen = { hash_text(HASH_START, run->address) }, .count = 1 };
    char *piece = malloc(PIECE_BYTE);
    struct feed_sink sink = batch_sink(batch);
    struct feed_parse *parse = feed_begin(run->feed, &sink);
    unsigned long long whole = body->hash;
    const char *next;
    enum status status = piece && parse
        ? read_one(run, body->file, parse, piece, out) : NO_MEMORY;

    while (status == GOOD) {
        if (went_back(run, parse->version, last_version, out))
            status = FEED_REFUSED;
        next = status == GOOD ? feed_next(run->feed, parse) : NULL;
        if (!next)
            break;
        status = read_next(run, body, next, &trail, &whole, out);
        if (status == GOOD)
            status = read_one(run, body->file, parse, piece, out);
    }
    if (status == GOOD)
        snprintf(out->version, sizeof out->version, "%s", parse->version);
    *hash = run->feed->reader->first_tells ? body->hash : whole;
    feed_close(run->feed, parse);
    free(piece);
    return status;
}

static void count_changes(const struct change *change, size_t count,
                          struct apply_outcome *out)
{
    for (size_t i = 0; i < count; i++)
        out->change[change[i].kind]++;
}

static void generation_fill(const struct apply_run *run,
                            const struct apply_outcome *out,
                            enum generation_end end, struct generation *g)
{
    *g = (struct generation){
        .started = run->now, .finished = run->now, .end = end,
        .row_count = out->tally.row, .offer_count = out->offer_count,
        .new_count = out->change[CHANGE_NEW],
        .changed_count = out->change[CHANGE_PRICE]
                         + out->change[CHANGE_CORRECTED],
        .gone_count = out->change[CHANGE_GONE],
        .held_count = out->change[CHANGE_HELD],
        .refused_count = tally_alarms(&out->tally), .tally = out->tally,
    };
    snprintf(g->note, sizeof g->note, "%s", out->why);
}

/* The state after a run that found the feed well. */
static void state_good(const struct apply_run *run, struct feed_state *state)
{
    state->last_try = state->last_good = run->now;
    state->good_day = run->day;
    state->next_try = run->now
                      + (long long)run->feed->cadence_hour * HOUR_SECOND;
    state->retry_after = 0;
    state->failure_count = 0;
    *state->last_error = '\0';
}

/* Waits double from an hour to a day. */
static void state_bad(const struct apply_run *run, struct feed_state *state,
                      const char *why, long retry_after)
{
    long long wait = HOUR_SECOND;

    for (int i = 0; i < state->failure_count && wait < BACKOFF_MAX_SECOND; i++)
        wait *= 2;
    if (wait > BACKOFF_MAX_SECOND)
        wait = BACKOFF_MAX_SECOND;
    if (retry_after > wait)
        wait = retry_after;
    state->last_try = run->now;
    state->next_try = run->now + wait;
    state->retry_after = retry_after > 0 ? run->now + retry_after : 0;
    state->failure_count++;
    snprintf(state->last_error, sizeof state->last_error, "%s", why);
}

/* One transaction around a record that changes no price. */
static enum status record_alone(struct store *store,
                                const struct apply_run *run,
                                struct feed_state *state,
                                const struct generation *g)
{
    enum status status = store_begin(store);

    if (status == GOOD)
        status = store_record(store, run->feed, state, g);
    if (status == GOOD)
        status = store_commit(store);
    if (status != GOOD)
        store_rollback(store);
    return status;
}

enum status apply_failed(struct store *store, const struct apply_run *run,
                         enum status how, const char *why, long retry_after,
                         const struct tally *tally)
{
    struct apply_outcome none = { .offer_count = 0 };
    struct feed_state state;
    struct generation g;
    enum status status;

    if (run->dry || !store)
        return GOOD;
    status = store_feed_state(store, run->feed->id, &state);
    if (status != GOOD)
        return status;
    state_bad(run, &state, why, retry_after);
    snprintf(none.why, sizeof none.why, "%s", why);
    if (tally)
        none.tally = *tally;
    generation_fill(run, &none, how == FEED_REFUSED ? GENERATION_REFUSED
                                                    : GENERATION_FAILED, &g);
    return record_alone(store, run, &state, &g);
}

enum status apply_unchanged(struct store *store, const struct apply_run *run,
                            struct apply_outcome *out)
{
    struct feed_state state;
    struct generation g;
    enum status status;

    *out = (struct apply_outcome){ .offer_count = 0 };
    if (!store)
        return FEED_UNCHANGED;
    status = store_feed_state(store, run->feed->id, &state);
    if (status != GOOD)
        return status;
    out->offer_count = state.offer_count;
    if (run->dry)
        return FEED_UNCHANGED;
    /* what is looked at monthly may say the same for longer */
    if (state.changed && run->feed->cadence_hour < MONTH_HOUR &&
        run->now - state.changed >= UNCHANGED_MAX_SECOND)
        out->tally.refused[REFUSED_unchanged_too_long] = 1;
    state_good(run, &state);
    generation_fill(run, out, GENERATION_SAME, &g);
    status = record_alone(store, run, &state, &g);
    return status == GOOD ? FEED_UNCHANGED : status;
}

static enum status has_held(struct store *store, const char *feed, int *held)
{
    struct store_kept kept;
    enum status status = store_kept(store, feed, &kept);

    if (status == GOOD) {
        *held = kept.kept.held_count > 0;
        store_kept_free(&kept);
    }
    return status;
}

int apply_conditional(struct store *store, const struct apply_run *run,
                      const struct feed_state *state)
{
    int held = 1;

    /* what is derived moves with the prices it is derived from */
    return run->feed->kind != FEED_DERIVED
           && state->last_good && !strcmp(state->address, run->address)
           && same_reader(run->feed, state->body_hash)
           && has_held(store, run->feed->id, &held) == GOOD && !held;
}

/* Within a transaction (or on a dry run without one): judges the batch and
   writes what is decided. */
static enum status judge_and_write(struct store *store,
                                   const struct apply_run *run,
                                   const struct accept_rule *rule,
                                   struct batch *batch,
                                   struct feed_state *state,
                                   struct apply_outcome *out)
{
    struct store_kept kept = { .memory = NULL };
    struct change *change = NULL;
    size_t count = 0;
    enum status status = GOOD;

    if (store)
        status = store_kept(store, run->feed->id, &kept);
    if (status == GOOD)
        status = accept_compare(batch, &kept.kept, rule, &change, &count,
                                out->why, sizeof out->why);
    if (status == GOOD) {
        count_changes(change, count, out);
        for (size_t i = 0; run->tell && i < count; i++)
            if (change[i].kind != CHANGE_NONE)
                run->tell(run->tell_context, &change[i]);
        if (!run->dry)
            status = store_apply(store, run->feed, change, count, run->day,
                                 state->good_day);
    }
    free(change);
    store_kept_free(&kept);
    return status;
}

/* Within a transaction: the state after a good run, and its commit. */
static enum status keep_state(struct store *store, const struct apply_run *run,
                              struct feed_state *state,
                              const struct batch *batch,
                              const struct apply_body *body,
                              struct apply_outcome *out)
{
    struct generation g;
    enum status status;

    state_good(run, state);
    state->offer_count = out->offer_count;
    snprintf(state->address, sizeof state->address, "%s", run->address);
    if (body) {
        snprintf(state->etag, sizeof state->etag, "%s", body->etag);
        snprintf(state->last_modified, sizeof state->last_modified, "%s",
                 body->last_modified);
        hash_print(run->feed, body->hash, state->body_hash);
    }
    out->tally = *batch_tally(batch);
    generation_fill(run, out, GENERATION_GOOD, &g);
    snprintf(g.note, sizeof g.note, "%s", out->version);
    status = store_record(store, run->feed, state, &g);
    if (status == GOOD && run->own)
        status = store_own_put(store, run->feed->id, run->own, run->own_count);
    return status == GOOD ? store_commit(store) : status;
}

/* Exchange rates of a feed: all or none. A rate that moved by more than a
   fifth since the one kept last is no rate (the largest fall of a day of the
   ECB's currencies since 1999 was that of the rouble in 2022, 20 %). */
static enum status write_rates(struct store *store, const struct apply_run *run,
                               const struct batch *batch,
                               struct feed_state *state,
                               const struct apply_body *body,
                               struct apply_outcome *out)
{
    size_t count = 0;
    const struct rate *rate = batch_rates(batch, &count);
    struct store_tables tables = { .memory = NULL };
    enum status status = store ? store_load(store, &tables) : GOOD;

    out->offer_count = (long)count;
    if (status == GOOD)
        status = accept_rates(rate, count, store ? &tables.rates : seed_rates(),
                              run->accept, out->why, sizeof out->why);
    store_tables_free(&tables);
    if (status != GOOD || run->dry)
        return status;
    status = store_begin(store);
    if (status == GOOD)
        status = store_feed_state(store, run->feed->id, state);
    if (status == GOOD)
        status = store_rates(store, run->feed->id, rate, count);
    if (status == GOOD)
        status = keep_state(store, run, state, batch, body, out);
    if (status != GOOD)
        store_rollback(store);
    return status;
}

/* Readings of a feed: those that can be believed, in place of what was kept
   for the same places and times. */
static enum status write_readings(struct store *store,
                                  const struct apply_run *run,
                                  struct batch *batch,
                                  struct feed_state *state,
                                  const struct apply_body *body,
                                  struct apply_outcome *out)
{
    const struct accept_reading_rule rule = { run->feed, run->now,
                                              run->accept,
                                              state->offer_count };
    size_t count = 0;
    enum status status = batch_judge_readings(batch, &rule, out->why,
                                              sizeof out->why);
    const struct reading *reading = batch_readings(batch, &count);

    out->offer_count = (long)count;
    if (status != GOOD || run->dry)
        return status;
    status = store_begin(store);
    if (status == GOOD)
        status = store_feed_state(store, run->feed->id, state);
    if (status == GOOD)
        status = store_reading_put(store, run->feed->id, reading, count,
                                   run->now);
    if (status == GOOD)
        status = keep_state(store, run, state, batch, body, out);
    if (status != GOOD)
        store_rollback(store);
    return status;
}

static enum status write_batch(struct store *store,
                               const struct apply_run *run,
                               struct accept_rule *rule, struct batch *batch,
                               struct feed_state *state,
                               const struct apply_body *body,
                               struct apply_outcome *out)
{
    size_t offers;
    enum status status = run->dry ? GOOD : store_begin(store);

    batch_rows(batch, &offers);
    out->offer_count = (long)offers;
    if (status == GOOD && store)
        status = store_feed_state(store, run->feed->id, state);
    rule->last_count = state->offer_count;
    if (status == GOOD)
        status = judge_and_write(store, run, rule, batch, state, out);
    if (status == GOOD && !run->dry)
        status = keep_state(store, run, state, batch, body, out);
    if (status != GOOD && store)
        store_rollback(store);
    return status;
}

/* The same bodies as last time. */
static int is_same(struct store *store, const struct apply_run *run,
                   unsigned long long hash)
{
    struct feed_state state = { .address = "" };
    char text[40];

    hash_print(run->feed, hash, text);
    return store && !run->accept &&
           store_feed_state(store, run->feed->id, &state) == GOOD &&
           !strcmp(text, state.body_hash) &&
           apply_conditional(store, run, &state);
}

static enum status apply_batch(struct store *store,
                               const struct apply_run *run,
                               struct batch *batch,
                               const struct apply_body *body,
                               struct apply_outcome *out)
{
    struct accept_rule rule = { .day = run->day, .accept = run->accept };
    struct feed_state state = { .address = "" };
    struct apply_body whole = *body;
    enum status status = !store ? GOOD
        : store_feed_state(store, run->feed->id, &state);

    if (status == GOOD)
        status = read_body(run, body, batch, state.version, &whole.hash,
                           out);
    if (status == NO_MEMORY && batch_full(batch)) {
        snprintf(out->why, sizeof out->why,
                 "row_count: more than any such feed holds");
        status = FEED_REFUSED;
    }
    if (status == GOOD && run->feed->reader->next &&
        is_same(store, run, whole.hash))
        return apply_unchanged(store, run, out);
    if (status == GOOD && run->feed->flags & FEED_RATES)
        status = write_rates(store, run, batch, &state, &whole, out);
    else if (status == GOOD && run->feed->flags & FEED_READINGS)
        status = write_readings(store, run, batch, &state, &whole, out);
    else if (status == GOOD)
        status = batch_fold(batch);
    if (status == GOOD &&
        !(run->feed->flags & (FEED_RATES | FEED_READINGS)))
        status = write_batch(store, run, &rule, batch, &state, &whole, out);
    out->tally = *batch_tally(batch);
    return status;
}

enum status apply_body(struct store *store, const struct apply_run *run,
                       const struct apply_body *body,
                       struct apply_outcome *out)
{
    const struct feed_reader *reader = run->feed->reader;
    struct batch *batch;
    enum status status;

    *out = (struct apply_outcome){ .offer_count = 0 };
    if ((!reader->next || reader->first_tells) &&
        is_same(store, run, body->hash))
        return apply_unchanged(store, run, out);
    batch = batch_open(run->feed);
    if (!batch)
        return NO_MEMORY;
    batch_know(batch, run->others, run->day);
    status = apply_batch(store, run, batch, body, out);
    batch_close(batch);
    if (status == FEED_REFUSED || status == FETCH_FAILED) {
        enum status noted = apply_failed(store, run, status, out->why,
                                         out->retry_after, &out->tally);

        if (noted != GOOD)
            return noted;
    }
    return status;
}

/* -- the seed ------------------------------------------------------------- */

/* The days of the seed's rows are its own, so a store made today and one made
   tomorrow hold the same. */
static int seed_day(const struct price_table *seed)
{
    int day = 0;

    for (size_t i = 0; i < seed->count; i++)
        if (price_day(&seed->price[i]) > day)
            day = price_day(&seed->price[i]);
    return day;
}

static int seed_rows(const struct price_table *seed, size_t feed,
                     struct batch *batch)
{
    struct feed_sink sink = batch_sink(batch);

    for (size_t i = 0; i < seed->count; i++) {
        const struct price *price = &seed->price[i];
        struct feed_row row = {
            price->provider, price->instance, price->region, price->currency,
            price->gpu, price->gpu, "", price->source, price->price_per_hour,
            price->upfront_price, price->gpu_count, (double)NAN, (double)NAN,
            (double)NAN, price_day(price), (enum term)price->term,
            (enum payment)price->payment, price->undated,
        };

        if (price->feed == feed && sink.row(sink.context, &row))
            return 0;
    }
    return 1;
}

static enum status seed_feed(struct store *store, const struct price_table *t,
                             size_t i, int day)
{
    const struct price_feed *from = &t->feed[i];
    const struct feed feed = {
        .id = from->id, .title = from->title, .address = from->address,
        .licence = from->licence, .provider = "", .currency = "",
        .kind = from->kind, .stale_day = from->stale_day,
    };
    const struct apply_run run = { .feed = &feed, .address = from->address,
                                   .day = day };
    struct accept_rule rule = { .day = day, .trusted = 1 };
    struct feed_state state = { .address = "" };
    struct apply_outcome out = { .offer_count = 0 };
    struct batch *batch = batch_open(&feed);
    enum status status = batch && seed_rows(t, i, batch) ? GOOD : NO_MEMORY;

    if (status == GOOD)
        status = batch_fold(batch);
    if (status == GOOD)
        status = write_batch(store, &run, &rule, batch, &state, NULL, &out);
    batch_close(batch);
    return status;
}

/* -- own price books ------------------------------------------------------- */

static const struct feed_reader no_reader = { .name = "book", .revision = 1 };

enum status apply_book(struct store *store, const char *name, int dry,
                       long long now, int day, const struct feed_row *rent,
                       size_t rent_count, const struct own_price *own,
                       size_t own_count, struct apply_outcome *out)
{
    static const struct own_price none;
    char id[24], title[60];
    const struct feed feed = {
        .id = id, .title = title, .address = "", .licence = "private",
        .provider = "", .currency = "", .kind = FEED_BOOK, .stale_day = 365,
        .reader = &no_reader };
    const struct apply_run run = { .feed = &feed, .address = "", .now = now,
                                   .day = day, .dry = dry,
                                   .own = own ? own : &none,
                                   .own_count = own_count };
    struct accept_rule rule = { .day = day, .trusted = 1 };
    struct feed_state state = { .address = "" };
    struct batch *batch = batch_open(&feed);
    struct feed_sink sink;
    enum status status = batch ? GOOD : NO_MEMORY;

    snprintf(id, sizeof id, "book-%s", name);
    snprintf(title, sizeof title, "Own price book: %s", name);
    *out = (struct apply_outcome){ .offer_count = 0 };
    if (batch)
        sink = batch_sink(batch);
    for (size_t i = 0; i < rent_count && status == GOOD; i++)
        if (sink.row(sink.context, &rent[i]))
            status = NO_MEMORY;
    if (status == GOOD)
        status = batch_fold(batch);
    if (status == GOOD)
        status = write_batch(store, &run, &rule, batch, &state, NULL, out);
    if (batch)
        out->tally = *batch_tally(batch);
    batch_close(batch);
    return status;
}

enum status apply_seed(struct store *store)
{
    const struct price_table *seed = seed_prices();
    const struct rate_table *rates = seed_rates();
    const int day = seed_day(seed);
    enum status status = GOOD;

    for (size_t i = 0; i < seed->feed_count && status == GOOD; i++)
        status = seed_feed(store, seed, i, day);
    if (status == GOOD)
        status = store_begin(store);
    if (status == GOOD)
        status = store_rates(store, "seed", rates->rate, rates->count);
    if (status == GOOD)
        status = store_commit(store);
    if (status != GOOD)
        store_rollback(store);
    return status;
}
