/* test_feed_content.c: what a feed may hold that no feed should: the rows of
   surface "feed-content" of the shared table of bad inputs, one by one. Each
   is a good fetch of one day and a bad one of the next; what must follow (the
   old prices stay, a row is left out, what is said) is looked at in the store.
   Where the shared table is at hand, its words must agree with ours. */
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

#include "pricing/apply.h"
#include "pricing/num.h"
#include "tests/near.h"

enum { FIRST_DAY = 20261102, SECOND_DAY = 20261103, PAGE_MAX = 4,
       BODY_BYTE = 12 << 20 };
static const long long first_time = 1793620800; /* 2026-11-02 12:00 UTC */

static char folder[] = "/tmp/gputco-content-XXXXXX", path[80];

/* -- a feed's bodies ------------------------------------------------------ */

/* One fetch: bodies in order; the address that leads to body 1, 2 ... is what
   the body before says. byte 0: a text; else it may hold NUL. */
struct fetched {
    char *body[PAGE_MAX];
    size_t byte[PAGE_MAX];
    int count, missing;         /* missing: this body is answered with 404 */
};

static void fetched_free(struct fetched *f)
{
    for (int i = 0; i < f->count; i++)
        free(f->body[i]);
}

static void put(FILE *file, const struct fetched *f, int i)
{
    rewind(file);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    assert_int_equal(fwrite(f->body[i], 1, f->byte[i], file), f->byte[i]);
    fflush(file);
}

static unsigned long long hash_of(const struct fetched *f, int i)
{
    unsigned long long hash = 5381;

    for (size_t at = 0; at < f->byte[i]; at++)
        hash = hash * 33 + (unsigned char)f->body[i][at];
    return hash;
}

struct walk { const struct fetched *from; int at; };

static enum status next_body(void *context, const char *address, FILE *file,
                             struct apply_more *got, char *why,
                             size_t why_byte)
{
    struct walk *walk = context;

    (void)address;
    walk->at++;
    *got = (struct apply_more){ 0, 0 };
    if (walk->at == walk->from->missing || walk->at >= walk->from->count) {
        snprintf(why, why_byte, "the server answered 404");
        return FETCH_FAILED;
    }
    put(file, walk->from, walk->at);
    got->hash = hash_of(walk->from, walk->at);
    return GOOD;
}

static enum status run(struct store *store, const char *feed,
                       const struct fetched *f, int day_count,
                       struct apply_outcome *out)
{
    const struct feed *of = feed_find(feed);
    const long long now = first_time + day_count * 86400LL;
    const struct apply_run how = { .feed = of, .address = of->address,
                                   .day = day_of_time(now), .now = now };
    struct walk walk = { f, 0 };
    FILE *file = tmpfile();
    enum status status;

    assert_non_null(file);
    put(file, f, 0);
    {
        const struct apply_body body = { file, "", "", hash_of(f, 0),
                                         next_body, &walk };
        status = apply_body(store, &how, &body, out);
    }
    fclose(file);
    return status;
}

/* -- edits ---------------------------------------------------------------- */

/* The text with the first `from` (every one: times 0) turned into `to`. */
static char *edited(const char *text, const char *from, const char *to,
                    int times)
{
    size_t room = strlen(text) * (1 + strlen(to)) + 1;
    char *out = malloc(room < BODY_BYTE ? room : BODY_BYTE), *end = out;
    const char *hit;

    assert_non_null(out);
    if (!strstr(text, from))
        fail_msg("nothing to edit: %s", from);
    while ((hit = strstr(text, from))) {
        memcpy(end, text, (size_t)(hit - text));
        end += hit - text;
        end = stpcpy(end, to);
        text = hit + strlen(from);
        if (times && !--times)
            break;
    }
    strcpy(end, text);
    return out;
}

static struct fetched fetched_of(const char *const *body, int count)
{
    struct fetched f = { .count = count };

    for (int i = 0; i < count; i++) {
        f.body[i] = strdup(body[i]);
        f.byte[i] = strlen(body[i]);
    }
    return f;
}

static void edit(struct fetched *f, int i, const char *from, const char *to,
                 int times)
{
    char *more = edited(f->body[i], from, to, times);

    free(f->body[i]);
    f->body[i] = more;
    f->byte[i] = strlen(more);
}

/* -- the good fetches ----------------------------------------------------- */

#define CSV_HEAD "InstanceType,AcceleratorName,AcceleratorCount,vCPUs," \
    "MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
#define ZZ9 "zz9,ZZ100,2,8,64,,4.25,,us-east-1,\n"

/* Machines of a catalogue: zz9 is the one that gets edited, s1 the one whose
   price moves a little in every bad file, to show whether the rest is read. */
