/* test_feed_mutants.c: every reader over bodies that were changed at random,
   in pieces of random size. Whatever comes, it ends as the seam says: rows
   whose strings are there, or a refusal that begins with its code. The
   generator is seeded, so that a run is like the last one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/accept.h"

enum { MUTANTS = 4000, BODY_BYTE = 40000, BODY_MAX = 3 };

#define CSV_HEAD "InstanceType,AcceleratorName,AcceleratorCount,vCPUs," \
    "MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
#define ITEM "{\"currencyCode\":\"USD\",\"tierMinimumUnits\":0.0," \
    "\"retailPrice\":98.32,\"armRegionName\":\"eastus\"," \
    "\"effectiveStartDate\":\"2025-04-01T00:00:00Z\",\"meterName\":\"ND\"," \
    "\"productName\":\"ND\",\"skuName\":\"ND\",\"serviceName\":" \
    "\"Virtual Machines\",\"unitOfMeasure\":\"1 Hour\",\"type\":" \
    "\"Consumption\",\"isPrimaryMeterRegion\":true,\"armSkuName\":" \
    "\"Standard_ND96isr_H100_v5\",\"savingsPlan\":[{\"retailPrice\":70," \
    "\"term\":\"1 Year\"}]}"

#define GCP(name, group, unit, units, nanos) "{\"description\":\"" name \
    " running in Americas\",\"category\":{\"resourceFamily\":\"Compute\"," \
    "\"resourceGroup\":\"" group "\",\"usageType\":\"OnDemand\"}," \
    "\"serviceRegions\":[\"us-central1\"],\"pricingInfo\":[{" \
    "\"pricingExpression\":{\"usageUnit\":\"" unit "\",\"tieredRates\":[{" \
    "\"startUsageAmount\":0,\"unitPrice\":{\"currencyCode\":\"USD\"," \
    "\"units\":\"" units "\",\"nanos\":" nanos "}}]}," \
    "\"currencyConversionRate\":1,\"effectiveTime\":" \
    "\"2023-03-24T10:52:50.681Z\"}]}"

/* A good fetch for each reader, by the name of a feed that uses it. */
static const struct seed { const char *feed, *body[BODY_MAX]; } seeds[] = {
    { "skypilot-aws", { CSV_HEAD "p5.48xlarge,H100,8,192,2048,\"{'Gpus': [{"
      "'Name': 'H100', 'Count': 8, 'MemoryInfo': {'SizeInMiB': 81920}}]}\","
      "55.04,20.5,us-east-1,use1-az1\nzz9,ZZ100,2,8,64,,4.25,,us-east-1,\n" } },
    { "az-eastus", { "{\"BillingCurrency\":\"USD\",\"Items\":[" ITEM
      "],\"NextPageLink\":\"https://prices.azure.com/x?$skip=1\"}",
      "{\"BillingCurrency\":\"USD\",\"Items\":[" ITEM
      "],\"NextPageLink\":null,\"Count\":1}" } },
    { "aws-us-east-1", { "{\"regions\":{\"us-east-1\":{\"currentVersionUrl\":"
      "\"/offers/v1.0/aws/AmazonEC2/20260720000000/us-east-1/index.json\"}}}",
      "\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"a, b\"\n\"SKU\","
      "\"TermType\",\"EffectiveDate\",\"Unit\",\"PricePerUnit\",\"Currency\","
      "\"LeaseContractLength\",\"PurchaseOption\",\"OfferingClass\","
      "\"Instance Type\",\"Tenancy\",\"Operating System\","
      "\"Pre Installed S/W\",\"CapacityStatus\",\"MarketOption\","
      "\"Region Code\",\"usageType\"\n\"A\",\"OnDemand\",\"2026-07-01\","
      "\"Hrs\",\"55.04\",\"USD\",,,,\"p5.48xlarge\",\"Shared\",\"Linux\","
      "\"NA\",\"Used\",\"OnDemand\",\"us-east-1\",\"BoxUsage:p5.48xlarge\"\n"
      "\"B\",\"Reserved\",\"2026-07-01\",\"Hrs\",\"16.4\",\"USD\",\"1yr\","
      "\"Partial Upfront\",\"standard\",\"p5.48xlarge\",\"Shared\",\"Linux\","
      "\"NA\",\"Used\",\"OnDemand\",\"us-east-1\",\"BoxUsage:p5.48xlarge\"\n"
      "\"B\",\"Reserved\",\"2026-07-01\",\"Quantity\",\"120000\",\"USD\","
      "\"1yr\",\"Partial Upfront\",\"standard\",\"p5.48xlarge\",\"Shared\","
      "\"Linux\",\"NA\",\"Used\",\"OnDemand\",\"us-east-1\","
      "\"BoxUsage:p5.48xlarge\"\n" } },
    { "aws-blocks", { "{\"metadata\":{\"last_updated\":\"2026-07-22T00:00:00Z\""
      "},\"instance_types\":{\"p5.48xlarge\":{\"accelerator_count\":8,"
      "\"pricing\":[{\"region_code\":\"us-east-1\",\"hourly_rate_usd\":31.464},"
      "{\"region_code\":\"eu-west-1\",\"hourly_rate_usd\":\"N/A\"}]}}}" } },
    { "oci", { "{\"items\":[{\"partNumber\":\"B98415\",\"displayName\":"
      "\"Compute - GPU - H100\",\"metricName\":\"GPU Per Hour\","
      "\"currencyCodeLocalizations\":[{\"currencyCode\":\"USD\",\"prices\":["
      "{\"model\":\"PAY_AS_YOU_GO\",\"value\":10,\"rangeMin\":0}]}]}]}" } },
    { "gcp", { "{\"skus\":[" GCP("A2 Instance Core", "CPU", "h", "0", "31611000")
      "," GCP("A2 Instance Ram", "RAM", "GiBy.h", "0", "4237000")
      "],\"nextPageToken\":\"a/b\"}", "{\"skus\":["
      GCP("Nvidia Tesla A100 GPU", "GPU", "h", "2", "933908000")
      "],\"nextPageToken\":\"\"}" } },
    { "gcp-file", { "---\nabout:\n  timestamp: 1785380400\ncompute:\n"
      "  instance:\n    a2-highgpu-8g:\n      a100: 8\n      cost:\n"
      "        us-central1:\n          hour: 29.38708\n"
      "          month_1y: 13515.04\n      cpu: 96\n      ram: 680\n"
      "    e2-micro: {cost: {us-east4: {hour: 0.01}}, list: [1, [2]]}\n" } },
    { "aws-sp-us-east-1", { "{\"regions\":[{\"regionCode\":\"us-east-1\","
      "\"versionUrl\":\"/savingsPlan/v1.0/aws/x/20260623215842/index.json\"}]}",
      "{\"products\":[{\"sku\":\"N1\",\"productFamily\":"
      "\"ComputeSavingsPlans\",\"attributes\":{\"purchaseOption\":"
      "\"No Upfront\",\"purchaseTerm\":\"1yr\"}}],\"terms\":{\"savingsPlan\":"
      "[{\"sku\":\"N1\",\"effectiveDate\":\"2026-06-23T21:58:42Z\","
      "\"leaseContractLength\":{\"duration\":1,\"unit\":\"year\"},\"rates\":"
      "[{\"discountedUsageType\":\"BoxUsage:p5.48xlarge\","
      "\"discountedOperation\":\"RunInstances\",\"discountedServiceCode\":"
      "\"AmazonEC2\",\"unit\":\"Hrs\",\"discountedRate\":{\"price\":\"40\","
      "\"currency\":\"USD\"},\"discountedRegionCode\":\"us-east-1\","
      "\"discountedInstanceType\":\"p5.48xlarge\"}]}]}}" } },
    { "aws-spot", { "{\"ranges\":[{\"index\":0}],\"spot_advisor\":{"
      "\"us-east-1\":{\"Linux\":{\"p5.48xlarge\":{\"s\":60,\"r\":0},"
      "\"g5.xlarge\":{\"s\":50,\"r\":1}}}}}" } },
    { "ecb", { "<gesmes:Envelope><Cube><Cube time='2026-04-13'>"
      "<Cube currency='USD' rate='1.17'/><Cube currency='JPY' rate='184'/>"
      "</Cube></Cube></gesmes:Envelope>" } },
    { "uk-grid", { "{\"data\":[{\"from\":\"2026-11-02T11:30Z\",\"to\":"
      "\"2026-11-02T12:00Z\",\"intensity\":{\"forecast\":150,\"actual\":"
      "141,\"index\":\"moderate\"}}]}" } },
    { "em-DE", { "{\"zone\":\"DE\",\"history\":[{\"zone\":\"DE\","
      "\"carbonIntensity\":250,\"datetime\":\"2026-11-02T11:00:00.000Z\","
      "\"emissionFactorType\":\"lifecycle\",\"isEstimated\":true}]}" } },
    { "google-2026", { "Google Cloud Region,Location,Google CFE,Grid carbon "
      "intensity (gCO2eq / kWh)\nus-central1,Iowa,0.88,431.95\n"
      "europe-west6,\"Z\xC3\xBCrich\",,21.2\n" } },
    { "eia", { "{\"response\":{\"total\":\"1\",\"data\":[{\"period\":"
      "\"2026-09\",\"stateid\":\"CA\",\"sectorid\":\"COM\",\"price\":"
      "\"12.5\",\"price-units\":\"cents per kilowatthour\"}]}}" } },
    { "eurostat-firms", { "{\"id\":[\"nrg_cons\",\"unit\",\"tax\","
      "\"currency\",\"geo\",\"time\"],\"size\":[1,1,1,1,2,1],"
      "\"dimension\":{\"nrg_cons\":{\"category\":{\"index\":"
      "{\"MWH20-499\":0}}},\"unit\":{\"category\":{\"index\":{\"KWH\":0}}},"
      "\"tax\":{\"category\":{\"index\":{\"X_VAT\":0}}},\"currency\":"
      "{\"category\":{\"index\":{\"EUR\":0}}},\"geo\":{\"category\":"
      "{\"index\":{\"DE\":0,\"EL\":1}}},\"time\":{\"category\":{\"index\":"
      "{\"2026-S1\":0}}}},\"value\":{\"1\":0.21}}" } },
};

