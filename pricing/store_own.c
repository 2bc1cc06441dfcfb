/* store_own.c: own prices of hardware and power in the store. A book is
   written whole: what it no longer holds is gone. */
#include "pricing/store_sql.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/num.h"

/* Version 3 of the schema. */
const char store_own_schema[] =
    "CREATE TABLE own_price ("
    " feed INTEGER NOT NULL REFERENCES feed (number),"
    " kind TEXT NOT NULL CHECK (kind IN ('gpu', 'server', 'tariff')),"
    " id TEXT NOT NULL CHECK (id <> ''), tariff TEXT NOT NULL,"
    " day INTEGER NOT NULL CHECK (day BETWEEN 19700101 AND 99991231),"
    " price REAL NOT NULL CHECK (price > 0 AND price <= 1e9),"
    " currency TEXT NOT NULL CHECK (length(currency) = 3),"
    " PRIMARY KEY (feed, kind, id, tariff, day)) STRICT;";

static const char OWN_CLEAR[] =
    "DELETE FROM own_price WHERE feed = (SELECT number FROM feed WHERE id = ?1)";
static const char OWN_PUT[] =
    "INSERT OR REPLACE INTO own_price (feed, kind, id, tariff, day, price,"
    " currency) SELECT number, ?2, ?3, ?4, ?5, ?6, ?7 FROM feed WHERE id = ?1";
static const char OWN_LOAD[] =
    "SELECT o.kind, o.id, o.tariff, o.day, o.price, o.currency, f.title"
    " FROM own_price o JOIN feed f ON f.number = o.feed"
    " ORDER BY o.kind, o.id, o.tariff, o.day, f.id";

static enum status put_one(struct store *store, sqlite3_stmt *query,
                           const char *feed, const struct own_price *price)
{
    sql_text(query, 1, feed);
    sql_text(query, 2, own_kind_name[price->kind]);
    sql_text(query, 3, price->id);
    sql_text(query, 4, price->kind == OWN_TARIFF
                       ? tariff_class_name[price->tariff] : "");
    sqlite3_bind_int(query, 5, price->day);
    sqlite3_bind_double(query, 6, price->price);
    sql_text(query, 7, price->currency);
    return sql_finish(store, query);
}

enum status store_own_put(struct store *store, const char *feed,
                          const struct own_price *price, size_t count)
{
    sqlite3_stmt *clear = NULL, *put = NULL;
    enum status status = sql_prepare(store, OWN_CLEAR, &clear);

    if (status == GOOD)
        status = sql_prepare(store, OWN_PUT, &put);
    if (status == GOOD) {
        sql_text(clear, 1, feed);
        status = sql_finish(store, clear);
    }
    for (size_t i = 0; i < count && status == GOOD; i++)
        status = put_one(store, put, feed, &price[i]);
    sqlite3_finalize(clear);
    sqlite3_finalize(put);
    return status;
}

/* Rows first, then their texts. */
struct own_memory { struct own_price *row; size_t count, room; };

static const char *copy(const char *text)
{
    size_t byte = strlen(text) + 1;
    char *kept = malloc(byte);

    if (kept)
        memcpy(kept, text, byte);
    return kept;
}

static int take(sqlite3_stmt *query, struct own_memory *memory)
{
    struct own_price *row = sql_grow(memory->row, memory->count,
                                     &memory->room, sizeof *row);
    char title[160];
    int kind = sql_word(own_kind_name, OWN_KIND_COUNT,
                        sql_column_text(query, 0));
    int tariff = sql_word(tariff_class_name, TARIFF_CLASS_COUNT,
                          sql_column_text(query, 2));

    if (!row)
        return 0;
    memory->row = row;
    row += memory->count++;
    snprintf(title, sizeof title, "%s", sql_column_text(query, 6));
    *row = (struct own_price){
        .kind = (enum own_kind)(kind < 0 ? 0 : kind),
        .tariff = (enum tariff_class)(tariff < 0 ? 0 : tariff),
        .day = sqlite3_column_int(query, 3),
        .price = sqlite3_column_double(query, 4),
        .id = copy(sql_column_text(query, 1)),
        .currency = copy(sql_column_text(query, 5)), .title = copy(title),
    };
    day_print(row->date, row->day);
    return row->id && row->currency && row->title;
}

void store_own_free(struct own_table *own)
{
    for (size_t i = 0; i < own->count; i++) {
        free((void *)(uintptr_t)own->row[i].id);
        free((void *)(uintptr_t)own->row[i].currency);
        free((void *)(uintptr_t)own->row[i].title);
    }
    free((void *)(uintptr_t)own->row);
    *own = (struct own_table){ NULL, 0 };
}

enum status store_own_load(struct store *store, struct own_table *out)
{
    struct own_memory memory = { NULL, 0, 0 };
    sqlite3_stmt *query = NULL;
    enum status status = GOOD;
    int step = SQLITE_DONE;

    *out = (struct own_table){ NULL, 0 };
    if (store->schema < 3) /* a reader met a store nobody has written since */
        return GOOD;
    status = sql_prepare(store, OWN_LOAD, &query);
    while (status == GOOD && (step = sqlite3_step(query)) == SQLITE_ROW)
        if (!take(query, &memory))
            status = NO_MEMORY;
    if (status == GOOD && step != SQLITE_DONE)
        status = sql_failed(store, "own prices");
    sqlite3_finalize(query);
    *out = (struct own_table){ memory.row, memory.count };
    if (status != GOOD)
        store_own_free(out);
    return status;
}