static const char *const catalogue[1] = { CSV_HEAD ZZ9
    "a1,T4,1,4,16,,1,0.4,us-east-1,\n" "a4,T4,4,16,64,,4,,us-east-1,\n"
    "a8,T4,8,32,128,,8,,us-east-1,\n" "s1,ZZ100,1,8,64,,1.5,,us-west-2,\n"
    "s2,ZZ100,1,8,64,,2.5,,us-west-2,\n" "s3,ZZ100,1,8,64,,3.5,,us-west-2,\n"
    "s4,ZZ100,1,8,64,,4.5,,eu-central-1,\n"
    "s5,ZZ100,1,8,64,,5.5,,eu-central-1,\n"
    "s6,ZZ100,1,8,64,,6.5,,eu-west-1,\n" "s7,ZZ100,1,8,64,,7.5,,eu-west-1,\n"
};

#define ITEM_OF(price, sku, name, product, date, more)                       \
    "{\"currencyCode\":\"USD\",\"tierMinimumUnits\":0.0,\"retailPrice\":" price \
    ",\"armRegionName\":\"eastus\",\"effectiveStartDate\":\"" date           \
    "T00:00:00Z\",\"meterName\":\"" name "\",\"productName\":\"" product     \
    "\",\"skuName\":\"" name "\",\"serviceName\":\"Virtual Machines\","      \
    "\"unitOfMeasure\":\"1 Hour\",\"type\":\"Consumption\","                 \
    "\"isPrimaryMeterRegion\":true,\"armSkuName\":\"" sku "\"" more "}"
#define ITEM(price, sku, name, product) \
    ITEM_OF(price, sku, name, product, "2025-04-01", "")
#define PAGE(items, next) "{\"BillingCurrency\":\"USD\",\"Items\":[" items \
    "],\"NextPageLink\":" next ",\"Count\":1}"
#define ND "Standard_ND96isr_H100_v5"
#define LINK "https://prices.azure.com:443/api/retail/prices?$skip="

static const char *const meters[3] = {
    PAGE(ITEM("98.32", ND, "ND96", "ND series"), "\"" LINK "1000\""),
    PAGE(ITEM("3.673", "Standard_NC24ads_A100_v4", "NC24", "NC series"),
         "\"" LINK "2000\""),
    PAGE(ITEM("0.526", "Standard_NC4as_T4_v3", "NC4", "NC series") ","
         ITEM("0.752", "Standard_NC8as_T4_v3", "NC8", "NC series") ","
         ITEM("1.204", "Standard_NC16as_T4_v3", "NC16", "NC series") ","
         ITEM("4.352", "Standard_NC64as_T4_v3", "NC64", "NC series"), "null") };

#define AWS_INDEX(version) "{\"regions\":{\"us-east-1\":{\"currentVersionUrl\":" \
    "\"/offers/v1.0/aws/AmazonEC2/" version "/us-east-1/index.json\"}}}"
#define AWS_HEAD "\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"a, b\"\n"     \
    "\"Publication Date\",\"2026-07-20\"\n\"Version\",\"1\"\n"               \
    "\"OfferCode\",\"AmazonEC2\"\n"                                          \
    "\"SKU\",\"TermType\",\"EffectiveDate\",\"Unit\",\"PricePerUnit\","      \
    "\"Currency\",\"LeaseContractLength\",\"PurchaseOption\","               \
    "\"OfferingClass\",\"Instance Type\",\"Tenancy\",\"Operating System\","  \
    "\"Pre Installed S/W\",\"CapacityStatus\",\"MarketOption\","             \
    "\"Region Code\",\"usageType\"\n"
#define AWS_ROW(date, unit, price, type, system, market)                     \
    "\"A\",\"OnDemand\",\"" date "\",\"" unit "\",\"" price "\",\"USD\",,,,\"" \
    type "\",\"Shared\",\"" system "\",\"NA\",\"Used\",\"" market            \
    "\",\"us-east-1\",\"BoxUsage:" type "\"\n"
#define P5 AWS_ROW("2026-07-01", "Hrs", "55.04", "p5.48xlarge", "Linux", \
                   "OnDemand")

static const char *const amazon[2] = { AWS_INDEX("20260720000000"), AWS_HEAD P5
    AWS_ROW("2026-07-01", "Hrs", "0.526", "g4dn.xlarge", "Linux", "OnDemand")
    AWS_ROW("2026-07-01", "Hrs", "0.752", "g4dn.2xlarge", "Linux", "OnDemand")
    AWS_ROW("2026-07-01", "Hrs", "1.212", "g5.2xlarge", "Linux", "OnDemand")
    AWS_ROW("2026-07-01", "Hrs", "1.006", "g5.xlarge", "Linux", "OnDemand") };

