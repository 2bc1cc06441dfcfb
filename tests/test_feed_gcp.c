/* test_feed_gcp.c: readers of Google's prices. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/csv.h"
#include "pricing/feed.h"
#include "tests/near.h"
#include "tests/shared.h"

enum { HEARD_MAX = 6000, LINE_BYTE = 200 };

struct heard {
    char text[100000];
    size_t byte;
    struct row { char instance[40], region[40], gpu[40]; int term;
                 double price, vcpu, memory, gpus; } row[HEARD_MAX];
    int count;
};

static void hear(struct heard *h, const char *line)
{
    if (h->byte + strlen(line) + 2 < sizeof h->text)
        h->byte += (size_t)sprintf(h->text + h->byte, "%s\n", line);
}

static int hear_row(void *context, const struct feed_row *row)
{
    struct heard *h = context;
    struct row *to = &h->row[h->count];
    char line[LINE_BYTE];

    assert_true(h->count < HEARD_MAX);
    snprintf(to->instance, sizeof to->instance, "%s", row->instance);
    snprintf(to->region, sizeof to->region, "%s", row->region);
    to->term = (int)row->term;
    to->price = row->price_per_hour;
    to->vcpu = row->vcpu_count;
    to->memory = row->memory_gib;
    to->gpus = row->gpu_count;
    snprintf(to->gpu, sizeof to->gpu, "%s", row->gpu);
    h->count++;
    snprintf(line, sizeof line, "%s %s %s %.10g %d %s %g", row->instance,
             row->region, term_name[row->term], row->price_per_hour,
             row->effective_day, row->gpu, row->gpu_count);
    hear(h, line);
    return 0;
}

static int hear_refused(void *context, enum refusal why,
                        const struct feed_row *row)
{
    char line[LINE_BYTE];

    snprintf(line, sizeof line, "!%s %s %s", refusal_table[why].id,
             row->instance, row->region);
    hear(context, line);
    return 0;
}

struct body { const char *text; size_t byte; };

/* Bodies up to one without text; `next` (FEED_ADDRESS_BYTE or NULL) becomes
   what the reader asked for after the last but one. */
static enum status read_bodies(const char *id, const struct body *body,
                               size_t piece, struct heard *h, char why[200],
                               char *next)
{
    const struct feed *feed = feed_find(id);
    const struct feed_sink sink = { .context = h, .row = hear_row,
                                    .refused = hear_refused };
    struct feed_parse *parse = feed_begin(feed, &sink);
    enum status status = GOOD;

    assert_non_null(parse);
    h->byte = 0;
    h->count = 0;
    *h->text = '\0';
    for (; body->text && status == GOOD; body++) {
        for (size_t at = 0; at < body->byte && status == GOOD; at += piece)
            status = feed_bytes(feed, parse, body->text + at,
                                body->byte - at < piece ? body->byte - at
                                                        : piece);
        if (status == GOOD)
            status = feed_end(feed, parse);
        if (status == GOOD && next && body[1].text) {
            const char *asked = feed_next(feed, parse);

            assert_non_null(asked);
            feed_whole(feed->address, asked, next);
        } else if (status == GOOD && !body[1].text) {
            assert_null(feed_next(feed, parse));
        }
    }
    snprintf(why, 200, "%s", feed_why(parse));
    feed_close(feed, parse);
    return status;
}

static enum status read_text(const char *id, const char *text, size_t byte,
                             size_t piece, struct heard *h, char why[200])
{
    const struct body body[] = { { text, byte }, { NULL, 0 } };

    return read_bodies(id, body, piece, h, why, NULL);
}

/* -- the price file ------------------------------------------------------- */

#define ABOUT "---\nabout:\n  copyright: |2\n\n    Somebody: all.\n" \
    "  generated: Thu Jul 30 03:00:00 2026\n  timestamp: 1785380400\n"
#define MACHINES "compute:\n  instance:\n"
#define A2 "    a2-highgpu-8g:\n      a100: 8\n      cost:\n" \
    "        us-central1:\n          hour: 29.38708\n" \
    "          hour_spot: 10.346\n          month: 21452.5684\n" \
    "          month_1y: 13515.04\n          month_3y: 7508.54\n" \
    "      cpu: 96\n      ram: 680\n"

/* A month is 730 hours: 13515.04 / 730 = 18.51375..., 7508.54 / 730 =
   10.28567...; the day is that of the time stamp. */
