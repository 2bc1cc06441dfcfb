/* store_sqlite.c: the store of store.h in one SQLite file. Policy lives
   elsewhere (accept.c); here are the schema, transactions and the fast way
   from rows to a table in memory. */
#define _XOPEN_SOURCE 700 /* realpath, which glibc keeps from plain POSIX */
#include "pricing/store.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "pricing/apply.h"

/* The SQL, one constant a statement. */

enum { SCHEMA_VERSION = 1, APPLICATION_ID = 0x67707563 /* "gpuc" */,
       GENERATIONS_KEPT = 30, BUSY_MS = 10000, HEAP_BYTE = 192 << 20 };

static const char SCHEMA[] =
    "CREATE TABLE feed ("
    " number INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 23),"
    " title TEXT NOT NULL, address TEXT NOT NULL, licence TEXT NOT NULL,"
    " kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),"
    " cadence_hour INTEGER NOT NULL, stale_day INTEGER NOT NULL,"
    " used_address TEXT NOT NULL DEFAULT '', etag TEXT NOT NULL DEFAULT '',"
    " last_modified TEXT NOT NULL DEFAULT '',"
    " body_hash TEXT NOT NULL DEFAULT '',"
    " last_error TEXT NOT NULL DEFAULT '',"
    " last_try INTEGER NOT NULL DEFAULT 0,"
    " last_good INTEGER NOT NULL DEFAULT 0,"
    " next_try INTEGER NOT NULL DEFAULT 0,"
    " retry_after INTEGER NOT NULL DEFAULT 0,"
    " good_day INTEGER NOT NULL DEFAULT 0,"
    " failure_count INTEGER NOT NULL DEFAULT 0,"
    " offer_count INTEGER NOT NULL DEFAULT 0,"
    " generation INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE TABLE generation ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " feed INTEGER NOT NULL REFERENCES feed (number),"
    " started INTEGER NOT NULL, finished INTEGER NOT NULL,"
    " state TEXT NOT NULL"
    "  CHECK (state IN ('good', 'unchanged', 'refused', 'failed')),"
    " row_count INTEGER NOT NULL, offer_count INTEGER NOT NULL,"
    " new_count INTEGER NOT NULL, changed_count INTEGER NOT NULL,"
    " gone_count INTEGER NOT NULL, held_count INTEGER NOT NULL,"
    " refused_count INTEGER NOT NULL, note TEXT NOT NULL) STRICT;"
    "CREATE INDEX generation_feed ON generation (feed, id);"
    /* What is rented under one name, as one feed describes it. */
    "CREATE TABLE machine ("
    " id INTEGER PRIMARY KEY,"
    " feed INTEGER NOT NULL REFERENCES feed (number),"
    " provider TEXT NOT NULL CHECK (provider <> ''),"
    " instance TEXT NOT NULL CHECK (instance <> ''),"
    " currency TEXT NOT NULL CHECK (length(currency) = 3),"
    " gpu TEXT NOT NULL, gpu_name TEXT NOT NULL,"
    " gpu_count REAL CHECK (gpu_count > 0),"
    " gpu_memory_gib REAL CHECK (gpu_memory_gib > 0),"
    " source TEXT NOT NULL) STRICT;"
    "CREATE INDEX machine_name ON machine (feed, provider, instance);"
    "CREATE TABLE offer ("
    " id INTEGER PRIMARY KEY,"
    " machine INTEGER NOT NULL REFERENCES machine (id),"
    " region TEXT NOT NULL CHECK (region <> ''),"
    " term TEXT NOT NULL CHECK (term IN ('on_demand', 'spot',"
    "  'capacity_block', 'reserved_1y', 'reserved_3y', 'savings_1y',"
    "  'savings_3y', 'unspecified')),"
    " payment TEXT NOT NULL CHECK (payment IN ('no_upfront',"
    "  'partial_upfront', 'all_upfront')),"
    " UNIQUE (machine, region, term, payment)) STRICT;"
    /* A price from `day` on. first_seen_day NULL: the feed has no dates, day
       is when the price was first seen. last_seen_day NULL: still in the
       feed, seen on its good_day. gone_day NULL: not gone. Few columns, as
       spot prices come daily and all are read at every load. */
    "CREATE TABLE quote ("
    " offer INTEGER NOT NULL REFERENCES offer (id),"
    " day INTEGER NOT NULL CHECK (day BETWEEN 19700101 AND 99991231),"
    " price_per_hour REAL NOT NULL"
    "  CHECK (price_per_hour > 0 AND price_per_hour < 1e6),"
    " upfront_price REAL CHECK (upfront_price > 0 AND upfront_price < 1e8),"
    " first_seen_day INTEGER, last_seen_day INTEGER, gone_day INTEGER,"
    " undated INTEGER CHECK (undated = 1),"
    " PRIMARY KEY (offer, day)) STRICT, WITHOUT ROWID;"
    /* For people; the program itself reads no view. */
    "CREATE VIEW observation AS SELECT f.id AS feed, m.provider, m.instance,"
    " o.region, o.term, o.payment, m.currency, m.gpu_name, m.gpu, m.gpu_count,"
    " m.gpu_memory_gib, q.price_per_hour,"
    " coalesce(q.upfront_price, 0) AS upfront_price, q.day,"
    " iif(q.first_seen_day IS NULL, NULL, q.day) AS effective_day,"
    " coalesce(q.first_seen_day, q.day) AS first_seen_day,"
    " coalesce(q.last_seen_day, f.good_day) AS last_seen_day, q.gone_day,"
    " iif(m.source = '', f.address, m.source) AS source"
    " FROM quote q JOIN offer o ON o.id = q.offer"
    " JOIN machine m ON m.id = o.machine JOIN feed f ON f.number = m.feed;"
    "CREATE TABLE held ("
    " feed INTEGER NOT NULL REFERENCES feed (number),"
    " provider TEXT NOT NULL, instance TEXT NOT NULL, region TEXT NOT NULL,"
    " term TEXT NOT NULL, payment TEXT NOT NULL,"
    " price_per_hour REAL NOT NULL CHECK (price_per_hour > 0),"
    " upfront_price REAL NOT NULL, first_day INTEGER NOT NULL,"
    " last_day INTEGER NOT NULL,"
    " PRIMARY KEY (feed, provider, instance, region, term, payment)) STRICT;"
    "CREATE TABLE rate ("
    " currency TEXT NOT NULL CHECK (length(currency) = 3),"
    " day INTEGER NOT NULL CHECK (day BETWEEN 19700101 AND 99991231),"
    " per_eur REAL NOT NULL CHECK (per_eur > 0 AND per_eur < 1e12),"
    " feed TEXT NOT NULL,"
    " PRIMARY KEY (currency, day)) STRICT, WITHOUT ROWID;"
    /* revision: goes up with every commit that a reader can see */
    "CREATE TABLE meta (revision INTEGER NOT NULL) STRICT;"
    "INSERT INTO meta VALUES (1);";