/* -- chance --------------------------------------------------------------- */

static uint64_t chance_state;

static unsigned chance(unsigned below)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(chance_state >> 33) % below;
}

/* -- mutants -------------------------------------------------------------- */

struct body { char text[BODY_BYTE]; size_t byte; };

static void put_in(struct body *b, size_t at, const char *text, size_t byte)
{
    if (b->byte + byte > BODY_BYTE)
        return;
    memmove(b->text + at + byte, b->text + at, b->byte - at);
    memcpy(b->text + at, text, byte);
    b->byte += byte;
}

static void cut_out(struct body *b, size_t at, size_t byte)
{
    if (byte > b->byte - at)
        byte = b->byte - at;
    memmove(b->text + at, b->text + at + byte, b->byte - at - byte);
    b->byte -= byte;
}

static void change(struct body *b)
{
    static const char *const word[] = { "\"", "'", "{", "}", "[", "]", ",",
        ":", "\n", "\r\n", "\\", "null", "1e999", "-1", "0", "NaN", "<", ">",
        "&", "\xff", "\xc3\x28", "999999999999", "\"a\":1,", "{\"", "--- ",
        "\t", "\\u0000", "true", "2026-02-30", "USD", "EUR", "<!DOCTYPE a>" };
    size_t at = b->byte ? chance((unsigned)b->byte) : 0, byte;
    char copy[400];

    switch (chance(7)) {
    case 0:
        if (b->byte)
            b->text[at] = (char)chance(256);
        break;
    case 1:
        cut_out(b, at, 1 + chance(chance(4) ? 8 : 400));
        break;
    case 2: case 3: {
        const char *what = word[chance(sizeof word / sizeof *word)];
        put_in(b, at, what, strlen(what));
        break;
    }
    case 4: /* a piece of it twice */
        byte = 1 + chance(sizeof copy - 1);
        if (byte > b->byte - at)
            byte = b->byte - at;
        memcpy(copy, b->text + at, byte);
        put_in(b, b->byte ? chance((unsigned)b->byte) : 0, copy, byte);
        break;
    case 5:
        b->byte = at;
        break;
    default: /* a long run of one byte */
        memset(copy, "{[\"9a,\n"[chance(7)], sizeof copy);
        put_in(b, at, copy, sizeof copy);
        put_in(b, at, copy, sizeof copy);
    }
}

