/* test_price.c: which price and which rate hold on a day. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "energy/device.h"
#include "pricing/catalogue.h"
#include "pricing/price.h"
#include "tests/near.h"

enum { TODAY = 20261201 };

static const struct price *seed_find(const char *provider,
                                     const char *instance, const char *region,
                                     enum term term, int day)
{
    return price_find(seed_prices(), provider, instance, region, term,
                      PAYMENT_NO_UPFRONT, day);
}

static void prices_of_a_day(void **state)
{
    static const struct { const char *provider, *instance, *region;
                          enum term term; int day; double want;
                          const char *why; } run[] = {
        { "aws", "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, 20250501,
          32.7726, "before the cut of June 2025" },
        { "aws", "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, 20250622,
          32.7726, "the day before it was seen" },
        { "aws", "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, 20250623,
          21.957642, "the day it was seen" },
        { "aws", "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, TODAY,
          21.957642, "today" },
        { "aws", "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, 20230918,
          32.7726, "first day of the history" },
        { "aws", "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, 20230917,
          NAN, "nothing before it" },
        { "aws", "p4d.24xlarge", "us-east-1", TERM_CAPACITY_BLOCK, TODAY,
          11.8, "another term of the same machine" },
        { "aws", "p4d.24xlarge", "us-east-1", TERM_SPOT, TODAY, NAN,
          "no spot price is seeded" },
        { "aws", "p5en.48xlarge", "us-east-1", TERM_ON_DEMAND, 20250401,
          84.8, "launch price" },
        { "aws", "p5en.48xlarge", "us-east-1", TERM_ON_DEMAND, 20250701,
          63.296, "after the cut" },
        { "oci", "BM.GPU.H100.8", "all", TERM_ON_DEMAND, 20250801, 80,
          "undated rows count from here" },
        { "oci", "BM.GPU.H100.8", "all", TERM_ON_DEMAND, 20250731, NAN,
          "and not from the day before" },
        { "aws", "nothing", "us-east-1", TERM_ON_DEMAND, TODAY, NAN,
          "no such machine" },
        { "aws", "p4d.24xlarge", "mars-1", TERM_ON_DEMAND, TODAY, NAN,
          "no such region" },
        { "nobody", "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, TODAY, NAN,
          "no such provider" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct price *p = seed_find(run[i].provider, run[i].instance,
                                          run[i].region, run[i].term,
                                          run[i].day);

        if (isnan(run[i].want) ? p != NULL
                               : !p || p->price_per_hour != run[i].want)
            fail_msg("%s %s on %d: %g (%s)", run[i].instance, run[i].region,
                     run[i].day, p ? p->price_per_hour : NAN, run[i].why);
    }
}

static void seed_is_whole(void **state)
{
    const struct price_table *t = seed_prices();
    int first = TODAY, undated = 0;

    (void)state;
    for (size_t i = 0; i < t->count; i++) {
        const struct price *p = &t->price[i];
        const struct instance *in = instance_find(p->provider, p->instance);
        int day = price_day(p);

        if (i > 0 && price_compare(p - 1, p) >= 0)
            fail_msg("%s: not in order", p->instance);
        if (in == NULL)
            fail_msg("%s %s: not in instances.csv", p->provider, p->instance);
        assert_string_equal(p->gpu, in->gpu);
        assert_near(p->gpu_count, in->gpu_count, 0);
        assert_true(p->gpu[0] == '\0' || gpu_find(p->gpu) != NULL);
        assert_true(p->price_per_hour > 0.05 && p->price_per_hour < 1000);
        assert_true(p->upfront_price >= 0);
        assert_true(p->feed < t->feed_count);
        assert_true(p->term < TERM_COUNT && p->payment < PAYMENT_COUNT);
        assert_true(rate_known(seed_rates(), p->currency));
        assert_true(day >= 20230918 && day <= TODAY);
        assert_int_equal(p->undated, day == 20250801 && p->fetched_day == 0);
        assert_true(p->source[0] == '\0' ||
                    strncmp(p->source, "https://", 8) == 0);
        first = day < first ? day : first;
        undated += p->undated;
    }
    assert_int_equal(t->first_day, first);
    assert_int_equal(undated, 95); /* as many as the source has */
    for (size_t i = 0; i < t->feed_count; i++) {
        assert_int_equal(t->feed[i].kind, FEED_SEED);
        assert_true(t->feed[i].title[0] && t->feed[i].licence[0]);
        assert_true(strncmp(t->feed[i].address, "https://", 8) == 0);
    }
}