static const char FEED_STATE[] =
    "SELECT used_address, etag, last_modified, body_hash, last_error,"
    " last_try, last_good, next_try, retry_after, good_day, failure_count,"
    " offer_count, generation FROM feed WHERE id = ?1";
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
    " generation WHERE feed = ?1 ORDER BY id DESC LIMIT ?2)";
static const char REVISION_UP[] = "UPDATE meta SET revision = revision + 1";
static const char REVISION[] = "SELECT revision FROM meta";
static const char KEPT[] =
    "SELECT m.provider, m.instance, o.region, m.currency, m.gpu, m.gpu_name,"
    " m.source, o.term, o.payment, q.price_per_hour, q.upfront_price,"
    " m.gpu_count, m.gpu_memory_gib, q.day, q.undated, o.id,"
    " q.first_seen_day, q.last_seen_day, q.gone_day"
    " FROM feed f JOIN machine m ON m.feed = f.number"
    " JOIN offer o ON o.machine = m.id JOIN quote q ON q.offer = o.id"
    " WHERE f.id = ?1";
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
static const char OFFER_FIND[] =
    "SELECT id FROM offer WHERE machine = ?1 AND region = ?2 AND term = ?3"
    " AND payment = ?4";
static const char OFFER_ADD[] =
    "INSERT INTO offer (machine, region, term, payment)"
    " VALUES (?1, ?2, ?3, ?4)";
static const char QUOTE_PUT[] =
    "INSERT OR REPLACE INTO quote (offer, day, price_per_hour, upfront_price,"
    " first_seen_day, undated) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
static const char QUOTE_DROP[] =
    "DELETE FROM quote WHERE offer = ?1 AND day = ?2";
static const char QUOTE_SEEN[] =
    "UPDATE quote SET last_seen_day = ?3, gone_day = ?4"
    " WHERE offer = ?1 AND day = ?2";
static const char HELD_CLEAR[] = "DELETE FROM held WHERE feed = ?1";
static const char HELD_ADD[] =
    "INSERT OR REPLACE INTO held (feed, provider, instance, region, term,"
    " payment, price_per_hour, upfront_price, first_day, last_day)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
static const char RATE_PUT[] =
    "INSERT INTO rate (currency, day, per_eur, feed) VALUES (?1, ?2, ?3, ?4)"
    " ON CONFLICT (currency, day) DO UPDATE SET per_eur = ?3, feed = ?4"
    " WHERE feed = 'seed' OR ?4 <> 'seed'";
static const char LOAD_FEEDS[] =
    "SELECT number, id, title, address, licence, kind, good_day, stale_day"
    " FROM feed WHERE kind < 3 ORDER BY kind, id";
static const char LOAD_MACHINES[] =
    "SELECT id, feed, provider, instance, currency, gpu, gpu_count, source"
    " FROM machine ORDER BY id";
static const char LOAD_OFFERS[] =
    "SELECT id, machine, region, term, payment FROM offer ORDER BY id";
static const char LOAD_QUOTES[] =
    "SELECT offer, day, price_per_hour, upfront_price, first_seen_day,"
    " last_seen_day, gone_day FROM quote ORDER BY offer, day";
static const char LOAD_RATES[] =
    "SELECT currency, day, per_eur FROM rate ORDER BY currency, day";

struct store {
    sqlite3 *db;
    sqlite3_stmt *version;
    long seen, count;           /* data_version last seen; changes counted */
    char why[300];
};

const char *store_why(const struct store *store)
{
    return store->why;
}

static enum status failed(struct store *store, const char *step)
{
    int code = sqlite3_errcode(store->db);

    snprintf(store->why, sizeof store->why, "%s: %s", step,
             sqlite3_errmsg(store->db));
    return code == SQLITE_NOMEM ? NO_MEMORY : STORE_FAILED;
}

static enum status run(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
        ? GOOD : failed(store, "store");
}

/* -- opening -------------------------------------------------------------- */

/* reliability 7.5 */
static int harden(sqlite3 *db)
{
    static const int off[] = {
        SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
        SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML,
    };
    static const struct { int id, value; } limit[] = {
        { SQLITE_LIMIT_LENGTH, 1000000 }, { SQLITE_LIMIT_SQL_LENGTH, 100000 },
        { SQLITE_LIMIT_COLUMN, 100 }, { SQLITE_LIMIT_EXPR_DEPTH, 20 },
        { SQLITE_LIMIT_COMPOUND_SELECT, 3 }, { SQLITE_LIMIT_VDBE_OP, 25000 },
        { SQLITE_LIMIT_FUNCTION_ARG, 8 }, { SQLITE_LIMIT_ATTACHED, 0 },
        { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50 },
        { SQLITE_LIMIT_VARIABLE_NUMBER, 20 },
        { SQLITE_LIMIT_TRIGGER_DEPTH, 10 },
    };

    int keep = 1;

    sqlite3_hard_heap_limit64(HEAP_BYTE);
    /* readers without write access need the -wal and -shm files to stay */
    sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
    if (sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK)
        return 0;
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (sqlite3_db_config(db, off[i], 0, NULL) != SQLITE_OK)
            return 0;
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++)
        sqlite3_limit(db, limit[i].id, limit[i].value);
    return sqlite3_exec(db, "PRAGMA cell_size_check = ON;"
                        " PRAGMA mmap_size = 0; PRAGMA foreign_keys = ON;",
                        NULL, NULL, NULL) == SQLITE_OK
           && sqlite3_busy_timeout(db, BUSY_MS) == SQLITE_OK;
}

/* One number a query gives; -1 when it gives none. */
static long long ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *query = NULL;
    long long value = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK
        && sqlite3_step(query) == SQLITE_ROW)
        value = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return value;
}