static void file_machines(void **state)
{
    struct heard *h = *state;
    static const struct { const char *text, *want; } rows[] = {
        { A2, "a2-highgpu-8g us-central1 on_demand 29.38708 20260730 "
              "a100-sxm4-40gb 8\n"
              "a2-highgpu-8g us-central1 spot 10.346 20260730 "
              "a100-sxm4-40gb 8\n"
              "a2-highgpu-8g us-central1 reserved_1y 18.51375342 20260730 "
              "a100-sxm4-40gb 8\n"
              "a2-highgpu-8g us-central1 reserved_3y 10.28567123 20260730 "
              "a100-sxm4-40gb 8\n" },
        { "    a2-ultragpu-1g:\n      a100-80gb: 1\n      cost:\n"
          "        us-east4: {hour: 5.5, month_1y: 0, month_3y: ''}\n",
          "a2-ultragpu-1g us-east4 on_demand 5.5 20260730 a100-sxm4-80gb 1\n" },
        { "    a3-highgpu-2g:\n      h100-80gb: 2\n      cost:\n"
          "        us-east4: {hour: 22, hour_spot: 9.1, month_1y: 9000}\n",
          "!not_sold a3-highgpu-2g us-east4\n"
          "a3-highgpu-2g us-east4 spot 9.1 20260730 h100-sxm5-80gb 2\n"
          "!not_sold a3-highgpu-2g us-east4\n" },
        { "    e2-micro:\n      cost:\n        us-east4:\n"
          "          hour: 0.01\n", "!cpu_only e2-micro \n" },
        { "    a4-highgpu-8g:\n      b200: 8\n      cost:\n        x:\n"
          "          hour: 1\n", "!no_machine a4-highgpu-8g \n" },
        { "    a2-highgpu-1g:\n      a100: 4\n      cost:\n        x:\n"
          "          hour: 1\n", "!gpu_count a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      cost:\n        x:\n          hour: 1\n",
          "!gpu_count a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      cost:\n        x:\n"
          "          hour: 0\n", "!zero_price a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      cost:\n        x:\n"
          "          hour: -1\n          hour_spot: 1,5\n",
          "!negative_price a2-highgpu-1g x\n"
          "!not_a_number a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      cost:\n        x:\n"
          "          hour: 2\n          hour: 3\n",
          "!duplicate_key a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      notes: [1, [2, {a: b}]]\n"
          "      cost:\n        x:\n          hour: 2\n",
          "a2-highgpu-1g x on_demand 2 20260730 a100-sxm4-40gb 1\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[3000], why[200];

        snprintf(text, sizeof text, "%s%s%s", ABOUT, MACHINES, rows[i].text);
        for (size_t piece = 1; piece < 4000; piece = piece * 5 + 2) {
            if (read_text("gcp-file", text, strlen(text), piece, h, why)
                != GOOD)
                fail_msg("%s", why);
            assert_string_equal(h->text, rows[i].want);
        }
    }
}

static void file_refusals(void **state)
{
    struct heard *h = *state;
    static const struct { const char *text, *code; } rows[] = {
        { "", "schema" }, { "<html>\n<body>maintenance\n", "schema" },
        { "{}\n", "schema" }, { "[]\n", "schema" },
        { ABOUT, "schema" }, { MACHINES A2, "schema" },
        { ABOUT MACHINES A2 "  - x\n", "yaml" },
        { ABOUT MACHINES "\ta: b\n", "yaml" },
        { ABOUT MACHINES "    a: &x {b: c}\n    d: *x\n", "schema" },
        { ABOUT MACHINES A2 "---\na: b\n", "trailing" },
        { ABOUT MACHINES "    a: {b: {c: {d: {e: {f: {g: {h: {i: {j: {k: {l: "
          "{m: {n: {o: 1}}}}}}}}}}}}}}\n", "too_deep" },
        { ABOUT MACHINES "    a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n",
          "too_deep" },
        { "about: {timestamp: yesterday}\n" MACHINES A2, "bad_date" },
        { ABOUT MACHINES "    \"\xff\": 1\n", "encoding" },
        { ABOUT MACHINES "    ? {a: b}\n    : c\n", "schema" },
        { ABOUT "compute:\n  instance:\n    a2-hi", "incomplete" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[200];

        assert_int_equal(read_text("gcp-file", rows[i].text,
                                   strlen(rows[i].text), 77, h, why),
                         FEED_REFUSED);
        if (strncmp(why, rows[i].code, strlen(rows[i].code)))
            fail_msg("%s, not %s", why, rows[i].code);
    }
}

/* -- the catalogue -------------------------------------------------------- */

#define HEAD "{\"skus\":["
#define TAIL "],\"nextPageToken\":\"\"}"
#define MONEY(units, nanos) "{\"currencyCode\":\"USD\",\"units\":\"" units \
    "\",\"nanos\":" nanos "}"
#define RATED(description, family, group, usage, unit, rates) \
    "{\"name\":\"services/6F81-5844-456A/skus/A\",\"skuId\":\"A\"," \
    "\"description\":\"" description "\",\"category\":{" \
    "\"serviceDisplayName\":\"Compute Engine\",\"resourceFamily\":\"" \
    family "\",\"resourceGroup\":\"" group "\",\"usageType\":\"" usage \
    "\"},\"serviceRegions\":[\"us-central1\"],\"pricingInfo\":[{" \
    "\"pricingExpression\":{\"usageUnit\":\"" unit "\",\"displayQuantity\"" \
    ":1,\"tieredRates\":[" rates "]},\"currencyConversionRate\":1," \
    "\"effectiveTime\":\"2026-07-30T10:00:00.1Z\"}]}"
#define SKU(description, family, group, usage, unit, units, nanos) \
    RATED(description, family, group, usage, unit, \
          "{\"startUsageAmount\":0,\"unitPrice\":" MONEY(units, nanos) "}")
#define PLACE " running in Americas"
#define CORE SKU("G2 Instance Core" PLACE, "Compute", "CPU", "OnDemand", \
                 "h", "0", "25000000")
#define RAM SKU("G2 Instance Ram" PLACE, "Compute", "RAM", "OnDemand", \
                "GiBy.h", "0", "3000000")
