/* store_reading.c: values of grid and tariffs in the store. */
#include "pricing/store_sql.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Version 5 of the schema. ends - begins: an hour, a month, a year. */
const char store_reading_schema[] =
    "CREATE TABLE reading ("
    " feed TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('grid',"
    "  'tariff')),"
    " zone TEXT NOT NULL CHECK (zone <> ''), region TEXT NOT NULL,"
    " tariff TEXT NOT NULL, begins INTEGER NOT NULL CHECK (begins > 0),"
    " ends INTEGER NOT NULL CHECK (ends > begins),"
    " value REAL NOT NULL CHECK (value >= 0 AND value <= 2000),"
    " currency TEXT NOT NULL, basis TEXT NOT NULL CHECK (basis IN ('',"
    "  'direct', 'lifecycle')),"
    " forecast INTEGER NOT NULL CHECK (forecast IN (0, 1)),"
    " estimated INTEGER NOT NULL CHECK (estimated IN (0, 1)),"
    " note TEXT NOT NULL,"
    " PRIMARY KEY (feed, kind, zone, region, tariff, begins)) STRICT,"
    " WITHOUT ROWID;";

static const char READING_PUT[] =
    "INSERT INTO reading (feed, kind, zone, region, tariff, begins, ends,"
    " value, currency, basis, forecast, estimated, note)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
    " ON CONFLICT DO UPDATE SET ends = excluded.ends, value = excluded.value,"
    " currency = excluded.currency, basis = excluded.basis,"
    " forecast = excluded.forecast, estimated = excluded.estimated,"
    " note = excluded.note WHERE excluded.forecast <= reading.forecast";
/* Hours older than three days, and longer times that a newer one follows. */
static const char READING_CLEAR[] =
    "DELETE FROM reading WHERE feed = ?1 AND EXISTS (SELECT 1 FROM reading n"
    " WHERE n.feed = reading.feed AND n.kind = reading.kind"
    " AND n.zone = reading.zone AND n.region = reading.region"
    " AND n.tariff = reading.tariff AND n.begins > reading.begins)"
    " AND (ends - begins > 86400 OR ends < ?2)";
static const char READING_LOAD[] =
    "SELECT feed, kind, zone, region, tariff, begins, ends, value, currency,"
    " basis, forecast, estimated, note FROM reading";

enum { KEPT_SECOND = 3 * 86400 };

static enum status put_one(struct store *store, sqlite3_stmt *query,
                           const char *feed, const struct reading *reading)
{
    sql_text(query, 1, feed);
    sql_text(query, 2, reading_kind_name[reading->kind]);
    sql_text(query, 3, reading->zone);
    sql_text(query, 4, reading->region);
    sql_text(query, 5, reading->kind == READING_TARIFF
                       ? tariff_class_name[reading->tariff] : "");
    sqlite3_bind_int64(query, 6, reading->begin);
    sqlite3_bind_int64(query, 7, reading->end);
    sqlite3_bind_double(query, 8, reading->value);
    sql_text(query, 9, reading->currency);
    sql_text(query, 10, reading_basis_name[reading->basis]);
    sqlite3_bind_int(query, 11, reading->forecast != 0);
    sqlite3_bind_int(query, 12, reading->estimated != 0);
    sql_text(query, 13, reading->note);
    return sql_finish(store, query);
}

enum status store_reading_put(struct store *store, const char *feed,
                              const struct reading *reading, size_t count,
                              long long now)
{
    sqlite3_stmt *put = NULL, *clear = NULL;
    enum status status = sql_prepare(store, READING_PUT, &put);

    if (status == GOOD)
        status = sql_prepare(store, READING_CLEAR, &clear);
    for (size_t i = 0; i < count && status == GOOD; i++)
        status = put_one(store, put, feed, &reading[i]);
    if (status == GOOD) {
        sql_text(clear, 1, feed);
        sqlite3_bind_int64(clear, 2, now - KEPT_SECOND);
        status = sql_finish(store, clear);
    }
    sqlite3_finalize(put);
    sqlite3_finalize(clear);
    return status;
}

/* 0: the row is none that this program would have written. */
static int take(sqlite3_stmt *query, struct reading *row)
{
    const int kind = sql_word(reading_kind_name, READING_KIND_COUNT,
                              sql_column_text(query, 1));
    const int tariff = sql_word(tariff_class_name, TARIFF_CLASS_COUNT,
                                sql_column_text(query, 4));
    const int basis = sql_word(reading_basis_name, BASIS_COUNT,
                               sql_column_text(query, 9));
    const struct { char *at; size_t byte; int column; } text[] = {
        { row->feed, sizeof row->feed, 0 }, { row->zone, sizeof row->zone, 2 },
        { row->region, sizeof row->region, 3 },
        { row->currency, sizeof row->currency, 8 },
        { row->note, sizeof row->note, 12 },
    };

    if (kind < 0 || basis < 0 || (kind == READING_TARIFF && tariff < 0))
        return 0;
    *row = (struct reading){
        .kind = (enum reading_kind)kind, .basis = (enum reading_basis)basis,
        .tariff = (enum tariff_class)(tariff < 0 ? 0 : tariff),
        .begin = sqlite3_column_int64(query, 5),
        .end = sqlite3_column_int64(query, 6),
        .value = sqlite3_column_double(query, 7),
        .forecast = sqlite3_column_int(query, 10),
        .estimated = sqlite3_column_int(query, 11),
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        snprintf(text[i].at, text[i].byte, "%s",
                 sql_column_text(query, text[i].column));
    return 1;
}

static int compare(const void *a, const void *b)
{
    return reading_compare(a, b);
}

enum status store_reading_load(struct store *store, struct reading_table *out)
{
    struct reading *rows = NULL, *more;
    size_t count = 0, room = 0;
    sqlite3_stmt *query = NULL;
    enum status status = GOOD;
    int step = SQLITE_DONE;

    *out = (struct reading_table){ NULL, 0 };
    /* a reader may meet a store that nobody has written since */
    if (sql_ask(store->db, "PRAGMA user_version") < 5)
        return GOOD;
    status = sql_prepare(store, READING_LOAD, &query);
    while (status == GOOD && (step = sqlite3_step(query)) == SQLITE_ROW) {
        more = sql_grow(rows, count, &room, sizeof *rows);
        if (!more) {
            status = NO_MEMORY;
            break;
        }
        rows = more;
        count += (size_t)take(query, &rows[count]);
    }
    if (status == GOOD && step != SQLITE_DONE)
        status = sql_failed(store, "readings");
    sqlite3_finalize(query);
    if (status == GOOD && count)
        qsort(rows, count, sizeof *rows, compare);
    *out = (struct reading_table){ rows, count };
    if (status != GOOD)
        store_reading_free(out);
    return status;
}

void store_reading_free(struct reading_table *readings)
{
    free((void *)(uintptr_t)readings->row);
    *readings = (struct reading_table){ NULL, 0 };
}