/* A writer's pragmas, and the schema when the file is new. *fresh: it was. */
static enum status prepare_write(struct store *store, int *fresh)
{
    enum status status = run(store,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "PRAGMA journal_size_limit = 8388608; PRAGMA wal_autocheckpoint = 500");

    if (status != GOOD)
        return status;
    status = run(store, "BEGIN IMMEDIATE");
    if (status == GOOD && ask(store->db, "PRAGMA user_version") == 0) {
        char sql[80];

        *fresh = 1;
        snprintf(sql, sizeof sql, "PRAGMA user_version = %d;"
                 " PRAGMA application_id = %d;", SCHEMA_VERSION,
                 APPLICATION_ID);
        status = run(store, SCHEMA);
        if (status == GOOD)
            status = run(store, sql);
    }
    return status == GOOD ? run(store, "COMMIT") : status;
}

static enum status look(struct store *store, enum store_mode mode, int *fresh)
{
    long long version;
    enum status status = GOOD;

    if (mode == STORE_WRITE)
        status = prepare_write(store, fresh);
    if (status != GOOD)
        return status;
    version = ask(store->db, "PRAGMA user_version");
    if (version == 0) {
        snprintf(store->why, sizeof store->why, "the store is empty");
        return STORE_MISSING;
    }
    if (version < 0)
        return failed(store, "not a store");
    if (version > SCHEMA_VERSION) {
        snprintf(store->why, sizeof store->why,
                 "the store was made by a newer version");
        return STORE_FAILED;
    }
    if (mode == STORE_WRITE && !*fresh
        && ask(store->db, "SELECT quick_check = 'ok' FROM"
               " pragma_quick_check(1)") != 1) {
        snprintf(store->why, sizeof store->why, "the store is damaged");
        return STORE_FAILED;
    }
    if (sqlite3_prepare_v3(store->db, "PRAGMA data_version", -1,
                           SQLITE_PREPARE_PERSISTENT, &store->version, NULL)
        != SQLITE_OK)
        return failed(store, "store");
    return GOOD;
}

/* The name with its folder resolved, so that a link on the way is no reason
   to refuse while a link in place of the file is. */
static int real_name(const char *where, char out[PATH_MAX])
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(where, '/');
    const char *base = slash ? slash + 1 : where;
    size_t byte = slash ? (size_t)(slash - where) : 0;

    if (!*base || byte >= sizeof folder)
        return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)byte, where);
    if (!realpath(!slash ? "." : byte ? folder : "/", real))
        return 0;
    return snprintf(out, PATH_MAX, "%s/%s", real[1] ? real : "", base)
           < PATH_MAX;
}

static enum status open_file(struct store *store, const char *where,
                             enum store_mode mode, int *fresh)
{
    char name[PATH_MAX];
    /* one connection is never shared between threads (store.h) */
    int flags = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE
                | SQLITE_OPEN_NOMUTEX;

    if (!strncmp(where, "postgres", 8) && strstr(where, "://")) {
        snprintf(store->why, sizeof store->why,
                 "this build keeps prices in a file only");
        return STORE_FAILED;
    }
    if (!real_name(where, name)) {
        snprintf(store->why, sizeof store->why, "the store's folder: %s",
                 strerror(errno));
        return mode == STORE_READ && errno == ENOENT ? STORE_MISSING
                                                     : STORE_FAILED;
    }
    if (mode == STORE_READ && access(name, F_OK)) {
        snprintf(store->why, sizeof store->why, "there is no store yet");
        return STORE_MISSING;
    }
    flags |= mode == STORE_READ ? SQLITE_OPEN_READONLY
                                : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(name, &store->db, flags, NULL) != SQLITE_OK)
        return store->db ? failed(store, "opening the store") : NO_MEMORY;
    if (!harden(store->db))
        return failed(store, "setting up the store");
    return look(store, mode, fresh);
}

enum status store_open(const char *where, enum store_mode mode,
                       struct store **out, char *why, size_t why_byte)
{
    struct store *store = calloc(1, sizeof *store);
    int fresh = 0;
    enum status status;

    if (!store) {
        snprintf(why, why_byte, "out of memory");
        return NO_MEMORY;
    }
    status = open_file(store, where, mode, &fresh);
    if (status == GOOD && fresh)
        status = apply_seed(store);
    if (status != GOOD) {
        snprintf(why, why_byte, "%s", store->why);
        store_close(store);
        return status;
    }
    *out = store;
    return GOOD;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->version);
    sqlite3_close(store->db);
    free(store);
}

enum status store_version(struct store *store, long *version)
{
    long now;
    int step = sqlite3_step(store->version);

    if (step != SQLITE_ROW) {
        sqlite3_reset(store->version);
        return failed(store, "version");
    }
    now = (long)sqlite3_column_int64(store->version, 0);
    sqlite3_reset(store->version);
    if (now != store->seen)
        store->count++;
    store->seen = now;
    *version = store->count;
    return GOOD;
}

/* -- transactions --------------------------------------------------------- */

enum status store_begin(struct store *store)
{
    return run(store, "BEGIN IMMEDIATE");
}

enum status store_commit(struct store *store)
{
    enum status status = run(store, "COMMIT");

    if (status == GOOD)
        store->count++; /* data_version does not tell of one's own */
    return status;
}

void store_rollback(struct store *store)
{
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* -- statements ----------------------------------------------------------- */

static enum status prepare(struct store *store, const char *sql,
                           sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(store->db, sql, -1, out, NULL) == SQLITE_OK
        ? GOOD : failed(store, "store");
}

static void bind_text(sqlite3_stmt *query, int i, const char *text)
{
    sqlite3_bind_text(query, i, text, -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *query, int i, double value)
{
    if (isnan(value))
        sqlite3_bind_null(query, i);
    else
        sqlite3_bind_double(query, i, value);
}

/* Runs a statement that gives no rows and makes it ready again. */
static enum status finish(struct store *store, sqlite3_stmt *query)
{
    int step = sqlite3_step(query);
    enum status status = step == SQLITE_DONE ? GOOD : failed(store, "store");

    sqlite3_reset(query);
    sqlite3_clear_bindings(query);
    return status;
}

static const char *column_text(sqlite3_stmt *query, int i)
{
    const unsigned char *text = sqlite3_column_text(query, i);

    return text ? (const char *)text : "";
}

static double column_number(sqlite3_stmt *query, int i)
{
    return sqlite3_column_type(query, i) == SQLITE_NULL
        ? (double)NAN : sqlite3_column_double(query, i);
}

static int word_find(const char *const *names, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], word))
            return i;
    return -1;
}