#define CUBE(code, rate) "<Cube currency='" code "' rate='" rate "'/>"
static const char *const money[1] = { "<gesmes:Envelope><Cube>"
    "<Cube time='2026-11-02'>" CUBE("USD", "1.17") CUBE("JPY", "184")
    CUBE("GBP", "0.87") CUBE("CHF", "0.92") CUBE("AUD", "1.65")
    CUBE("CAD", "1.62") CUBE("SEK", "10.9") CUBE("NOK", "11.1")
    CUBE("DKK", "7.47") CUBE("PLN", "4.25") CUBE("CZK", "24.3")
    CUBE("HUF", "365") "</Cube></Cube></gesmes:Envelope>" };

static const char *const runpod[1] = { CSV_HEAD
    "1x_A100,A100-80GB,1,8,64,\"{'Gpus': [{'Name': 'A100', 'Count': 1, "
    "'MemoryInfo': {'SizeInMiB': 80}}]}\",1.5,,US,US-KS-2\n"
    "1x_ZZ,ZZ100,1,8,64,,2.5,,US,US-KS-2\n"
    "2x_ZZ,ZZ100,2,8,64,,5.5,,US,US-KS-2\n"
    "4x_ZZ,ZZ100,4,8,64,,9.5,,US,US-KS-2\n"
    "1x_Z2,ZZ100,1,8,64,,3.5,,US,US-KS-2\n" };

/* -- the table ------------------------------------------------------------ */

enum want { KEEP,       /* refused as a whole, nothing changes */
            DROP,       /* the file is taken, the row is not: old price stays */
            TOLD,       /* all is taken or left as `now` says, and it is told */
            QUIET };    /* taken, and nothing is told */

struct change_of { int body; const char *from, *to; int times; };

struct row {
    const char *id, *feed;
    const char *const *base;
    int count;
    struct change_of change[3];
    void (*make)(struct fetched *f);    /* further, or instead of edits */
    enum want want;
    const char *told;                   /* code of the alarm, "" none */
    const char *key, *term;             /* "machine region" to look at */
    double now;                         /* its price afterwards */
};

#define CATALOGUE "skypilot-aws", catalogue, 1
#define METERS "az-eastus", meters, 3
#define AMAZON "aws-us-east-1", amazon, 2
#define RATES "ecb", money, 1
#define Z "zz9 us-east-1", "on_demand", 4.25
#define N ND " eastus", "on_demand", 98.32
#define P "p5.48xlarge us-east-1", "on_demand", 55.04
#define NONE "", "", 0

/* Every price of the catalogue times a factor, as text. */
static void scale(struct fetched *f, double factor)
{
    static const char *const price[] = { ",1,", ",4,", ",8,", ",1.5,", ",2.5,",
        ",3.5,", ",4.5,", ",5.5,", ",6.5,", ",7.5,", ",4.25," };

    for (size_t i = 0; i < sizeof price / sizeof *price; i++) {
        char from[20], to[40];
        snprintf(from, sizeof from, ",%s", price[i]);
        snprintf(to, sizeof to, ",,%.10g,", atof(price[i] + 1) * factor);
        edit(f, 0, from, to, 0);
    }
}

static void times_100(struct fetched *f) { scale(f, 100); }
static void by_100(struct fetched *f) { scale(f, 0.01); }
static void times_1000(struct fetched *f) { scale(f, 1000); }

/* The first lines only. */
static void cut_lines(struct fetched *f, int lines)
{
    char *at = f->body[0];

    while (lines-- && at)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    assert_non_null(at);
    *at = '\0';
    f->byte[0] = strlen(f->body[0]);
}

static void three_lines(struct fetched *f) { cut_lines(f, 5); }
static void head_only(struct fetched *f) { cut_lines(f, 1); }

static void ten_times(struct fetched *f)
{
    char *more = malloc(f->byte[0] * 40 + 6000), *end = more;

    end = stpcpy(end, f->body[0]);
    for (int i = 0; i < 110; i++)
        end += sprintf(end, "n%d,ZZ100,1,8,64,,%d.5,,us-east-1,\n", i,
                       i % 9 + 1);
    free(f->body[0]);
    f->body[0] = more;
    f->byte[0] = strlen(more);
}

static void nul_in_field(struct fetched *f)
{
    char *at = strstr(f->body[0], "zz9,ZZ100");

    assert_non_null(at);
    at[5] = '\0';
}

static void replace_body(struct fetched *f, int i, char *body, size_t byte)
{
    free(f->body[i]);
    f->body[i] = body;
    f->byte[i] = byte;
}

