/* store_study.c: saved studies in the store. A study is written once, whole,
   and never changed or removed; what its documents hold is the caller's. */
#include "pricing/store_sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 2 of the schema. Studies that are the same have the same query, day,
   version and first document; `hash` finds them. */
const char store_study_schema[] =
    "CREATE TABLE study ("
    " number INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE CHECK (length(id) = 22),"
    " saved_day INTEGER NOT NULL"
    "  CHECK (saved_day BETWEEN 19700101 AND 99991231),"
    " as_of_day INTEGER NOT NULL"
    "  CHECK (as_of_day BETWEEN 19700101 AND 99991231),"
    " model_version TEXT NOT NULL, query TEXT NOT NULL,"
    " hash INTEGER NOT NULL) STRICT;"
    "CREATE INDEX study_same ON study (saved_day, hash);"
    "CREATE TABLE study_part ("
    " study INTEGER NOT NULL REFERENCES study (number),"
    " name TEXT NOT NULL CHECK (name <> ''), place INTEGER NOT NULL,"
    " whole_byte INTEGER NOT NULL CHECK (whole_byte >= 0),"
    " body BLOB NOT NULL,"
    " PRIMARY KEY (study, name)) STRICT;";

static const char SAME[] =
    "SELECT s.id FROM study s JOIN study_part p ON p.study = s.number"
    " WHERE s.saved_day = ?1 AND s.hash = ?2 AND s.query = ?3"
    " AND s.model_version = ?4 AND p.place = 0 AND p.body = ?5";
static const char SAVED_ON[] =
    "SELECT count(*) FROM study WHERE saved_day = ?1";
static const char STUDY_ADD[] =
    "INSERT INTO study (id, saved_day, as_of_day, model_version, query, hash)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
static const char PART_ADD[] =
    "INSERT INTO study_part (study, name, place, whole_byte, body)"
    " VALUES (?1, ?2, ?3, ?4, ?5)";
static const char STUDY_FIND[] =
    "SELECT s.saved_day, s.as_of_day, s.model_version, s.query, p.whole_byte,"
    " p.body FROM study s LEFT JOIN study_part p ON p.study = s.number"
    " AND p.name = ?2 WHERE s.id = ?1";

/* FNV-1a: finds candidates, which are then compared whole. */
static sqlite3_int64 hash_of(const char *query, const struct study_part *first)
{
    unsigned long long hash = 14695981039346656037ULL;
    const unsigned char *at = first->at;
    sqlite3_int64 whole;

    for (; *query; query++)
        hash = (hash ^ (unsigned char)*query) * 1099511628211ULL;
    for (size_t i = 0; i < first->byte; i++)
        hash = (hash ^ at[i]) * 1099511628211ULL;
    memcpy(&whole, &hash, sizeof whole);
    return whole;
}

static void bind_part(sqlite3_stmt *query, int i, const struct study_part *part)
{
    sqlite3_bind_blob64(query, i, part->at, part->byte, SQLITE_STATIC);
}

/* GOOD and the id of the study that is the same, or NOT_FOUND. */
static enum status find_same(struct store *store,
                             const struct study_head *head,
                             const struct study_part *first,
                             char id[STUDY_ID_LENGTH + 1])
{
    sqlite3_stmt *query;
    enum status status = sql_prepare(store, SAME, &query);
    int step;

    if (status != GOOD)
        return status;
    sqlite3_bind_int(query, 1, head->saved_day);
    sqlite3_bind_int64(query, 2, hash_of(head->query, first));
    sql_text(query, 3, head->query);
    sql_text(query, 4, head->model_version);
    bind_part(query, 5, first);
    step = sqlite3_step(query);
    if (step == SQLITE_ROW)
        snprintf(id, STUDY_ID_LENGTH + 1, "%s", sql_column_text(query, 0));
    status = step == SQLITE_ROW ? GOOD : step == SQLITE_DONE ? NOT_FOUND
           : sql_failed(store, "saved studies");
    sqlite3_finalize(query);
    return status;
}

/* Whoever saves without end fills the disk of all: so there is a limit a day
   and one for the file. */
static enum status look_for_room(struct store *store, int day)
{
    sqlite3_stmt *query;
    enum status status = sql_prepare(store, SAVED_ON, &query);
    double byte = (double)sql_ask(store->db, "PRAGMA page_count") *
                  (double)sql_ask(store->db, "PRAGMA page_size");

