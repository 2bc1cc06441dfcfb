/* store_feed.c: what the store keeps of the feeds: state, generations,
   machines, offers, quotes, held prices, rates. */
#include "pricing/store_sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 4: one table where offer and quote were two, a commitment may be paid
   whole in advance, and term and payment are numbers (those of price.h; the
   view spells them). 200,000 prices take a third of the time: a CHECK that
   looked for a word in a list had taken half of it. */
_Static_assert(TERM_ON_DEMAND == 0 && TERM_SPOT == 1
               && TERM_CAPACITY_BLOCK == 2 && TERM_RESERVED_1Y == 3
               && TERM_RESERVED_3Y == 4 && TERM_SAVINGS_1Y == 5
               && TERM_SAVINGS_3Y == 6 && TERM_UNSPECIFIED == 7
               && PAYMENT_NO_UPFRONT == 0 && PAYMENT_PARTIAL_UPFRONT == 1
               && PAYMENT_ALL_UPFRONT == 2, "numbers that stores hold");
const char store_quote_schema[] =
    "DROP VIEW observation;"
    "ALTER TABLE quote RENAME TO quote_old;"
    /* A price from `day` on; see version 1. The days of the seed's rows and of
       spot prices make a table of many rows: few columns. */
    "CREATE TABLE quote ("
    " machine INTEGER NOT NULL REFERENCES machine (id),"
    " region TEXT NOT NULL CHECK (region <> ''),"
    " term INTEGER NOT NULL CHECK (term BETWEEN 0 AND 7),"
    " payment INTEGER NOT NULL CHECK (payment BETWEEN 0 AND 2),"
    " day INTEGER NOT NULL CHECK (day BETWEEN 19700101 AND 99991231),"
    " price_per_hour REAL NOT NULL"
    "  CHECK (price_per_hour >= 0 AND price_per_hour < 1e6),"
    " upfront_price REAL CHECK (upfront_price > 0 AND upfront_price < 1e8),"
    " first_seen_day INTEGER, last_seen_day INTEGER, gone_day INTEGER,"
    " undated INTEGER CHECK (undated = 1),"
    " PRIMARY KEY (machine, region, term, payment, day),"
    " CHECK (price_per_hour > 0 OR upfront_price IS NOT NULL))"
    " STRICT, WITHOUT ROWID;"
    "INSERT INTO quote SELECT o.machine, o.region, " STORE_TERM_NUMBER ", "
    STORE_PAYMENT_NUMBER ", q.day, q.price_per_hour, q.upfront_price,"
    " q.first_seen_day, q.last_seen_day, q.gone_day, q.undated"
    " FROM quote_old q JOIN offer o ON o.id = q.offer;"
    "DROP TABLE quote_old; DROP TABLE offer;"
    "CREATE TABLE held_new ("
    " feed INTEGER NOT NULL REFERENCES feed (number),"
    " provider TEXT NOT NULL, instance TEXT NOT NULL, region TEXT NOT NULL,"
    " term TEXT NOT NULL, payment TEXT NOT NULL,"
    " price_per_hour REAL NOT NULL CHECK (price_per_hour >= 0),"
    " upfront_price REAL NOT NULL, first_day INTEGER NOT NULL,"
    " last_day INTEGER NOT NULL,"
    " PRIMARY KEY (feed, provider, instance, region, term, payment)) STRICT;"
    "INSERT INTO held_new SELECT * FROM held; DROP TABLE held;"
    "ALTER TABLE held_new RENAME TO held;"
    "CREATE VIEW observation AS SELECT f.id AS feed, m.provider, m.instance,"
    " q.region,"
    " CASE q.term WHEN 0 THEN 'on_demand' WHEN 1 THEN 'spot'"
    "  WHEN 2 THEN 'capacity_block' WHEN 3 THEN 'reserved_1y'"
    "  WHEN 4 THEN 'reserved_3y' WHEN 5 THEN 'savings_1y'"
    "  WHEN 6 THEN 'savings_3y' ELSE 'unspecified' END AS term,"
    " CASE q.payment WHEN 0 THEN 'no_upfront' WHEN 1 THEN 'partial_upfront'"
    "  ELSE 'all_upfront' END AS payment, m.currency, m.gpu_name, m.gpu,"
    " m.gpu_count, m.gpu_memory_gib, q.price_per_hour,"
    " coalesce(q.upfront_price, 0) AS upfront_price, q.day,"
    " iif(q.first_seen_day IS NULL, NULL, q.day) AS effective_day,"
    " coalesce(q.first_seen_day, q.day) AS first_seen_day,"
    " coalesce(q.last_seen_day, f.good_day) AS last_seen_day, q.gone_day,"
    " iif(m.source = '', f.address, m.source) AS source"
    " FROM quote q JOIN machine m ON m.id = q.machine"
    " JOIN feed f ON f.number = m.feed;";