static void names(void **state)
{
    (void)state;
    for (int i = 0; i < TERM_COUNT; i++)
        assert_non_null(term_name[i]);
    for (int i = 0; i < PAYMENT_COUNT; i++)
        assert_non_null(payment_name[i]);
    assert_string_equal(term_name[TERM_RESERVED_3Y], "reserved_3y");
    assert_string_equal(payment_name[PAYMENT_PARTIAL_UPFRONT],
                        "partial_upfront");
}

/* A table made by hand. Feeds stand by kind, best first. */
static const struct price_feed feeds[] = {
    { .id = "book", .kind = FEED_BOOK },
    { .id = "own", .kind = FEED_PROVIDER },
    { .id = "own2", .kind = FEED_PROVIDER },
    { .id = "catalogue", .kind = FEED_CATALOGUE },
    { .id = "seed", .kind = FEED_SEED },
    { .id = "derived", .kind = FEED_DERIVED },
};
enum { BOOK, OWN, OWN2, CATALOGUE, SEED, DERIVED };

#define N PAYMENT_NO_UPFRONT
#define ALL PAYMENT_ALL_UPFRONT
#define D TERM_ON_DEMAND

#define OFFER(in, re, te, pa, day, fe, gone, price) \
    { .provider = "p", .instance = in, .region = re, .currency = "USD", \
      .gpu = "", .source = "", .price_per_hour = price, .gpu_count = 1, \
      .first_seen_day = day, .gone_day = gone, .term = te, .payment = pa, \
      .feed = fe }

static int by_order(const void *a, const void *b)
{
    return price_compare(a, b);
}

static struct price_table sorted(struct price *row, size_t count)
{
    qsort(row, count, sizeof *row, by_order);
    return (struct price_table){ .price = row, .count = count, .feed = feeds,
                                 .feed_count = 6 };
}

static void feeds_take_precedence(void **state)
{
    struct price row[] = {
        OFFER("a", "r", D, N, 20251201, DERIVED, 0, 9),
        OFFER("a", "r", D, N, 20260701, DERIVED, 0, 10),
        OFFER("a", "r", D, N, 20260101, SEED, 0, 1),
        OFFER("a", "r", D, N, 20260301, SEED, 0, 2),
        OFFER("a", "r", D, N, 20260201, CATALOGUE, 0, 3),
        OFFER("a", "r", D, N, 20260501, OWN, 20260701, 4),
        OFFER("a", "r", D, N, 20260401, OWN, 0, 5),
        OFFER("a", "r", D, N, 20260601, BOOK, 20260610, 6),
        OFFER("a", "r", D, N, 20260801, OWN2, 0, 7),
        OFFER("a", "r", D, N, 20260801, OWN, 0, 8),
    };
    static const struct { int day; double want; const char *why; } run[] = {
        { 20251130, NAN, "nothing yet" },
        { 20251231, 9, "a derived one, when nobody states any" },
        { 20260101, 1, "the seed, when there is nothing else" },
        { 20260201, 3, "a catalogue before the seed" },
        { 20260301, 3, "even before a newer seed" },
        { 20260401, 5, "the provider's own feed before a catalogue" },
        { 20260501, 4, "its newest row" },
        { 20260601, 6, "the price book before all" },
        { 20260609, 6, "until the day before it is gone" },
        { 20260610, 4, "then the next" },
        { 20260630, 4, "the provider still has the offer" },
        { 20260701, 3, "dropped: its older row does not come back" },
        { 20260801, 8, "same day and kind: the first feed of the table" },
    };
    const struct price_table t = sorted(row, sizeof row / sizeof row[0]);

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct price *p = price_find(&t, "p", "a", "r", D, N,
                                           run[i].day);

        if (isnan(run[i].want) ? p != NULL
                               : !p || p->price_per_hour != run[i].want)
            fail_msg("%d: %g (%s)", run[i].day, p ? p->price_per_hour : NAN,
                     run[i].why);
    }
    assert_near(price_beside(&t, "p", "a", "r", D, N, 20260609,
                             "derived")->price_per_hour, 4, 0);
}