static void long_line(struct fetched *f)
{
    const size_t byte = (10 << 20) + f->byte[0];
    char *more = malloc(byte);

    assert_non_null(more);
    memcpy(more, f->body[0], f->byte[0]);
    memset(more + f->byte[0], 'a', byte - f->byte[0]);
    more[byte - 1] = '\n';
    replace_body(f, 0, more, byte);
}

static void deep(struct fetched *f)
{
    enum { DEPTH = 100000 };
    char *more = malloc(DEPTH * 2);

    assert_non_null(more);
    memset(more, '[', DEPTH);
    memset(more + DEPTH, ']', DEPTH);
    replace_body(f, 1, more, DEPTH * 2);
}

static void utf16(struct fetched *f)
{
    const size_t byte = f->byte[0];
    char *more = calloc(2, byte + 1);

    assert_non_null(more);
    memcpy(more, "\xff\xfe", 2);
    for (size_t i = 0; i < byte; i++)
        more[2 + 2 * i] = f->body[0][i];
    replace_body(f, 0, more, 2 + 2 * byte);
}

static void no_items(struct fetched *f)
{
    static const char empty[] = PAGE("", "null");

    replace_body(f, 0, strdup(empty), strlen(empty));
}

static void no_last_items(struct fetched *f)
{
    static const char empty[] = PAGE("", "null");

    replace_body(f, 2, strdup(empty), strlen(empty));
}

static void long_name(struct fetched *f)
{
    char name[5010];

    memset(name, 'z', 5000);
    strcpy(name + 5000, ",ZZ100");
    edit(f, 0, "zz9,ZZ100", name, 1);
}

static void page_2_missing(struct fetched *f) { f->missing = 1; }

static void columns_turned(struct fetched *f)
{
    char *more = calloc(1, f->byte[0] * 2), *end = more;

    /* Price first, then the rest: each line by its seven commas */
    for (char *line = strtok(f->body[0], "\n"); line;
         line = strtok(NULL, "\n")) {
        char *cell[10], *at = line;
        for (int i = 0; i < 10; i++) {
            cell[i] = at;
            at = strchr(at, ',');
            if (at)
                *at++ = '\0';
        }
        end += sprintf(end, "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", cell[6],
                       cell[8], cell[0], cell[1], cell[2], cell[3], cell[4],
                       cell[5], cell[7], cell[9]);
    }
    replace_body(f, 0, more, strlen(more));
}