#define GPU(units, nanos) SKU("Nvidia L4 GPU" PLACE, "Compute", "GPU", \
                              "OnDemand", "h", units, nanos)
#define SSD SKU("SSD backed Local Storage", "Storage", "LocalSSD", \
                "OnDemand", "GiBy.mo", "0", "80000000")

static double price_in(const struct heard *h, const char *instance,
                       const char *region, enum term term)
{
    for (int i = 0; i < h->count; i++)
        if (!strcmp(h->row[i].instance, instance)
            && !strcmp(h->row[i].region, region)
            && h->row[i].term == (int)term)
            return h->row[i].price;
    return 0;
}

static double price_of(const struct heard *h, const char *instance,
                       enum term term)
{
    return price_in(h, instance, "us-central1", term);
}

/* `code` alone is said of the machine; the many that are not in the body at
   all are said to be missing, without a region. */
static void refused_as(const struct heard *h, const char *instance,
                       const char *code)
{
    char line[LINE_BYTE];

    snprintf(line, sizeof line, "!%s %s us-central1\n", code, instance);
    if (!strstr(h->text, line))
        fail_msg("%s is not refused as %s:\n%.2000s", instance, code, h->text);
}

static void read_good(const char *text, struct heard *h)
{
    char why[200];

    if (read_text("gcp", text, strlen(text), 4096, h, why) != GOOD)
        fail_msg("%s", why);
}

/* 4 x 0.025 + 16 x 0.003 + 3.93 = 4.078: without the whole part of the GPU's
   price it would be 1.078. The largest: 96 x 0.025 + 384 x 0.003 + 8 x 3.93
   = 34.992. */
static void sku_worked(void **state)
{
    struct heard *h = *state;

    read_good(HEAD CORE "," RAM "," GPU("3", "930000000") TAIL, h);
    assert_near(price_of(h, "g2-standard-4", TERM_ON_DEMAND), 4.078, 1e-12);
    assert_near(price_of(h, "g2-standard-96", TERM_ON_DEMAND), 34.992, 1e-12);
    assert_int_equal(h->count, 8);
    assert_non_null(strstr(h->text, "g2-standard-4 us-central1 on_demand 4.078 "
                           "20260730 l4 1\n"));
    assert_non_null(strstr(h->text, "!missing a2-highgpu-1g \n"));
    read_good(HEAD CORE "," RAM "," GPU("4", "0") TAIL, h);
    assert_near(price_of(h, "g2-standard-4", TERM_ON_DEMAND), 4.148, 1e-12);
}

/* 12 x 0.031611 + 170 x 0.004237 + 3.92808 + 375 x 0.08 / 730
   = 5.068797890410959; by the hour 375 x 0.0001 instead = 5.065202. */
static void sku_local_ssd(void **state)
{
    struct heard *h = *state;
#define ULTRA SKU("A2 Instance Core" PLACE, "Compute", "CPU", "OnDemand", \
                  "h", "0", "31611000") "," \
    SKU("A2 Instance Ram" PLACE, "Compute", "RAM", "OnDemand", "GiBy.h", \
        "0", "4237000") "," \
    SKU("Nvidia Tesla A100 80GB GPU" PLACE, "Compute", "GPU", "OnDemand", \
        "h", "3", "928080000")

    read_good(HEAD ULTRA "," SSD TAIL, h);
    assert_near(price_of(h, "a2-ultragpu-1g", TERM_ON_DEMAND),
                5.068797890410959, 1e-12);
    assert_near(price_of(h, "a2-ultragpu-8g", TERM_ON_DEMAND),
                8 * 5.068797890410959, 1e-12);
    read_good(HEAD ULTRA "," SKU("SSD backed Local Storage in Iowa",
        "Storage", "LocalSSD", "OnDemand", "GiBy.h", "0", "100000") TAIL, h);
    assert_near(price_of(h, "a2-ultragpu-1g", TERM_ON_DEMAND), 5.065202,
                1e-12);
}