    if (status != GOOD)
        return status;
    sqlite3_bind_int(query, 1, day);
    if (sqlite3_step(query) != SQLITE_ROW)
        status = sql_failed(store, "saved studies");
    else if (sqlite3_column_int64(query, 0) >= STUDY_DAY_MAX ||
             byte > STUDY_STORE_BYTE_MAX)
        status = STORE_FULL;
    sqlite3_finalize(query);
    if (status == STORE_FULL)
        snprintf(store->why, sizeof store->why,
                 "no more studies are saved today");
    return status;
}

static enum status add_study(struct store *store,
                             const struct study_head *head,
                             const struct study_part *first)
{
    sqlite3_stmt *query;
    enum status status = sql_prepare(store, STUDY_ADD, &query);

    if (status != GOOD)
        return status;
    sql_text(query, 1, head->id);
    sqlite3_bind_int(query, 2, head->saved_day);
    sqlite3_bind_int(query, 3, head->as_of_day);
    sql_text(query, 4, head->model_version);
    sql_text(query, 5, head->query);
    sqlite3_bind_int64(query, 6, hash_of(head->query, first));
    status = sql_finish(store, query);
    sqlite3_finalize(query);
    return status;
}

static enum status add_parts(struct store *store,
                             const struct study_part *part, int count)
{
    sqlite3_int64 study = sqlite3_last_insert_rowid(store->db);
    sqlite3_stmt *query;
    enum status status = sql_prepare(store, PART_ADD, &query);

    for (int i = 0; i < count && status == GOOD; i++) {
        sqlite3_bind_int64(query, 1, study);
        sql_text(query, 2, part[i].name);
        sqlite3_bind_int(query, 3, i);
        sqlite3_bind_int64(query, 4, (sqlite3_int64)part[i].whole_byte);
        bind_part(query, 5, &part[i]);
        status = sql_finish(store, query);
    }
    sqlite3_finalize(query);
    return status;
}

enum status store_study_save(struct store *store,
                             const struct study_head *head,
                             const struct study_part *part, int count,
                             char id[STUDY_ID_LENGTH + 1])
{
    enum status status = store_begin(store);

    if (status != GOOD)
        return status;
    status = find_same(store, head, part, id);
    if (status == GOOD) {
        store_rollback(store);
        return GOOD;
    }
    if (status == NOT_FOUND)
        status = look_for_room(store, head->saved_day);
    if (status == GOOD)
        status = add_study(store, head, part);
    if (status == GOOD)
        status = add_parts(store, part, count);
    if (status == GOOD)
        status = sql_run(store, "COMMIT");
    if (status != GOOD) {
        store_rollback(store);
        return status;
    }
    memcpy(id, head->id, STUDY_ID_LENGTH + 1);
    return GOOD;
}

/* Copies a row out of the statement, which goes. */
static enum status take_found(struct store *store, sqlite3_stmt *query,
                              struct study_found *out)
{
    const char *text = sql_column_text(query, 3);
    size_t text_byte = strlen(text) + 1;
    const void *body = sqlite3_column_blob(query, 5);
    size_t byte = (size_t)sqlite3_column_bytes(query, 5);
    char *memory = malloc(text_byte + byte);

    if (!memory) {
        snprintf(store->why, sizeof store->why, "out of memory");
        return NO_MEMORY;
    }
    memcpy(memory, text, text_byte);
    if (byte)
        memcpy(memory + text_byte, body, byte);
    out->memory = memory;
    out->head.query = memory;
    out->head.saved_day = sqlite3_column_int(query, 0);
    out->head.as_of_day = sqlite3_column_int(query, 1);
    snprintf(out->head.model_version, sizeof out->head.model_version, "%s",
             sql_column_text(query, 2));
    out->part.at = body ? memory + text_byte : NULL;
    out->part.byte = byte;
    out->part.whole_byte = (size_t)sqlite3_column_int64(query, 4);
    return GOOD;
}

enum status store_study_find(struct store *store, const char *id,
                             const char *part, struct study_found *out)
{
    sqlite3_stmt *query;
    enum status status = NOT_FOUND;
    int step;

    if (store->schema < 2)
        return NOT_FOUND; /* made before studies were saved */
    status = sql_prepare(store, STUDY_FIND, &query);
    if (status != GOOD)
        return status;
    sql_text(query, 1, id);
    sql_text(query, 2, part);
    step = sqlite3_step(query);
    status = step == SQLITE_DONE ? NOT_FOUND
           : step == SQLITE_ROW ? take_found(store, query, out)
           : sql_failed(store, "saved studies");
    if (status == GOOD) {
        snprintf(out->head.id, sizeof out->head.id, "%s", id);
        snprintf(out->part.name, sizeof out->part.name, "%s", part);
    }
    sqlite3_finalize(query);
    return status;
}