/* -- feeds and generations ------------------------------------------------ */

enum status store_feed_state(struct store *store, const char *feed,
                             struct feed_state *out)
{
    sqlite3_stmt *query = NULL;
    struct feed_state state = { .address = "" };
    enum status status = prepare(store, FEED_STATE, &query);
    int step;

    if (status != GOOD)
        return status;
    bind_text(query, 1, feed);
    step = sqlite3_step(query);
    if (step == SQLITE_ROW) {
#define TEXT(i, member) \
        snprintf(state.member, sizeof state.member, "%s", column_text(query, i));
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
    } else if (step != SQLITE_DONE) {
        status = failed(store, "feed");
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
    enum status status = prepare(store, FEED_PUT, &put);

    if (status == GOOD) {
        bind_text(put, 1, feed->id);
        bind_text(put, 2, feed->title);
        bind_text(put, 3, feed->address);
        bind_text(put, 4, feed->licence);
        sqlite3_bind_int(put, 5, (int)feed->kind);
        sqlite3_bind_int(put, 6, feed->cadence_hour);
        sqlite3_bind_int(put, 7, feed->stale_day);
        status = finish(store, put);
    }
    if (status == GOOD)
        status = prepare(store, FEED_NUMBER, &query);
    if (status == GOOD) {
        bind_text(query, 1, feed->id);
        if (sqlite3_step(query) == SQLITE_ROW)
            *out = sqlite3_column_int64(query, 0);
        else
            status = failed(store, "feed");
    }
    sqlite3_finalize(put);
    sqlite3_finalize(query);
    return status;
}

static enum status add_generation(struct store *store, long long number,
                                  const struct generation *g, long long *out)
{
    static const char *const state_name[] = { "good", "unchanged", "refused",
                                              "failed" };
    sqlite3_stmt *add = NULL, *prune = NULL;
    enum status status = prepare(store, GENERATION_ADD, &add);

    if (status == GOOD) {
        const long counts[] = { g->row_count, g->offer_count, g->new_count,
                                g->changed_count, g->gone_count,
                                g->held_count, g->refused_count };

        sqlite3_bind_int64(add, 1, number);
        sqlite3_bind_int64(add, 2, g->started);
        sqlite3_bind_int64(add, 3, g->finished);
        bind_text(add, 4, state_name[g->end]);
        for (int i = 0; i < 7; i++)
            sqlite3_bind_int64(add, 5 + i, counts[i]);
        bind_text(add, 12, g->note);
        status = finish(store, add);
        *out = sqlite3_last_insert_rowid(store->db);
    }
    if (status == GOOD)
        status = prepare(store, GENERATION_PRUNE, &prune);
    if (status == GOOD) {
        sqlite3_bind_int64(prune, 1, number);
        sqlite3_bind_int(prune, 2, GENERATIONS_KEPT);
        status = finish(store, prune);
    }
    sqlite3_finalize(add);
    sqlite3_finalize(prune);
    return status;
}

static enum status put_state(struct store *store, long long number,
                             const struct feed_state *state)
{
    sqlite3_stmt *query = NULL;
    enum status status = prepare(store, FEED_RECORD, &query);

    if (status == GOOD) {
        sqlite3_bind_int64(query, 1, number);
        bind_text(query, 2, state->address);
        bind_text(query, 3, state->etag);
        bind_text(query, 4, state->last_modified);
        bind_text(query, 5, state->body_hash);
        bind_text(query, 6, state->last_error);
        sqlite3_bind_int64(query, 7, state->last_try);
        sqlite3_bind_int64(query, 8, state->last_good);
        sqlite3_bind_int64(query, 9, state->next_try);
        sqlite3_bind_int64(query, 10, state->retry_after);
        sqlite3_bind_int(query, 11, state->good_day);
        sqlite3_bind_int(query, 12, state->failure_count);
        sqlite3_bind_int64(query, 13, state->offer_count);
        sqlite3_bind_int64(query, 14, state->generation);
        status = finish(store, query);
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
        status = run(store, REVISION_UP);
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

/* Makes room for one more; NULL: no memory, and the old stays. */
static void *grow(void *rows, size_t count, size_t *room, size_t size)
{
    size_t more = *room ? *room * 2 : 256;

    if (count < *room)
        return rows;
    rows = realloc(rows, more * size);
    if (rows)
        *room = more;
    return rows;
}

static int read_stored(sqlite3_stmt *query, struct kept_memory *memory,
                       struct stored *out)
{
    struct feed_row *row = &out->row;
    int term = word_find(term_name, TERM_COUNT, column_text(query, 7));
    int payment = word_find(payment_name, PAYMENT_COUNT,
                            column_text(query, 8));

    *out = (struct stored){ .id = sqlite3_column_int64(query, 15) };
    row->provider = keep(memory, 0, column_text(query, 0));
    row->instance = keep(memory, 1, column_text(query, 1));
    row->region = keep(memory, 2, column_text(query, 2));
    row->currency = keep(memory, 3, column_text(query, 3));
    row->gpu = keep(memory, 4, column_text(query, 4));
    row->gpu_name = keep(memory, 5, column_text(query, 5));
    row->source = keep(memory, 6, column_text(query, 6));
    row->zone = "";
    row->term = term < 0 ? TERM_UNSPECIFIED : (enum term)term;
    row->payment = payment < 0 ? PAYMENT_NO_UPFRONT : (enum payment)payment;
    row->price_per_hour = sqlite3_column_double(query, 9);
    row->upfront_price = sqlite3_column_double(query, 10);
    row->gpu_count = column_number(query, 11);
    row->gpu_memory_gib = column_number(query, 12);
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
        struct stored *rows = grow(memory->stored, *count, &room,
                                   sizeof *rows);

        if (!rows)
            return NO_MEMORY;
        memory->stored = rows;
        if (!read_stored(query, memory, &rows[(*count)++]))
            return NO_MEMORY;
    }
    if (*count)
        qsort(memory->stored, *count, sizeof *memory->stored, compare_stored);
    return step == SQLITE_DONE ? GOOD : failed(store, "observations");
}

static enum status read_all_held(struct store *store, sqlite3_stmt *query,
                                 struct kept_memory *memory, size_t *count)
{
    size_t room = 0;
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        int term = word_find(term_name, TERM_COUNT, column_text(query, 3));
        int payment = word_find(payment_name, PAYMENT_COUNT,
                                column_text(query, 4));
        struct held *rows = grow(memory->held, *count, &room, sizeof *rows);

        if (!rows)
            return NO_MEMORY;
        memory->held = rows;
        if (term < 0 || payment < 0)
            continue;
        rows[*count] = (struct held){
            keep(memory, 0, column_text(query, 0)),
            keep(memory, 1, column_text(query, 1)),
            keep(memory, 2, column_text(query, 2)),
            (enum term)term, (enum payment)payment,
            sqlite3_column_double(query, 5), sqlite3_column_double(query, 6),
            sqlite3_column_int(query, 7),
        };
        if (!rows[*count].provider || !rows[*count].instance
            || !rows[*count].region)
            return NO_MEMORY;
        (*count)++;
    }
    return step == SQLITE_DONE ? GOOD : failed(store, "held prices");
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
    status = prepare(store, KEPT, &query);
    if (status == GOOD) {
        bind_text(query, 1, feed);
        status = read_all_stored(store, query, memory, &kept.kept.count);
    }
    if (status == GOOD)
        status = prepare(store, HELD, &held);
    if (status == GOOD) {
        bind_text(held, 1, feed);
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
    sqlite3_stmt *machine_find, *machine_add, *offer_find, *offer_add, *put,
                 *drop, *seen, *hold;
};

/* The one number `find` gives or, when it gives none, the row `add` makes;
   both are bound alike. */
static enum status find_or_add(struct store *store, sqlite3_stmt *find,
                               sqlite3_stmt *add, long long *out)
{
    int step = sqlite3_step(find);
    enum status status = GOOD;

    if (step == SQLITE_ROW)
        *out = sqlite3_column_int64(find, 0);
    else if (step != SQLITE_DONE)
        status = failed(store, "store");
    sqlite3_reset(find);
    if (step == SQLITE_DONE) {
        status = finish(store, add);
        *out = sqlite3_last_insert_rowid(store->db);
    }
    return status;
}

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

static enum status find_machine(struct writer *w, const struct feed_row *row)
{
    sqlite3_stmt *const both[] = { w->machine_find, w->machine_add };
    enum status status;

    if (w->last && same_facts(w->last, row))
        return GOOD;
    for (int i = 0; i < 2; i++) {
        sqlite3_bind_int64(both[i], 1, w->feed);
        bind_text(both[i], 2, row->provider);
        bind_text(both[i], 3, row->instance);
        bind_text(both[i], 4, row->currency);
        bind_text(both[i], 5, row->gpu);
        bind_text(both[i], 6, row->gpu_name);
        bind_number(both[i], 7, row->gpu_count);
        bind_number(both[i], 8, row->gpu_memory_gib);
        bind_text(both[i], 9, row->source);
    }
    status = find_or_add(w->store, both[0], both[1], &w->machine);
    w->last = status == GOOD ? row : NULL;
    return status;
}

static enum status find_offer(struct writer *w, const struct feed_row *row,
                              long long *out)
{
    sqlite3_stmt *const both[] = { w->offer_find, w->offer_add };
    enum status status = find_machine(w, row);

    if (status != GOOD)
        return status;
    for (int i = 0; i < 2; i++) {
        sqlite3_bind_int64(both[i], 1, w->machine);
        bind_text(both[i], 2, row->region);
        bind_text(both[i], 3, term_name[row->term]);
        bind_text(both[i], 4, payment_name[row->payment]);
    }
    return find_or_add(w->store, both[0], both[1], out);
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
    long long offer = 0;
    enum status status = find_offer(w, row, &offer);

    if (status != GOOD)
        return status;
    sqlite3_bind_int64(put, 1, offer);
    sqlite3_bind_int(put, 2, day);
    sqlite3_bind_double(put, 3, row->price_per_hour);
    bind_number(put, 4, row->upfront_price > 0 || row->upfront_price < 0
                ? row->upfront_price : (double)NAN);
    bind_day(put, 5, first_seen_day);
    bind_day(put, 6, row->undated);
    return finish(w->store, put);
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

    sqlite3_bind_int64(w->drop, 1, old->id);
    sqlite3_bind_int(w->drop, 2, old->row.effective_day);
    status = finish(w->store, w->drop);
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
    sqlite3_bind_int64(w->seen, 1, old->id);
    sqlite3_bind_int(w->seen, 2, old->row.effective_day);
    bind_day(w->seen, 3, day);
    bind_day(w->seen, 4, gone_day);
    return finish(w->store, w->seen);
}

static enum status write_held(struct writer *w, const struct change *change)
{
    const struct feed_row *row = change->row;
    sqlite3_stmt *hold = w->hold;

    sqlite3_bind_int64(hold, 1, w->feed);
    bind_text(hold, 2, row->provider);
    bind_text(hold, 3, row->instance);
    bind_text(hold, 4, row->region);
    bind_text(hold, 5, term_name[row->term]);
    bind_text(hold, 6, payment_name[row->payment]);
    sqlite3_bind_double(hold, 7, row->price_per_hour);
    sqlite3_bind_double(hold, 8, row->upfront_price);
    sqlite3_bind_int(hold, 9, change->held_day);
    sqlite3_bind_int(hold, 10, w->day);
    return finish(w->store, hold);
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
        status = write_seen(w, old, w->was_day, old->gone_day);
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
    enum status status = prepare(store, HELD_CLEAR, &query);

    if (status == GOOD) {
        sqlite3_bind_int64(query, 1, feed);
        status = finish(store, query);
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
        { MACHINE_FIND, &w.machine_find }, { MACHINE_ADD, &w.machine_add },
        { OFFER_FIND, &w.offer_find }, { OFFER_ADD, &w.offer_add },
        { QUOTE_PUT, &w.put }, { QUOTE_DROP, &w.drop },
        { QUOTE_SEEN, &w.seen }, { HELD_ADD, &w.hold },
    };
    enum status status = feed_number_of(store, feed, &w.feed);

    if (status == GOOD)
        status = clear_held(store, w.feed);
    for (size_t i = 0; i < sizeof use / sizeof *use && status == GOOD; i++)
        status = prepare(store, use[i].sql, use[i].query);
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
    enum status status = prepare(store, RATE_PUT, &query);

    for (size_t i = 0; i < count && status == GOOD; i++) {
        bind_text(query, 1, rate[i].currency);
        sqlite3_bind_int(query, 2, rate[i].day);
        sqlite3_bind_double(query, 3, rate[i].per_eur);
        bind_text(query, 4, feed);
        status = finish(store, query);
    }
    sqlite3_finalize(query);
    return status;
}

/* -- loading -------------------------------------------------------------- */

/* While loading, a text is a number: its place in a pool without doubles. */
struct pool {
    char *text;
    size_t byte, room;
    uint32_t *start, *slot;     /* where text i starts; hash table, 0 empty */
    size_t count, count_room, slots;
};

enum member { MEMBER_provider, MEMBER_instance, MEMBER_region,
              MEMBER_currency, MEMBER_gpu, MEMBER_source, MEMBER_COUNT };

struct raw {
    uint32_t text[MEMBER_COUNT];
    int day;
    struct price price;
};

enum { FEED_MAX = 255 };

/* A machine of the store, then an offer: what their prices share. */
struct shared { uint32_t text[MEMBER_COUNT]; struct price price; };

/* Rows by their number in the store; numbers have few gaps. */
struct shelf { struct shared *row; unsigned char *used; size_t room; };

struct loading {
    struct pool pool;
    uint32_t last[MEMBER_COUNT];
    struct shelf machine, offer;
    struct raw *raw;
    size_t count, room;
    struct price_feed feed[FEED_MAX];
    long long number[FEED_MAX]; /* of the store; 0: a feed of the seed */
    size_t feed_count;
    struct rate *rate;
    size_t rate_count, rate_room;
    long revision;
};

static uint32_t hash_text(const char *text, size_t byte)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < byte; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static int pool_grow(struct pool *pool)
{
    size_t slots = pool->slots ? pool->slots * 2 : 4096;
    uint32_t *slot = calloc(slots, sizeof *slot);
    uint32_t *start = realloc(pool->start, slots / 2 * sizeof *start);

    if (start)
        pool->start = start;
    if (!slot || !start) {
        free(slot);
        return 0;
    }
    pool->count_room = slots / 2;
    for (size_t i = 0; i < pool->count; i++) {
        const char *text = pool->text + pool->start[i];
        size_t at = hash_text(text, strlen(text)) & (slots - 1);

        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(pool->slot);
    pool->slot = slot;
    pool->slots = slots;
    return 1;
}

/* The number of a text; 0 when there is no memory, else number + 1. */
static uint32_t pool_put(struct pool *pool, const char *text)
{
    size_t byte = strlen(text), at;

    if (pool->count == pool->count_room && !pool_grow(pool))
        return 0;
    at = hash_text(text, byte) & (pool->slots - 1);
    while (pool->slot[at]) {
        if (!strcmp(pool->text + pool->start[pool->slot[at] - 1], text))
            return pool->slot[at];
        at = (at + 1) & (pool->slots - 1);
    }
    if (pool->room - pool->byte <= byte) {
        size_t room = (pool->room + byte + 65536) * 2;
        char *more = room > UINT32_MAX ? NULL : realloc(pool->text, room);

        if (!more)
            return 0;
        pool->text = more;
        pool->room = room;
    }
    memcpy(pool->text + pool->byte, text, byte + 1);
    pool->start[pool->count++] = (uint32_t)pool->byte;
    pool->byte += byte + 1;
    pool->slot[at] = (uint32_t)pool->count;
    return pool->slot[at];
}

/* Rows repeat the texts of the row before: those are found at once. */
static int load_text(struct loading *l, uint32_t *out, enum member member,
                     const char *text)
{
    uint32_t last = l->last[member];

    if (!last || strcmp(l->pool.text + l->pool.start[last - 1], text)) {
        last = pool_put(&l->pool, text);
        if (!last)
            return 0;
        l->last[member] = last;
    }
    out[member] = last - 1;
    return 1;
}

static struct raw *next_raw(struct loading *l)
{
    struct raw *rows = grow(l->raw, l->count, &l->room, sizeof *rows);

    if (!rows)
        return NULL;
    l->raw = rows;
    return &rows[l->count];
}

static int load_feeds(struct loading *l, sqlite3_stmt *query)
{
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW
           && l->feed_count < FEED_MAX) {
        struct price_feed *feed = &l->feed[l->feed_count];
        int kind = sqlite3_column_int(query, 5);

        l->number[l->feed_count] = sqlite3_column_int64(query, 0);
        snprintf(feed->id, sizeof feed->id, "%s", column_text(query, 1));
        snprintf(feed->title, sizeof feed->title, "%s", column_text(query, 2));
        snprintf(feed->address, sizeof feed->address, "%s",
                 column_text(query, 3));
        snprintf(feed->licence, sizeof feed->licence, "%s",
                 column_text(query, 4));
        feed->kind = kind == FEED_BOOK ? FEED_BOOK
                   : kind == FEED_PROVIDER ? FEED_PROVIDER : FEED_CATALOGUE;
        feed->fetched_day = sqlite3_column_int(query, 6);
        feed->stale_day = sqlite3_column_int(query, 7);
        l->feed_count++;
    }
    return step == SQLITE_DONE;
}

/* A place for row `id`, NULL: no memory, or a number no honest store has. */
static struct shared *shelf_put(struct shelf *shelf, long long id)
{
    size_t at = (size_t)id;

    if (id < 0 || id > 50000000)
        return NULL;
    if (at >= shelf->room) {
        size_t room = at * 2 + 1024;
        struct shared *row = realloc(shelf->row, room * sizeof *row);
        unsigned char *used;

        if (row)
            shelf->row = row;
        used = row ? realloc(shelf->used, room) : NULL;
        if (!used)
            return NULL;
        memset(used + shelf->room, 0, room - shelf->room);
        shelf->used = used;
        shelf->room = room;
    }
    shelf->used[at] = 1;
    return &shelf->row[at];
}

static const struct shared *shelf_find(const struct shelf *shelf, long long id)
{
    return id >= 0 && (size_t)id < shelf->room && shelf->used[id]
        ? &shelf->row[id] : NULL;
}

static enum status load_machines(struct store *store, struct loading *l,
                                 sqlite3_stmt *query)
{
    static const struct { int column; enum member member; } texts[] = {
        { 2, MEMBER_provider }, { 3, MEMBER_instance },
        { 4, MEMBER_currency }, { 5, MEMBER_gpu }, { 7, MEMBER_source },
    };
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        long long number = sqlite3_column_int64(query, 1);
        struct shared *shared;
        size_t feed = 0;

        while (feed < l->feed_count && l->number[feed] != number)
            feed++;
        if (feed == l->feed_count)
            continue; /* the seed's come from the program */
        shared = shelf_put(&l->machine, sqlite3_column_int64(query, 0));
        if (!shared)
            return NO_MEMORY;
        *shared = (struct shared){ .price = {
            .gpu_count = column_number(query, 6),
            .fetched_day = l->feed[feed].fetched_day,
            .feed = (unsigned char)feed } };
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            if (!load_text(l, shared->text, texts[i].member,
                           column_text(query, texts[i].column)))
                return NO_MEMORY;
    }
    return step == SQLITE_DONE ? GOOD : failed(store, "machines");
}

static enum status load_offers(struct store *store, struct loading *l,
                               sqlite3_stmt *query)
{
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        const struct shared *machine = shelf_find(
            &l->machine, sqlite3_column_int64(query, 1));
        int term = word_find(term_name, TERM_COUNT, column_text(query, 3));
        int payment = word_find(payment_name, PAYMENT_COUNT,
                                column_text(query, 4));
        struct shared *offer;

        if (!machine || term < 0 || payment < 0)
            continue;
        offer = shelf_put(&l->offer, sqlite3_column_int64(query, 0));
        if (!offer)
            return NO_MEMORY;
        *offer = *machine;
        offer->price.term = (unsigned char)term;
        offer->price.payment = (unsigned char)payment;
        if (!load_text(l, offer->text, MEMBER_region, column_text(query, 2)))
            return NO_MEMORY;
    }
    return step == SQLITE_DONE ? GOOD : failed(store, "offers");
}