static const struct row rows[] = {
    { "B396", CATALOGUE, { { 0, ",4.25,", ",425,", 1 } }, NULL, DROP,
      "price_jump", Z },
    { "B397", CATALOGUE, { { 0 } }, times_100, KEEP, "median_shift", Z },
    { "B398", CATALOGUE, { { 0 } }, by_100, KEEP, "median_shift", Z },
    { "B399", CATALOGUE, { { 0 } }, times_1000, KEEP, "currency", Z },
    { "B400", CATALOGUE, { { 0, ",4.25,", ",0,", 1 } }, NULL, DROP,
      "zero_price", Z },
    { "B400", METERS, { { 0, "98.32", "0", 1 } }, NULL, DROP, "zero_price", N },
    { "B401", CATALOGUE, { { 0, ",4.25,", ",-1,", 1 } }, NULL, DROP,
      "negative_price", Z },
    { "B402", CATALOGUE, { { 0, ",4.25,", ",NaN,", 1 } }, NULL, DROP,
      "not_a_number", Z },
    { "B403", CATALOGUE, { { 0, ",4.25,", ",1e308,", 1 } }, NULL, DROP,
      "out_of_range", Z },
    { "B403", METERS, { { 0, "98.32", "1e308", 1 } }, NULL, DROP,
      "out_of_range", N },
    { "B404", METERS, { { 0, "98.32", "1e999", 1 } }, NULL, DROP,
      "not_finite", N },
    { "B405", CATALOGUE, { { 0, ",4.25,", ",\"12,50\",", 1 } }, NULL, DROP,
      "not_a_number", Z },
    { "B406", METERS, { { 0, "98.32", "null", 1 } }, NULL, DROP, "missing", N },
    { "B407", CATALOGUE, { { 0, ",4.25,", ",$4.25,", 1 } }, NULL, DROP,
      "not_a_number", Z },
    { "B407", METERS, { { 0, "98.32", "\"$98.32\"", 1 } }, NULL, DROP,
      "not_a_number", N },
    { "B408", METERS, { { 1, "\"currencyCode\":\"USD\",", "", 1 } }, NULL,
      KEEP, "currency", N },
    { "B408", METERS, { { 2, "\"BillingCurrency\":\"USD\",", "", 1 } }, NULL,
      KEEP, "currency", N },
    { "B408", AMAZON, { { 1, "\"Currency\"", "\"Money\"", 1 } }, NULL, KEEP,
      "currency", P },
    { "B409", METERS, { { 0, "currencyCode\":\"USD", "currencyCode\":\"CNY",
      1 } }, NULL, DROP, "currency", N },
    { "B409", AMAZON, { { 1, "55.04\",\"USD", "55.04\",\"CNY", 1 } }, NULL,
      DROP, "currency", P },
    { "B410", METERS, { { 0, "1 Hour", "1 Month", 0 }, { 1, "1 Hour",
      "1 Month", 0 }, { 2, "1 Hour", "1 Month", 0 } }, NULL, KEEP, "unit", N },
    { "B410", AMAZON, { { 1, "\"Hrs\"", "\"Mo\"", 0 } }, NULL, KEEP, "unit",
      P },
    { "B411", METERS, { { 0, "\"unitOfMeasure\":\"1 Hour\",", "", 1 } }, NULL,
      KEEP, "unit", N },
    { "B411", AMAZON, { { 1, "\"Unit\"", "\"Per\"", 1 } }, NULL, KEEP, "unit",
      P },
    { "B413", CATALOGUE, { { 0 } }, three_lines, KEEP, "row_count", Z },
    { "B414", CATALOGUE, { { 0 } }, head_only, KEEP, "row_count", Z },
    { "B414", METERS, { { 0 } }, no_items, KEEP, "row_count", N },
    { "B431", METERS, { { 0 } }, no_last_items, KEEP, "incomplete", N },
    { "B415", CATALOGUE, { { 0 } }, ten_times, KEEP, "row_count", Z },
    { "B416", CATALOGUE, { { 0, "s6,ZZ100,1,8,64,,6.5,,eu-west-1,\n", "", 1 },
      { 0, "s7,ZZ100,1,8,64,,7.5,,eu-west-1,\n", "", 1 } }, NULL, TOLD,
      "region_missing", "s6 eu-west-1", "on_demand", 6.5 },
    { "B417", CATALOGUE, { { 0, "eu-west-1", "Europe (Ireland)", 0 } }, NULL,
      TOLD, "unknown_region", "s6 eu-west-1", "on_demand", 6.5 },
    { "B417", CATALOGUE, { { 0, "eu-west-1", "mars-north-1", 0 } }, NULL,
      TOLD, "unknown_region", "s6 eu-west-1", "on_demand", 6.5 },
    { "B417", CATALOGUE, { { 0, "eu-west-1", "mars-north-1", 0 } }, NULL,
      TOLD, "unknown_region", "s6 mars-north-1", "on_demand", NAN },
    { "B418", CATALOGUE, { { 0, ZZ9, ZZ9 "zz9,ZZ100,2,8,64,,4.5,,us-east-1,\n",
      1 } }, NULL, DROP, "duplicate", Z },
    { "B419", CATALOGUE, { { 0, ZZ9, ZZ9 ZZ9, 1 } }, NULL, QUIET, "", Z },
    { "B420", METERS, { { 0, "\"ND series\",", "\"ND series\",", 1 },
      { 0, "}],", "}," ITEM("120", ND, "ND96", "ND series Windows") "],", 1 } },
      NULL, QUIET, "", N },
    { "B420", AMAZON, { { 1, P5, P5 AWS_ROW("2026-07-01", "Hrs", "64.1",
      "p5.48xlarge", "Windows", "OnDemand"), 1 } }, NULL, QUIET, "", P },
    { "B421", METERS, { { 0, "}],", "}," ITEM("6.55", ND, "ND96 Low Priority",
      "ND series") "," ITEM("39", ND, "ND96 Spot", "ND series") "],", 1 } },
      NULL, QUIET, "", N },
    { "B421", METERS, { { 0, "}],", "}," ITEM("39", ND, "ND96 Spot",
      "ND series") "],", 1 } }, NULL, QUIET, "", ND " eastus", "spot", 39 },
    { "B422", AMAZON, { { 1, P5, P5 AWS_ROW("2026-07-01", "Hrs", "0.336",
      "p5.48xlarge", "Linux", "CapacityBlock"), 1 } }, NULL, QUIET, "", P },
    { "B423", CATALOGUE, { { 0, ",1,0.4,", ",1,1.1,", 1 } }, NULL, TOLD,
      "spot_above_on_demand", "a1 us-east-1", "spot", 1.1 },
    { "B424", CATALOGUE, { { 0, ",,8,,", ",,3.9,,", 1 } }, NULL, TOLD,
      "not_monotone", "a8 us-east-1", "on_demand", 3.9 },
    { "B425", CATALOGUE, { { 0, "zz9,ZZ100,2,", "zz9,ZZ100,0,", 1 } }, NULL,
      DROP, "gpu_count", Z },
    { "B426", "skypilot-runpod", runpod, 1, { { 0, "'SizeInMiB': 80",
      "'SizeInMiB': 83886080", 1 } }, NULL, DROP, "unit", "1x_A100 US-KS-2",
      "on_demand", 1.5 },
    { "B427", AMAZON, { { 1, P5, AWS_ROW("2027-03-01", "Hrs", "50",
      "p5.48xlarge", "Linux", "OnDemand"), 1 } }, NULL, QUIET, "", P },
    { "B428", AMAZON, { { 1, "2026-07-01\",\"Hrs\",\"55.04",
      "1970-01-01\",\"Hrs\",\"55.04", 1 } }, NULL, DROP, "bad_date", P },
    { "B429", AMAZON, { { 1, "2026-07-01\",\"Hrs\",\"55.04",
      "2025-06-01\",\"Hrs\",\"98.32", 1 } }, NULL, DROP, "went_back", P },
    { "B430", AMAZON, { { 0, "20260720000000", "20260719000000", 1 },
      { 1, "55.04", "54", 1 } }, NULL, KEEP, "went_back", P },
    { "B431", METERS, { { 2, "0.526", "0.53", 1 } }, page_2_missing, KEEP,
      "incomplete", N },
    { "B432", METERS, { { 1, "https://prices.azure.com", "https://x.example",
      1 } }, NULL, KEEP, "foreign_link", N },
    { "B433", METERS, { { 1, "$skip=2000", "$skip=1000", 1 } }, NULL, KEEP,
      "page_loop", N },
    { "B434", CATALOGUE, { { 0, ",Price,", ",Cost,", 1 } }, NULL, KEEP,
      "schema", Z },
    { "B434", METERS, { { 1, "\"Items\"", "\"Rows\"", 1 } }, NULL, KEEP,
      "schema", N },
    { "B434", AMAZON, { { 1, "\"PricePerUnit\"", "\"PricePerHour\"", 1 } },
      NULL, KEEP, "schema", P },
    { "B435", CATALOGUE, { { 0 } }, columns_turned, QUIET, "", Z },
    { "B436", CATALOGUE, { { 0, "InstanceType,", "a,1\nb,2\nc,3\nd,4\ne,5\n"
      "InstanceType,", 1 } }, NULL, KEEP, "schema", Z },
    { "B436", AMAZON, { { 1, "a, b", "a, c", 1 } }, NULL, QUIET, "", P },
    { "B437", CATALOGUE, { { 0, "zz9,", "\"zz9,", 1 } }, NULL, KEEP, "csv",
      Z },
    { "B438", CATALOGUE, { { 0 } }, nul_in_field, DROP, "control_char", Z },
    { "B439", CATALOGUE, { { 0 } }, long_line, KEEP, "too_long", Z },
    { "B440", METERS, { { 0 } }, deep, KEEP, "too_deep", N },
    { "B441", METERS, { { 0, "\"retailPrice\":98.32",
      "\"retailPrice\":98.32,\"retailPrice\":9.832", 1 } }, NULL, DROP,
      "duplicate_key", N },
    { "B442", METERS, { { 1, "\"Count\":1}", "\"Count\":1} x", 1 } }, NULL,
      KEEP, "trailing", N },
    { "B443", CATALOGUE, { { 0 } }, utf16, KEEP, "encoding", Z },
    { "B443", METERS, { { 0 } }, utf16, KEEP, "encoding", N },
    { "B443", RATES, { { 0 } }, utf16, KEEP, "encoding", NONE },
    { "B444", CATALOGUE, { { 0, ZZ9, ZZ9 "<b>x</b>,ZZ100,2,8,64,,4.25,,"
      "us-east-1,\n", 1 } }, NULL, DROP, "bad_name", Z },
    { "B445", CATALOGUE, { { 0 } }, long_name, TOLD, "bad_name", Z },
    { "B446", RATES, { { 0, "rate='1.17'", "rate='0'", 1 }, { 0, "-11-02",
      "-11-03", 1 } }, NULL, KEEP, "zero_rate", NONE },
    { "B447", RATES, { { 0, "rate='0.87'", "rate='1.149'", 1 }, { 0, "-11-02",
      "-11-03", 1 } }, NULL, KEEP, "rate_jump", NONE },
};