/* Without one of its parts there is no machine. */
static void sku_missing_part(void **state)
{
    struct heard *h = *state;
    static const struct { const char *text, *instance; } rows[] = {
        { HEAD RAM "," GPU("1", "0") "," ULTRA "," SSD TAIL, "g2-standard-4" },
        { HEAD CORE "," GPU("1", "0") "," ULTRA "," SSD TAIL,
          "g2-standard-4" },
        { HEAD CORE "," RAM "," GPU("1", "0") "," ULTRA TAIL,
          "a2-ultragpu-1g" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        read_good(rows[i].text, h);
        refused_as(h, rows[i].instance, "missing");
        assert_true(price_of(h, rows[i].instance, TERM_ON_DEMAND) <= 0);
    }
    read_good(HEAD CORE "," RAM "," ULTRA "," SSD TAIL, h);
    assert_true(price_of(h, "g2-standard-4", TERM_ON_DEMAND) <= 0);
    assert_non_null(strstr(h->text, "!missing g2-standard-4 \n"));
}

/* Prices a hundred times too low (and one of 0) under other names: none
   changes the machine, whichever comes first. */
static void sku_other_names(void **state)
{
    struct heard *h = *state;
#define CHEAP(name, usage) SKU(name, "Compute", "GPU", usage, "h", "0", \
                               "1000000")
    static const char *const other[] = {
        CHEAP("Nvidia L4 GPU attached to DWS Defined Duration VMs running in "
              "Frankfurt", "OnDemand"),
        CHEAP("Reserved Nvidia L4 GPU in Americas", "OnDemand"),
        CHEAP("Nvidia L4 GPU in Americas in Calendar Mode", "OnDemand"),
        CHEAP("DWS Calendar Mode Nvidia L4 GPU" PLACE, "OnDemand"),
        CHEAP("Nvidia L4 GPU attached to Sole Tenancy VMs" PLACE, "OnDemand"),
        CHEAP("Nvidia L4 Virtual Workstation GPU" PLACE, "OnDemand"),
        CHEAP("Nvidia L40 GPU" PLACE, "OnDemand"),
        CHEAP("Nvidia L4 GPU" PLACE, "Commit"),
        CHEAP("Commitment v1: Nvidia L4 GPU" PLACE " for 1 Year", "OnDemand"),
        CHEAP("Commitment v1: Nvidia L4 GPU" PLACE " for 1 Year",
              "Commit3Yr"),
        CHEAP("Nvidia L4 GPU" PLACE, "Commit1Yr"),
        CHEAP("Commitment v1: Nvidia L4 GPU" PLACE " for 5 Years", "Commit"),
        SKU("Reserved Nvidia L4 GPU in Americas", "Compute", "GPU",
            "OnDemand", "h", "0", "0"),
        SKU("G2 Custom Instance Core" PLACE, "Compute", "CPU", "OnDemand",
            "h", "0", "1"),
        SKU("G2 Sole Tenancy Instance Core" PLACE, "Compute", "CPU",
            "OnDemand", "h", "0", "1"),
        SKU("Upgrade Premium for G2 Instance Core" PLACE, "Compute", "CPU",
            "OnDemand", "h", "0", "1"),
        SKU("Suspended VM, G2 Instance Ram suspended" PLACE, "Compute", "RAM",
            "OnDemand", "GiBy.h", "0", "1"),
        SKU("Network Vpn Internet Egress from Americas to Africa", "Network",
            "VPNInternetEgress", "OnDemand", "GiBy", "0", "120000000"),
    };

    static const char good[] = CORE "," RAM "," GPU("3", "930000000");

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        for (int first = 0; first < 2; first++) {
            char text[8000];

            snprintf(text, sizeof text, "%s%s,%s%s", HEAD,
                     first ? other[i] : good, first ? good : other[i], TAIL);
            read_good(text, h);
            if (fabs(price_of(h, "g2-standard-4", TERM_ON_DEMAND) - 4.078)
                > 1e-12 || h->count != 8)
                fail_msg("changed by %.200s", other[i]);
        }
}

#define SPOT_PLACE " attached to Spot Preemptible VMs running in Americas"
#define EVERY(core, ram, gpu, usage, cents, tail) \
    SKU(core tail, "Compute", "CPU", usage, "h", "0", cents "0000000") "," \
    SKU(ram tail, "Compute", "RAM", usage, "GiBy.h", "0", cents "000000") "," \
    SKU(gpu tail, "Compute", "GPU", usage, "h", cents, "0")

/* Host and GPU at c and c / 10 cents and c dollars: 4 c / 100 + 16 c / 1000
   + c = 1.056 c. A4's slices hold the host: 8 x 4.9542; on demand they are
   not sold, and their spot prices stand under OnDemand. */
static void sku_ways_of_paying(void **state)
{
    struct heard *h = *state;

    static const char *const skus[] = {
        EVERY("G2 Instance Core", "G2 Instance Ram", "Nvidia L4 GPU",
              "OnDemand", "5", PLACE),
        SKU("Spot Preemptible G2 Instance Core" PLACE, "Compute", "CPU",
            "Preemptible", "h", "0", "20000000") ","
        SKU("Spot Preemptible G2 Instance Ram" PLACE, "Compute", "RAM",
            "Preemptible", "GiBy.h", "0", "2000000") ","
        SKU("Nvidia L4 GPU" SPOT_PLACE, "Compute", "GPU", "Preemptible", "h",
            "2", "0"),
        EVERY("Commitment v1: G2 Cpu", "Commitment v1: G2 Ram",
              "Commitment v1: Nvidia L4 GPU", "Commit1Yr", "4",
              " in Americas for 1 Year"),
        EVERY("Commitment v1: G2 Cpu", "Commitment v1: G2 Ram",
              "Commitment v1: Nvidia L4 GPU", "Commit3Yr", "3",
              PLACE " for 3 Years"),
        SKU("A4 Nvidia B200 (1 gpu slice)" PLACE, "Compute", "GPU",
            "OnDemand", "h", "16", "110000000") ","
        SKU("Spot Preemptible A4 Nvidia B200 (1 gpu slice)" PLACE, "Compute",
            "GPU", "OnDemand", "h", "4", "954200000"),
    };
    char text[12000];

    snprintf(text, sizeof text, "%s%s,%s,%s,%s,%s%s", HEAD, skus[0], skus[1],
             skus[2], skus[3], skus[4], TAIL);
    read_good(text, h);
    assert_near(price_of(h, "g2-standard-4", TERM_ON_DEMAND), 5.28, 1e-12);
    assert_near(price_of(h, "g2-standard-4", TERM_SPOT), 2.112, 1e-12);
    assert_near(price_of(h, "g2-standard-4", TERM_RESERVED_1Y), 4.224, 1e-12);
    assert_near(price_of(h, "g2-standard-4", TERM_RESERVED_3Y), 3.168, 1e-12);
    assert_near(price_of(h, "a4-highgpu-8g", TERM_SPOT), 39.6336, 1e-12);
    assert_int_equal(h->count, 4 * 8 + 1);
    refused_as(h, "a4-highgpu-8g", "not_sold");
}

