/* test_store.c: what is believed, what is kept, and what a reader sees. */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "pricing/address.h"
#include "pricing/apply.h"
#include "tests/near.h"
#include "tests/old_store.h"

#define HEADER "InstanceType,AcceleratorName,AcceleratorCount,vCPUs," \
    "MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"

static char folder[] = "/tmp/gputco-store-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void forget(const char *name)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    char path[220];

    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s%s", folder, name, ends[i]);
        unlink(path);
    }
}

static struct store *open_store(const char *name, enum store_mode mode)
{
    struct store *store = NULL;
    char why[300] = "";
    enum status status = store_open(path_of(name), mode, &store, why,
                                    sizeof why);

    if (status != GOOD)
        print_error("%s: %s\n", name, why);
    assert_int_equal(status, GOOD);
    return store;
}

static long long sql_value(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *query = NULL;
    long long value = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW)
        value = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return value;
}

/* Runs one fetched text through; the feed skypilot-aws. */
static enum status apply_text(struct store *store, const char *text, int day,
                              int accept, struct apply_outcome *out)
{
    const struct apply_run run = {
        .feed = feed_find("skypilot-aws"), .address = "https://x.example/",
        .now = 1700000000 + (long long)day % 100 * 86400, .day = day,
        .accept = accept,
    };
    unsigned long long hash = 5381;
    FILE *file = tmpfile();
    enum status status;

    assert_non_null(file);
    for (const char *c = text; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    fputs(text, file);
    {
        const struct apply_body body = { file, "\"e\"", "", hash, NULL, NULL };

        status = apply_body(store, &run, &body, out);
    }
    fclose(file);
    return status;
}

/* One machine in one region at this price, and others that never change so
   that one change is no shift of the whole. */
static const char *machines(const char *price)
{
    static char text[4000];
    size_t byte = (size_t)snprintf(text, sizeof text, "%s", HEADER);

    for (int i = 0; i < 9; i++)
        byte += (size_t)snprintf(text + byte, sizeof text - byte,
                                 "steady,ZZ100,1,8,64,,%d.5,,r-%d,\n", i + 1,
                                 i);
    if (*price)
        snprintf(text + byte, sizeof text - byte,
                 "zz9,ZZ100,2,8,64,,%s,,r-1,\n", price);
    return text;
}

static double price_on(struct store *store, const char *instance, int day,
                       struct price *found)
{
    struct store_tables tables;
    const struct price *price;
    double value;

    assert_int_equal(store_load(store, &tables), GOOD);
    price = price_find(&tables.prices, "aws", instance, "r-1", TERM_ON_DEMAND,
                       PAYMENT_NO_UPFRONT, day);
    value = price ? price->price_per_hour : (double)NAN;
    if (found && price)
        *found = *price;
    store_tables_free(&tables);
    return value;
}

/* -- the life of a price -------------------------------------------------- */

/* Days in order; what the feed says of one offer and what must follow. */
static void life_of_a_price(void **state)
{
    static const struct {
        int day;
        const char *price;      /* "" : the offer is not in the file */
        int accept;
        enum change_kind kind;
        double want;            /* in force that day; NAN none */
        const char *why;
    } step[] = {
        { 20260101, "10", 0, CHANGE_NEW, 10, "first seen" },
        { 20260102, "10", 0, CHANGE_NONE, 10, "seen again" },
        { 20260103, "11", 0, CHANGE_PRICE, 11, "a rise" },
        { 20260103, "11.5", 0, CHANGE_CORRECTED, 11.5, "again the same day" },
        { 20260104, "35", 0, CHANGE_HELD, 11.5, "three times as much waits" },
        { 20260104, "35", 0, CHANGE_HELD, 11.5, "a second time that day" },
        { 20260105, "12", 0, CHANGE_PRICE, 12, "it was a slip" },
        { 20260106, "4", 0, CHANGE_PRICE, 4, "a third exactly passes" },
        { 20260107, "1.3", 0, CHANGE_HELD, 4, "below a third waits" },
        { 20260108, "1.2", 0, CHANGE_HELD, 4, "another one waits anew" },
        { 20260109, "1.2", 0, CHANGE_PRICE, 1.2, "the same on a second day" },
        { 20260110, "9", 1, CHANGE_PRICE, 9, "the operator has looked" },
        { 20260111, "x", 0, CHANGE_KEPT, 9, "unreadable: the old one stays" },
        { 20260112, "", 0, CHANGE_GONE, 9, "no longer offered" },
        { 20260113, "", 0, CHANGE_NONE, 9, "still not" },
        { 20260114, "9", 0, CHANGE_PRICE, 9, "back at the old price" },
        { 20260115, "", 0, CHANGE_GONE, 9, "gone again" },
        { 20260115, "9", 0, CHANGE_BACK, 9, "and back the same day" },
    };
    struct store *store = open_store("life.db", STORE_WRITE);
    struct price price = { .provider = "" };

    (void)state;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        struct apply_outcome out;
        enum status status = apply_text(store, machines(step[i].price),
                                        step[i].day, step[i].accept, &out);
        double got = price_on(store, "zz9", step[i].day, &price);

        if (step[i].kind == CHANGE_GONE) /* the last price, marked */
            assert_int_equal(price.gone_day, step[i].day);
        if (status != GOOD && status != FEED_UNCHANGED)
            print_error("%s: %s %s\n", step[i].why, out.why,
                        store_why(store));
        if (status == GOOD && step[i].kind != CHANGE_NONE
            && out.change[step[i].kind] < 1)
            print_error("%s\n", step[i].why);
        assert_true(status == GOOD || status == FEED_UNCHANGED);
        if (status == GOOD && step[i].kind != CHANGE_NONE)
            assert_true(out.change[step[i].kind] >= 1);
        if (!(isnan(step[i].want) ? isnan(got)
                                  : fabs(got - step[i].want) < 1e-12))
            print_error("%s: %g\n", step[i].why, got);
        assert_near(got, step[i].want, 0);
    }
    /* the past can still be asked */
    assert_near(price_on(store, "zz9", 20251231, NULL), NAN, 0);
    assert_near(price_on(store, "zz9", 20260102, NULL), 10, 0);
    assert_near(price_on(store, "zz9", 20260104, &price), 11.5, 0);
    assert_int_equal(price.first_seen_day, 20260103);
    assert_int_equal(price.fetched_day, 20260103);
    assert_near(price_on(store, "zz9", 20260108, NULL), 4, 0);
    assert_near(price_on(store, "zz9", 20260111, &price), 9, 0);
    /* what never changed was last seen on the last good day */
    assert_near(price_on(store, "steady", 20260115, &price), 2.5, 0);
    assert_int_equal(price.first_seen_day, 20260101);
    assert_int_equal(price.fetched_day, 20260115);
    assert_int_equal(price.effective_day, 0);
    store_close(store);
    forget("life.db");
}

