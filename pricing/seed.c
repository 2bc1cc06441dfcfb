/* seed.c: the dated prices and rates that the program brings along, so that
   it answers before any feed was fetched. */
#include "pricing/price.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A catalogue without a date of its own whose layout came up in August 2025
   can be no older than that. */
enum { UNDATED_DAY = 20250801 };

/* Nothing refreshes these rows; half a year is long for rented GPUs. */
enum { STALE_DAYS = 180 };

enum feed_index {
#define ROW(id, feed, title, address, licence, fetched_day) feed,
#include "pricing/seed/feeds.inc"
};

static const struct price_feed feeds[] = {
#define ROW(id, feed, title, address, licence, fetched_day) \
    [feed] = { id, title, address, licence, FEED_SEED, fetched_day, \
               STALE_DAYS, 0 },
#include "pricing/seed/feeds.inc"
};

static const struct price prices[] = {
#define ROW(provider, instance, region, term, payment, effective_day, \
            first_seen_day, price, currency, gpu, gpu_count, feed, address) \
    { provider, instance, region, currency, gpu, address, price, 0, \
      gpu_count, effective_day, \
      first_seen_day ? first_seen_day : UNDATED_DAY, \
      first_seen_day, 0, term, payment, feed, first_seen_day == 0 },
#include "pricing/seed/prices.inc"
};

static const struct rate rates[] = {
#define ROW(currency, day, per_eur, source) { currency, day, per_eur },
#include "pricing/seed/rates.inc"
};

const struct price_table *seed_prices(void)
{
    /* 2023-09-18 is the first price list that the history holds; a test
       compares. */
    static const struct price_table table = {
        prices, COUNT(prices), feeds, COUNT(feeds), 1, 20230918
    };

    return &table;
}

const struct rate_table *seed_rates(void)
{
    static const struct rate_table table = {
        rates, COUNT(rates), "ECB, euro foreign exchange reference rates",
        "https://www.ecb.europa.eu/stats/policy_and_exchange_rates/"
        "euro_reference_exchange_rates/html/index.en.html",
        "ECB, reuse with credit"
    };

    return &table;
}