static const char FEED_STATE[] =
    "SELECT used_address, etag, last_modified, body_hash, last_error,"
    " last_try, last_good, next_try, retry_after, good_day, failure_count,"
    " f.offer_count, f.generation, g.finished, g.note,"
    " g.held_count, g.refused_count FROM feed f"
    " LEFT JOIN generation g ON g.id = f.generation WHERE f.id = ?1";
static const char GENERATIONS[] =
    "SELECT started, finished, state, row_count, g.offer_count, new_count,"
    " changed_count, gone_count, held_count, refused_count, note, g.id"
    " FROM generation g JOIN feed f ON f.number = g.feed WHERE f.id = ?1"
    " ORDER BY g.id DESC LIMIT ?2";
static const char FEED_PUT[] =
    "INSERT INTO feed (id, title, address, licence, kind, cadence_hour,"
    " stale_day) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    " ON CONFLICT (id) DO UPDATE SET title = ?2, address = ?3, licence = ?4,"
    " kind = ?5, cadence_hour = ?6, stale_day = ?7";
static const char FEED_NUMBER[] = "SELECT number FROM feed WHERE id = ?1";
static const char FEED_RECORD[] =
    "UPDATE feed SET used_address = ?2, etag = ?3, last_modified = ?4,"
    " body_hash = ?5, last_error = ?6, last_try = ?7, last_good = ?8,"
    " next_try = ?9, retry_after = ?10, good_day = ?11, failure_count = ?12,"
    " offer_count = ?13, generation = ?14 WHERE number = ?1";
static const char GENERATION_ADD[] =
    "INSERT INTO generation (feed, started, finished, state, row_count,"
    " offer_count, new_count, changed_count, gone_count, held_count,"
    " refused_count, note)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
static const char GENERATION_PRUNE[] =
    "DELETE FROM generation WHERE feed = ?1 AND id NOT IN (SELECT id FROM"
    " generation WHERE feed = ?1 ORDER BY id DESC LIMIT ?2)"
    " AND id <> (SELECT generation FROM feed WHERE number = ?1)";
static const char REVISION_UP[] = "UPDATE meta SET revision = revision + 1";
static const char KEPT[] =
    "SELECT m.provider, m.instance, q.region, m.currency, m.gpu, m.gpu_name,"
    " m.source, q.term, q.payment, q.price_per_hour, q.upfront_price,"
    " m.gpu_count, m.gpu_memory_gib, q.day, q.undated, m.id,"
    " q.first_seen_day, q.last_seen_day, q.gone_day"
    " FROM feed f JOIN machine m ON m.feed = f.number"
    " JOIN quote q ON q.machine = m.id WHERE f.id = ?1";
static const char HELD[] =
    "SELECT h.provider, h.instance, h.region, h.term, h.payment,"
    " h.price_per_hour, h.upfront_price, h.first_day"
    " FROM held h JOIN feed f ON f.number = h.feed WHERE f.id = ?1";
static const char MACHINE_FIND[] =
    "SELECT id FROM machine WHERE feed = ?1 AND provider = ?2 AND"
    " instance = ?3 AND currency = ?4 AND gpu = ?5 AND gpu_name = ?6 AND"
    " gpu_count IS ?7 AND gpu_memory_gib IS ?8 AND source = ?9";