/* Each as the price of the GPU, and what becomes of the machine. */
static void sku_money(void **state)
{
    struct heard *h = *state;
#define GPU_AT(rates) HEAD CORE "," RAM "," RATED("Nvidia L4 GPU" PLACE, \
    "Compute", "GPU", "OnDemand", "h", rates) TAIL
#define UNIT_PRICE(money) "{\"unitPrice\":" money "}"
#define USD "{\"currencyCode\":\"USD\""
    static const struct { const char *text, *refused; double price; } rows[] = {
        { GPU_AT(UNIT_PRICE(USD ",\"units\":\"3\"}")), NULL, 3.148 },
        { GPU_AT(UNIT_PRICE(USD ",\"nanos\":930000000}")), NULL, 1.078 },
        { GPU_AT(UNIT_PRICE(USD ",\"units\":3,\"nanos\":5}")), NULL,
          3.148000005 },
        { GPU_AT(UNIT_PRICE(MONEY("0", "0")) ",{\"startUsageAmount\":100,"
                 "\"unitPrice\":" MONEY("2", "0") "}"), NULL, 2.148 },
        { GPU_AT(UNIT_PRICE(USD "}")), "zero_price", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("0", "0"))), "zero_price", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("-3", "0"))), "negative_price", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("0", "-5"))), "negative_price", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("3", "-5"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("3", "1000000000"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("3", "0.5"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("3", "\"5\""))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("3", "null"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("3.5", "0"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("", "0"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("1e3", "0"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY(" 3", "0"))), "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("9999999999999999999", "0"))),
          "not_a_number", 0 },
        { GPU_AT(UNIT_PRICE("null")), "missing", 0 },
        { GPU_AT(""), "missing", 0 },
        { GPU_AT(UNIT_PRICE(USD ",\"units\":\"3\",\"units\":\"4\"}")),
          "duplicate_key", 0 },
        { GPU_AT("{\"unitPrice\":" MONEY("3", "0") ",\"unitPrice\":"
                 MONEY("4", "0") "}"), "duplicate_key", 0 },
        { GPU_AT(UNIT_PRICE(MONEY("3", "0")) "," UNIT_PRICE(MONEY("4", "0"))),
          "duplicate", 0 },
        { HEAD CORE "," RAM "," GPU("3", "0") "," GPU("4", "0") TAIL,
          "duplicate", 0 },
        { HEAD CORE "," RAM "," GPU("3", "0") "," GPU("3", "0") TAIL, NULL,
          3.148 },
        { HEAD CORE "," RAM "," SKU("Nvidia L4 GPU" PLACE, "Compute", "GPU",
          "OnDemand", "GiBy.h", "3", "0") TAIL, "unit", 0 },
        { HEAD CORE "," SKU("G2 Instance Ram" PLACE, "Compute", "RAM",
          "OnDemand", "GiBy.mo", "3", "0") "," GPU("3", "0") TAIL, "unit", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[8000];

        /* another machine, so that the body stands whatever the price */
        snprintf(text, sizeof text, "%s%s,%s,%s", HEAD, ULTRA, SSD,
                 rows[i].text + strlen(HEAD));
        read_good(text, h);
        if (rows[i].refused)
            refused_as(h, "g2-standard-4", rows[i].refused);
        if (fabs(price_of(h, "g2-standard-4", TERM_ON_DEMAND) - rows[i].price)
            > 1e-12)
            fail_msg("%zu: %.12g, not %.12g", i,
                     price_of(h, "g2-standard-4", TERM_ON_DEMAND),
                     rows[i].price);
    }
}

/* Parts on several pages; the token is escaped behind the first address. */
static void sku_pages(void **state)
{
    struct heard *h = *state;
    static const char one[] = HEAD CORE "],\"nextPageToken\":\"a/b+c=\"}";
    static const char two[] = "{\"skus\":[],\"nextPageToken\":\"T-2_.~\"}";
    static const char three[] = HEAD RAM "," GPU("3", "930000000") "]}";
    const struct body body[] = { { one, sizeof one - 1 },
        { two, sizeof two - 1 }, { three, sizeof three - 1 }, { NULL, 0 } };
    char why[200], next[FEED_ADDRESS_BYTE];

    for (size_t piece = 1; piece < 5000; piece = piece * 3 + 1) {
        if (read_bodies("gcp", body, piece, h, why, next) != GOOD)
            fail_msg("%s", why);
        assert_near(price_of(h, "g2-standard-4", TERM_ON_DEMAND), 4.078,
                    1e-12);
        assert_int_equal(h->count, 8);
    }
    assert_string_equal(next, "https://cloudbilling.googleapis.com/v1/services/"
        "6F81-5844-456A/skus?pageSize=2000&currencyCode=USD&pageToken=T-2_.~");
    feed_whole("https://127.0.0.1:1/x?a=1", "&b=2", next);
    assert_string_equal(next, "https://127.0.0.1:1/x?a=1&b=2");
}

static void sku_token(void **state)
{
    static const char text[] = HEAD CORE "],\"nextPageToken\":\"a/b+c=\"}";
    const struct feed *feed = feed_find("gcp");
    const struct feed_sink sink = { .context = *state, .row = hear_row,
                                    .refused = hear_refused };
    struct feed_parse *parse = feed_begin(feed, &sink);

    assert_non_null(parse);
    assert_int_equal(feed_bytes(feed, parse, text, sizeof text - 1), GOOD);
    assert_int_equal(feed_end(feed, parse), GOOD);
    assert_string_equal(feed_next(feed, parse), "&pageToken=a%2Fb%2Bc%3D");
    feed_close(feed, parse);
}

static void sku_refusals(void **state)
{
    struct heard *h = *state;
#define WHOLE HEAD CORE "," RAM "," GPU("3", "0")
#define TWENTY "aaaaaaaaaaaaaaaaaaaa"
#define HUNDRED TWENTY TWENTY TWENTY TWENTY TWENTY
    static const struct { const char *text, *code; } rows[] = {
        { "", "json" }, { "<html>maintenance</html>", "json" },
        { "{}", "schema" }, { "[]", "schema" }, { "{\"skus\":[]}", "schema" },
        { HEAD TAIL, "schema" }, { "{\"skus\":{}}", "schema" },
        { "{\"skus\":[1]}", "schema" }, { "{\"skus\":[{}]}", "schema" },
        { "{\"error\":{\"code\":403,\"message\":\"no key\"}}", "schema" },
        { "{\"data\":[]}", "schema" },
        { HEAD CORE "," RAM TAIL, "schema" },
        { WHOLE "],\"nextPageToken\":7}", "schema" },
        { WHOLE "],\"nextPageToken\":\"" HUNDRED HUNDRED HUNDRED "a\"}",
          "too_long" },
        { WHOLE TAIL "{}", "trailing" },
        { WHOLE "],\"skus\":[]}", "duplicate_key" },
        { HEAD CORE "," RAM "," RATED("Nvidia L4 GPU" PLACE, "Compute", "GPU",
          "OnDemand", "h", UNIT_PRICE("{\"currencyCode\":\"EUR\","
          "\"units\":\"3\"}")) TAIL, "currency" },
        { HEAD CORE "," RAM "," RATED("Nvidia L4 GPU" PLACE, "Compute", "GPU",
          "OnDemand", "h", UNIT_PRICE("{\"units\":\"3\"}")) TAIL,
          "currency" },
    };
    char why[200], text[8000], *at;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (read_text("gcp", rows[i].text, strlen(rows[i].text), 77, h, why)
            != FEED_REFUSED)
            fail_msg("not refused: %.80s", rows[i].text);
        if (strncmp(why, rows[i].code, strlen(rows[i].code)))
            fail_msg("%s, not %s", why, rows[i].code);
    }
    snprintf(text, sizeof text, "%s", WHOLE TAIL);
    at = strstr(text, "ConversionRate\":1");
    assert_non_null(at);
    at[strlen("ConversionRate\":")] = '7';
    assert_int_equal(read_text("gcp", text, strlen(text), 77, h, why),
                     FEED_REFUSED);
    assert_memory_equal(why, "currency:", 9);
}

/* Cut anywhere, and with regions without end. */
static void sku_cut(void **state)
{
    struct heard *h = *state;
    static const char text[] = WHOLE TAIL;
    static char many[200000];
    char why[200];
    const char *place = strstr(text, "\"us-central1\"");
    size_t at;

    for (size_t byte = 0; byte < sizeof text - 1; byte++)
        assert_int_equal(read_text("gcp", text, byte, 512, h, why),
                         FEED_REFUSED);
    at = (size_t)sprintf(many, "%.*s", (int)(place - text), text);
    for (int i = 0; i < 3000; i++)
        at += (size_t)sprintf(many + at, "\"region-%d\",", i);
    sprintf(many + at, "%s", place);
    assert_int_equal(read_text("gcp", many, strlen(many), 4096, h, why),
                     FEED_REFUSED);
    assert_memory_equal(why, "too_long:", 9);
}

/* A page of 200,000 members, and then the first of them once more. */
static void sku_many_members(void **state)
{
    struct heard *h = *state;
    static char text[3 << 20];
    char why[200];
    size_t at = (size_t)snprintf(text, sizeof text, WHOLE "]");

    for (int i = 0; i < 200000; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, ",\"a%d\":1", i);
    snprintf(text + at, sizeof text - at, "}");
    read_good(text, h);
    assert_int_equal(h->count, 8);
    snprintf(text + at, sizeof text - at, ",\"a0\":1}");
    assert_int_equal(read_text("gcp", text, strlen(text), 4096, h, why),
                     FEED_REFUSED);
    assert_memory_equal(why, "duplicate_key:", 14);
}

/* -- the recorded catalogue ----------------------------------------------- */

struct table { void (*use)(void *context, const char *const *cell);
               void *context; };
static void each_line(const char *text, size_t byte, struct table table);

struct checking { const struct heard *h; int compared, differ; };

static void is_published(void *context, const char *const *cell)
{
    struct checking *c = context;
    const double price = price_in(c->h, cell[0], cell[1], TERM_ON_DEMAND);

    if (!(price > 0))
        return;
    c->compared++;
    c->differ += fabs(price - atof(cell[6])) > 1e-9;
}

/* The parts of 2023 make the machines as somebody else put them together in
   2026: Google has not changed these. */
static void sku_recorded(void **state)
{
    struct heard *h = *state;
    size_t byte, published_byte;
    char *text = shared_text("feeds/gcp/skus_a2_usd_2023-03-24.json", &byte);
    char *published = shared_text(
        "feeds/gcp/gpu_instance_prices_2026-07-30.csv", &published_byte);
    struct checking c = { h, 0, 0 };
    char why[200];

    if (!text || !published)
        skip(); /* the recorded feeds are not here */
    for (size_t piece = 1; piece < 5000; piece = piece * 7 + 3) {
        if (read_text("gcp", text, byte, piece, h, why) != GOOD)
            fail_msg("%s", why);
        assert_int_equal(h->count, 5 * 3);
    }
    assert_near(price_of(h, "a2-highgpu-8g", TERM_ON_DEMAND), 29.38708, 1e-12);
    each_line(published, published_byte,
              (struct table){ is_published, &c });
    assert_int_equal(c.compared, 5 * 3);
    assert_int_equal(c.differ, 0);
    free(text);
    free(published);
}

/* A part at 1 dollar after the other: each machine then counts its parts. The
   SSDs are 375 GiB a GPU (A2 Ultra) and 750 (A3). */
static void is_made_of(void *context, const char *const *cell)
{
    struct checking *c = context;
    const double gpus = atof(cell[3]);
    const double ssd = !strncmp(cell[0], "a2-ultra", 8) ? 375 * gpus
                       : !strncmp(cell[0], "a3", 2) ? 750 * gpus : 0;
    const double want = atof(cell[4]) * 0.01 + atof(cell[5]) * 0.001
                        + gpus * 2 + ssd * 0.73 / 730;

    for (int i = 0; i < c->h->count; i++) {
        const struct row *row = &c->h->row[i];

        if (strcmp(row->instance, cell[0]) || row->term != TERM_SPOT)
            continue;
        c->compared++;
        c->differ += fabs(row->price - want) > 1e-9
                     || fabs(row->vcpu - atof(cell[4])) > 1e-9
                     || fabs(row->memory - atof(cell[5])) > 1e-9
                     || fabs(row->gpus - gpus) > 1e-9 || !*row->gpu;
    }
}

static void sku_machines(void **state)
{
    struct heard *h = *state;
    static const char *const core[] = { "A2", "A3", "A3Plus", "G2", "G4" };
    static const char *const gpu[] = {
        "Nvidia Tesla A100 GPU", "Nvidia Tesla A100 80GB GPU",
        "Nvidia H100 80GB GPU", "Nvidia H100 80GB Plus GPU",
        "Nvidia L4 GPU", "RTX 6000 96GB" };
    static char text[40000];
    size_t at = (size_t)sprintf(text, HEAD), byte;
    char *published = shared_text(
        "feeds/gcp/gpu_instance_prices_2026-07-30.csv", &byte);
    struct checking c = { h, 0, 0 };

    for (size_t i = 0; i < sizeof core / sizeof *core; i++)
        at += (size_t)sprintf(text + at,
            SKU("Spot Preemptible %s Instance Core" PLACE, "Compute", "CPU",
                "Preemptible", "h", "0", "10000000") ","
            SKU("Spot Preemptible %s Instance Ram" PLACE, "Compute", "RAM",
                "Preemptible", "GiBy.h", "0", "1000000") ",", core[i],
            core[i]);
    for (size_t i = 0; i < sizeof gpu / sizeof *gpu; i++)
        at += (size_t)sprintf(text + at, SKU("%s" SPOT_PLACE, "Compute",
            "GPU", "Preemptible", "h", "2", "0") ",", gpu[i]);
    sprintf(text + at, SKU("SSD backed Local Storage attached to Spot "
        "Preemptible VMs", "Storage", "LocalSSD", "Preemptible", "GiBy.mo",
        "0", "730000000") TAIL);
    read_good(text, h);
    assert_int_equal(h->count, 26);
    for (int i = 0; i < h->count; i++)
        assert_true(*h->row[i].gpu != '\0' && h->row[i].vcpu > 0);
    if (!published)
        skip(); /* the recorded feeds are not here */
    each_line(published, byte, (struct table){ is_made_of, &c });
    assert_true(c.compared > 850); /* 26 machines in up to 40 regions */
    assert_int_equal(c.differ, 0);
    free(published);
}

/* -- the recorded file ---------------------------------------------------- */

/* Rows of a CSV to a function of their cells, the header left out. */
static int use_row(void *context, const struct csv_row *row)
{
    const struct table *table = context;

    if (row->line > 1)
        table->use(table->context, row->field);
    return 0;
}

static void each_line(const char *text, size_t byte, struct table table)
{
    struct csv *csv = csv_open(use_row, &table);
    int whole;

    assert_non_null(csv);
    assert_int_equal(csv_bytes(csv, text, byte), CSV_GOOD);
    assert_int_equal(csv_end(csv, &whole), CSV_GOOD);
    csv_close(csv);
}

/* instance_type, region, accelerator, count, vcpus, memory, hour, hour_spot,
   month, month_1y, month_3y, month_spot: back into the shape of the file. */
struct writing { char *end, machine[40], tail[200]; int rows; };

static void write_yaml(void *context, const char *const *cell)
{
    static const char *const name[] = { "hour", "hour_spot", "month",
                                        "month_1y", "month_3y", "month_spot" };
    struct writing *w = context;

    w->rows++;
    if (strcmp(w->machine, cell[0])) {
        w->end += sprintf(w->end, "%s    %s:\n      cost:\n", w->tail,
                          cell[0]);
        snprintf(w->machine, sizeof w->machine, "%s", cell[0]);
        snprintf(w->tail, sizeof w->tail,
                 "      cpu: %s\n      %s: %s\n      ram: %s\n", cell[4],
                 cell[2], cell[3], cell[5]);
    }
    w->end += sprintf(w->end, "        %s:\n", cell[1]);
    for (int i = 0; i < 6; i++)
        if (*cell[6 + i])
            w->end += sprintf(w->end, "          %s: %s\n", name[i],
                              cell[6 + i]);
}

/* provider, instance_type, region, gpu_model, gpu_count, gpu_memory, vcpus,
   memory, purchase_option, price, as_of, source */
struct comparing { const struct heard *h; int compared, differ; };

static void compare_price(void *context, const char *const *cell)
{
    struct comparing *c = context;
    const double want = atof(cell[9]);

    if (strcmp(cell[0], "gcp"))
        return;
    for (int i = 0; i < c->h->count; i++) {
        const struct row *row = &c->h->row[i];

        if (strcmp(row->instance, cell[1]) || strcmp(row->region, cell[2])
            || strcmp(term_name[row->term], cell[8]))
            continue;
        c->compared++;
        if (fabs(row->price - want) > 0.5000001e-6) { /* six digits are told */
            c->differ++;
            print_error("%s %s %s: %.8g, not %s\n", cell[1], cell[2], cell[8],
                        row->price, cell[9]);
        }
        return;
    }
    print_error("%s %s %s is not there\n", cell[1], cell[2], cell[8]);
}

static void count_google(void *context, const char *const *cell)
{
    *(int *)context += !strcmp(cell[0], "gcp");
}

/* All prices of the reference that were taken from the file come out of it. */
static void file_recorded(void **state)
{
    struct heard *h = *state;
    size_t byte, reference_byte;
    char *csv = shared_text("feeds/gcp/gpu_instance_prices_2026-07-30.csv",
                            &byte);
    char *reference = shared_text("reference/cloud_prices.csv",
                                  &reference_byte);
    static char yaml[4 << 20];
    char why[200];
    struct writing w = { .end = yaml };
    struct comparing c = { h, 0, 0 };
    int rows = 0;

    if (!csv || !reference)
        skip(); /* the recorded feeds are not here */
    w.end += sprintf(w.end, "%s%s", ABOUT, MACHINES);
    each_line(csv, byte, (struct table){ write_yaml, &w });
    w.end += sprintf(w.end, "%s", w.tail);
    assert_true(w.rows > 900);
    if (read_text("gcp-file", yaml, (size_t)(w.end - yaml), 4096, h, why)
        != GOOD)
        fail_msg("%s", why);
    each_line(reference, reference_byte, (struct table){ count_google, &rows });
    each_line(reference, reference_byte, (struct table){ compare_price, &c });
    print_message("%d of %d reference prices of Google compared\n",
                  c.compared, rows);
    assert_true(rows > 250);
    assert_int_equal(c.compared, rows);
    assert_int_equal(c.differ, 0);
    free(csv);
    free(reference);
}

static int set_up(void **state)
{
    *state = malloc(sizeof(struct heard));
    return *state == NULL;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_machines), cmocka_unit_test(file_refusals),
        cmocka_unit_test(file_recorded), cmocka_unit_test(sku_worked),
        cmocka_unit_test(sku_local_ssd), cmocka_unit_test(sku_missing_part),
        cmocka_unit_test(sku_other_names),
        cmocka_unit_test(sku_ways_of_paying), cmocka_unit_test(sku_money),
        cmocka_unit_test(sku_pages), cmocka_unit_test(sku_token),
        cmocka_unit_test(sku_refusals), cmocka_unit_test(sku_cut),
        cmocka_unit_test(sku_many_members),
        cmocka_unit_test(sku_recorded), cmocka_unit_test(sku_machines),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