/* What nobody has any more keeps its last price, marked; nobody ranks it. */
static void gone_offers(void **state)
{
    struct price row[] = {
        OFFER("a", "r", D, N, 20260101, CATALOGUE, 20260401, 3),
        OFFER("a", "r", D, N, 20260201, OWN, 20260301, 4),
    };
    const struct price_table t = sorted(row, 2);
    static const struct { int day; double want; enum price_state state; }
    run[] = {
        { 20260228, 4, PRICE_CURRENT }, { 20260301, 3, PRICE_CURRENT },
        { 20260331, 3, PRICE_CURRENT }, { 20260401, 4, PRICE_GONE },
        { 20270101, 4, PRICE_GONE },
    };
    size_t end;

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct price *p = price_find(&t, "p", "a", "r", D, N,
                                           run[i].day);
        assert_near(p->price_per_hour, run[i].want, 0);
        assert_int_equal(price_state(&t, p, run[i].day), run[i].state);
    }
    assert_null(price_of_rows(&t, 20260401, 0, &end));
    assert_int_equal(end, 2);
    assert_non_null(price_of_rows(&t, 20260331, 0, &end));
}

/* What a list has dropped does not come back out of an older statement, be it
   the seed's; a list that has it still, seen since, does count, and so does the
   provider's own word against a catalogue. An own book only speaks for itself. */
static void gone_offers_stay_gone(void **state)
{
    static const struct {
        unsigned char kept; int kept_seen; unsigned char dropped; int want;
    } run[] = {
        { SEED, 20260401, OWN, 0 }, { SEED, 20260501, OWN, 1 },
        { SEED, 20260401, CATALOGUE, 0 }, { CATALOGUE, 20260401, OWN, 0 },
        { CATALOGUE, 20260502, OWN, 1 }, { OWN, 20260401, CATALOGUE, 1 },
        { OWN2, 20260401, OWN, 0 }, { OWN2, 20260501, OWN, 1 },
        { SEED, 20260401, BOOK, 1 }, { BOOK, 20260401, OWN, 1 },
        { DERIVED, 20260401, OWN, 0 }, { OWN, 20260401, DERIVED, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        struct price row[] = {
            OFFER("a", "r", D, N, 20260101, run[i].kept, 0, 3),
            OFFER("a", "r", D, N, 20260301, run[i].dropped, 20260501, 4),
        };
        struct price_table t;
        const struct price *p;

        row[0].fetched_day = run[i].kept_seen;
        t = sorted(row, 2);
        p = price_find(&t, "p", "a", "r", D, N, 20260501);
        if (p->price_per_hour != (run[i].want ? 3 : 4)
            || (price_state(&t, p, 20260501) == PRICE_GONE) == run[i].want)
            fail_msg("row %zu: %g", i, p->price_per_hour);
        p = price_find(&t, "p", "a", "r", D, N, 20260430); /* both still there */
        assert_int_equal(price_state(&t, p, 20260430), PRICE_CURRENT);
    }
}

/* Old: last seen longer ago than its feed allows, by the day that is asked. */
static void old_prices(void **state)
{
    struct price row[] = { OFFER("a", "r", D, N, 20260101, 0, 0, 3) };
    struct price_feed feed = { .kind = FEED_PROVIDER, .fetched_day = 20260110,
                               .stale_day = 7 };
    struct price_table t = sorted(row, 1);

    (void)state;
    t.feed = &feed;
    t.feed_count = 1;
    assert_int_equal(price_state(&t, row, 20260105), PRICE_CURRENT);
    assert_int_equal(price_state(&t, row, 20260117), PRICE_CURRENT);
    assert_int_equal(price_state(&t, row, 20260118), PRICE_OLD);
    row[0].fetched_day = 20260105; /* replaced since: it was last seen then */
    assert_int_equal(price_state(&t, row, 20260113), PRICE_OLD);
    feed.stale_day = 0; /* the seed does not grow old */
    assert_int_equal(price_state(&t, row, 20300101), PRICE_CURRENT);
}

/* AWS cut p5.48xlarge from 98.32 to 55.04 in June 2025: 55.04 / 98.32 - 1 =
   -0.4402. Told for thirty days; of the same feed, spread over the term. */
static void moved_prices(void **state)
{
    struct price row[] = {
        OFFER("a", "r", D, N, 20250101, OWN, 0, 98.32),
        OFFER("a", "r", D, N, 20250301, CATALOGUE, 0, 1),
        OFFER("a", "r", D, N, 20250623, OWN, 0, 55.04),
        OFFER("a", "r", D, N, 20251001, OWN, 0, 70),
        OFFER("a", "r", D, N, 20251201, OWN, 0, 91.01),
        OFFER("b", "r", TERM_RESERVED_1Y, ALL, 20250101, OWN, 0, 0),
        OFFER("b", "r", TERM_RESERVED_1Y, ALL, 20250201, OWN, 0, 0),
    };
    static const struct { const char *what; int day, moved; double frac, was; }
    run[] = {
        { "a", 20250622, 0, 0, 0 },
        { "a", 20250623, 1, -0.44019528, 98.32 },
        { "a", 20250723, 1, -0.44019528, 98.32 },
        { "a", 20250724, 0, 0, 0 },
        { "a", 20251002, 0, 0, 0 },          /* 70 / 55.04 = 1.272 */
        { "a", 20251201, 1, 0.30014286, 70 },
        { "b", 20250202, 1, 1, 0 },          /* 8,760 to 17,520 upfront */
    };
    struct price_table t;

    (void)state;
    row[5].upfront_price = 8760;
    row[6].upfront_price = 17520;
    t = sorted(row, sizeof row / sizeof row[0]);
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const int a = *run[i].what == 'a';
        const struct price *p = price_find(&t, "p", run[i].what, "r",
                                           a ? D : TERM_RESERVED_1Y,
                                           a ? N : ALL, run[i].day);
        double frac = 0, was = 0;

        assert_int_equal(price_moved(&t, p, run[i].day, &frac, &was),
                         run[i].moved);
        if (run[i].moved) {
            assert_near(frac, run[i].frac, 1e-8);
            assert_near(was, run[i].was, 0);
        }
    }
    assert_near(price_spread(TERM_RESERVED_3Y, 1, 26280), 2, 1e-12);
    assert_near(price_spread(TERM_SAVINGS_1Y, 1, 8760), 2, 1e-12);
}