/* Told elsewhere: whole and nano parts (test_feed_gcp.c), grid values
   (test_reading.c), 30 days of one file (below). */
static const char *const elsewhere[] = { "B412", "B448", "B449", "B450",
                                         "B451", "B452" };

/* -- looking -------------------------------------------------------------- */

/* All prices and rates as text; the caller frees it. */
static char *everything(struct store *store)
{
    struct store_tables t;
    char *text = NULL;
    size_t byte = 0;
    FILE *out = open_memstream(&text, &byte);

    assert_non_null(out);
    assert_int_equal(store_load(store, &t), GOOD);
    for (size_t i = 0; i < t.prices.count; i++) {
        const struct price *p = &t.prices.price[i];
        if (t.prices.feed[p->feed].kind != FEED_SEED)
            fprintf(out, "%s %s %d %d %.17g %d %d %d %d\n", p->instance,
                    p->region, p->term, p->payment, p->price_per_hour,
                    p->effective_day, p->first_seen_day, p->fetched_day,
                    p->gone_day);
    }
    for (size_t i = 0; i < t.rates.count; i++)
        fprintf(out, "%s %d %.17g\n", t.rates.rate[i].currency,
                t.rates.rate[i].day, t.rates.rate[i].per_eur);
    fclose(out);
    store_tables_free(&t);
    return text;
}

