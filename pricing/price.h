/* price.h: price observations and exchange rates in memory, sorted and
   immutable, with look-ups for any day. Knows no storage: pricing/store.h
   fills a table from SQLite, pricing/seed.c from the built-in rows. */
#ifndef GPUTCO_PRICING_PRICE_H
#define GPUTCO_PRICING_PRICE_H

#include <stddef.h>

/* Kinds of feed, best first: at equal offer the lower one wins (MODEL
   "prices": own price book, provider's feed, catalogue, seed). Behind all of
   them what nobody stated as a price: derived from another one, it only fills
   gaps. */
enum feed_kind { FEED_BOOK, FEED_PROVIDER, FEED_CATALOGUE, FEED_SEED,
                 FEED_DERIVED, FEED_KIND_COUNT };

enum term { TERM_ON_DEMAND, TERM_SPOT, TERM_CAPACITY_BLOCK, TERM_RESERVED_1Y,
            TERM_RESERVED_3Y, TERM_SAVINGS_1Y, TERM_SAVINGS_3Y,
            TERM_UNSPECIFIED, /* listed, never ranked */ TERM_COUNT };
enum payment { PAYMENT_NO_UPFRONT, PAYMENT_PARTIAL_UPFRONT,
               PAYMENT_ALL_UPFRONT, PAYMENT_COUNT };

extern const char *const term_name[TERM_COUNT];       /* "on_demand" ... "unspecified" */
extern const char *const payment_name[PAYMENT_COUNT]; /* "no_upfront" ... */

/* Where a feed's rows come from; one per feed, constant for a table. */
struct price_feed {
    char id[24];            /* "seed", "skypilot-aws" */
    char title[120];
    char address[240];
    char licence[80];
    enum feed_kind kind;
    int fetched_day;        /* yyyymmdd of the newest good fetch; 0 unknown */
    int stale_day;          /* age in days past which prices are stale */
    int failure_count;      /* times it could not be read since fetched_day */
};

/* One observation. Strings point into the table. Prices are per whole
   machine in `currency`. effective_day 0: the feed gives no date, then
   first_seen_day counts. gpu is an id of the device table or "" when the
   provider's GPU is not in it; gpu_count may be a fraction. */
struct price {
    const char *provider, *instance, *region, *currency, *gpu;
    const char *source;     /* address of the row's own source, "" = the feed's */
    double price_per_hour;  /* > 0, or 0 where all is paid upfront */
    double upfront_price;   /* >= 0, whole term */
    double gpu_count;       /* NAN unknown */
    int effective_day, first_seen_day, fetched_day; /* yyyymmdd */
    int gone_day;           /* offer no longer in its feed since; 0 present */
    unsigned char term, payment, feed;  /* feed: index into table->feed */
    unsigned char undated;  /* day is the agreed 2025-08-01, say so */
};

struct price_table {
    const struct price *price;  /* sorted by price_compare */
    size_t count;
    const struct price_feed *feed; /* by kind, best first */
    size_t feed_count;
    long generation;            /* changes whenever the content does */
    int first_day;              /* earliest day of any price */
};

/* Order: provider, instance, region, term, payment, day, feed (last first),
   so that within one day of an offer the last row is the best. The feeds of
   a table are in the order of their kinds, best first: their index then
   stands for the kind. Rows that differ in nothing above are put in order by
   effective, first seen and fetched day and price, so that sorting always
   ends the same way. */
int price_compare(const struct price *a, const struct price *b);

/* The day from which an observation counts: effective, else first seen. */
int price_day(const struct price *price);

/* What an hour costs when the upfront price is spread over the hours of the
   term (8,760 a year; of terms without one, of a year). */
double price_spread(enum term term, double price_per_hour,
                    double upfront_price);

/* How far a price can be relied on by `day`. */
enum price_state { PRICE_CURRENT,
                   PRICE_OLD,  /* its feed was last read too long ago */
                   PRICE_GONE  /* its feed no longer lists the offer */ };
enum price_state price_state(const struct price_table *table,
                             const struct price *price, int day);

/* The day on which the price was last seen in its feed; 0: not known. */
int price_seen_day(const struct price_table *table,
                   const struct price *price);

/* A price that moved by more than three tenths in the thirty days up to `day`
   against the one before it of the same feed: *move_frac (-0.44: 44 % less),
   *was (as stated then) and 1; else 0. `price` is a row of the table. */
int price_moved(const struct price_table *table, const struct price *price,
                int day, double *move_frac, double *was);

/* Price of one offer in force on `day`: best feed kind first, then newest
   day. An offer that a feed dropped by then (gone_day) is not in that feed
   any more; when none has it, the last price of all is the answer
   (price_state says PRICE_GONE). NULL when there is none on or before that
   day. */
const struct price *price_find(const struct price_table *table,
                               const char *provider, const char *instance,
                               const char *region, enum term term,
                               enum payment payment, int day);

/* The same as if neither the feed of that id nor anybody's own book existed:
   what others state in public. */
const struct price *price_beside(const struct price_table *table,
                                 const char *provider, const char *instance,
                                 const char *region, enum term term,
                                 enum payment payment, int day,
                                 const char *feed);

/* For a walk over all offers: the same for the offer whose rows begin at
   `first`, but NULL for one that is gone: nobody can rent it. *end becomes the
   first row of the next one. */
const struct price *price_of_rows(const struct price_table *table, int day,
                                  size_t first, size_t *end);

/* What exists near a missing offer, to say precisely what is wrong. Bits. */
enum { PRICE_HAS_PROVIDER = 1, PRICE_HAS_INSTANCE = 2, /* of that provider */
       PRICE_HAS_REGION = 4,   /* instance in region, any term */
       PRICE_HAS_TERM = 8,     /* instance at term, any region */
       PRICE_HAS_OFFER = 16,   /* the offer itself, on some later day */
       PRICE_HAS_PLAN = 32 };  /* instance, region, term; other payment */
unsigned price_near(const struct price_table *table, const char *provider,
                    const char *instance, const char *region, enum term term,
                    enum payment payment);

/* First row of a provider's instance (any region), or NULL. */
const struct price *price_of_instance(const struct price_table *table,
                                      const char *provider,
                                      const char *instance);

/* Exchange rates: units of currency for one EUR, as the ECB publishes. */
struct rate { char currency[4]; int day; double per_eur; };

struct rate_table {
    const struct rate *rate;   /* sorted by currency, then day */
    size_t count;
    const char *title, *address, *licence;
};

/* The last rate of a currency on or before the day, or NULL. */
const struct rate *rate_on(const struct rate_table *table,
                           const char *currency, int day);

/* Units of `currency` for one USD on the last day on or before `day` on which
   the currency was published; both legs of the cross rate are of that day.
   Writes *per_usd and *rate_day (`day` itself for USD) and returns 1, or
   returns 0 when the table has no such currency by then. */
int rate_find(const struct rate_table *table, const char *currency, int day,
              double *per_usd, int *rate_day);

/* 1 if the currency is anywhere in the table (or USD, EUR). */
int rate_known(const struct rate_table *table, const char *currency);

/* The compiled-in dated prices and rates (pricing/seed/). Never NULL. */
const struct price_table *seed_prices(void);
const struct rate_table *seed_rates(void);

#endif