static void the_effective_date_counts(void **state)
{
    struct price row[] = {
        OFFER("a", "r", D, N, 20260101, OWN, 0, 1),
        OFFER("a", "r", D, N, 20260102, OWN, 0, 2),
    };
    struct price_table t;

    (void)state;
    row[1].effective_day = 20260601; /* announced in January */
    assert_int_equal(price_day(&row[0]), 20260101);
    assert_int_equal(price_day(&row[1]), 20260601);
    t = sorted(row, 2);
    assert_near(price_find(&t, "p", "a", "r", D, N, 20260531)->price_per_hour,
                1, 0);
    assert_near(price_find(&t, "p", "a", "r", D, N, 20260601)->price_per_hour,
                2, 0);
}

static void terms_and_payments_are_apart(void **state)
{
    struct price row[] = {
        OFFER("a", "r", TERM_RESERVED_1Y, PAYMENT_NO_UPFRONT, 20260101, OWN,
              0, 10),
        OFFER("a", "r", TERM_RESERVED_1Y, PAYMENT_PARTIAL_UPFRONT, 20260101,
              OWN, 0, 5),
        OFFER("a", "r", TERM_RESERVED_1Y, PAYMENT_ALL_UPFRONT, 20260101, OWN,
              0, 0.01),
        OFFER("a", "r", TERM_RESERVED_3Y, PAYMENT_NO_UPFRONT, 20260101, OWN,
              0, 7),
        OFFER("a", "r", TERM_SAVINGS_1Y, PAYMENT_NO_UPFRONT, 20260101, OWN, 0,
              9),
        OFFER("a", "r", TERM_ON_DEMAND, PAYMENT_NO_UPFRONT, 20260101, OWN, 0,
              20),
    };
    static const struct { enum term term; enum payment payment; double want;
    } run[] = {
        { TERM_RESERVED_1Y, PAYMENT_NO_UPFRONT, 10 },
        { TERM_RESERVED_1Y, PAYMENT_PARTIAL_UPFRONT, 5 },
        { TERM_RESERVED_1Y, PAYMENT_ALL_UPFRONT, 0.01 },
        { TERM_RESERVED_3Y, PAYMENT_NO_UPFRONT, 7 },
        { TERM_RESERVED_3Y, PAYMENT_ALL_UPFRONT, NAN },
        { TERM_SAVINGS_1Y, PAYMENT_NO_UPFRONT, 9 },
        { TERM_SAVINGS_3Y, PAYMENT_NO_UPFRONT, NAN },
        { TERM_ON_DEMAND, PAYMENT_NO_UPFRONT, 20 },
        { TERM_SPOT, PAYMENT_NO_UPFRONT, NAN },
    };
    const struct price_table t = sorted(row, sizeof row / sizeof row[0]);

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct price *p = price_find(&t, "p", "a", "r", run[i].term,
                                           run[i].payment, TODAY);

        assert_near(p ? p->price_per_hour : NAN, run[i].want, 0);
    }
}