/* The price of "machine region" on the day, NAN none. */
static double price_of(struct store *store, const char *key, const char *term,
                       int day, struct price *out)
{
    struct store_tables t;
    double price = NAN;

    assert_int_equal(store_load(store, &t), GOOD);
    for (size_t i = 0; i < t.prices.count; i++) {
        const struct price *p = &t.prices.price[i];
        char name[200];

        snprintf(name, sizeof name, "%s %s", p->instance, p->region);
        if (t.prices.feed[p->feed].kind == FEED_SEED || strcmp(name, key)
            || strcmp(term_name[p->term], term) || price_day(p) > day)
            continue;
        price = p->price_per_hour; /* rows are in the order of their days */
        *out = *p;
    }
    store_tables_free(&t);
    return price;
}

static int refusal_of(const char *code)
{
    for (int i = 0; i < REFUSAL_COUNT; i++)
        if (!strcmp(refusal_table[i].id, code))
            return i;
    return -1;
}

static long told_in_all(const struct tally *tally)
{
    long sum = 0;

    for (int i = 0; i < REFUSAL_COUNT; i++)
        if (refusal_table[i].alarm)
            sum += tally->refused[i];
    return sum;
}

static void look(const struct row *row, struct store *store,
                 enum status status, const struct apply_outcome *out,
                 const char *was, const char *now)
{
    const int code = refusal_of(row->told);
    struct price price = { .first_seen_day = 0 };
    double found;

    if (status != (row->want != KEEP ? GOOD
                   : row->make == page_2_missing ? FETCH_FAILED
                   : FEED_REFUSED))
        fail_msg("%s: ended with %s: %s", row->id, status_words(status),
                 out->why);
    if (row->want == KEEP) {
        const size_t byte = strlen(row->told);
        if (strncmp(out->why, row->told, byte) || out->why[byte] != ':')
            fail_msg("%s: %s", row->id, out->why);
        if (strcmp(was, now))
            fail_msg("%s: something changed", row->id);
    } else if (*row->told) {
        if (code < 0 || out->tally.refused[code] < 1)
            fail_msg("%s: %s is not told", row->id, row->told);
    } else if (told_in_all(&out->tally)) {
        fail_msg("%s: something is told", row->id);
    }
    if (!*row->key)
        return;
    found = price_of(store, row->key, row->term, SECOND_DAY, &price);
    if (!(isnan(row->now) ? isnan(found) : fabs(found - row->now) < 1e-12))
        fail_msg("%s: %s costs %g", row->id, row->key, found);
    if (row->want == DROP && price.first_seen_day != FIRST_DAY)
        fail_msg("%s: the old price is of %d", row->id, price.first_seen_day);
}

static void forget_store(void)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    char name[100];

    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

static struct store *fresh_store(void)
{
    struct store *store = NULL;
    char why[300];

    forget_store();
    assert_int_equal(store_open(path, STORE_WRITE, &store, why, sizeof why),
                     GOOD);
    return store;
}

static void each_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct fetched good = fetched_of(row->base, row->count);
        struct fetched bad = fetched_of(row->base, row->count);
        struct store *store = fresh_store();
        struct apply_outcome out;
        enum status status;
        char *was, *now;

        status = run(store, row->feed, &good, 0, &out);
        if (status != GOOD)
            fail_msg("%s: the good one: %s", row->id, out.why);
        was = everything(store);
        if (row->base == catalogue && row->want != KEEP)
            edit(&bad, 0, "s1,ZZ100,1,8,64,,1.5,", "s1,ZZ100,1,8,64,,1.6,", 1);
        if (row->base == amazon && strcmp(row->id, "B430")) /* else unread */
            edit(&bad, 0, "20260720", "20260721", 1);
        for (int k = 0; k < 3 && row->change[k].from; k++)
            edit(&bad, row->change[k].body, row->change[k].from,
                 row->change[k].to, row->change[k].times);
        if (row->make)
            row->make(&bad);
        status = run(store, row->feed, &bad, 1, &out);
        now = everything(store);
        look(row, store, status, &out, was, now);
        if (row->base == catalogue && row->want != KEEP) {
            struct price moved;
            assert_near(price_of(store, "s1 us-west-2", "on_demand",
                                 SECOND_DAY, &moved), 1.6, 1e-12);
        }
        free(was);
        free(now);
        fetched_free(&good);
        fetched_free(&bad);
        store_close(store);
    }
}