/* -- what comes out ------------------------------------------------------- */

static int look_at_row(void *context, const struct feed_row *row)
{
    (void)context;
    assert_non_null(row->provider);
    assert_non_null(row->instance);
    assert_non_null(row->region);
    assert_non_null(row->currency);
    assert_non_null(row->gpu);
    assert_non_null(row->gpu_name);
    assert_non_null(row->zone);
    assert_non_null(row->source);
    assert_true((unsigned)row->term < TERM_COUNT);
    assert_true((unsigned)row->payment < PAYMENT_COUNT);
    accept_row(context, row); /* whatever it says of it */
    return 0;
}

static int look_at_refused(void *context, enum refusal why,
                           const struct feed_row *row)
{
    (void)context;
    (void)row;
    assert_true((unsigned)why < REFUSAL_COUNT);
    return 0;
}

static int look_at_rate(void *context, const struct rate *rate)
{
    (void)context;
    assert_true(rate->per_eur > 0);
    assert_int_equal(strlen(rate->currency), 3);
    return 0;
}

/* Whatever the value: what is no time or no zone is judged later. */
static int look_at_reading(void *context, const struct reading *reading)
{
    char when[READING_WHEN_BYTE];

    (void)context;
    assert_true(*reading->zone && reading->end > reading->begin);
    assert_true(isfinite(reading->value));
    assert_true((unsigned)reading->kind < READING_KIND_COUNT);
    assert_true((unsigned)reading->tariff < TARIFF_CLASS_COUNT);
    assert_true((reading->kind == READING_GRID) == !*reading->currency);
    assert_true((reading->kind == READING_GRID) ==
                (reading->basis != BASIS_NONE));
    reading_when(reading, when);
    assert_true(*when);
    return 0;
}