static enum status load_quotes(struct store *store, struct loading *l,
                               sqlite3_stmt *query)
{
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        const struct shared *offer = shelf_find(
            &l->offer, sqlite3_column_int64(query, 0));
        double price = sqlite3_column_double(query, 2);
        int first_seen = sqlite3_column_int(query, 4);
        int last_seen = sqlite3_column_int(query, 5);
        struct raw *raw;

        if (!offer || !(price > 0) || !isfinite(price))
            continue; /* the schema prevents it, a damaged file does not */
        raw = next_raw(l);
        if (!raw)
            return NO_MEMORY;
        memcpy(raw->text, offer->text, sizeof raw->text);
        raw->price = offer->price;
        raw->day = sqlite3_column_int(query, 1);
        raw->price.price_per_hour = price;
        raw->price.upfront_price = sqlite3_column_double(query, 3);
        raw->price.effective_day = first_seen ? raw->day : 0;
        raw->price.first_seen_day = first_seen ? first_seen : raw->day;
        if (last_seen)
            raw->price.fetched_day = last_seen;
        raw->price.gone_day = sqlite3_column_int(query, 6);
        l->count++;
    }
    return step == SQLITE_DONE ? GOOD : failed(store, "prices");
}

static enum status load_seed(struct loading *l)
{
    const struct price_table *seed = seed_prices();
    size_t first = l->feed_count;

