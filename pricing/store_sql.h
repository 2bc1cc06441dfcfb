/* store_sql.h: what the files of the store share; nobody else includes it. */
#ifndef GPUTCO_PRICING_STORE_SQL_H
#define GPUTCO_PRICING_STORE_SQL_H

#include "pricing/store.h"

#include <sqlite3.h>

struct store {
    sqlite3 *db;
    sqlite3_stmt *version;
    long seen, count;           /* data_version last seen; changes counted */
    long long revision;         /* of the prices, when last seen */
    int schema;                 /* version; a reader may meet an older one */
    char why[300];
};

/* What versions 2 to 6 of the schema bring (store_study.c, store_own.c,
   store_feed.c, store_reading.c, store_refused.c). */
extern const char store_study_schema[], store_own_schema[],
    store_quote_schema[], store_reading_schema[], store_refused_schema[];

/* Within a transaction: what became of the rows of a generation just added. */
enum status store_refused_add(struct store *store, long long generation,
                              const struct tally *tally);

/* Counts and first rows, into an empty tally. */
enum status store_refused_of(struct store *store, long long generation,
                             struct tally *tally);

/* The words of terms and payments in tables before version 4, as numbers. */
#define STORE_TERM_NUMBER                                                    \
    "CASE o.term WHEN 'on_demand' THEN 0 WHEN 'spot' THEN 1"                 \
    " WHEN 'capacity_block' THEN 2 WHEN 'reserved_1y' THEN 3"                \
    " WHEN 'reserved_3y' THEN 4 WHEN 'savings_1y' THEN 5"                    \
    " WHEN 'savings_3y' THEN 6 ELSE 7 END"
#define STORE_PAYMENT_NUMBER                                                 \
    "CASE o.payment WHEN 'no_upfront' THEN 0 WHEN 'partial_upfront' THEN 1"  \
    " ELSE 2 END"

/* Keeps the connection's last error in store->why: NO_MEMORY or
   STORE_FAILED. */
enum status sql_failed(struct store *store, const char *step);

/* Runs statements that give no rows. */
enum status sql_run(struct store *store, const char *sql);

/* One number a query gives; -1 when it gives none. */
long long sql_ask(sqlite3 *db, const char *sql);

/* *out is the caller's to finalize. */
enum status sql_prepare(struct store *store, const char *sql,
                        sqlite3_stmt **out);

/* The text must live until the statement has run; NAN is bound as NULL. */
void sql_text(sqlite3_stmt *query, int i, const char *text);
void sql_number(sqlite3_stmt *query, int i, double value);

/* Runs a statement that gives no rows and makes it ready again. */
enum status sql_finish(struct store *store, sqlite3_stmt *query);

/* NULL reads as "" and NAN. */
const char *sql_column_text(sqlite3_stmt *query, int i);
double sql_column_number(sqlite3_stmt *query, int i);

/* Makes room for one more; NULL: no memory, and the old stays. */
void *sql_grow(void *rows, size_t count, size_t *room, size_t size);

/* Place of a word in a list, -1: not there. */
int sql_word(const char *const *names, int count, const char *word);

#endif