static const char MACHINE_ADD[] =
    "INSERT INTO machine (feed, provider, instance, currency, gpu, gpu_name,"
    " gpu_count, gpu_memory_gib, source)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
/* The first five of each: the key. */
static const char QUOTE_PUT[] =
    "INSERT OR REPLACE INTO quote (machine, region, term, payment, day,"
    " price_per_hour, upfront_price, first_seen_day, undated)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
static const char QUOTE_DROP[] =
    "DELETE FROM quote WHERE machine = ?1 AND region = ?2 AND term = ?3"
    " AND payment = ?4 AND day = ?5";
static const char QUOTE_SEEN[] =
    "UPDATE quote SET last_seen_day = ?6, gone_day = ?7 WHERE machine = ?1"
    " AND region = ?2 AND term = ?3 AND payment = ?4 AND day = ?5";
static const char HELD_CLEAR[] = "DELETE FROM held WHERE feed = ?1";
static const char HELD_ADD[] =
    "INSERT OR REPLACE INTO held (feed, provider, instance, region, term,"
    " payment, price_per_hour, upfront_price, first_day, last_day)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
static const char RATE_PUT[] =
    "INSERT INTO rate (currency, day, per_eur, feed) VALUES (?1, ?2, ?3, ?4)"
    " ON CONFLICT (currency, day) DO UPDATE SET per_eur = ?3, feed = ?4"
    " WHERE feed = 'seed' OR ?4 <> 'seed'";

/* -- feeds and generations ------------------------------------------------ */

enum status store_feed_state(struct store *store, const char *feed,
                             struct feed_state *out)
{
    sqlite3_stmt *query = NULL;
    struct feed_state state = { .address = "" };
    enum status status = sql_prepare(store, FEED_STATE, &query);
    int step;

    if (status != GOOD)
        return status;
    sql_text(query, 1, feed);
    step = sqlite3_step(query);
    if (step == SQLITE_ROW) {
#define TEXT(i, member) \
        snprintf(state.member, sizeof state.member, "%s", \
                 sql_column_text(query, i));
        TEXT(0, address) TEXT(1, etag) TEXT(2, last_modified)
        TEXT(3, body_hash) TEXT(4, last_error)
#undef TEXT
        state.last_try = sqlite3_column_int64(query, 5);
        state.last_good = sqlite3_column_int64(query, 6);
        state.next_try = sqlite3_column_int64(query, 7);
        state.retry_after = sqlite3_column_int64(query, 8);
        state.good_day = sqlite3_column_int(query, 9);
        state.failure_count = sqlite3_column_int(query, 10);
        state.offer_count = (long)sqlite3_column_int64(query, 11);
        state.generation = sqlite3_column_int64(query, 12);
        state.changed = sqlite3_column_int64(query, 13);
        snprintf(state.version, sizeof state.version, "%.39s",
                 sql_column_text(query, 14));
        state.held_count = (long)sqlite3_column_int64(query, 15);
        state.refused_count = (long)sqlite3_column_int64(query, 16);
    } else if (step != SQLITE_DONE) {
        status = sql_failed(store, "feed");
    }
    sqlite3_finalize(query);
    if (status == GOOD)
        *out = state;
    return status;
}

/* The feed's number in the store; its row is made or brought up to date. */
static enum status feed_number_of(struct store *store, const struct feed *feed,
                                  long long *out)
{
    sqlite3_stmt *put = NULL, *query = NULL;
    enum status status = sql_prepare(store, FEED_PUT, &put);

    if (status == GOOD) {
        sql_text(put, 1, feed->id);
        sql_text(put, 2, feed->title);
        sql_text(put, 3, feed->address);
        sql_text(put, 4, feed->licence);
        sqlite3_bind_int(put, 5, (int)(feed->kind == FEED_DERIVED
                                       ? FEED_CATALOGUE : feed->kind));
        sqlite3_bind_int(put, 6, feed->cadence_hour);
        sqlite3_bind_int(put, 7, feed->stale_day);
        status = sql_finish(store, put);
    }
    if (status == GOOD)
        status = sql_prepare(store, FEED_NUMBER, &query);
    if (status == GOOD) {
        sql_text(query, 1, feed->id);
        if (sqlite3_step(query) == SQLITE_ROW)
            *out = sqlite3_column_int64(query, 0);
        else
            status = sql_failed(store, "feed");
    }
    sqlite3_finalize(put);
    sqlite3_finalize(query);
    return status;
}