    if (first + seed->feed_count > FEED_MAX)
        return STORE_FAILED;
    for (size_t i = 0; i < seed->feed_count; i++) {
        l->number[l->feed_count] = 0;
        l->feed[l->feed_count++] = seed->feed[i];
    }
    for (size_t i = 0; i < seed->count; i++) {
        const struct price *price = &seed->price[i];
        struct raw *raw = next_raw(l);

        if (!raw || !load_text(l, raw->text, MEMBER_provider, price->provider)
            || !load_text(l, raw->text, MEMBER_instance, price->instance)
            || !load_text(l, raw->text, MEMBER_region, price->region)
            || !load_text(l, raw->text, MEMBER_currency, price->currency)
            || !load_text(l, raw->text, MEMBER_gpu, price->gpu)
            || !load_text(l, raw->text, MEMBER_source, price->source))
            return NO_MEMORY;
        raw->price = *price;
        raw->price.feed = (unsigned char)(price->feed + first);
        raw->day = price_day(price);
        l->count++;
    }
    return GOOD;
}

static int compare_rate(const struct rate *a, const struct rate *b)
{
    int order = strcmp(a->currency, b->currency);

    return order ? order : (a->day > b->day) - (a->day < b->day);
}

static int add_rate(struct loading *l, const struct rate *rate)
{
    struct rate *rows = grow(l->rate, l->rate_count, &l->rate_room,
                             sizeof *rows);

    if (!rows)
        return 0;
    l->rate = rows;
    rows[l->rate_count++] = *rate;
    return 1;
}