static void what_is_near(void **state)
{
    struct price row[] = {
        OFFER("a", "r", TERM_ON_DEMAND, N, 20260101, OWN, 0, 1),
        OFFER("a", "s", TERM_SPOT, N, 20260101, OWN, 0, 1),
        OFFER("a", "s", TERM_RESERVED_1Y, ALL, 20260101, OWN, 0, 1),
        OFFER("b", "s", TERM_ON_DEMAND, N, 20260101, OWN, 0, 1),
    };
    enum { P = PRICE_HAS_PROVIDER, I = P | PRICE_HAS_INSTANCE,
           R = PRICE_HAS_REGION, T = PRICE_HAS_TERM, O = PRICE_HAS_OFFER,
           L = PRICE_HAS_PLAN };
    static const struct { const char *provider, *instance, *region;
                          enum term term; enum payment payment; unsigned want;
                          const char *why; } run[] = {
        { "q", "a", "r", TERM_ON_DEMAND, N, 0, "no such provider" },
        { "p", "z", "r", TERM_ON_DEMAND, N, P, "no such instance" },
        { "p", "a", "r", TERM_ON_DEMAND, N, I | R | T | O, "the offer" },
        { "p", "a", "s", TERM_ON_DEMAND, N, I | R | T, "the region has "
          "other terms, the term other regions" },
        { "p", "a", "t", TERM_ON_DEMAND, N, I | T, "no such region" },
        { "p", "a", "r", TERM_SAVINGS_3Y, N, I | R, "no such term" },
        { "p", "a", "s", TERM_RESERVED_1Y, N, I | R | T | L,
          "paid in another way" },
        { "p", "a", "t", TERM_SAVINGS_3Y, N, I, "neither" },
    };
    const struct price_table t = sorted(row, sizeof row / sizeof row[0]);
    const struct price_table none = { .feed = feeds, .feed_count = 5 };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        unsigned got = price_near(&t, run[i].provider, run[i].instance,
                                  run[i].region, run[i].term, run[i].payment);

        if (got != run[i].want)
            fail_msg("%s: %u, not %u", run[i].why, got, run[i].want);
    }
    assert_ptr_equal(price_of_instance(&t, "p", "a"), &t.price[0]);
    assert_ptr_equal(price_of_instance(&t, "p", "b"), &t.price[3]);
    assert_null(price_of_instance(&t, "p", "c"));
    assert_null(price_of_instance(&t, "q", "a"));
    assert_int_equal(price_near(&none, "p", "a", "r", TERM_SPOT, N), 0);
    assert_null(price_find(&none, "p", "a", "r", TERM_SPOT, N, TODAY));
    assert_null(price_of_instance(&none, "p", "a"));
}

/* The look-up against a plain walk over a large table. */
static void large_table(void **state)
{
    enum { COUNT = 20000, OFFERS = 97 };
    static char name[OFFERS][8];
    struct price *row = calloc(COUNT, sizeof *row);
    struct price_table t;
    unsigned seed = 1;

    (void)state;
    assert_non_null(row);
    for (size_t i = 0; i < OFFERS; i++) {
        name[i][0] = 'i';
        name[i][1] = (char)('a' + i / 26);
        name[i][2] = (char)('a' + i % 26);
    }
    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        row[i] = (struct price)OFFER(
            name[seed >> 8 & 63], "r", TERM_ON_DEMAND, PAYMENT_NO_UPFRONT,
            20200101 + (int)(seed >> 16 & 4095), (unsigned char)(seed % 5), 0,
            (double)i + 1);
    }
    t = sorted(row, COUNT);
    for (int day = 20200100; day < 20204300; day += 211)
        for (size_t i = 0; i < OFFERS; i += 7) {
            const struct price *want = NULL;

            for (size_t j = 0; j < COUNT; j++) {
                const struct price *p = &t.price[j];

                if (strcmp(p->instance, name[i]) == 0 &&
                    price_day(p) <= day &&
                    (!want || feeds[p->feed].kind <= feeds[want->feed].kind))
                    want = p;
            }
            assert_ptr_equal(price_find(&t, "p", name[i], "r", TERM_ON_DEMAND,
                                        PAYMENT_NO_UPFRONT, day), want);
        }
    free(row);
}