const char *const generation_end_name[] = { "good", "unchanged", "refused",
                                            "failed" };

static enum generation_end end_of(const char *name)
{
    int end = GENERATION_FAILED;

    while (end > GENERATION_GOOD && strcmp(generation_end_name[end], name) != 0)
        end--;
    return (enum generation_end)end;
}

enum status store_generations(struct store *store, const char *feed,
                              struct generation *out, size_t room,
                              size_t *count)
{
    sqlite3_stmt *query = NULL;
    enum status status = sql_prepare(store, GENERATIONS, &query);
    int step = SQLITE_DONE;

    *count = 0;
    if (status == GOOD) {
        sql_text(query, 1, feed);
        sqlite3_bind_int64(query, 2, (sqlite3_int64)room);
        while (*count < room && status == GOOD
               && (step = sqlite3_step(query)) == SQLITE_ROW) {
            struct generation *g = &out[(*count)++];

            *g = (struct generation){
                .started = sqlite3_column_int64(query, 0),
                .finished = sqlite3_column_int64(query, 1),
                .end = end_of(sql_column_text(query, 2)),
                .row_count = (long)sqlite3_column_int64(query, 3),
                .offer_count = (long)sqlite3_column_int64(query, 4),
                .new_count = (long)sqlite3_column_int64(query, 5),
                .changed_count = (long)sqlite3_column_int64(query, 6),
                .gone_count = (long)sqlite3_column_int64(query, 7),
                .held_count = (long)sqlite3_column_int64(query, 8),
                .refused_count = (long)sqlite3_column_int64(query, 9),
            };
            snprintf(g->note, sizeof g->note, "%s",
                     sql_column_text(query, 10));
            status = store_refused_of(store, sqlite3_column_int64(query, 11),
                                      &g->tally);
            step = SQLITE_DONE;
        }
        if (step != SQLITE_DONE)
            status = sql_failed(store, "generations");
    }
    sqlite3_finalize(query);
    return status;
}

static enum status add_generation(struct store *store, long long number,
                                  const struct generation *g, long long *out)
{
    sqlite3_stmt *add = NULL, *prune = NULL;
    enum status status = sql_prepare(store, GENERATION_ADD, &add);

    if (status == GOOD) {
        const long counts[] = { g->row_count, g->offer_count, g->new_count,
                                g->changed_count, g->gone_count,
                                g->held_count, g->refused_count };

        sqlite3_bind_int64(add, 1, number);
        sqlite3_bind_int64(add, 2, g->started);
        sqlite3_bind_int64(add, 3, g->finished);
        sql_text(add, 4, generation_end_name[g->end]);
        for (int i = 0; i < 7; i++)
            sqlite3_bind_int64(add, 5 + i, counts[i]);
        sql_text(add, 12, g->note);
        status = sql_finish(store, add);
        *out = sqlite3_last_insert_rowid(store->db);
    }
    if (status == GOOD)
        status = store_refused_add(store, *out, &g->tally);
    if (status == GOOD)
        status = sql_prepare(store, GENERATION_PRUNE, &prune);
    if (status == GOOD) {
        sqlite3_bind_int64(prune, 1, number);
        sqlite3_bind_int(prune, 2, GENERATIONS_KEPT);
        status = sql_finish(store, prune);
    }
    sqlite3_finalize(add);
    sqlite3_finalize(prune);
    return status;
}