/* B427: from its day on, the price that was stored ahead counts. */
static void prices_to_come(void **state)
{
    struct fetched first = fetched_of(amazon, 2);
    struct fetched next = fetched_of(amazon, 2);
    struct store *store = fresh_store();
    struct apply_outcome out;
    struct price price;

    (void)state;
    edit(&next, 0, "20260720", "20260721", 1);
    edit(&next, 1, P5, AWS_ROW("2027-03-01", "Hrs", "50", "p5.48xlarge",
                               "Linux", "OnDemand"), 1);
    assert_int_equal(run(store, "aws-us-east-1", &first, 0, &out), GOOD);
    assert_int_equal(run(store, "aws-us-east-1", &next, 1, &out), GOOD);
    assert_near(price_of(store, "p5.48xlarge us-east-1", "on_demand", 20270228,
                         &price), 55.04, 1e-12);
    assert_near(price_of(store, "p5.48xlarge us-east-1", "on_demand", 20270301,
                         &price), 50, 1e-12);
    fetched_free(&first);
    fetched_free(&next);
    store_close(store);
}

/* B452: the same file is taken every day, and after 30 days that is told. */
static void a_file_that_never_changes(void **state)
{
    struct fetched same = fetched_of(catalogue, 1);
    struct store *store = fresh_store();
    struct apply_outcome out;

    (void)state;
    assert_int_equal(run(store, "skypilot-aws", &same, 0, &out), GOOD);
    assert_int_equal(run(store, "skypilot-aws", &same, 29, &out),
                     FEED_UNCHANGED);
    assert_int_equal(out.tally.refused[REFUSED_unchanged_too_long], 0);
    assert_int_equal(run(store, "skypilot-aws", &same, 30, &out),
                     FEED_UNCHANGED);
    assert_int_equal(out.tally.refused[REFUSED_unchanged_too_long], 1);
    for (int day = 31; day < 75; day++)
        assert_int_equal(run(store, "skypilot-aws", &same, day, &out),
                         FEED_UNCHANGED);
    assert_int_equal(out.tally.refused[REFUSED_unchanged_too_long], 1);
    edit(&same, 0, ",4.25,", ",4.3,", 1);
    assert_int_equal(run(store, "skypilot-aws", &same, 75, &out), GOOD);
    assert_int_equal(run(store, "skypilot-aws", &same, 76, &out),
                     FEED_UNCHANGED);
    assert_int_equal(out.tally.refused[REFUSED_unchanged_too_long], 0);
    fetched_free(&same);
    store_close(store);
}

/* Every row of the shared table is here, with its code. */
static void against_the_shared_table(void **state)
{
    const char *shared = getenv("GPUTCO_SHARED");
    char name[400], line[600];
    int seen = 0;
    FILE *file;

    (void)state;
    snprintf(name, sizeof name, "%s/reference/bad_inputs.csv",
             shared ? shared : "");
    file = shared ? fopen(name, "r") : NULL;
    if (!file)
        skip(); /* the shared table is not here */
    while (fgets(line, sizeof line, file)) {
        const char *alarm = strstr(line, "alarm="), *flag;
        int found = 0, agrees = 0;

        if (!strstr(line, ",feed-content,"))
            continue;
        seen++;
        flag = alarm ? alarm + 6 : strstr(line, "flag=");
        flag = flag && !alarm ? flag + 5 : flag;
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            found |= agrees |= !strncmp(line, elsewhere[i], 4);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const size_t byte = strlen(rows[i].told);
            if (strncmp(line, rows[i].id, 4))
                continue;
            found = 1;
            agrees |= !flag || !byte || !strncmp(flag, rows[i].told, byte);
            if (strstr(line, ",keep_old; alarm") && rows[i].want != KEEP
                && rows[i].want != DROP && *rows[i].told)
                fail_msg("%.4s: the old one has to stay", line);
        }
        if (!found || !agrees)
            fail_msg("%s %s", found ? "other words:" : "not here:", line);
    }
    fclose(file);
    assert_int_equal(seen, 57);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/x.db", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    forget_store();
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row),
        cmocka_unit_test(prices_to_come),
        cmocka_unit_test(a_file_that_never_changes),
        cmocka_unit_test(against_the_shared_table),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
