/* test_feed_spot.c: spot prices derived from those on demand that are known:
   whose they are, against hand arithmetic and prices somebody else stated, and
   their place behind all others in the store. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "fcgi/answer.h"
#include "fcgi/table_prices.h"
#include "pricing/apply.h"
#include "pricing/num.h"
#include "tests/near.h"

enum { DAY = 20261201 };

/* A file of the samples as a text, or NULL. */
static char *sample(const char *name)
{
    const char *shared = getenv("GPUTCO_SHARED");
    char path[300], *text;
    FILE *file;
    long byte;

    snprintf(path, sizeof path, "%s/feeds/%s", shared ? shared : "", name);
    file = shared ? fopen(path, "rb") : NULL;
    if (!file) {
        print_message("skipped: no %s (GPUTCO_SHARED)\n", name);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    byte = ftell(file);
    rewind(file);
    text = malloc((size_t)byte + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)byte, file), byte);
    text[byte] = '\0';
    fclose(file);
    return text;
}

/* -- prices that are known ------------------------------------------------ */

static const struct price_feed feeds[] = {
    { .id = "book-a", .kind = FEED_BOOK },
    { .id = "aws-us-east-1", .kind = FEED_PROVIDER },
    { .id = "skypilot-aws", .kind = FEED_CATALOGUE },
};
enum { BOOK, LIST, SKYPILOT };

#define KNOWN(type, where, money, day, from, price)                          \
    { .provider = "aws", .instance = type, .region = where,                  \
      .currency = money, .gpu = "", .source = "", .price_per_hour = price,   \
      .gpu_count = 8, .first_seen_day = day, .term = TERM_ON_DEMAND,         \
      .payment = PAYMENT_NO_UPFRONT, .feed = from }

/* In the order of price_compare. */
static const struct price known_rows[] = {
    KNOWN("g5.xlarge", "eu-west-1", "USD", 20261202, SKYPILOT, 1),
    KNOWN("p4d.24xlarge", "cn-north-1", "CNY", 20260101, SKYPILOT, 200),
    KNOWN("p4d.24xlarge", "us-east-1", "USD", 20260601, SKYPILOT, 21.957642),
    KNOWN("p5.48xlarge", "us-east-1", "USD", 20260720, LIST, 4.25),
    KNOWN("p5.48xlarge", "us-east-1", "USD", 20261130, SKYPILOT, 5),
    KNOWN("p5.48xlarge", "us-east-1", "USD", 20261130, BOOK, 3),
};
static const struct price_table known = {
    .price = known_rows, .count = sizeof known_rows / sizeof *known_rows,
    .feed = feeds, .feed_count = 3 };

/* -- the spot advisor ------------------------------------------------------ */

#define ADVISOR(entries)                                                     \
    "{\"ranges\":[{\"index\":0,\"label\":\"<5%\",\"dots\":0,\"max\":5},"     \
    "{\"index\":1,\"label\":\"5-10%\",\"dots\":1,\"max\":11}],"              \
    "\"instance_types\":{\"p5.48xlarge\":{\"cores\":192,\"ram_gb\":2048.0,"  \
    "\"emr\":false}},\"global_rate\":\"<10%\",\"spot_advisor\":{" entries "}}"
#define IN(region, types) "\"" region "\":{\"Linux\":{" types "},"           \
    "\"Windows\":{\"p5.48xlarge\":{\"s\":1,\"r\":0}}}"

static int by_order(const void *a, const void *b)
{
    return price_compare(a, b);
}

/* One fetch of a sample through a batch, folded. The caller closes it. */
static struct batch *batch_of(const char *id, const char *text,
                              const struct price_table *prices)
{
    const struct feed *feed = feed_find(id);
    struct batch *batch = batch_open(feed);
    struct feed_sink sink = batch_sink(batch);
    struct feed_parse *parse;

    batch_know(batch, prices, DAY);
    parse = feed_begin(feed, &sink);
    assert_int_equal(feed_bytes(feed, parse, text, strlen(text)), GOOD);
    assert_int_equal(feed_end(feed, parse), GOOD);
    feed_close(feed, parse);
    assert_int_equal(batch_fold(batch), GOOD);
    return batch;
}

static const struct feed_row *row_of(const struct feed_row *row, size_t count,
                                     const struct feed_row *like,
                                     enum term term)
{
    for (size_t i = 0; i < count; i++)
        if (row[i].term == term && !strcmp(row[i].instance, like->instance)
            && !strcmp(row[i].region, like->region))
            return &row[i];
    return NULL;
}