/* "code: sentence" */
static int has_code(const char *why)
{
    const char *at = why;

    while (islower((unsigned char)*at) || *at == '_')
        at++;
    return at > why && at[0] == ':' && at[1] == ' ' && at[2];
}

static enum status read_all(const struct feed *feed, const struct body *body,
                            int count)
{
    const struct feed_sink sink = { .context = (void *)(uintptr_t)feed,
        .row = look_at_row, .refused = look_at_refused, .rate = look_at_rate,
        .reading = look_at_reading };
    struct feed_parse *parse = feed_begin(feed, &sink);
    enum status status = GOOD;

    assert_non_null(parse);
    for (int i = 0; i < count && status == GOOD; i++) {
        for (size_t at = 0, piece; at < body[i].byte && status == GOOD;
             at += piece) {
            piece = 1 + chance(chance(3) ? 60 : 9000);
            if (piece > body[i].byte - at)
                piece = body[i].byte - at;
            status = feed_bytes(feed, parse, body[i].text + at, piece);
        }
        if (status == GOOD)
            status = feed_end(feed, parse);
        if (status == GOOD && !feed_next(feed, parse))
            break;
    }
    assert_true(status == GOOD || status == FEED_REFUSED);
    if (status == FEED_REFUSED && !has_code(feed_why(parse)))
        fail_msg("%s: refused without a code: %s", feed->id, feed_why(parse));
    feed_close(feed, parse);
    return status;
}

static void mutants(void **state)
{
    static struct body body[BODY_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        const struct feed *feed = feed_find(seeds[i].feed);
        int count = 0, refused = 0;

        assert_non_null(feed);
        chance_state = 20261201 + i;
        while (count < BODY_MAX && seeds[i].body[count])
            count++;
        for (int m = 0; m <= MUTANTS; m++) {
            for (int k = 0; k < count; k++) {
                body[k].byte = strlen(seeds[i].body[k]);
                memcpy(body[k].text, seeds[i].body[k], body[k].byte);
            }
            for (unsigned n = m ? 1 + chance(4) : 0; n; n--)
                change(&body[chance((unsigned)count)]);
            refused += read_all(feed, body, count) == FEED_REFUSED;
            if (m == 0 && refused)
                fail_msg("%s: the good one is refused", feed->id);
        }
        assert_true(refused > MUTANTS / 20); /* they do change something */
    }
}

static void every_reader_is_here(void **state)
{
    (void)state;
    for (size_t i = 0; i < feed_count_all(); i++) {
        int found = 0;

        for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++)
            found |= feed_find(seeds[k].feed)->reader == feed_at(i)->reader;
        if (!found)
            fail_msg("no seed for the reader of %s", feed_at(i)->id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants), cmocka_unit_test(every_reader_is_here) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