static void rates_are_in_order(void **state)
{
    const struct rate_table *t = seed_rates();

    (void)state;
    assert_true(t->title[0] && t->address[0] && t->licence[0]);
    for (size_t i = 0; i < t->count; i++) {
        const struct rate *r = &t->rate[i];

        assert_int_equal(strlen(r->currency), 3);
        assert_true(r->per_eur > 0);
        assert_true(r->day >= 20240102 && r->day <= 20261005);
        if (i > 0) {
            int by = strcmp(r[-1].currency, r->currency);

            assert_true(by < 0 || (by == 0 && r[-1].day < r->day));
        }
    }
}

static void rates_of_a_day(void **state)
{
    static const struct { const char *currency; int day; double want;
                          int rate_day; const char *why; } run[] = {
        { "USD", 19990101, 1, 19990101, "the dollar is itself on any day" },
        { "EUR", 20251223, 1 / 1.1786, 20251223, "a published day" },
        { "GBP", 20251223, 0.8729 / 1.1786, 20251223, "across the euro" },
        { "JPY", 20251222, 184.77 / 1.1745, 20251222, "the day itself" },
        { "JPY", 20251221, 184.15 / 1.1712, 20251219, "Sunday: Friday's" },
        { "EUR", 20251221, 1 / 1.1712, 20251219, "the same" },
        { "SEK", 20261005, 11.2525 / 1.1204, 20261005, "newest verified" },
        { "EUR", TODAY, 1 / 1.1204, 20261005, "the last there is" },
        { "CHF", TODAY, NAN, 20260413, "the older of two days" },
        { "EUR", 20240101, NAN, 0, "before the first" },
        { "XXX", TODAY, NAN, 0, "no such currency" },
        { "SAR", TODAY, NAN, 0, "the ECB does not publish it" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        double per_usd = -1;
        int day = -1, found = rate_find(seed_rates(), run[i].currency,
                                        run[i].day, &per_usd, &day);

        if (run[i].rate_day == 0) {
            /* not found: the outputs are left alone */
            assert_int_equal(found, 0);
            assert_near(per_usd, -1, 0);
            assert_int_equal(day, -1);
            continue;
        }
        assert_int_equal(found, 1);
        if (day != run[i].rate_day)
            fail_msg("%s: %d (%s)", run[i].currency, day, run[i].why);
        if (!isnan(run[i].want))
            assert_near(per_usd, run[i].want, 1e-12);
    }
    assert_true(rate_known(seed_rates(), "USD"));
    assert_true(rate_known(seed_rates(), "EUR"));
    assert_true(rate_known(seed_rates(), "CNY"));
    assert_false(rate_known(seed_rates(), "SAR"));
    assert_false(rate_known(seed_rates(), ""));
}

/* Of the newest day only three rates stand elsewhere too; the others of that
   file may be invented and must not have come in. */
static void only_verified_rates(void **state)
{
    const struct rate_table *t = seed_rates();
    int newest = 0;

    (void)state;
    for (size_t i = 0; i < t->count; i++)
        if (t->rate[i].day == 20261005) {
            newest++;
            assert_true(strcmp(t->rate[i].currency, "USD") == 0 ||
                        strcmp(t->rate[i].currency, "GBP") == 0 ||
                        strcmp(t->rate[i].currency, "SEK") == 0);
        }
    assert_int_equal(newest, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_of_a_day),
        cmocka_unit_test(seed_is_whole),
        cmocka_unit_test(names),
        cmocka_unit_test(feeds_take_precedence),
        cmocka_unit_test(gone_offers),
        cmocka_unit_test(gone_offers_stay_gone), cmocka_unit_test(old_prices),
        cmocka_unit_test(moved_prices),
        cmocka_unit_test(the_effective_date_counts),
        cmocka_unit_test(terms_and_payments_are_apart),
        cmocka_unit_test(what_is_near),
        cmocka_unit_test(large_table),
        cmocka_unit_test(rates_are_in_order),
        cmocka_unit_test(rates_of_a_day),
        cmocka_unit_test(only_verified_rates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
