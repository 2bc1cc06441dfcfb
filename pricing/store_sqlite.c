/* store_sqlite.c: the store of store.h in one SQLite file: schema, opening,
   transactions. What is kept of the feeds is store_feed.c, the fast way from
   rows to a table in memory store_load.c, saved studies store_study.c. Policy lives elsewhere (accept.c). */
#define _XOPEN_SOURCE 700 /* realpath, which glibc keeps from plain POSIX */
#include "pricing/store_sql.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pricing/apply.h"

enum { APPLICATION_ID = 0x67707563 /* "gpuc" */, BUSY_MS = 10000,
       SAVE_BUSY_MS = 2500,
       HEAP_BYTE = 192 << 20 };

/* Version 1. */
static const char FIRST[] =
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

const char *store_why(const struct store *store)
{
    return store->why;
}

enum status sql_failed(struct store *store, const char *step)
{
    int code = sqlite3_errcode(store->db);

    snprintf(store->why, sizeof store->why, "%s: %s", step,
             sqlite3_errmsg(store->db));
    return code == SQLITE_NOMEM ? NO_MEMORY
         : code == SQLITE_FULL ? STORE_FULL : STORE_FAILED;
}

enum status sql_run(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
        ? GOOD : sql_failed(store, "store");
}

/* -- opening -------------------------------------------------------------- */

/* reliability 7.5 */
static int harden(sqlite3 *db, int busy_ms)
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
           && sqlite3_busy_timeout(db, busy_ms) == SQLITE_OK;
}

/* One number a query gives; -1 when it gives none. */
long long sql_ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *query = NULL;
    long long value = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK
        && sqlite3_step(query) == SQLITE_ROW)
        value = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return value;
}

/* What each version of the schema adds to the one before; never changed
   once it is published, only followed. Tables are made by a writer. */
static const char *const schema[] = { FIRST, store_study_schema, store_own_schema,
                                      store_quote_schema, store_reading_schema,
                                      store_refused_schema };

enum { SCHEMA_VERSION = sizeof schema / sizeof *schema };

static enum status upgrade(struct store *store, int version)
{
    enum status status = GOOD;
    char sql[80];

    for (int i = version; i < SCHEMA_VERSION && status == GOOD; i++)
        status = sql_run(store, schema[i]);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d;"
             " PRAGMA application_id = %d;", (int)SCHEMA_VERSION,
             APPLICATION_ID);
    return status == GOOD ? sql_run(store, sql) : status;
}

/* A writer's pragmas, and what the schema lacks. *fresh: the file is new. */
static enum status prepare_write(struct store *store, int *fresh)
{
    enum status status = sql_run(store,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "PRAGMA journal_size_limit = 8388608; PRAGMA wal_autocheckpoint = 500");
    long long version;

    if (status != GOOD)
        return status;
    status = sql_run(store, "BEGIN IMMEDIATE");
    version = status == GOOD ? sql_ask(store->db, "PRAGMA user_version") : -1;
    *fresh = version == 0;
    if (version >= 0 && version < SCHEMA_VERSION)
        status = upgrade(store, (int)version);
    if (status != GOOD) {
        store_rollback(store);
        return status;
    }
    return sql_run(store, "COMMIT");
}

static enum status look(struct store *store, enum store_mode mode, int *fresh)
{
    long long version;
    enum status status = GOOD;

    if (mode != STORE_READ)
        status = prepare_write(store, fresh);
    if (status != GOOD)
        return status;
    version = sql_ask(store->db, "PRAGMA user_version");
    if (version == 0) {
        snprintf(store->why, sizeof store->why, "the store is empty");
        return STORE_MISSING;
    }
    if (version < 0)
        return sql_failed(store, "not a store");
    if (version > SCHEMA_VERSION) {
        snprintf(store->why, sizeof store->why,
                 "the store was made by a newer version");
        return STORE_FAILED;
    }
    store->schema = (int)version;
    if (mode == STORE_WRITE && !*fresh
        && sql_ask(store->db, "SELECT quick_check = 'ok' FROM"
               " pragma_quick_check(1)") != 1) {
        snprintf(store->why, sizeof store->why, "the store is damaged");
        return STORE_FAILED;
    }
    if (sqlite3_prepare_v3(store->db, "PRAGMA data_version", -1,
                           SQLITE_PREPARE_PERSISTENT, &store->version, NULL)
        != SQLITE_OK)
        return sql_failed(store, "store");
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
        return store->db ? sql_failed(store, "opening the store") : NO_MEMORY;
    if (!harden(store->db, mode == STORE_SAVE ? SAVE_BUSY_MS : BUSY_MS))
        return sql_failed(store, "setting up the store");
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
        return sql_failed(store, "version");
    }
    now = (long)sqlite3_column_int64(store->version, 0);
    sqlite3_reset(store->version);
    if (now != store->seen) {
        long long revision = sql_ask(store->db, "SELECT revision FROM meta");
        if (revision < 0)
            return sql_failed(store, "version");
        store->count += revision != store->revision;
        store->revision = revision;
    }
    store->seen = now;
    *version = store->count;
    return GOOD;
}

/* -- transactions --------------------------------------------------------- */

enum status store_begin(struct store *store)
{
    return sql_run(store, "BEGIN IMMEDIATE");
}

enum status store_commit(struct store *store)
{
    enum status status = sql_run(store, "COMMIT");

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

enum status sql_prepare(struct store *store, const char *sql,
                           sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(store->db, sql, -1, out, NULL) == SQLITE_OK
        ? GOOD : sql_failed(store, "store");
}

void sql_text(sqlite3_stmt *query, int i, const char *text)
{
    sqlite3_bind_text(query, i, text, -1, SQLITE_STATIC);
}

void sql_number(sqlite3_stmt *query, int i, double value)
{
    if (isnan(value))
        sqlite3_bind_null(query, i);
    else
        sqlite3_bind_double(query, i, value);
}

/* Runs a statement that gives no rows and makes it ready again. */
enum status sql_finish(struct store *store, sqlite3_stmt *query)
{
    int step = sqlite3_step(query);
    enum status status = step == SQLITE_DONE ? GOOD
                                             : sql_failed(store, "store");

    sqlite3_reset(query);
    sqlite3_clear_bindings(query);
    return status;
}

const char *sql_column_text(sqlite3_stmt *query, int i)
{
    const unsigned char *text = sqlite3_column_text(query, i);

    return text ? (const char *)text : "";
}

double sql_column_number(sqlite3_stmt *query, int i)
{
    return sqlite3_column_type(query, i) == SQLITE_NULL
        ? (double)NAN : sqlite3_column_double(query, i);
}

int sql_word(const char *const *names, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], word))
            return i;
    return -1;
}

void *sql_grow(void *rows, size_t count, size_t *room, size_t size)
{
    size_t more = *room ? *room * 2 : 256;

    if (count < *room)
        return rows;
    rows = realloc(rows, more * size);
    if (rows)
        *room = more;
    return rows;
}