/* Does the batch hold this price, derived from that feed's of that day? */
static void assert_derived(const struct batch *batch, const char *instance,
                           double want, const char *from)
{
    size_t count;
    const struct feed_row *row = batch_rows(batch, &count), *found =
        row_of(row, count, &(struct feed_row){ .instance = instance,
                                               .region = "us-east-1" },
               TERM_SPOT);

    assert_non_null(found);
    assert_near(found->price_per_hour, want, 1e-12);
    assert_string_equal(strchr(found->source, '#'), from);
}

/* 4.25 x (1 - 60/100) = 1.70, of the provider's list though the catalogue's
   price is newer and somebody's own book has another one;
   21.957642 x (1 - 67/100) = 7.24602186. None of a price that begins tomorrow
   or is in another money. */
static void derived_prices(void **state)
{
    struct batch *batch = batch_of("aws-spot", ADVISOR(
        IN("us-east-1", "\"p5.48xlarge\":{\"s\":60,\"r\":0},"
           "\"m5.large\":{\"s\":50,\"r\":0},\"p4d.24xlarge\":{\"r\":1,\"s\":67}"
           ) "," IN("eu-west-1", "\"g5.xlarge\":{\"s\":50,\"r\":1}") ","
        IN("cn-north-1", "\"p4d.24xlarge\":{\"s\":50,\"r\":0}") ","
        "\"us-west-2\":{\"Windows\":{}}"), &known);
    const struct tally *tally = batch_tally(batch);
    size_t count;

    (void)state;
    batch_rows(batch, &count);
    assert_int_equal(count, 2);
    assert_derived(batch, "p5.48xlarge", 1.7,
                   "#derived-from=aws-us-east-1,2026-07-20");
    assert_derived(batch, "p4d.24xlarge", 7.24602186,
                   "#derived-from=skypilot-aws,2026-06-01");
    assert_int_equal(tally->refused[REFUSED_no_base], 2);
    assert_int_equal(tally_alarms(tally), 0);
    batch_close(batch);
}

/* The whole advisor of June 2025 with the prices on demand of the catalogue's
   sample: of the order of the spot prices that the catalogue states (the two
   are months apart; a spot price equal to the one on demand is none). */
static void against_the_catalogue(void **state)
{
    char *advisor = sample("aws/spot-advisor-data_2025-06-28.json");
    char *csv = sample("skypilot/v8_aws_vms_gpu_rows.csv");
    struct batch *stated, *derived;
    const struct feed_row *row, *made;
    size_t count, made_count, compared = 0, near_count = 0;
    struct price *price;
    struct price_table table = { .feed = feeds, .feed_count = 3 };

    (void)state;
    if (!advisor || !csv) {
        free(advisor);
        free(csv);
        skip();
    }
    stated = batch_of("skypilot-aws", csv, NULL);
    row = batch_rows(stated, &count);
    price = calloc(count, sizeof *price);
    for (size_t i = 0; i < count; i++)
        if (row[i].term == TERM_ON_DEMAND)
            price[table.count++] = (struct price)KNOWN(
                row[i].instance, row[i].region, "USD", DAY, SKYPILOT,
                row[i].price_per_hour);
    qsort(price, table.count, sizeof *price, by_order);
    table.price = price;
    derived = batch_of("aws-spot", advisor, &table);
    made = batch_rows(derived, &made_count);
    assert_true(made_count >= 10);
    for (size_t i = 0; i < made_count; i++) {
        const struct feed_row *demand = row_of(row, count, &made[i],
                                               TERM_ON_DEMAND);
        const struct feed_row *spot = row_of(row, count, &made[i], TERM_SPOT);
        double ratio;
        assert_non_null(demand);
        assert_true(made[i].price_per_hour < demand->price_per_hour);
        assert_non_null(strstr(made[i].source, "#derived-from=skypilot-aws,"));
        if (!spot || !(spot->price_per_hour < demand->price_per_hour))
            continue;
        ratio = made[i].price_per_hour / spot->price_per_hour;
        assert_true(ratio > 0.2 && ratio < 5);
        near_count += ratio > 0.5 && ratio < 2;
        compared++;
    }
    assert_true(compared >= 10);
    assert_true(near_count * 2 > compared);
    batch_close(stated);
    batch_close(derived);
    free(price);
    free(advisor);
    free(csv);
}

/* The price for Linux of a size of the old feed; NAN: "N/A*". */
static double old_price(const cJSON *size)
{
    const cJSON *value = cJSON_GetArrayItem(
        cJSON_GetObjectItem(size, "valueColumns"), 0);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(
        cJSON_GetObjectItem(value, "prices"), "USD"));

    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(value,
                                                                 "name")),
                        "linux");
    return feed_number(text);
}