/* The store's rates and the seed's, both in order; the store's win. */
static enum status load_rates(struct store *store, struct loading *l,
                              sqlite3_stmt *query)
{
    const struct rate_table *seed = seed_rates();
    size_t i = 0;
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        struct rate rate = { "", sqlite3_column_int(query, 1),
                             sqlite3_column_double(query, 2) };

        snprintf(rate.currency, sizeof rate.currency, "%s",
                 column_text(query, 0));
        for (; i < seed->count && compare_rate(&seed->rate[i], &rate) < 0; i++)
            if (!add_rate(l, &seed->rate[i]))
                return NO_MEMORY;
        if (i < seed->count && !compare_rate(&seed->rate[i], &rate))
            i++;
        if (!add_rate(l, &rate))
            return NO_MEMORY;
    }
    for (; i < seed->count; i++)
        if (!add_rate(l, &seed->rate[i]))
            return NO_MEMORY;
    return step == SQLITE_DONE ? GOOD : failed(store, "rates");
}

static int order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Same order as price_compare, by numbers where the texts differ. */
static int compare_raw(const void *a, const void *b)
{
    const struct raw *x = a, *y = b;
    int by = order(x->text[MEMBER_provider], y->text[MEMBER_provider]);

    if (!by)
        by = order(x->text[MEMBER_instance], y->text[MEMBER_instance]);
    if (!by)
        by = order(x->text[MEMBER_region], y->text[MEMBER_region]);
    if (!by)
        by = order(x->price.term, y->price.term);
    if (!by)
        by = order(x->price.payment, y->price.payment);
    return by;
}

