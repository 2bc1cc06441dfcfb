/* old_store.h: makes a store of today one of version 3, for tests of readers
   and writers that meet an old one. */
#ifndef GPUTCO_TESTS_OLD_STORE_H
#define GPUTCO_TESTS_OLD_STORE_H

/* The tables of version 3 (offer and quote apart, terms as words) in place of
   today's, with the same rows. */
static const char to_version_3[] =
    "PRAGMA foreign_keys = OFF; BEGIN;"
    "DROP TABLE refused; DROP TABLE reading; DROP VIEW observation; ALTER TABLE quote RENAME TO q4;"
    "CREATE TABLE offer (id INTEGER PRIMARY KEY,"
    " machine INTEGER NOT NULL REFERENCES machine (id), region TEXT NOT NULL,"
    " term TEXT NOT NULL, payment TEXT NOT NULL,"
    " UNIQUE (machine, region, term, payment)) STRICT;"
    "CREATE TABLE quote (offer INTEGER NOT NULL REFERENCES offer (id),"
    " day INTEGER NOT NULL, price_per_hour REAL NOT NULL, upfront_price REAL,"
    " first_seen_day INTEGER, last_seen_day INTEGER, gone_day INTEGER,"
    " undated INTEGER, PRIMARY KEY (offer, day)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE word (list INTEGER, number INTEGER, word TEXT);"
    "INSERT INTO word VALUES (1, 0, 'on_demand'), (1, 1, 'spot'),"
    " (1, 2, 'capacity_block'), (1, 3, 'reserved_1y'), (1, 4, 'reserved_3y'),"
    " (1, 5, 'savings_1y'), (1, 6, 'savings_3y'), (1, 7, 'unspecified'),"
    " (2, 0, 'no_upfront'), (2, 1, 'partial_upfront'), (2, 2, 'all_upfront');"
    "INSERT INTO offer SELECT DISTINCT NULL, machine, region, t.word, p.word"
    " FROM q4 JOIN word t ON t.list = 1 AND t.number = term"
    " JOIN word p ON p.list = 2 AND p.number = payment;"
    "INSERT INTO quote SELECT o.id, q.day, q.price_per_hour, q.upfront_price,"
    " q.first_seen_day, q.last_seen_day, q.gone_day, q.undated FROM q4 q"
    " JOIN word t ON t.list = 1 AND t.number = q.term"
    " JOIN word p ON p.list = 2 AND p.number = q.payment"
    " JOIN offer o ON o.machine = q.machine AND o.region = q.region"
    " AND o.term = t.word AND o.payment = p.word;"
    "CREATE VIEW observation AS SELECT q.day FROM quote q JOIN offer o"
    " ON o.id = q.offer;"
    "DROP TABLE q4; DROP TABLE word; PRAGMA user_version = 3; COMMIT;";

#endif
