/* feed.h: the feeds of prices and how one is read: bytes in, rows out. Pure:
   fetching is fetch.c, judging accept.c, keeping store.h. A new format
   is one feed_x.c with a struct feed_reader and rows of feeds.def. */
#ifndef GPUTCO_PRICING_FEED_H
#define GPUTCO_PRICING_FEED_H

#include <stddef.h>

#include "pricing/price.h"
#include "pricing/reading.h"
#include "pricing/status.h"

enum refusal {
#define REFUSAL(id, ...) REFUSED_##id,
#include "pricing/refusals.def"
    REFUSAL_COUNT
};

/* alarm: 0 expected, 1 refused and said, 2 a remark (refusals.def). */
struct refusal_row { const char *id; int alarm; const char *words; };
extern const struct refusal_row refusal_table[REFUSAL_COUNT];

/* One price as a feed states it, for a whole machine. Strings are never NULL
   in a row that is given out and belong to the giver. gpu: id of the device
   table or ""; gpu_name: the feed's own words. */
struct feed_row {
    const char *provider, *instance, *region, *currency, *gpu, *gpu_name;
    const char *zone;           /* part of the region the price is for, or "" */
    const char *source;         /* own address of the row, "" the feed's */
    double price_per_hour, upfront_price;
    double gpu_count, gpu_memory_gib, vcpu_count, memory_gib; /* NAN unknown */
    int effective_day;          /* yyyymmdd, 0: the feed has no dates */
    enum term term;
    enum payment payment;
    int undated;                /* effective_day is agreed, not published */
};

/* A price that another feed has: whose it is and of which day. */
struct feed_known { double price_per_hour; const char *feed; int day; };

/* Where rows go. Nonzero from either: out of memory, stop. */
struct feed_sink {
    void *context;
    int (*row)(void *context, const struct feed_row *row);
    /* A row that is not used. `row` holds what was read of its key; members
       that were not read are NULL. term TERM_COUNT: whatever the term. */
    int (*refused)(void *context, enum refusal why,
                   const struct feed_row *row);
    /* An exchange rate, of feeds with FEED_RATES. */
    int (*rate)(void *context, const struct rate *rate);
    /* A value of grid or tariff, of feeds with FEED_READINGS. */
    int (*reading)(void *context, const struct reading *reading);
    /* Price of the row's machine in its region at another term, as other
       feeds have it today: 1 and *out, or 0. For feeds that are FEED_DERIVED;
       may be NULL. */
    int (*known)(void *context, const struct feed_row *row, enum term term,
                 struct feed_known *out);
};

struct feed_reader;

enum { FEED_ON_REQUEST = 1,     /* asked only when named */
       FEED_OPEN_END = 2,       /* its last line has no line end */
       FEED_RATES = 4,         /* exchange rates, no prices */
       FEED_READINGS = 8 };     /* grid and tariffs, no prices */

enum { FEED_STEP_MAX = 400, FEED_ADDRESS_BYTE = 600 };

struct feed {
    const char *id, *title, *address, *licence, *provider, *currency;
    enum feed_kind kind;
    const struct feed_reader *reader;
    int cadence_hour, stale_day;
    long long byte_cap;         /* of the decoded bodies together */
    unsigned flags;
    const char *hosts;          /* that further bodies may come from, besides
                                   the address's own; blanks between */
    int pause_ms;               /* between two bodies */
    const char *key_name, *key_header; /* environment and header of a key */
};

/* The whole table; with the seed no more than 255 may hold prices. */
enum { FEED_COUNT_MAX = 250 };
size_t feed_count_all(void);
const struct feed *feed_at(size_t i);
const struct feed *feed_find(const char *id);

/* The whole address of what `next` names, where a feed was asked at
   `address`: an address, a path on its host, or with a & in front what is
   added to it; "" when it does not fit. */
void feed_whole(const char *address, const char *next,
                char out[FEED_ADDRESS_BYTE]);

/* 1 if a feed that was asked at `address` may go on at `next`: by https (or
   as the first), on the same host or one of feed->hosts. */
int feed_may_ask(const struct feed *feed, const char *address,
                 const char *next);

/* One format. `revision` goes up when the same bytes would give other rows,
   so that unchanged files are read again after an upgrade. */
struct feed_parse {
    char why[200];
    char version[40];   /* what the feed calls itself: a day or a number that
                           grows; "" when it has none */
    /* reader's own members follow */
};
struct feed_reader {
    const char *name;
    int revision;
    int first_tells;            /* the first body changes when anything does */
    struct feed_parse *(*begin)(const struct feed *feed,
                                const struct feed_sink *sink);
    enum status (*bytes)(struct feed_parse *parse, const char *bytes,
                         size_t count);
    enum status (*end)(struct feed_parse *parse);
    void (*close)(struct feed_parse *parse);
    /* NULL for feeds of one body. After `end`: the address of the next body
       (as feed_whole takes it), which follows by `bytes` and `end` again, or
       NULL when the feed is whole. Lives until the next call. */
    const char *(*next)(struct feed_parse *parse);
};
extern const struct feed_reader feed_reader_skypilot, feed_reader_ecb,
    feed_reader_azure, feed_reader_oci, feed_reader_aws,
    feed_reader_blocks, feed_reader_gcp, feed_reader_gcp_file,
    feed_reader_uk_grid, feed_reader_electricitymaps,
    feed_reader_google_regions, feed_reader_eia, feed_reader_eurostat,
    feed_reader_aws_plans, feed_reader_aws_spot;

/* feed_begin (NULL: no memory), then for each body feed_bytes in pieces of any
   size, feed_end, and feed_next (NULL: no more); feed_close. The answer is GOOD, NO_MEMORY, or FEED_REFUSED with one
   sentence from feed_why: the file as a whole cannot be trusted and no row
   that came out of it may be used. */
struct feed_parse *feed_begin(const struct feed *feed,
                              const struct feed_sink *sink);
enum status feed_bytes(const struct feed *feed, struct feed_parse *parse,
                       const char *bytes, size_t count);
enum status feed_end(const struct feed *feed, struct feed_parse *parse);
const char *feed_why(const struct feed_parse *parse);
const char *feed_next(const struct feed *feed, struct feed_parse *parse);
void feed_close(const struct feed *feed, struct feed_parse *parse);

/* Writes parse->why, "code: sentence", and returns FEED_REFUSED. The code is
   the alarm of the refusal: schema, encoding, csv, json, trailing, too_deep,
   too_long, duplicate_key, unit, currency, row_count, incomplete,
   foreign_link, page_loop, went_back. */
enum status feed_refuse(struct feed_parse *parse, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The longest number of an address becomes the version. */
void feed_version_of(struct feed_parse *parse, const char *address);

/* A positive number of the feed's grammar (plain decimals). Writes *out and
   returns -1 when it is one, else the refusal that says what is wrong. */
int feed_price(const char *text, double *out);

/* The same of any number. */
int feed_value(const char *text, double *out);

/* The number, or NAN when it is empty or none. */
double feed_number(const char *text);

/* Looks up the accelerator of a row by the catalogue of instances, else by
   name; fills gpu, and gpu_count and gpu_memory_gib where they are unknown.
   Returns -1, or the refusal when row and catalogue disagree. */
int feed_know_gpu(struct feed_row *row);

#endif