/* A second method: Amazon's own spot prices of an earlier year, which an old
   feed stated for us-east-1. Machines of the built-in prices on demand. */
static void against_the_old_feed(void **state)
{
    char *advisor = sample("aws/spot-advisor-data_2025-06-28.json");
    char *old = sample("aws/spot-price_old_feed.json");
    cJSON *tree = old ? cJSON_Parse(old) : NULL;
    const cJSON *region, *type, *size;
    const struct feed_row *made;
    struct batch *batch;
    size_t count, compared = 0, near_count = 0;

    (void)state;
    free(old);
    if (!advisor || !tree) {
        free(advisor);
        cJSON_Delete(tree);
        skip();
    }
    batch = batch_of("aws-spot", advisor, seed_prices());
    made = batch_rows(batch, &count);
    region = cJSON_GetArrayItem(cJSON_GetObjectItem(
        cJSON_GetObjectItem(tree, "config"), "regions"), 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(region,
                                                                 "region")),
                        "us-east");
    cJSON_ArrayForEach(type, cJSON_GetObjectItem(region, "instanceTypes"))
        cJSON_ArrayForEach(size, cJSON_GetObjectItem(type, "sizes")) {
            const struct feed_row *row = row_of(made, count,
                &(struct feed_row){ .region = "us-east-1",
                    .instance = cJSON_GetStringValue(
                        cJSON_GetObjectItem(size, "size")) }, TERM_SPOT);
            const double ratio = row ? row->price_per_hour / old_price(size)
                                     : (double)NAN;

            if (isnan(ratio))
                continue;
            assert_true(ratio > 1 / 3.0 && ratio < 3);
            near_count += ratio > 2 / 3.0 && ratio < 1.5;
            compared++;
        }
    assert_true(compared >= 10);
    assert_true(near_count * 2 > compared);
    batch_close(batch);
    cJSON_Delete(tree);
    free(advisor);
}

/* -- in the store ---------------------------------------------------------- */

static unsigned long long hash_text(const char *text)
{
    unsigned long long hash = 5381;

    for (; *text; text++)
        hash = hash * 33 + (unsigned char)*text;
    return hash;
}

/* Returns how many offers came of it. */
static long apply_text(struct store *store, const char *id, const char *text,
                       int day)
{
    struct store_tables tables = { .memory = NULL };
    const struct feed *feed = feed_find(id);
    struct apply_run run = { .feed = feed, .address = feed->address,
                             .day = day, .now = 1796000000 + day };
    struct apply_outcome out;
    FILE *file = tmpfile();

    assert_int_equal(store_load(store, &tables), GOOD);
    run.others = &tables.prices;
    assert_true(fputs(text, file) >= 0);
    {
        const struct apply_body body = { .file = file, .etag = "",
            .last_modified = "", .hash = hash_text(text) };
        assert_int_equal(apply_body(store, &run, &body, &out), GOOD);
    }
    fclose(file);
    store_tables_free(&tables);
    return out.offer_count;
}

static void spot_is(struct store *store, int day, double want,
                    enum feed_kind kind, const char *source)
{
    struct store_tables tables = { .memory = NULL };
    const struct price *spot;

    assert_int_equal(store_load(store, &tables), GOOD);
    spot = price_find(&tables.prices, "aws", "p5.48xlarge", "us-east-1",
                      TERM_SPOT, PAYMENT_NO_UPFRONT, day);
    assert_non_null(spot);
    assert_near(spot->price_per_hour, want, 1e-12);
    assert_int_equal(tables.prices.feed[spot->feed].kind, kind);
    assert_non_null(strstr(spot->source, source));
    for (size_t i = 1; i < tables.prices.feed_count; i++)
        assert_true(tables.prices.feed[i - 1].kind
                    <= tables.prices.feed[i].kind);
    store_tables_free(&tables);
}

/* Does the table of spot prices say that they are derived? */
static int table_says(const struct store_tables *tables)
{
    const struct world world = { .prices = &tables->prices,
        .rates = &tables->rates, .today = DAY + 5, .degraded_reason = "",
        .store = "" };
    struct input *input = calloc(1, sizeof *input);
    struct text out;
    int says;

    input_init(input);
    input_query(input, "term=spot&provider=aws", SURFACE_QUERY);
    input_keys(input, ON_PRICES);
    text_init(&out, 1 << 20);
    assert_true(table_prices(&(struct table_call){ .world = &world,
        .input = input, .form = SHEET_CSV, .name = "", .base_url = "",
        .out = &out }));
    assert_non_null(strstr(out.at, "p5.48xlarge"));
    says = strstr(out.at, "derived from the price on demand") != NULL;
    text_free(&out);
    free(input);
    return says;
}