static enum status put_state(struct store *store, long long number,
                             const struct feed_state *state)
{
    sqlite3_stmt *query = NULL;
    enum status status = sql_prepare(store, FEED_RECORD, &query);

    if (status == GOOD) {
        sqlite3_bind_int64(query, 1, number);
        sql_text(query, 2, state->address);
        sql_text(query, 3, state->etag);
        sql_text(query, 4, state->last_modified);
        sql_text(query, 5, state->body_hash);
        sql_text(query, 6, state->last_error);
        sqlite3_bind_int64(query, 7, state->last_try);
        sqlite3_bind_int64(query, 8, state->last_good);
        sqlite3_bind_int64(query, 9, state->next_try);
        sqlite3_bind_int64(query, 10, state->retry_after);
        sqlite3_bind_int(query, 11, state->good_day);
        sqlite3_bind_int(query, 12, state->failure_count);
        sqlite3_bind_int64(query, 13, state->offer_count);
        sqlite3_bind_int64(query, 14, state->generation);
        status = sql_finish(store, query);
    }
    sqlite3_finalize(query);
    return status;
}

enum status store_record(struct store *store, const struct feed *feed,
                         struct feed_state *state,
                         const struct generation *generation)
{
    long long number = 0, id = 0;
    enum status status = feed_number_of(store, feed, &number);

    if (status == GOOD)
        status = add_generation(store, number, generation, &id);
    if (status == GOOD && generation->end == GENERATION_GOOD)
        state->generation = id;
    if (status == GOOD)
        status = put_state(store, number, state);
    if (status == GOOD)
        status = sql_run(store, REVISION_UP);
    return status;
}

/* -- observations --------------------------------------------------------- */

/* Texts of rows read from the store, in blocks that never move. */
struct text_block { struct text_block *next; size_t used, size; };

struct kept_memory {
    struct text_block *block;
    struct stored *stored;
    struct held *held;
    const char *last[8];
};

static const char *keep(struct kept_memory *memory, int member,
                        const char *text)
{
    size_t byte = strlen(text) + 1;
    struct text_block *block = memory->block;
    char *copy;

    if (byte == 1)
        return "";
    if (memory->last[member] && !strcmp(memory->last[member], text))
        return memory->last[member];
    if (!block || block->size - block->used < byte) {
        size_t size = byte > 65536 ? byte : 65536;

        block = malloc(sizeof *block + size);
        if (!block)
            return NULL;
        *block = (struct text_block){ memory->block, 0, size };
        memory->block = block;
    }
    copy = (char *)(block + 1) + block->used;
    memcpy(copy, text, byte);
    block->used += byte;
    memory->last[member] = copy;
    return copy;
}

void store_kept_free(struct store_kept *kept)
{
    struct kept_memory *memory = kept->memory;

    if (!memory)
        return;
    for (struct text_block *block = memory->block, *next; block;
         block = next) {
        next = block->next;
        free(block);
    }
    free(memory->stored);
    free(memory->held);
    free(memory);
    *kept = (struct store_kept){ .memory = NULL };
}

static int read_stored(sqlite3_stmt *query, struct kept_memory *memory,
                       struct stored *out)
{
    struct feed_row *row = &out->row;

    *out = (struct stored){ .id = sqlite3_column_int64(query, 15) };
    row->provider = keep(memory, 0, sql_column_text(query, 0));
    row->instance = keep(memory, 1, sql_column_text(query, 1));
    row->region = keep(memory, 2, sql_column_text(query, 2));
    row->currency = keep(memory, 3, sql_column_text(query, 3));
    row->gpu = keep(memory, 4, sql_column_text(query, 4));
    row->gpu_name = keep(memory, 5, sql_column_text(query, 5));
    row->source = keep(memory, 6, sql_column_text(query, 6));
    row->zone = "";
    row->term = (enum term)sqlite3_column_int(query, 7);
    row->payment = (enum payment)sqlite3_column_int(query, 8);
    row->price_per_hour = sqlite3_column_double(query, 9);
    row->upfront_price = sqlite3_column_double(query, 10);
    row->gpu_count = sql_column_number(query, 11);
    row->gpu_memory_gib = sql_column_number(query, 12);
    row->vcpu_count = row->memory_gib = NAN;
    row->effective_day = sqlite3_column_int(query, 13);
    row->undated = sqlite3_column_int(query, 14);
    out->first_seen_day = sqlite3_column_int(query, 16);
    out->last_seen_day = sqlite3_column_int(query, 17);
    out->gone_day = sqlite3_column_int(query, 18);
    return row->provider && row->instance && row->region && row->currency
           && row->gpu && row->gpu_name && row->source;
}