/* Whole fetches that are not believed; the price of 2 January stays. */
static void whole_fetches(void **state)
{
    static char doubled[9000], tenfold[9000], half[9000], many[200000];
    static const struct { const char *text, *begin, *why; } run[] = {
        { HEADER, "row_count", "a header alone" },
        { HEADER "c1,,,8,64,,1,,r-1,\n", "row_count", "no accelerators" },
        { half, "row_count", "four of ten offers" },
        { many, "row_count", "ten times as many" },
        { doubled, "median_shift", "all prices 2.5 times" },
        { tenfold, "median_shift", "all prices a tenth" },
    };
    struct store *store = open_store("whole.db", STORE_WRITE);
    struct apply_outcome out;
    size_t d = 0, t = 0, h = 0, m = 0;

    (void)state;
    d = (size_t)snprintf(doubled, sizeof doubled, "%s", HEADER);
    t = (size_t)snprintf(tenfold, sizeof tenfold, "%s", HEADER);
    h = (size_t)snprintf(half, sizeof half, "%s", HEADER);
    m = (size_t)snprintf(many, sizeof many, "%s", HEADER);
    for (int i = 0; i < 9; i++) {
        d += (size_t)snprintf(doubled + d, sizeof doubled - d,
                              "steady,ZZ100,1,8,64,,%g,,r-%d,\n",
                              (i + 1.5) * 2.5, i);
        t += (size_t)snprintf(tenfold + t, sizeof tenfold - t,
                              "steady,ZZ100,1,8,64,,%g,,r-%d,\n",
                              (i + 1.5) / 10, i);
        if (i < 4)
            h += (size_t)snprintf(half + h, sizeof half - h,
                                  "steady,ZZ100,1,8,64,,%g,,r-%d,\n", i + 1.5,
                                  i);
    }
    for (int i = 0; i < 100; i++)
        m += (size_t)snprintf(many + m, sizeof many - m,
                              "steady,ZZ100,1,8,64,,%g,,r-%d,\n", i + 1.5, i);
    assert_int_equal(apply_text(store, machines("10"), 20260102, 0, &out),
                     GOOD);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        struct feed_state before, after;

        store_feed_state(store, "skypilot-aws", &before);
        if (apply_text(store, run[i].text, 20260103, 0, &out) != FEED_REFUSED
            || strncmp(out.why, run[i].begin, strlen(run[i].begin)))
            fail_msg("%s: %s", run[i].why, out.why);
        store_feed_state(store, "skypilot-aws", &after);
        assert_int_equal(after.generation, before.generation);
        assert_int_equal(after.good_day, 20260102);
        assert_int_equal(after.failure_count, before.failure_count + 1);
        assert_string_equal(after.last_error, out.why);
        assert_near(price_on(store, "zz9", 20260103, NULL), 10, 0);
        assert_near(price_on(store, "steady", 20260103, NULL), 2.5, 0);
    }
    /* an operator can let in what is only unlikely */
    assert_int_equal(apply_text(store, half, 20260103, 1, &out), GOOD);
    assert_int_equal(out.change[CHANGE_GONE], 6);
    {
        struct price gone = { .gone_day = 0 };
        assert_near(price_on(store, "zz9", 20260103, &gone), 10, 0);
        assert_int_equal(gone.gone_day, 20260103);
    }
    assert_int_equal(apply_text(store, HEADER, 20260103, 1, &out),
                     FEED_REFUSED);
    store_close(store);
    forget("whole.db");
}

/* -- rows ----------------------------------------------------------------- */

