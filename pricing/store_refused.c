/* store_refused.c: what a run did not take, by reason, beside its generation. */
#include "pricing/store_sql.h"

#include <stdio.h>
#include <string.h>

/* Version 6 of the schema. reason: an id of refusals.def, also of rows that are
   passed over as expected; first: which row was the first. */
const char store_refused_schema[] =
    "CREATE TABLE refused ("
    " generation INTEGER NOT NULL REFERENCES generation (id)"
    "  ON DELETE CASCADE,"
    " reason TEXT NOT NULL CHECK (reason <> ''),"
    " count INTEGER NOT NULL CHECK (count > 0), first TEXT NOT NULL,"
    " PRIMARY KEY (generation, reason)) STRICT, WITHOUT ROWID;";

static const char REFUSED_ADD[] =
    "INSERT INTO refused (generation, reason, count, first)"
    " VALUES (?1, ?2, ?3, ?4)";
static const char REFUSED_OF[] =
    "SELECT reason, count, first FROM refused WHERE generation = ?1";

enum status store_refused_add(struct store *store, long long generation,
                              const struct tally *tally)
{
    sqlite3_stmt *add = NULL;
    enum status status = sql_prepare(store, REFUSED_ADD, &add);

    for (int i = 0; i < REFUSAL_COUNT && status == GOOD; i++) {
        if (!tally->refused[i])
            continue;
        sqlite3_bind_int64(add, 1, generation);
        sql_text(add, 2, refusal_table[i].id);
        sqlite3_bind_int64(add, 3, tally->refused[i]);
        sql_text(add, 4, tally->example[i]);
        status = sql_finish(store, add);
    }
    sqlite3_finalize(add);
    return status;
}

/* A reason of another program's table is left out; the sum has it. */
static void take(sqlite3_stmt *query, struct tally *tally)
{
    const char *reason = sql_column_text(query, 0);
    int i = 0;

    while (i < REFUSAL_COUNT && strcmp(refusal_table[i].id, reason) != 0)
        i++;
    if (i == REFUSAL_COUNT)
        return;
    tally->refused[i] = (long)sqlite3_column_int64(query, 1);
    snprintf(tally->example[i], sizeof tally->example[i], "%s",
             sql_column_text(query, 2));
}

enum status store_refused_of(struct store *store, long long generation,
                             struct tally *tally)
{
    sqlite3_stmt *query = NULL;
    enum status status;
    int step = SQLITE_DONE;

    if (store->schema < 6) /* a reader met a store nobody has written since */
        return GOOD;
    status = sql_prepare(store, REFUSED_OF, &query);
    if (status != GOOD)
        return status;
    sqlite3_bind_int64(query, 1, generation);
    while ((step = sqlite3_step(query)) == SQLITE_ROW)
        take(query, tally);
    if (step != SQLITE_DONE)
        status = sql_failed(store, "refused rows");
    sqlite3_finalize(query);
    return status;
}