static int compare_stored(const void *a, const void *b)
{
    return feed_row_compare(&((const struct stored *)a)->row,
                            &((const struct stored *)b)->row);
}

static enum status read_all_stored(struct store *store, sqlite3_stmt *query,
                                   struct kept_memory *memory, size_t *count)
{
    size_t room = 0;
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        struct stored *rows = sql_grow(memory->stored, *count, &room,
                                   sizeof *rows);

        if (!rows)
            return NO_MEMORY;
        memory->stored = rows;
        if (!read_stored(query, memory, &rows[(*count)++]))
            return NO_MEMORY;
    }
    if (*count)
        qsort(memory->stored, *count, sizeof *memory->stored, compare_stored);
    return step == SQLITE_DONE ? GOOD : sql_failed(store, "observations");
}

static enum status read_all_held(struct store *store, sqlite3_stmt *query,
                                 struct kept_memory *memory, size_t *count)
{
    size_t room = 0;
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        int term = sql_word(term_name, TERM_COUNT, sql_column_text(query, 3));
        int payment = sql_word(payment_name, PAYMENT_COUNT,
                                sql_column_text(query, 4));
        struct held *rows = sql_grow(memory->held, *count, &room, sizeof *rows);

        if (!rows)
            return NO_MEMORY;
        memory->held = rows;
        if (term < 0 || payment < 0)
            continue;
        rows[*count] = (struct held){
            keep(memory, 0, sql_column_text(query, 0)),
            keep(memory, 1, sql_column_text(query, 1)),
            keep(memory, 2, sql_column_text(query, 2)),
            (enum term)term, (enum payment)payment,
            sqlite3_column_double(query, 5), sqlite3_column_double(query, 6),
            sqlite3_column_int(query, 7),
        };
        if (!rows[*count].provider || !rows[*count].instance
            || !rows[*count].region)
            return NO_MEMORY;
        (*count)++;
    }
    return step == SQLITE_DONE ? GOOD : sql_failed(store, "held prices");
}

enum status store_kept(struct store *store, const char *feed,
                       struct store_kept *out)
{
    struct kept_memory *memory = calloc(1, sizeof *memory);
    struct store_kept kept = { .memory = memory };
    sqlite3_stmt *query = NULL, *held = NULL;
    enum status status;

    if (!memory)
        return NO_MEMORY;
    status = sql_prepare(store, KEPT, &query);
    if (status == GOOD) {
        sql_text(query, 1, feed);
        status = read_all_stored(store, query, memory, &kept.kept.count);
    }
    if (status == GOOD)
        status = sql_prepare(store, HELD, &held);
    if (status == GOOD) {
        sql_text(held, 1, feed);
        status = read_all_held(store, held, memory, &kept.kept.held_count);
    }
    sqlite3_finalize(query);
    sqlite3_finalize(held);
    if (status != GOOD) {
        store_kept_free(&kept);
        return status;
    }
    kept.kept.stored = memory->stored;
    kept.kept.held = memory->held;
    *out = kept;
    return GOOD;
}

/* The statements of one store_apply, prepared once. */
struct writer {
    struct store *store;
    long long feed, machine;
    const struct feed_row *last; /* the row `machine` was found for */
    int day, was_day;
    sqlite3_stmt *find, *add, *put, *drop, *seen, *hold;
};

static int same_facts(const struct feed_row *a, const struct feed_row *b)
{
    return !strcmp(a->provider, b->provider)
           && !strcmp(a->instance, b->instance)
           && !strcmp(a->currency, b->currency) && !strcmp(a->gpu, b->gpu)
           && !strcmp(a->gpu_name, b->gpu_name)
           && !strcmp(a->source, b->source)
           && !(a->gpu_count < b->gpu_count || a->gpu_count > b->gpu_count)
           && isnan(a->gpu_count) == isnan(b->gpu_count)
           && !(a->gpu_memory_gib < b->gpu_memory_gib
                || a->gpu_memory_gib > b->gpu_memory_gib)
           && isnan(a->gpu_memory_gib) == isnan(b->gpu_memory_gib);
}