/* The sample of AWS: zones and contradictions. */
static void zones_become_regions(void **state)
{
    static const struct { const char *instance, *region; enum term term;
                          double want; const char *why; } run[] = {
        { "p4d.24xlarge", "us-east-1", TERM_ON_DEMAND, 20.5, "five agree" },
        { "p4d.24xlarge", "us-east-1", TERM_SPOT, 7.2,
          "lower median of 6.4 7.2 8.1 9.9; the copy and the Local Zone do "
          "not count" },
        { "p4d.24xlarge", "us-east-1-xyz-2", TERM_ON_DEMAND, 24,
          "a Local Zone has its own price" },
        { "p4d.24xlarge", "us-east-1-xyz-2", TERM_SPOT, 5.5, "and spot" },
        { "p4d.24xlarge", "eu-west-1", TERM_ON_DEMAND, 21.12345, "one zone" },
        { "p4d.24xlarge", "eu-west-1", TERM_SPOT, NAN, "a rounded copy" },
        { "p5.48xlarge", "us-east-1", TERM_ON_DEMAND, 50.25,
          "the same row twice" },
        { "p5.48xlarge", "us-west-2", TERM_ON_DEMAND, NAN,
          "two zones contradict each other: both refused" },
        { "p5.48xlarge", "us-west-2", TERM_SPOT, 20.25,
          "lower median of two" },
        { "p5.48xlarge", "eu-north-1", TERM_ON_DEMAND, NAN, "spot only" },
        { "p5.48xlarge", "eu-north-1", TERM_SPOT, 18.75, "spot only" },
        { "zz9.large", "us-east-1", TERM_ON_DEMAND, 4.25, "unknown GPU" },
        { "a1.large", "us-east-1", TERM_ON_DEMAND, NAN, "no GPU" },
    };
    struct store *store = open_store("zones.db", STORE_WRITE);
    struct store_tables tables;
    struct apply_outcome out;
    char text[20000];
    FILE *file = fopen("tests/feeds/skypilot_aws.csv", "r");

    (void)state;
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(apply_text(store, text, 20260301, 0, &out), GOOD);
    assert_int_equal(out.tally.refused[REFUSED_duplicate], 2);
    assert_int_equal(out.tally.refused[REFUSED_cpu_only], 1);
    assert_int_equal(store_load(store, &tables), GOOD);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        const struct price *price = NULL;

        /* only this feed's rows: the seed knows some of these machines */
        for (size_t k = 0; k < tables.prices.count && !price; k++) {
            const struct price *at = &tables.prices.price[k];

            if (!strcmp(tables.prices.feed[at->feed].id, "skypilot-aws")
                && !strcmp(at->instance, run[i].instance)
                && !strcmp(at->region, run[i].region)
                && at->term == (unsigned char)run[i].term)
                price = at;
        }
        if (!(price ? fabs(price->price_per_hour - run[i].want) < 1e-12
                    : isnan(run[i].want)))
            fail_msg("%s %s: %g, %s", run[i].instance, run[i].region,
                     price ? price->price_per_hour : 0, run[i].why);
        if (price && !strcmp(price->instance, "zz9.large"))
            assert_string_equal(price->gpu, "");
        if (price && !strcmp(price->instance, "p4d.24xlarge")) {
            assert_string_equal(price->gpu, "a100-sxm4-40gb");
            assert_near(price->gpu_count, 8, 0);
        }
    }
    store_tables_free(&tables);
    store_close(store);
    forget("zones.db");
}