/* A study of that price: is it marked as an estimate, and warned of? */
static void study_says(struct store *store, double want, int derived)
{
    struct store_tables tables = { .memory = NULL };
    struct input *input = calloc(1, sizeof *input);
    struct answer *answer = calloc(1, sizeof *answer);
    int warned = 0;

    assert_int_equal(store_load(store, &tables), GOOD);
    {
        const struct world world = { .prices = &tables.prices,
            .rates = &tables.rates, .own = &tables.own, .today = DAY + 5,
            .degraded_reason = "", .store = "" };

        input_init(input);
        input_query(input, "samples=0&limit=0"
                    "&b=rent/aws/p5.48xlarge/us-east-1/spot", SURFACE_QUERY);
        input_keys(input, ON_COMPARE);
        assert_true(answer_run(answer, input, &world, ""));
    }
    assert_near(answer->study.option[1].value[F_rent_price_per_hour], want,
                1e-12);
    assert_int_equal(answer->study.option[1].origin[F_rent_price_per_hour]
                         .estimate, derived);
    for (int i = 0; i < answer->warnings.count; i++)
        warned += !strcmp(answer->warnings.warning[i].code, "derived_price");
    assert_int_equal(warned, derived);
    assert_int_equal(table_says(&tables), derived);
    store_tables_free(&tables);
    free(input);
    free(answer);
}

/* The seed's 55.04 on demand (2026-07-20) x (1 - 60/100) = 22.016. Once the
   catalogue says 50 on demand, the same bytes give 20; and when it states a
   spot price, that one is found, though the derived one is newer. */
static void behind_every_other(void **state)
{
    static const char entries[] = ADVISOR(IN("us-east-1",
        "\"p5.48xlarge\":{\"s\":60,\"r\":0}"));
#define CATALOGUE(prices) "InstanceType,AcceleratorName,AcceleratorCount,"   \
    "vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"      \
    "p5.48xlarge,H100,8,192,2048,," prices ",us-east-1,use1-az1\n"
    char folder[] = "/tmp/gputco-aws-XXXXXX", path[80], why[200];
    struct store *store = NULL;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.db", folder);
    assert_int_equal(store_open(path, STORE_WRITE, &store, why, sizeof why),
                     GOOD);
    apply_text(store, "aws-spot", entries, DAY);
    spot_is(store, DAY, 22.016, FEED_DERIVED, ",2026-07-20");
    apply_text(store, "skypilot-aws", CATALOGUE("50,"), DAY + 1);
    apply_text(store, "aws-spot", entries, DAY + 2);
    spot_is(store, DAY + 1, 22.016, FEED_DERIVED, ",2026-07-20");
    spot_is(store, DAY + 2, 20, FEED_DERIVED,
            "#derived-from=skypilot-aws,2026-12-02");
    study_says(store, 20, 1);
    apply_text(store, "skypilot-aws", CATALOGUE("50,24.5"), DAY + 3);
    apply_text(store, "skypilot-aws", CATALOGUE("40,24.5"), DAY + 4);
    apply_text(store, "aws-spot", entries, DAY + 5);
    spot_is(store, DAY + 5, 24.5, FEED_CATALOGUE, "");
    study_says(store, 24.5, 0);
    /* five times the prices: as many as others have on demand */
    assert_int_equal(apply_text(store, "aws-spot", ADVISOR(IN("us-east-1",
        "\"p5.48xlarge\":{\"s\":60,\"r\":0},"
        "\"p4d.24xlarge\":{\"s\":60,\"r\":0},"
        "\"p3.2xlarge\":{\"s\":60,\"r\":0},\"p3.8xlarge\":{\"s\":60,"
        "\"r\":0},\"p3.16xlarge\":{\"s\":60,\"r\":0}")), DAY + 6), 5);
    store_close(store);
    for (const char *const *end = (const char *const[]){ "", "-wal", "-shm",
                                                         NULL }; *end; end++) {
        char name[100];
        snprintf(name, sizeof name, "%s%s", path, *end);
        unlink(name);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_prices),
        cmocka_unit_test(against_the_catalogue),
        cmocka_unit_test(against_the_old_feed),
        cmocka_unit_test(behind_every_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