/* The machine of the row; made when the store has none with these facts. */
static enum status find_machine(struct writer *w, const struct feed_row *row)
{
    sqlite3_stmt *const both[] = { w->find, w->add };
    enum status status = GOOD;
    int step;

    if (w->last && same_facts(w->last, row))
        return GOOD;
    for (int i = 0; i < 2; i++) {
        sqlite3_bind_int64(both[i], 1, w->feed);
        sql_text(both[i], 2, row->provider);
        sql_text(both[i], 3, row->instance);
        sql_text(both[i], 4, row->currency);
        sql_text(both[i], 5, row->gpu);
        sql_text(both[i], 6, row->gpu_name);
        sql_number(both[i], 7, row->gpu_count);
        sql_number(both[i], 8, row->gpu_memory_gib);
        sql_text(both[i], 9, row->source);
    }
    step = sqlite3_step(w->find);
    if (step == SQLITE_ROW)
        w->machine = sqlite3_column_int64(w->find, 0);
    else if (step != SQLITE_DONE)
        status = sql_failed(w->store, "store");
    sqlite3_reset(w->find);
    if (step == SQLITE_DONE) {
        status = sql_finish(w->store, w->add);
        w->machine = sqlite3_last_insert_rowid(w->store->db);
    }
    w->last = status == GOOD ? row : NULL;
    return status;
}

/* The key of a quote. */
static void bind_key(sqlite3_stmt *query, long long machine,
                     const struct feed_row *row, int day)
{
    sqlite3_bind_int64(query, 1, machine);
    sql_text(query, 2, row->region);
    sqlite3_bind_int(query, 3, (int)row->term);
    sqlite3_bind_int(query, 4, (int)row->payment);
    sqlite3_bind_int(query, 5, day);
}

/* A day, or NULL for 0. */
static void bind_day(sqlite3_stmt *query, int i, int day)
{
    if (day)
        sqlite3_bind_int(query, i, day);
    else
        sqlite3_bind_null(query, i);
}

/* first_seen_day 0: the day itself, of a feed without dates. */
static enum status write_quote(struct writer *w, const struct feed_row *row,
                               int day, int first_seen_day)
{
    sqlite3_stmt *put = w->put;
    enum status status = find_machine(w, row);

    if (status != GOOD)
        return status;
    bind_key(put, w->machine, row, day);
    sqlite3_bind_double(put, 6, row->price_per_hour);
    sql_number(put, 7, row->upfront_price > 0 || row->upfront_price < 0
                ? row->upfront_price : (double)NAN);
    bind_day(put, 8, first_seen_day);
    bind_day(put, 9, row->undated);
    return sql_finish(w->store, put);
}

static enum status write_new(struct writer *w, const struct feed_row *row)
{
    return write_quote(w, row,
                       row->effective_day ? row->effective_day : w->day,
                       row->effective_day ? w->day : 0);
}

/* The new row in place of the old one, for the same day. Other facts make it
   an offer of another machine. */
static enum status write_over(struct writer *w, const struct feed_row *row,
                              const struct stored *old)
{
    enum status status;

    bind_key(w->drop, old->id, &old->row, old->row.effective_day);
    status = sql_finish(w->store, w->drop);
    return status == GOOD ? write_quote(w, row, old->row.effective_day,
                                        old->first_seen_day) : status;
}

/* When the old observation was last seen: `day` (0: it still is) unless that
   is known already. */
static enum status write_seen(struct writer *w, const struct stored *old,
                              int day, int gone_day)
{
    if (old->last_seen_day && day)
        day = old->last_seen_day;
    if (day == old->last_seen_day && gone_day == old->gone_day)
        return GOOD;
    bind_key(w->seen, old->id, &old->row, old->row.effective_day);
    bind_day(w->seen, 6, day);
    bind_day(w->seen, 7, gone_day);
    return sql_finish(w->store, w->seen);
}