static void single_rows(void **state)
{
    static const struct {
        const char *instance, *currency; double price, gpus, memory; int day;
        int want; const char *why;
    } run[] = {
        { "a", "USD", 1, 1, 80, 0, -1, "as it should be" },
        { "a b (c)", "USD", 1, 1, 80, 0, -1, "blanks within a name" },
        { "B\xc3\xa1" "cs", "USD", 1, 1, 80, 0, -1, "UTF-8" },
        { "<b>x</b>", "USD", 1, 1, 80, 0, REFUSED_bad_name, "markup" },
        { "a/b", "USD", 1, 1, 80, 0, REFUSED_bad_name, "a separator" },
        { " a", "USD", 1, 1, 80, 0, REFUSED_bad_name, "a blank first" },
        { "", "USD", 1, 1, 80, 0, REFUSED_bad_name, "nothing" },
        { "\xff", "USD", 1, 1, 80, 0, REFUSED_bad_name, "not UTF-8" },
        { "\xc0\xaf", "USD", 1, 1, 80, 0, REFUSED_bad_name, "overlong" },
        { "\xed\xa0\x80", "USD", 1, 1, 80, 0, REFUSED_bad_name, "surrogate" },
        { "a", "CNY", 1, 1, 80, 0, REFUSED_currency, "not the feed's" },
        { "a", "", 1, 1, 80, 0, REFUSED_currency, "none" },
        { "a", "USD", 0, 1, 80, 0, REFUSED_zero_price, "free" },
        { "a", "USD", -1, 1, 80, 0, REFUSED_negative_price, "below zero" },
        { "a", "USD", NAN, 1, 80, 0, REFUSED_not_finite, "NaN" },
        { "a", "USD", INFINITY, 1, 80, 0, REFUSED_not_finite, "infinite" },
        { "a", "USD", 501, 1, 80, 0, REFUSED_out_of_range, "beyond any GPU" },
        { "a", "USD", 800, 72, 180, 0, -1, "a rack" },
        { "a", "USD", 1e308, 8, 80, 0, REFUSED_out_of_range, "absurd" },
        { "a", "USD", 1, 0, 80, 0, REFUSED_gpu_count, "no GPU" },
        { "a", "USD", 1, NAN, NAN, 0, -1, "not known" },
        { "a", "USD", 1, 1, 81920, 0, REFUSED_unit, "MiB for GiB" },
        { "a", "USD", 1, 1, 80, 19700101, REFUSED_bad_date, "1970" },
        { "a", "USD", 1, 1, 80, 20991231, -1, "a date to come" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        const struct feed_row row = {
            .provider = "aws", .instance = run[i].instance, .region = "r-1",
            .currency = run[i].currency, .gpu = "", .gpu_name = "ZZ100",
            .zone = "", .source = "", .price_per_hour = run[i].price,
            .gpu_count = run[i].gpus, .gpu_memory_gib = run[i].memory,
            .vcpu_count = NAN, .memory_gib = NAN,
            .effective_day = run[i].day, .term = TERM_ON_DEMAND,
        };
        int got = accept_row(feed_find("skypilot-aws"), &row);

        if (got != run[i].want)
            fail_msg("%s: %d", run[i].why, got);
    }
}

/* The order of rows in a file never matters. */
static void any_order(void **state)
{
    static const char *const rows[] = {
        "zz9,ZZ100,2,8,64,,4.25,1.5,r-1,a\n", "zz9,ZZ100,2,8,64,,4.25,1.7,r-1,b\n",
        "zz9,ZZ100,2,8,64,,4.25,1.6,r-1,c\n", "zz8,ZZ100,2,8,64,,1,,r-1,a\n",
        "zz8,ZZ100,2,8,64,,2,,r-1,b\n",       "zz7,ZZ100,2,8,64,,3,,r-2,\n",
    };
    enum { COUNT = 6 };
    char first[2000] = "";

    (void)state;
    for (unsigned round = 0; round < 30; round++) {
        struct batch *batch = batch_open(feed_find("skypilot-aws"));
        struct feed_sink sink = batch_sink(batch);
        struct feed_parse *parse = feed_begin(feed_find("skypilot-aws"),
                                              &sink);
        char got[2000] = "";
        size_t count, order[COUNT];
        const struct feed_row *row;

        for (size_t i = 0; i < COUNT; i++)
            order[i] = i;
        for (size_t i = COUNT; i > 1; i--) {
            size_t k = (round * 7919u + (unsigned)i * 104729u) % i;
            size_t swap = order[k];

            order[k] = order[i - 1];
            order[i - 1] = swap;
        }
        feed_bytes(feed_find("skypilot-aws"), parse, HEADER,
                   sizeof HEADER - 1);
        for (size_t i = 0; i < COUNT; i++)
            feed_bytes(feed_find("skypilot-aws"), parse, rows[order[i]],
                       strlen(rows[order[i]]));
        assert_int_equal(feed_end(feed_find("skypilot-aws"), parse), GOOD);
        feed_close(feed_find("skypilot-aws"), parse);
        assert_int_equal(batch_fold(batch), GOOD);
        row = batch_rows(batch, &count);
        for (size_t i = 0; i < count; i++) {
            size_t byte = strlen(got);

            snprintf(got + byte, sizeof got - byte, "%s %s %g\n",
                     row[i].instance, term_name[row[i].term],
                     row[i].price_per_hour);
        }
        if (!round)
            snprintf(first, sizeof first, "%s", got);
        assert_string_equal(got, first);
        batch_close(batch);
    }
    assert_string_equal(first, "zz7 on_demand 3\nzz9 on_demand 4.25\n"
                               "zz9 spot 1.6\n");
}

/* -- the store ------------------------------------------------------------ */

static void fresh_store(void **state)
{
    struct store *store = open_store("fresh.db", STORE_WRITE);
    const struct price_table *seed = seed_prices();
    struct store_tables tables;
    sqlite3 *db;
    sqlite3_stmt *query;

    (void)state;
    assert_int_equal(store_load(store, &tables), GOOD);
    assert_int_equal(tables.prices.count, seed->count);
    assert_int_equal(tables.prices.feed_count, seed->feed_count);
    assert_int_equal(tables.prices.first_day, seed->first_day);
    assert_int_equal(tables.rates.count, seed_rates()->count);
    for (size_t i = 0; i < seed->count; i++) {
        const struct price *a = &tables.prices.price[i], *b = &seed->price[i];

        assert_int_equal(price_compare(a, b), 0);
        assert_string_equal(a->gpu, b->gpu);
        assert_string_equal(a->source, b->source);
        assert_near(a->price_per_hour, b->price_per_hour, 0);
        assert_near(a->gpu_count, b->gpu_count, 0);
        assert_int_equal(a->undated, b->undated);
    }
    store_tables_free(&tables);
    store_close(store);
    /* the seed is in the file as well, as feeds like any other */
    assert_int_equal(sqlite3_open(path_of("fresh.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM observation"
                     " WHERE feed LIKE 'seed-%'",
                     -1, &query, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(query), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int64(query, 0), seed->count);
    sqlite3_finalize(query);
    sqlite3_close(db);
    /* loading it again changes nothing */
    store = open_store("fresh.db", STORE_WRITE);
    assert_int_equal(apply_seed(store), GOOD);
    assert_int_equal(store_load(store, &tables), GOOD);
    assert_int_equal(tables.prices.count, seed->count);
    store_tables_free(&tables);
    store_close(store);
    forget("fresh.db");
}

/* -- a store of version 3 -------------------------------------------------- */

/* All prices of the store but the seed's as text; the caller frees it. */
static char *all_prices(struct store *store)
{
    struct store_tables tables;
    char *text = NULL;
    size_t byte = 0;
    FILE *out = open_memstream(&text, &byte);

    assert_non_null(out);
    assert_int_equal(store_load(store, &tables), GOOD);
    for (size_t i = 0; i < tables.prices.count; i++) {
        const struct price *p = &tables.prices.price[i];

        if (tables.prices.feed[p->feed].kind != FEED_SEED)
            fprintf(out, "%s %s %s %s %s %s %.17g %.17g %.17g %d %d %d %d\n",
                    p->provider, p->instance, p->region, p->currency,
                    term_name[p->term], payment_name[p->payment],
                    p->price_per_hour, p->upfront_price, p->gpu_count,
                    p->effective_day, p->first_seen_day, p->fetched_day,
                    p->gone_day);
    }
    fclose(out);
    store_tables_free(&tables);
    return text;
}

/* Every term with every payment, some of them twice, one gone. */
static void fill_all_terms(struct store *store)
{
    const struct feed_row plain = {
        .provider = "acme", .instance = "m", .region = "r", .gpu = "",
        .currency = "USD", .gpu_name = "ZZ", .zone = "", .source = "",
        .gpu_count = 2, .gpu_memory_gib = NAN, .vcpu_count = NAN,
        .memory_gib = NAN };
    struct feed_row row[TERM_COUNT * PAYMENT_COUNT * 2];
    struct apply_outcome out;
    size_t count = 0;

    for (int t = 0; t < TERM_COUNT * PAYMENT_COUNT * 2; t++) {
        row[count] = plain;
        row[count].term = (enum term)(t / 2 / PAYMENT_COUNT);
        row[count].payment = (enum payment)(t / 2 % PAYMENT_COUNT);
        row[count].price_per_hour = 1 + t / 8.0;
        row[count].effective_day = t % 2 ? 20260301 : 20250301;
        if (row[count].payment != PAYMENT_NO_UPFRONT)
            row[count].upfront_price = 1000 + t;
        count++;
    }
    assert_int_equal(apply_book(store, "old", 0, 1790000000, 20260401, row,
                                count, NULL, 0, &out), GOOD);
    assert_int_equal(apply_book(store, "old", 0, 1790086400, 20260402, row + 2,
                                count - 2, NULL, 0, &out), GOOD);
    assert_int_equal(out.change[CHANGE_GONE], 1);
}

/* A reader sees in an old store what it saw; the first writer brings it up to
   date and loses nothing. */
static void version_3_is_read_and_brought_up(void **state)
{
    struct store *store = open_store("v3.db", STORE_WRITE);
    char *want, *got, *fault = NULL;
    sqlite3 *db = NULL;

    (void)state;
    fill_all_terms(store);
    want = all_prices(store);
    assert_non_null(strstr(want, "reserved_3y all_upfront"));
    store_close(store);
    assert_int_equal(sqlite3_open(path_of("v3.db"), &db), SQLITE_OK);
    sqlite3_exec(db, to_version_3, NULL, NULL, &fault);
    if (fault)
        print_error("%s\n", fault);
    assert_null(fault);
    sqlite3_close(db);
    for (int writing = 0; writing < 2; writing++) {
        store = open_store("v3.db", writing ? STORE_WRITE : STORE_READ);
        got = all_prices(store);
        assert_string_equal(got, want);
        free(got);
        store_close(store);
    }
    assert_int_equal(sqlite3_open(path_of("v3.db"), &db), SQLITE_OK);
    sqlite3_exec(db, "SELECT count(*) FROM observation", NULL, NULL, &fault);
    assert_null(fault);
    sqlite3_close(db);
    free(want);
    forget("v3.db");
}

static void load_is_in_order(void **state)
{
    struct store *store = open_store("order.db", STORE_WRITE);
    struct apply_outcome out;
    struct store_tables tables;

    (void)state;
    assert_int_equal(apply_text(store, machines("10"), 20260101, 0, &out),
                     GOOD);
    assert_int_equal(apply_text(store, machines("11"), 20260102, 0, &out),
                     GOOD);
    assert_int_equal(store_load(store, &tables), GOOD);
    for (size_t i = 1; i < tables.prices.count; i++)
        assert_true(price_compare(&tables.prices.price[i - 1],
                                  &tables.prices.price[i]) <= 0);
    for (size_t i = 1; i < tables.prices.feed_count; i++)
        assert_true(tables.prices.feed[i - 1].kind
                    <= tables.prices.feed[i].kind);
    for (size_t i = 1; i < tables.rates.count; i++) {
        const struct rate *a = &tables.rates.rate[i - 1], *b = a + 1;
        int order = strcmp(a->currency, b->currency);

        assert_true(order < 0 || (order == 0 && a->day < b->day));
    }
    assert_string_equal(tables.prices.feed[0].id, "skypilot-aws");
    assert_int_equal(tables.prices.feed[0].fetched_day, 20260102);
    assert_int_equal(tables.prices.feed[0].stale_day, 7);
    store_tables_free(&tables);
    store_close(store);
    forget("order.db");
}

/* A rate of the store takes the place of the seed's for the same day. */
static void rates_of_the_store(void **state)
{
    static const struct rate rates[] = {
        { "USD", 20251223, 1.5 }, { "USD", 20991231, 2 },
    };
    struct store *store = open_store("rates.db", STORE_WRITE);
    struct store_tables tables;
    double per_usd;
    int day;

    (void)state;
    assert_int_equal(store_begin(store), GOOD);
    assert_int_equal(store_rates(store, "ecb", rates, 2), GOOD);
    assert_int_equal(store_commit(store), GOOD);
    assert_int_equal(apply_seed(store), GOOD); /* must not take it back */
    assert_int_equal(store_load(store, &tables), GOOD);
    assert_true(rate_find(&tables.rates, "EUR", 20251223, &per_usd, &day));
    assert_near(per_usd, 1 / 1.5, 1e-12);
    assert_true(rate_find(&tables.rates, "EUR", 20991231, &per_usd, &day));
    assert_near(per_usd, 0.5, 1e-12);
    assert_int_equal(tables.rates.count, seed_rates()->count + 1);
    store_tables_free(&tables);
    store_close(store);
    forget("rates.db");
}

static void version_moves(void **state)
{
    struct store *writer = open_store("version.db", STORE_WRITE);
    struct store *reader = open_store("version.db", STORE_READ);
    struct store_tables before, after;
    struct apply_outcome out;
    long first, same, moved, own, own_moved;

    (void)state;
    assert_int_equal(store_version(reader, &first), GOOD);
    assert_int_equal(store_version(reader, &same), GOOD);
    assert_int_equal(first, same);
    assert_int_equal(store_version(writer, &own), GOOD);
    assert_int_equal(store_load(reader, &before), GOOD);
    assert_int_equal(apply_text(writer, machines("10"), 20260101, 0, &out),
                     GOOD);
    assert_int_equal(store_version(reader, &moved), GOOD);
    assert_int_not_equal(moved, same);
    assert_int_equal(store_version(writer, &own_moved), GOOD);
    assert_int_not_equal(own_moved, own);
    assert_int_equal(store_load(reader, &after), GOOD);
    assert_int_not_equal(before.prices.generation, after.prices.generation);
    assert_int_equal(after.prices.count, before.prices.count + 10);
    store_tables_free(&before);
    store_tables_free(&after);
    /* the same body: prices seen again, which readers must notice */
    assert_int_equal(apply_text(writer, machines("10"), 20260105, 0, &out),
                     FEED_UNCHANGED);
    assert_int_equal(store_version(reader, &first), GOOD);
    assert_int_not_equal(first, moved);
    store_close(reader);
    store_close(writer);
    forget("version.db");
}

/* Until the commit a reader sees the old, and a rollback leaves it so. */
static void all_or_nothing(void **state)
{
    struct store *writer = open_store("atom.db", STORE_WRITE);
    struct store *reader = open_store("atom.db", STORE_READ);
    struct apply_outcome out;
    struct feed_row row = {
        .provider = "aws", .instance = "zz9", .region = "r-1",
        .currency = "USD", .gpu = "", .gpu_name = "ZZ100", .zone = "",
        .source = "", .price_per_hour = 77, .gpu_count = NAN,
        .gpu_memory_gib = NAN, .effective_day = 20260103,
    };
    const struct change change = { CHANGE_NEW, &row, NULL, 0 };
    const struct feed *feed = feed_find("skypilot-aws");

    (void)state;
    assert_int_equal(apply_text(writer, machines("10"), 20260101, 0, &out),
                     GOOD);
    assert_int_equal(store_begin(writer), GOOD);
    assert_int_equal(store_apply(writer, feed, &change, 1, 20260103, 0), GOOD);
    assert_near(price_on(reader, "zz9", 20260103, NULL), 10, 0);
    store_rollback(writer);
    assert_near(price_on(reader, "zz9", 20260103, NULL), 10, 0);
    assert_int_equal(store_begin(writer), GOOD);
    assert_int_equal(store_apply(writer, feed, &change, 1, 20260103, 0), GOOD);
    assert_int_equal(store_commit(writer), GOOD);
    assert_near(price_on(reader, "zz9", 20260103, NULL), 77, 0);
    /* what the schema forbids fails and undoes the rest */
    row.price_per_hour = -1;
    row.effective_day = 20260104;
    assert_int_equal(store_begin(writer), GOOD);
    assert_int_equal(store_apply(writer, feed, &change, 1, 20260104, 0),
                     STORE_FAILED);
    store_rollback(writer);
    assert_near(price_on(reader, "zz9", 20260104, NULL), 77, 0);
    store_close(reader);
    store_close(writer);
    forget("atom.db");
}

static void write_file(const char *name, const char *bytes, size_t count)
{
    FILE *file = fopen(path_of(name), "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void files_that_are_no_store(void **state)
{
    static const char rubbish[8192] = "this is no database at all";
    struct store *store = NULL;
    char why[300] = "", link[200];
    sqlite3 *db;

    (void)state;
    assert_int_equal(store_open(path_of("none.db"), STORE_READ, &store, why,
                                sizeof why), STORE_MISSING);
    assert_null(store);
    assert_true(*why);
    assert_int_equal(store_open("/no/such/folder/x.db", STORE_READ, &store,
                                why, sizeof why), STORE_MISSING);
    assert_int_equal(store_open("/no/such/folder/x.db", STORE_WRITE, &store,
                                why, sizeof why), STORE_FAILED);
    assert_int_equal(store_open("postgresql://h/d", STORE_READ, &store, why,
                                sizeof why), STORE_FAILED);
    write_file("bad.db", rubbish, sizeof rubbish);
    assert_int_equal(store_open(path_of("bad.db"), STORE_READ, &store, why,
                                sizeof why), STORE_FAILED);
    assert_int_equal(store_open(path_of("bad.db"), STORE_WRITE, &store, why,
                                sizeof why), STORE_FAILED);
    write_file("empty.db", "", 0);
    assert_int_equal(store_open(path_of("empty.db"), STORE_READ, &store, why,
                                sizeof why), STORE_MISSING);
    /* made by a version to come */
    assert_int_equal(sqlite3_open(path_of("new.db"), &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(store_open(path_of("new.db"), STORE_READ, &store, why,
                                sizeof why), STORE_FAILED);
    assert_int_equal(store_open(path_of("new.db"), STORE_WRITE, &store, why,
                                sizeof why), STORE_FAILED);
    /* a link in place of the file */
    store_close(open_store("real.db", STORE_WRITE));
    snprintf(link, sizeof link, "%s", path_of("link.db"));
    assert_int_equal(symlink(path_of("real.db"), link), 0);
    assert_int_equal(store_open(link, STORE_READ, &store, why, sizeof why),
                     STORE_FAILED);
    assert_null(store);
    forget("bad.db");
    forget("empty.db");
    forget("new.db");
    forget("link.db");
    forget("real.db");
    store_close(NULL);
}

/* A store whose pages are cut or overwritten fails or answers; never more. */
static void damaged_files(void **state)
{
    struct store *store = open_store("whole.db", STORE_WRITE);
    static char bytes[4 << 20], copy[4 << 20];
    size_t count;
    FILE *file;

    (void)state;
    store_close(store);
    file = fopen(path_of("whole.db"), "r");
    assert_non_null(file);
    count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(count > 100000 && count < sizeof bytes);
    for (unsigned i = 0; i < 120; i++) {
        struct store_tables tables;
        char why[300];
        long version;

        memcpy(copy, bytes, count);
        for (unsigned k = 0; k < 200; k++)
            copy[100 + (i * 7919u + k * 104729u) % (count - 100)] ^=
                (char)(1 + (i + k) % 255);
        write_file("hurt.db", copy, i % 3 ? count : count * (i % 7) / 7);
        store = NULL;
        if (store_open(path_of("hurt.db"), STORE_READ, &store, why,
                       sizeof why) == GOOD) {
            store_version(store, &version);
            if (store_load(store, &tables) == GOOD)
                store_tables_free(&tables);
        }
        store_close(store);
        forget("hurt.db");
    }
    forget("whole.db");
}

/* -- dates and back-off ---------------------------------------------------- */

static void waits(void **state)
{
    struct store *store = open_store("wait.db", STORE_WRITE);
    struct apply_run run = { .feed = feed_find("skypilot-aws"),
                             .address = "https://x.example/",
                             .now = 1000000, .day = 20260101 };
    static const long want[] = { 3600, 7200, 14400, 28800, 57600, 86400,
                                 86400 };
    struct feed_state feed;

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(apply_failed(store, &run, FETCH_FAILED, "down", 0,
                                      NULL), GOOD);
        store_feed_state(store, "skypilot-aws", &feed);
        assert_int_equal(feed.next_try - run.now, want[i]);
        assert_int_equal(feed.failure_count, i + 1);
        assert_int_equal(feed.retry_after, 0);
    }
    apply_failed(store, &run, FETCH_FAILED, "busy", 100000, NULL);
    store_feed_state(store, "skypilot-aws", &feed);
    assert_int_equal(feed.next_try - run.now, 100000);
    assert_int_equal(feed.retry_after - run.now, 100000);
    store_close(store);
    forget("wait.db");
}

/* What a run did not take stays with it, reason by reason, as long as the run
   itself; also of a run that was refused whole. */
static void reasons_stay(void **state)
{
    struct store *store = open_store("reasons.db", STORE_WRITE);
    struct apply_run run = { .feed = feed_find("skypilot-aws"),
                             .address = "https://x.example/",
                             .now = 1800000000, .day = 20260302 };
    struct generation g[GENERATIONS_KEPT + 1];
    struct apply_outcome out;
    struct tally tally = { .refused = { [REFUSED_bad_date] = 2 } };
    char text[4200], line[TALLY_LINE];
    sqlite3 *db = NULL;
    size_t count = 0;

    (void)state;
    snprintf(text, sizeof text, "%s"
             "zz2,ZZ100,1,8,64,,0,,r-1,\nzz3,ZZ100,1,8,64,,0,,r-2,\n"
             "zz4,ZZ100,1,8,64,,-1,,r-3,\ncpu,,,8,64,,1,,r-3,\n",
             machines("10"));
    assert_int_equal(apply_text(store, text, 20260301, 0, &out), GOOD);
    assert_int_equal(store_generations(store, "skypilot-aws", g, 1, &count),
                     GOOD);
    assert_int_equal(count, 1);
    assert_int_equal(g[0].refused_count, 3);
    assert_int_equal(g[0].tally.refused[REFUSED_zero_price], 2);
    assert_int_equal(g[0].tally.refused[REFUSED_negative_price], 1);
    assert_int_equal(g[0].tally.refused[REFUSED_cpu_only], 1);
    assert_int_equal(g[0].tally.refused[REFUSED_missing], 0);
    assert_non_null(strstr(g[0].tally.example[REFUSED_zero_price], "zz2"));
    assert_int_equal(tally_line(&g[0].tally, REFUSED_missing, line,
                                sizeof line), 0);
    assert_int_equal(tally_line(&g[0].tally, REFUSED_negative_price, line,
                                sizeof line), 1);
    assert_ptr_equal(strstr(line, "refused 1: negative price (negative_price)"
                            ", first "), line);
    snprintf(tally.example[REFUSED_bad_date],
             sizeof tally.example[REFUSED_bad_date], "2026-02-30");
    for (int i = 0; i <= GENERATIONS_KEPT; i++, run.now += 86400)
        assert_int_equal(apply_failed(store, &run, FEED_REFUSED, "dates", 0,
                                      &tally), GOOD);
    assert_int_equal(store_generations(store, "skypilot-aws", g,
                                       GENERATIONS_KEPT + 1, &count), GOOD);
    assert_int_equal(count, GENERATIONS_KEPT + 1); /* and the one in use */
    assert_int_equal(g[0].tally.refused[REFUSED_bad_date], 2);
    assert_int_equal(g[0].tally.refused[REFUSED_zero_price], 0);
    assert_string_equal(g[0].tally.example[REFUSED_bad_date], "2026-02-30");
    assert_int_equal(g[count - 1].tally.refused[REFUSED_zero_price], 2);
    store_close(store);
    assert_int_equal(sqlite3_open(path_of("reasons.db"), &db), SQLITE_OK);
    assert_int_equal(sql_value(db, "SELECT count(*) FROM refused"),
                     GENERATIONS_KEPT + 3);
    assert_int_equal(sql_value(db, "SELECT count(*) FROM refused WHERE"
                               " generation NOT IN (SELECT id FROM generation)"),
                     0);
    sqlite3_exec(db, to_version_3, NULL, NULL, NULL);
    sqlite3_close(db);
    store = open_store("reasons.db", STORE_READ); /* an older store has none */
    assert_int_equal(store_generations(store, "skypilot-aws", g,
                                       GENERATIONS_KEPT + 1, &count), GOOD);
    assert_int_equal(count, GENERATIONS_KEPT + 1);
    assert_int_equal(g[count - 1].refused_count, 3);
    assert_int_equal(tally_alarms(&g[count - 1].tally), 0);
    store_close(store);
    forget("reasons.db");
}

static void addresses(void **state)
{
    static const struct { const char *address; int good; } run[] = {
        { "https://example.org/a.csv", 1 },
        { "http://example.org/a.csv", 0 },
        { "file:secret", 0 }, { "file:///etc/passwd", 0 },
        { "ftp://example.org/", 0 }, { "gopher://x/", 0 },
        { "https://", 0 }, { "https:///x", 0 }, { "", 0 },
        { "HTTPS://example.org/", 0 },
        { "https://user:word@example.org/", 0 },
        { "https://example.org/a b", 0 },
        { "https://example.org/\n", 0 },
        { "https://example.org/\xc3\xa4", 0 },
    };
    static const struct { const char *a, *b; int same; } pair[] = {
        { "https://a.example/x", "https://a.example/y?z", 1 },
        { "https://a.example", "https://A.Example:443/", 1 },
        { "https://a.example:8443/", "https://a.example:8443#x", 1 },
        { "https://a.example/", "https://a.example:8443/", 0 },
        { "https://a.example/", "http://a.example/", 0 },
        { "https://a.example/", "https://a.example.evil/", 0 },
        { "https://a.example/", "https://user@a.example/", 0 },
        { "https://a.example/", "https://b.example/https://a.example/", 0 },
        { "https://a.example/", "/x", 0 }, { "", "", 0 },
    };
    static const struct { const char *numeric; int private; } host[] = {
        { "8.8.8.8", 0 }, { "185.199.108.133", 0 }, { "127.0.0.1", 1 },
        { "127.255.255.255", 1 }, { "0.0.0.0", 1 }, { "10.1.2.3", 1 },
        { "100.64.0.1", 1 }, { "100.63.255.255", 0 }, { "100.128.0.0", 0 },
        { "169.254.169.254", 1 }, { "172.15.255.255", 0 },
        { "172.16.0.1", 1 }, { "172.31.255.255", 1 }, { "172.32.0.0", 0 },
        { "192.168.1.1", 1 }, { "192.167.255.255", 0 }, { "198.18.0.1", 1 },
        { "198.20.0.0", 0 }, { "224.0.0.1", 1 }, { "223.255.255.255", 0 },
        { "255.255.255.255", 1 }, { "2606:4700::1111", 0 }, { "::1", 1 },
        { "::", 1 }, { "::ffff:127.0.0.1", 1 }, { "::ffff:8.8.8.8", 1 },
        { "64:ff9b::7f00:1", 1 }, { "fe80::1", 1 }, { "fc00::1", 1 },
        { "fd12::1", 1 }, { "ff02::1", 1 }, { "2002:7f00:1::", 1 },
        { "2001::1", 1 }, { "2001:db8::1", 1 }, { "2001:4860:4860::8888", 0 },
        { "localhost", 1 }, { "", 1 }, { "127.1", 1 }, { "0x7f.1", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        assert_int_equal(address_fault(run[i].address) == NULL, run[i].good);
    }
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        if (address_same_origin(pair[i].a, pair[i].b) != pair[i].same)
            fail_msg("%s %s", pair[i].a, pair[i].b);
    }
    for (size_t i = 0; i < sizeof host / sizeof *host; i++) {
        if (address_private(host[i].numeric) != host[i].private)
            fail_msg("%s", host[i].numeric);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_rows),
        cmocka_unit_test(any_order),
        cmocka_unit_test(addresses),
        cmocka_unit_test(fresh_store),
        cmocka_unit_test(load_is_in_order),
        cmocka_unit_test(version_3_is_read_and_brought_up),
        cmocka_unit_test(life_of_a_price),
        cmocka_unit_test(whole_fetches),
        cmocka_unit_test(zones_become_regions),
        cmocka_unit_test(rates_of_the_store),
        cmocka_unit_test(version_moves),
        cmocka_unit_test(all_or_nothing),
        cmocka_unit_test(files_that_are_no_store),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(waits),
        cmocka_unit_test(reasons_stay),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
