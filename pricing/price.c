/* price.c: order and look-ups in tables of prices and exchange rates. */
#include "pricing/price.h"

#include <string.h>

#include "pricing/num.h"

const char *const term_name[TERM_COUNT] = {
    [TERM_ON_DEMAND] = "on_demand",
    [TERM_SPOT] = "spot",
    [TERM_CAPACITY_BLOCK] = "capacity_block",
    [TERM_RESERVED_1Y] = "reserved_1y",
    [TERM_RESERVED_3Y] = "reserved_3y",
    [TERM_SAVINGS_1Y] = "savings_1y",
    [TERM_SAVINGS_3Y] = "savings_3y",
    [TERM_UNSPECIFIED] = "unspecified",
};

const char *const payment_name[PAYMENT_COUNT] = {
    [PAYMENT_NO_UPFRONT] = "no_upfront",
    [PAYMENT_PARTIAL_UPFRONT] = "partial_upfront",
    [PAYMENT_ALL_UPFRONT] = "all_upfront",
};

static int order(int a, int b)
{
    return (a > b) - (a < b);
}

/* Rows of one provider, then of one instance, region and so on stand
   together; `depth` says how many of these must agree. */
enum depth { OF_PROVIDER = 1, OF_INSTANCE, OF_REGION, OF_OFFER };

static int compare_offer(const struct price *a, const struct price *b,
                         enum depth depth)
{
    int by = strcmp(a->provider, b->provider);

    if (by == 0 && depth >= OF_INSTANCE)
        by = strcmp(a->instance, b->instance);
    if (by == 0 && depth >= OF_REGION)
        by = strcmp(a->region, b->region);
    if (by == 0 && depth >= OF_OFFER)
        by = order(a->term, b->term);
    if (by == 0 && depth >= OF_OFFER)
        by = order(a->payment, b->payment);
    return by;
}

int price_day(const struct price *price)
{
    return price->effective_day ? price->effective_day
                                : price->first_seen_day;
}

int price_compare(const struct price *a, const struct price *b)
{
    int by = compare_offer(a, b, OF_OFFER);

    if (by == 0)
        by = order(price_day(a), price_day(b));
    if (by == 0)
        by = order(b->feed, a->feed);
    if (by == 0)
        by = order(a->effective_day, b->effective_day);
    if (by == 0)
        by = order(a->first_seen_day, b->first_seen_day);
    if (by == 0)
        by = order(a->fetched_day, b->fetched_day);
    if (by == 0)
        by = (a->price_per_hour < b->price_per_hour) -
             (a->price_per_hour > b->price_per_hour);
    return by;
}

struct range { size_t first, end; };

/* Index of the first row at or after the key (or after all its equals). */
static size_t bound(const struct price_table *table, const struct price *key,
                    enum depth depth, int after)
{
    size_t low = 0, high = table->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_offer(&table->price[middle], key, depth) < after)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct range range_of(const struct price_table *table,
                             const struct price *key, enum depth depth)
{
    return (struct range){ bound(table, key, depth, 0),
                           bound(table, key, depth, 1) };
}

static enum feed_kind kind_of(const struct price_table *table,
                              const struct price *price)
{
    return table->feed[price->feed].kind;
}

int price_seen_day(const struct price_table *table, const struct price *price)
{
    return price->fetched_day ? price->fetched_day
                              : table->feed[price->feed].fetched_day;
}

/* Has a list that goes before `row`'s said that the offer is gone, after `row`
   was last seen? An old statement does not bring an offer back. Own books say
   nothing of lists. */
static int is_outlived(const struct price_table *table,
                       const struct price *row, const int *gone_day)
{
    const int seen = price_seen_day(table, row);

    for (int kind = FEED_PROVIDER; kind <= FEED_CATALOGUE; kind++)
        if (kind <= (int)kind_of(table, row) && seen && seen < gone_day[kind])
            return 1;
    return 0;
}

/* Of the rows of one offer. From the newest backwards: a feed's newest row
   is its word on the offer. If the feed has dropped it since, the older rows
   do not come back; *gone becomes the newest of the dropped ones. */
static const struct price *in_force(const struct price_table *table,
                                    struct range offer, int day,
                                    const char *without,
                                    const struct price **gone)
{
    const struct price *best;
    int gone_day[FEED_KIND_COUNT] = { 0 };

    /* once more when something is gone: its day has to be known first */
    for (int turn = 0; ; turn++) {
        unsigned char seen[256] = { 0 };

        best = NULL;
        *gone = NULL;
        for (size_t i = 0; without && i < table->feed_count; i++)
            seen[i] = !strcmp(table->feed[i].id, without)
                      || table->feed[i].kind == FEED_BOOK;
        for (size_t i = offer.end; i > offer.first; i--) {
            const struct price *row = &table->price[i - 1];
            const enum feed_kind kind = kind_of(table, row);

            if (price_day(row) > day || seen[row->feed])
                continue;
            seen[row->feed] = 1;
            if (row->gone_day != 0 && row->gone_day <= day) {
                *gone = *gone ? *gone : row;
                if (row->gone_day > gone_day[kind])
                    gone_day[kind] = row->gone_day;
            } else if ((best == NULL || kind < kind_of(table, best))
                       && !is_outlived(table, row, gone_day)) {
                best = row;
            }
        }
        if (turn || !best || !*gone)
            return best;
    }
}

double price_spread(enum term term, double price_per_hour,
                    double upfront_price)
{
    const int years = term == TERM_RESERVED_3Y || term == TERM_SAVINGS_3Y ? 3
                                                                          : 1;

    return price_per_hour + upfront_price / (8760.0 * years);
}