static enum status write_held(struct writer *w, const struct change *change)
{
    const struct feed_row *row = change->row;
    sqlite3_stmt *hold = w->hold;

    sqlite3_bind_int64(hold, 1, w->feed);
    sql_text(hold, 2, row->provider);
    sql_text(hold, 3, row->instance);
    sql_text(hold, 4, row->region);
    sql_text(hold, 5, term_name[row->term]);
    sql_text(hold, 6, payment_name[row->payment]);
    sqlite3_bind_double(hold, 7, row->price_per_hour);
    sqlite3_bind_double(hold, 8, row->upfront_price);
    sqlite3_bind_int(hold, 9, change->held_day);
    sqlite3_bind_int(hold, 10, w->day);
    return sql_finish(w->store, hold);
}

static enum status write_change(struct writer *w, const struct change *change)
{
    const struct stored *old = change->old;
    enum status status;

    switch (change->kind) {
    case CHANGE_NONE:
        return write_seen(w, old, 0, 0);
    case CHANGE_DETAIL:
    case CHANGE_CORRECTED:
    case CHANGE_BACK:
        return write_over(w, change->row, old);
    case CHANGE_NEW:
        return write_new(w, change->row);
    case CHANGE_PRICE:
        status = write_seen(w, old, w->was_day, old->gone_day);
        return status == GOOD ? write_new(w, change->row) : status;
    case CHANGE_HELD:
        status = old ? write_seen(w, old, w->was_day, old->gone_day) : GOOD;
        return status == GOOD ? write_held(w, change) : status;
    case CHANGE_KEPT:
        return write_seen(w, old, w->was_day, old->gone_day);
    case CHANGE_GONE:
        return write_seen(w, old, w->was_day, w->day);
    case CHANGE_KIND_COUNT:
        break;
    }
    return STORE_FAILED;
}

static enum status clear_held(struct store *store, long long feed)
{
    sqlite3_stmt *query = NULL;
    enum status status = sql_prepare(store, HELD_CLEAR, &query);

    if (status == GOOD) {
        sqlite3_bind_int64(query, 1, feed);
        status = sql_finish(store, query);
    }
    sqlite3_finalize(query);
    return status;
}

enum status store_apply(struct store *store, const struct feed *feed,
                        const struct change *change, size_t count, int day,
                        int was_day)
{
    struct writer w = { .store = store, .day = day,
                        .was_day = was_day ? was_day : day };
    const struct { const char *sql; sqlite3_stmt **query; } use[] = {
        { MACHINE_FIND, &w.find }, { MACHINE_ADD, &w.add },
        { QUOTE_PUT, &w.put }, { QUOTE_DROP, &w.drop },
        { QUOTE_SEEN, &w.seen }, { HELD_ADD, &w.hold },
    };
    enum status status = feed_number_of(store, feed, &w.feed);

    if (status == GOOD)
        status = clear_held(store, w.feed);
    for (size_t i = 0; i < sizeof use / sizeof *use && status == GOOD; i++)
        status = sql_prepare(store, use[i].sql, use[i].query);
    for (size_t i = 0; i < count && status == GOOD; i++)
        status = write_change(&w, &change[i]);
    for (size_t i = 0; i < sizeof use / sizeof *use; i++)
        sqlite3_finalize(*use[i].query);
    return status;
}

enum status store_rates(struct store *store, const char *feed,
                        const struct rate *rate, size_t count)
{
    sqlite3_stmt *query = NULL;
    enum status status = sql_prepare(store, RATE_PUT, &query);

    for (size_t i = 0; i < count && status == GOOD; i++) {
        sql_text(query, 1, rate[i].currency);
        sqlite3_bind_int(query, 2, rate[i].day);
        sqlite3_bind_double(query, 3, rate[i].per_eur);
        sql_text(query, 4, feed);
        status = sql_finish(store, query);
    }
    sqlite3_finalize(query);
    return status;
}