struct ranked { const char *text; uint32_t number; };

static int compare_ranked(const void *a, const void *b)
{
    return strcmp(((const struct ranked *)a)->text,
                  ((const struct ranked *)b)->text);
}

/* Renumbers the texts by their order. */
static int rank_texts(struct loading *l)
{
    struct pool *pool = &l->pool;
    struct ranked *ranked = calloc(pool->count + 1, sizeof *ranked);
    uint32_t *rank = calloc(pool->count + 1, sizeof *rank);
    int good = ranked && rank;

    for (size_t i = 0; good && i < pool->count; i++)
        ranked[i] = (struct ranked){ pool->text + pool->start[i],
                                     (uint32_t)i };
    if (good) {
        qsort(ranked, pool->count, sizeof *ranked, compare_ranked);
        for (size_t i = 0; i < pool->count; i++)
            rank[ranked[i].number] = (uint32_t)i;
        for (size_t i = 0; i < l->count; i++)
            for (int m = 0; m < MEMBER_COUNT; m++)
                l->raw[i].text[m] = rank[l->raw[i].text[m]];
        for (size_t i = 0; i < pool->count; i++)
            pool->start[i] = (uint32_t)(ranked[i].text - pool->text);
    }
    free(ranked);
    free(rank);
    return good;
}

static int compare_price_rows(const void *a, const void *b)
{
    return price_compare(a, b);
}

/* Rows of one offer are few: they are put in order by the table's own rule. */
static void sort_offers(struct price *price, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count
             && price[next].provider == price[i].provider
             && price[next].instance == price[i].instance
             && price[next].region == price[i].region
             && price[next].term == price[i].term
             && price[next].payment == price[i].payment; next++)
            ;
        if (next - i > 1)
            qsort(&price[i], next - i, sizeof *price, compare_price_rows);
    }
}

/* One block: prices, feeds, rates, texts. */
static enum status assemble(struct loading *l, struct store_tables *out)
{
    size_t prices = l->count * sizeof(struct price);
    size_t feeds = l->feed_count * sizeof(struct price_feed);
    size_t rates = l->rate_count * sizeof(struct rate);
    size_t feeds_at = prices;
    size_t rates_at = (feeds_at + feeds + 15) / 16 * 16;
    size_t text_at = rates_at + rates;
    char *memory = malloc(text_at + l->pool.byte + 1), *text;
    struct price *price;
    int first_day = 0;

    if (!memory)
        return NO_MEMORY;
    price = (struct price *)(void *)memory;
    text = memory + text_at;
    memcpy(memory + feeds_at, l->feed, feeds);
    if (rates)
        memcpy(memory + rates_at, l->rate, rates);
    if (l->pool.byte)
        memcpy(text, l->pool.text, l->pool.byte);
    for (size_t i = 0; i < l->count; i++) {
        const struct raw *raw = &l->raw[i];
#define TEXT(member) .member = text + l->pool.start[raw->text[MEMBER_##member]]
        const struct price texts = { TEXT(provider), TEXT(instance),
            TEXT(region), TEXT(currency), TEXT(gpu), TEXT(source) };
#undef TEXT
        price[i] = raw->price;
        price[i].provider = texts.provider;
        price[i].instance = texts.instance;
        price[i].region = texts.region;
        price[i].currency = texts.currency;
        price[i].gpu = texts.gpu;
        price[i].source = texts.source;
        if (!first_day || raw->day < first_day)
            first_day = raw->day;
    }
    sort_offers(price, l->count);
    *out = (struct store_tables){
        .prices = { price, l->count,
                    (const struct price_feed *)(void *)(memory + feeds_at),
                    l->feed_count, l->revision, first_day },
        .rates = *seed_rates(),
        .memory = memory,
    };
    out->rates.rate = (const struct rate *)(void *)(memory + rates_at);
    out->rates.count = l->rate_count;
    return GOOD;
}

static enum status load_feed_rows(struct store *store, struct loading *l,
                                  sqlite3_stmt *query)
{
    l->revision = (long)ask(store->db, REVISION);
    return load_feeds(l, query) ? GOOD : failed(store, "feeds");
}

static enum status load_all(struct store *store, struct loading *l)
{
    static const struct {
        const char *sql;
        enum status (*load)(struct store *store, struct loading *l,
                            sqlite3_stmt *query);
    } part[] = {
        { LOAD_FEEDS, load_feed_rows }, { LOAD_MACHINES, load_machines },
        { LOAD_OFFERS, load_offers }, { LOAD_QUOTES, load_quotes },
        { LOAD_RATES, load_rates },
    };
    enum status status = GOOD;

    for (size_t i = 0; i < sizeof part / sizeof *part && status == GOOD;
         i++) {
        sqlite3_stmt *query = NULL;

        status = prepare(store, part[i].sql, &query);
        if (status == GOOD)
            status = part[i].load(store, l, query);
        sqlite3_finalize(query);
    }
    return status;
}

enum status store_load(struct store *store, struct store_tables *out)
{
    struct loading *l = calloc(1, sizeof *l);
    enum status status;

    if (!l)
        return NO_MEMORY;
    status = run(store, "BEGIN"); /* all of it as of one moment */
    if (status == GOOD) {
        status = load_all(store, l);
        store_rollback(store);
    }
    if (status == GOOD)
        status = load_seed(l);
    if (status == GOOD && !rank_texts(l))
        status = NO_MEMORY;
    if (status == GOOD) {
        if (l->count)
            qsort(l->raw, l->count, sizeof *l->raw, compare_raw);
        status = assemble(l, out);
    }
    free(l->pool.text);
    free(l->pool.start);
    free(l->pool.slot);
    free(l->machine.row);
    free(l->machine.used);
    free(l->offer.row);
    free(l->offer.used);
    free(l->raw);
    free(l->rate);
    free(l);
    return status;
}

void store_tables_free(struct store_tables *tables)
{
    free(tables->memory);
    *tables = (struct store_tables){ .memory = NULL };
}