enum price_state price_state(const struct price_table *table,
                             const struct price *price, int day)
{
    const int stale_day = table->feed[price->feed].stale_day;
    const int seen = price_seen_day(table, price);

    if (price->gone_day && price->gone_day <= day)
        return PRICE_GONE;
    return stale_day > 0 && seen > 0 && day_difference(day, seen) > stale_day
        ? PRICE_OLD : PRICE_CURRENT;
}

static double spread_of(const struct price *price)
{
    return price_spread((enum term)price->term, price->price_per_hour,
                        price->upfront_price);
}

int price_moved(const struct price_table *table, const struct price *price,
                int day, double *move_frac, double *was)
{
    enum { FLAG_DAY = 30 };
    const double most = 0.3;
    const struct price *before = price;
    const int age = day_difference(day, price_day(price));

    if (age < 0 || age > FLAG_DAY)
        return 0;
    do {
        if (before == table->price)
            return 0;
        before--;
        if (compare_offer(before, price, OF_OFFER))
            return 0;
    } while (before->feed != price->feed
             || price_day(before) >= price_day(price));
    if (strcmp(before->currency, price->currency)
        || !(spread_of(before) > 0))
        return 0;
    *move_frac = spread_of(price) / spread_of(before) - 1;
    *was = before->price_per_hour;
    return *move_frac > most || *move_frac < -most;
}

const struct price *price_find(const struct price_table *table,
                               const char *provider, const char *instance,
                               const char *region, enum term term,
                               enum payment payment, int day)
{
    const struct price key = { .provider = provider, .instance = instance,
                               .region = region,
                               .term = (unsigned char)term,
                               .payment = (unsigned char)payment };

    const struct price *gone;
    const struct price *found = in_force(table, range_of(table, &key, OF_OFFER),
                                         day, NULL, &gone);

    return found ? found : gone;
}

const struct price *price_beside(const struct price_table *table,
                                 const char *provider, const char *instance,
                                 const char *region, enum term term,
                                 enum payment payment, int day,
                                 const char *feed)
{
    const struct price key = { .provider = provider, .instance = instance,
                               .region = region,
                               .term = (unsigned char)term,
                               .payment = (unsigned char)payment };

    const struct price *gone;

    return in_force(table, range_of(table, &key, OF_OFFER), day, feed, &gone);
}

static int same_text(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

static int same_offer(const struct price *a, const struct price *b)
{
    return a->term == b->term && a->payment == b->payment &&
           same_text(a->region, b->region) &&
           same_text(a->instance, b->instance) &&
           same_text(a->provider, b->provider);
}

const struct price *price_of_rows(const struct price_table *table, int day,
                                  size_t first, size_t *end)
{
    struct range offer = { first, first + 1 };
    const struct price *gone;

    while (offer.end < table->count &&
           same_offer(&table->price[first], &table->price[offer.end]))
        offer.end++;
    *end = offer.end;
    return in_force(table, offer, day, NULL, &gone);
}

unsigned price_near(const struct price_table *table, const char *provider,
                    const char *instance, const char *region, enum term term,
                    enum payment payment)
{
    const struct price key = { .provider = provider, .instance = instance,
                               .region = region };
    const struct range range = range_of(table, &key, OF_INSTANCE);
    const size_t any = bound(table, &key, OF_PROVIDER, 0);
    unsigned near = 0;

    if (any < table->count &&
        strcmp(table->price[any].provider, provider) == 0)
        near |= PRICE_HAS_PROVIDER;
    for (size_t i = range.first; i < range.end; i++) {
        const struct price *row = &table->price[i];
        const int here = strcmp(row->region, region) == 0;
        const int same_term = row->term == (unsigned char)term;

        near |= PRICE_HAS_INSTANCE;
        near |= here ? PRICE_HAS_REGION : 0u;
        near |= same_term ? PRICE_HAS_TERM : 0u;
        if (here && same_term)
            near |= row->payment == (unsigned char)payment
                        ? PRICE_HAS_OFFER : PRICE_HAS_PLAN;
    }
    return near;
}

const struct price *price_of_instance(const struct price_table *table,
                                      const char *provider,
                                      const char *instance)
{
    const struct price key = { .provider = provider, .instance = instance };
    const struct range range = range_of(table, &key, OF_INSTANCE);

    return range.first < range.end ? &table->price[range.first] : NULL;
}

const struct rate *rate_on(const struct rate_table *table,
                           const char *currency, int day)
{
    size_t low = 0, high = table->count;
    const struct rate *row;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int by;

        row = &table->rate[middle];
        by = strcmp(row->currency, currency);
        if (by < 0 || (by == 0 && row->day <= day))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    row = &table->rate[low - 1];
    return strcmp(row->currency, currency) == 0 ? row : NULL;
}

int rate_find(const struct rate_table *table, const char *currency, int day,
              double *per_usd, int *rate_day)
{
    const struct rate *dollar, *other;

    if (strcmp(currency, "USD") == 0) {
        *per_usd = 1;
        *rate_day = day;
        return 1;
    }
    other = strcmp(currency, "EUR") == 0 ? NULL
                                         : rate_on(table, currency, day);
    if (other == NULL && strcmp(currency, "EUR") != 0)
        return 0;
    /* Both legs of a cross rate are of one day. */
    dollar = rate_on(table, "USD", other ? other->day : day);
    if (dollar == NULL)
        return 0;
    *per_usd = (other ? other->per_eur : 1) / dollar->per_eur;
    *rate_day = dollar->day;
    return 1;
}

int rate_known(const struct rate_table *table, const char *currency)
{
    return strcmp(currency, "USD") == 0 || strcmp(currency, "EUR") == 0 ||
           rate_on(table, currency, 99991231) != NULL;
}
