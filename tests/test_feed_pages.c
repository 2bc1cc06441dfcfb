/* test_feed_pages.c: readers of JSON pages and of exchange rates: what comes
   out of a body, which page is asked next, and what is refused as a whole. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/accept.h"
#include "pricing/feed.h"
#include "tests/near.h"
#include "tests/shared.h"

enum { HEARD_BYTE = 200000 };
struct heard { char text[HEARD_BYTE]; size_t byte; long rows, rates; };

static void hear(struct heard *heard, const char *line)
{
    int room = (int)(HEARD_BYTE - heard->byte);

    heard->byte += (size_t)snprintf(heard->text + heard->byte, (size_t)room,
                                    "%s\n", line);
    assert_true(heard->byte < HEARD_BYTE);
}

static int hear_row(void *context, const struct feed_row *row)
{
    char line[300];

    snprintf(line, sizeof line, "%s %s %s %s %.10g %d %s %g", row->instance,
             row->region, term_name[row->term], payment_name[row->payment],
             row->price_per_hour, row->effective_day, row->gpu,
             row->gpu_count);
    ((struct heard *)context)->rows++;
    hear(context, line);
    return 0;
}

static int hear_refused(void *context, enum refusal why,
                        const struct feed_row *row)
{
    char line[200];

    snprintf(line, sizeof line, "!%s %s", refusal_table[why].id,
             row->instance ? row->instance : "");
    hear(context, line);
    return 0;
}

static int hear_rate(void *context, const struct rate *rate)
{
    char line[80];

    snprintf(line, sizeof line, "%s %d %.8g", rate->currency, rate->day,
             rate->per_eur);
    ((struct heard *)context)->rates++;
    hear(context, line);
    return 0;
}

/* Reads bodies, each in pieces of `piece` bytes; `next` gets the addresses
   that were asked for, a line each. */
static enum status read_bodies(const char *id, const char *const *body,
                               int count, size_t piece, struct heard *heard,
                               char *next, size_t next_byte, char why[200])
{
    const struct feed *feed = feed_find(id);
    const struct feed_sink sink = { heard, hear_row, hear_refused, hear_rate,
                                    NULL, NULL };
    struct feed_parse *parse = feed_begin(feed, &sink);
    enum status status = GOOD;
    size_t used = 0;

    assert_non_null(parse);
    heard->byte = 0;
    heard->rows = heard->rates = 0;
    *heard->text = *next = '\0';
    for (int i = 0; i < count && status == GOOD; i++) {
        const char *address;
        size_t byte = strlen(body[i]);
        for (size_t at = 0; at < byte && status == GOOD; at += piece)
            status = feed_bytes(feed, parse, body[i] + at,
                                byte - at < piece ? byte - at : piece);
        if (status == GOOD)
            status = feed_end(feed, parse);
        address = status == GOOD ? feed_next(feed, parse) : NULL;
        if (address)
            used += (size_t)snprintf(next + used, next_byte - used, "%s\n",
                                     address);
    }
    snprintf(why, 200, "%s", feed_why(parse));
    feed_close(feed, parse);
    return status;
}

#define HEAD "{\"BillingCurrency\":\"USD\",\"Items\":["
#define TAIL "],\"NextPageLink\":null,\"Count\":1}"
#define ITEM(price, sku, name, product, type, more)                          \
    "{\"currencyCode\":\"USD\",\"tierMinimumUnits\":0.0,\"retailPrice\":" price \
    ",\"armRegionName\":\"eastus\",\"effectiveStartDate\":"                  \
    "\"2025-04-01T00:00:00Z\",\"meterName\":\"" name "\",\"productName\":\"" \
    product "\",\"skuName\":\"" name "\",\"serviceName\":\"Virtual Machines\"," \
    "\"unitOfMeasure\":\"1 Hour\",\"type\":\"" type "\","                    \
    "\"isPrimaryMeterRegion\":true,\"armSkuName\":\"" sku "\"" more "}"
#define ND "Standard_ND96isr_H100_v5"
#define H100 " 20250401 h100-sxm5-80gb 8\n"

/* The meters of one machine: list, two plans, Spot, a year's reservation in
   all; what shares its name and is something else; what is wrong. */
static void azure_meters(void **state)
{
    struct heard *h = *state;
    static const struct { const char *item, *want; } rows[] = {
        { ITEM("98.32", ND, "ND96isrH100v5", "ND series", "Consumption",
               ",\"savingsPlan\":[{\"retailPrice\":70.79,\"term\":\"1 Year\"},"
               "{\"retailPrice\":53.1,\"term\":\"3 Years\"},"
               "{\"retailPrice\":40,\"term\":\"5 Years\"}]"),
          ND " eastus on_demand no_upfront 98.32" H100
          ND " eastus savings_1y no_upfront 70.79" H100
          ND " eastus savings_3y no_upfront 53.1" H100 },
        { ITEM("39.5", ND, "ND96isrH100v5 Spot", "ND series", "Consumption", ""),
          ND " eastus spot no_upfront 39.5" H100 },
        { ITEM("438000", ND, "ND96isrH100v5", "ND series", "Reservation",
               ",\"reservationTerm\":\"1 Year\""),
          ND " eastus reserved_1y no_upfront 50" H100 },       /* / 8,760 */
        { ITEM("1051200", ND, "ND96isrH100v5", "ND series", "Reservation",
               ",\"reservationTerm\":\"3 Years\""),
          ND " eastus reserved_3y no_upfront 40" H100 },       /* / 26,280 */
        { ITEM("438000", ND, "ND96isrH100v5", "ND series", "Reservation",
               ",\"reservationTerm\":\"5 Years\""), "" },
        { ITEM("6.55", ND, "ND96isrH100v5 Low Priority", "ND series",
               "Consumption", ""), "" },
        { ITEM("102.7", ND, "ND96isrH100v5", "ND series Windows",
               "Consumption", ""), "" },
        { ITEM("80", ND, "ND96isrH100v5", "ND series Cloud Services",
               "Consumption", ""), "" },
        { ITEM("80", ND, "ND96isrH100v5", "ND series", "DevTestConsumption",
               ""), "" },
        { ITEM("1", "", "x", "ND series", "Consumption", ""), "" },
        { ITEM("1", "Standard_E64_v4", "E64 v4", "Ev4", "Consumption", ""),
          "!cpu_only Standard_E64_v4\n" },
        { ITEM("0", ND, "ND96isrH100v5", "ND series", "Consumption", ""),
          "!zero_price " ND "\n" },
        { ITEM("-1", ND, "ND96isrH100v5", "ND series", "Consumption", ""),
          "!negative_price " ND "\n" },
        { ITEM("\"98\"", ND, "ND96isrH100v5", "ND series", "Consumption", ""),
          "!not_a_number " ND "\n" },
        { ITEM("null", ND, "ND96isrH100v5", "ND series", "Consumption", ""),
          "!missing " ND "\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[3000], next[100], why[200];
        const char *bodies[1] = { body };
        snprintf(body, sizeof body, "%s%s%s", HEAD, rows[i].item, TAIL);
        assert_int_equal(read_bodies("az-eastus", bodies, 1, 7, h, next,
                                     sizeof next, why), GOOD);
        assert_string_equal(h->text, rows[i].want);
    }
}

static void replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    size_t tail;

    assert_non_null(at);
    tail = strlen(at + strlen(from)) + 1;
    memmove(at + strlen(to), at + strlen(from), tail);
    memcpy(at, to, strlen(to));
}

static void azure_item_faults(void **state)
{
    struct heard *h = *state;
    static const struct { const char *from, *to, *want; } rows[] = {
        { "\"currencyCode\":\"USD\"", "\"currencyCode\":\"EUR\"", "!currency" },
        { "1 Hour", "10 Hours", "!unit" },
        { "\"tierMinimumUnits\":0.0", "\"tierMinimumUnits\":5", "!unit" },
        { "2025-04-01", "2025-04-31", "!bad_date" },
        { "2025-04-01T00:00:00Z", "", "!bad_date" },
        { "\"armRegionName\":\"eastus\"", "\"armRegionName\":\"westus\"",
          "!unknown_region" },
        { "\"armSkuName\":", "\"skuName\":\"\",\"armSkuName\":",
          "!duplicate_key" },
        { ND "\"", "Standard_ND999_new\"", "!no_machine" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[3000] = HEAD ITEM("98.32", ND, "ND", "ND series",
                                    "Consumption", "") TAIL;
        char next[100], why[200];
        const char *bodies[1] = { body };
        replace(body, rows[i].from, rows[i].to);
        assert_int_equal(read_bodies("az-eastus", bodies, 1, 100, h, next,
                                     sizeof next, why), GOOD);
        assert_true(strncmp(h->text, rows[i].want, strlen(rows[i].want)) == 0);
        assert_int_equal(h->rows, 0);
    }
}

/* Pages follow one another; one that is empty, cut or no list ends it all. */
static void azure_pages(void **state)
{
    struct heard *h = *state;
    char next[300], why[200];
    const char *two[2] = {
        HEAD ITEM("98.32", ND, "a", "ND series", "Consumption", "")
        "],\"NextPageLink\":\"https://prices.azure.com:443/api/retail/prices"
        "?$skip=1000\",\"Count\":1000}",
        HEAD ITEM("39", ND, "a Spot", "ND series", "Consumption", "") TAIL };
    static const char *const bad[] = {
        HEAD TAIL, "{}", "[]", "", "<html>maintenance</html>",
        "{\"BillingCurrency\":\"EUR\",\"Items\":[1],\"NextPageLink\":null}",
        "{\"BillingCurrency\":\"USD\",\"Items\":{},\"NextPageLink\":null}",
        HEAD ITEM("98.32", ND, "a", "ND series", "Consumption", "") "]}",
        HEAD ITEM("98.32", ND, "a", "ND series", "Consumption", "")
        "],\"NextPageLink\":7}",
        HEAD "1], \"Count\":1} trailing", "{\"Items\":[{\"armSku" };

    assert_int_equal(read_bodies("az-eastus", two, 2, 64, h, next, sizeof next,
                                 why), GOOD);
    assert_int_equal(h->rows, 2);
    assert_string_equal(next, "https://prices.azure.com:443/api/retail/prices"
                        "?$skip=1000\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int second = 0; second < 2; second++) {
            const char *bodies[2] = { second ? two[0] : bad[i], bad[i] };
            assert_int_equal(read_bodies("az-eastus", bodies, 1 + second, 50,
                                         h, next, sizeof next, why),
                             FEED_REFUSED);
            assert_true(*why);
        }
}

/* A page may lead to the host that was asked and nowhere else. */
static void where_pages_lead(void **state)
{
    (void)state;
    const struct feed *feed = feed_find("az-eastus");
    static const struct { const char *next; int may; } rows[] = {
        { "https://prices.azure.com/x?$skip=1", 1 },
        { "https://prices.azure.com:443/x", 1 },
        { "http://prices.azure.com/x", 0 },
        { "https://prices.azure.com.evil.example/x", 0 },
        { "https://evil.example/prices.azure.com", 0 },
        { "https://prices.azure.com@evil.example/", 0 },
        { "https://prices.azure.com:8443/x", 0 },
        { "//prices.azure.com/x", 0 }, { "", 0 },
        { "file:///etc/passwd", 0 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(feed_may_ask(feed, feed->address, rows[i].next),
                         rows[i].may);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char whole[FEED_ADDRESS_BYTE];
        feed_whole(feed->address, rows[i].next, whole);
        assert_string_equal(whole, rows[i].next); /* a whole one stays */
        feed_whole(feed->address, "/x/y.csv?z", whole);
        assert_string_equal(whole, "https://prices.azure.com/x/y.csv?z");
    }
}

/* A part by the GPU and hour: 4 x 8, 2 x 1, 2 and 4; a free first tier; a
   part that no shape is known for. */
static void oci_parts(void **state)
{
    struct heard *h = *state;
    char next[100], why[200];
#define PART(number, metric, prices) "{\"partNumber\":\"" number            \
    "\",\"metricName\":\"" metric "\",\"currencyCodeLocalizations\":["       \
    "{\"currencyCode\":\"USD\",\"prices\":[" prices "]}]}"
#define PAYG(value, range) "{\"model\":\"PAY_AS_YOU_GO\",\"value\":" value range "}"
    const char *body[1] = { "{\"items\":["
        PART("B95907", "GPU Per Hour", PAYG("4", "")) ","
        PART("B95909", "GPU Per Hour", PAYG("0", ",\"rangeMin\":0,\"rangeMax\":10")
             "," PAYG("2", ",\"rangeMin\":10,\"rangeMax\":999999999999999")) ","
        PART("B00000", "GPU Per Hour", PAYG("9", "")) ","
        PART("B11111", "OCPU Per Hour", PAYG("0.1", "")) ","
        PART("B98415", "GPU Per Hour", PAYG("0", "")) "]}" };
    static const char *const bad[] = { "{}", "{\"items\":[]}", "[]", "",
        "{\"items\":[" PART("B1", "OCPU Per Hour", PAYG("1", "")) "]}" };

    assert_int_equal(read_bodies("oci", body, 1, 33, h, next, sizeof next, why),
                     GOOD);
    assert_string_equal(h->text,
        "BM.GPU.A100-v2.8 commercial on_demand no_upfront 32 0 a100-sxm4-80gb 8\n"
        "BM.GPU.A10.4 commercial on_demand no_upfront 8 0 a10 4\n"
        "VM.GPU.A10.1 commercial on_demand no_upfront 2 0 a10 1\n"
        "VM.GPU.A10.2 commercial on_demand no_upfront 4 0 a10 2\n"
        "!no_machine B00000\n!zero_price BM.GPU.H100.8\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_bodies("oci", &bad[i], 1, 9, h, next, sizeof next,
                                     why), FEED_REFUSED);
}

#define AWS_INDEX "{\"regions\":{\"us-east-1\":{\"currentVersionUrl\":"       \
    "\"/offers/v1.0/aws/AmazonEC2/20260720000000/us-east-1/index.json\"}}}"
#define AWS_HEAD "\"FormatVersion\",\"v1.0\"\r\n\"Disclaimer\",\"a, b\"\n"    \
    "\"OfferCode\",\"AmazonEC2\"\n\"SKU\",\"TermType\",\"EffectiveDate\","    \
    "\"Unit\",\"PricePerUnit\",\"Currency\",\"LeaseContractLength\","           \
    "\"PurchaseOption\",\"OfferingClass\",\"Instance Type\",\"Tenancy\","       \
    "\"Operating System\",\"Pre Installed S/W\",\"CapacityStatus\","            \
    "\"MarketOption\",\"Region Code\",\"usageType\"\n"
#define AWS_ROW(term, unit, price, lease, option, class, type, tenancy, system, \
                software, status, market, region)                            \
    "\"A\",\"" term "\",\"2026-07-01\",\"" unit "\",\"" price                \
    "\",\"USD\"," lease "," option "," class ",\"" type "\",\"" tenancy        \
    "\",\"" system "\",\"" software "\",\"" status "\",\"" market "\",\""      \
    region "\",\"BoxUsage:" type "\"\n"
#define AWS_PLAIN(type, price) AWS_ROW("OnDemand", "Hrs", price, "", "", "", type, \
    "Shared", "Linux", "NA", "Used", "OnDemand", "us-east-1")
#define AWS_TERM(unit, price, lease, option) AWS_ROW("Reserved", unit, price, \
    "\"" lease "\"", "\"" option "\"", "\"standard\"", "p5.48xlarge", "Shared",  \
    "Linux", "NA", "Used", "OnDemand", "us-east-1")

/* The index leads to the CSV of the version; of it the plain Linux price and
   the reserved ones, hours and sum together, in whatever order they come. */
static void aws_prices(void **state)
{
    struct heard *h = *state;
    char next[400], why[200];
    const char *body[2] = { AWS_INDEX, AWS_HEAD
        AWS_PLAIN("p5.48xlarge", "55.0400000000")
        AWS_ROW("OnDemand", "Hrs", "0.0000000000", "", "", "", "p5.48xlarge",
                "Shared", "Linux", "NA", "AllocatedCapacityReservation",
                "OnDemand", "us-east-1")
        AWS_ROW("OnDemand", "Hrs", "0", "", "", "", "p5.48xlarge", "Shared",
                "Linux", "NA", "Used", "CapacityBlock", "us-east-1")
        AWS_ROW("OnDemand", "Hrs", "64.1", "", "", "", "p5.48xlarge", "Shared",
                "Windows", "NA", "Used", "OnDemand", "us-east-1")
        AWS_ROW("OnDemand", "Hrs", "61", "", "", "", "p5.48xlarge", "Dedicated",
                "Linux", "NA", "Used", "OnDemand", "us-east-1")
        AWS_ROW("OnDemand", "Hrs", "70", "", "", "", "p5.48xlarge", "Shared",
                "Linux", "SQL Std", "Used", "OnDemand", "us-east-1")
        AWS_ROW("OnDemand", "Hrs", "66", "", "", "", "p5.48xlarge", "Shared",
                "Linux", "NA", "Used", "OnDemand", "us-east-1-dfw-2a")
        AWS_PLAIN("m5.large", "0.096")
        AWS_PLAIN("g4dn.xlarge", "0")
        AWS_TERM("Quantity", "120000", "1yr", "Partial Upfront")
        AWS_TERM("Hrs", "34.5", "1yr", "No Upfront")
        AWS_TERM("Hrs", "16.4", "1yr", "Partial Upfront")
        AWS_TERM("Hrs", "0.0000000000", "3yr", "All Upfront")
        AWS_TERM("Quantity", "500000", "3yr", "All Upfront")
        AWS_TERM("Hrs", "20", "5yr", "No Upfront") };
    static const char want[] =
        "p5.48xlarge us-east-1 on_demand no_upfront 55.04 20260701 "
        "h100-sxm5-80gb 8\n"
        "!zero_price g4dn.xlarge\n"
        "p5.48xlarge us-east-1 reserved_1y partial_upfront 16.4 20260701 "
        "h100-sxm5-80gb 8\n"
        "p5.48xlarge us-east-1 reserved_1y no_upfront 34.5 20260701 "
        "h100-sxm5-80gb 8\n"
        "p5.48xlarge us-east-1 reserved_3y all_upfront 0 20260701 "
        "h100-sxm5-80gb 8\n";

    for (size_t piece = 1; piece < 5000; piece = piece * 3 + 1) {
        assert_int_equal(read_bodies("aws-us-east-1", body, 2, piece, h, next,
                                     sizeof next, why), GOOD);
        assert_string_equal(h->text, want);
        assert_string_equal(next, "/offers/v1.0/aws/AmazonEC2/20260720000000/"
                            "us-east-1/index.csv\n");
    }
}

static void aws_refusals(void **state)
{
    struct heard *h = *state;
    char next[400], why[200];
    static const char *const index[] = { "", "{}", "{\"regions\":{}}",
        ("{\"regions\":{\"us-east-1\":{\"currentVersionUrl\":"
         "\"https://elsewhere/x.json\"}}}"), "<html>" };
    static const char *const prices[] = { "", AWS_HEAD,
        AWS_HEAD AWS_PLAIN("m5.large", "0.1"), "\"SKU\",\"TermType\",\"x\"\n",
        AWS_HEAD "\"A\",\"BoxUsage:p5.48xlarge", "<html>BoxUsage:p5</html>\n" };

    for (size_t i = 0; i < sizeof index / sizeof *index; i++)
        assert_int_equal(read_bodies("aws-us-east-1", &index[i], 1, 11, h, next,
                                     sizeof next, why), FEED_REFUSED);
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
        const char *body[2] = { AWS_INDEX, prices[i] };
        assert_int_equal(read_bodies("aws-us-east-1", body, 2, 11, h, next,
                                     sizeof next, why), FEED_REFUSED);
        assert_true(*why);
    }
    {
        const char *cut[2] = { AWS_INDEX,
            AWS_HEAD AWS_PLAIN("p5.48xlarge", "55") "\"A\",\"OnDem" };
        assert_int_equal(read_bodies("aws-us-east-1", cut, 2, 64, h, next,
                                     sizeof next, why), FEED_REFUSED);
        assert_non_null(strstr(why, "incomplete"));
    }
}

static void blocks_by_region(void **state)
{
    struct heard *h = *state;
    char next[100], why[200];
    const char *body[1] = {
        "{\"metadata\":{\"last_updated\":\"2026-07-22T00:00:00Z\"},"
        "\"instance_types\":{\"p5.48xlarge\":{\"accelerator_count\":8,"
        "\"pricing\":[{\"region_code\":\"us-east-1\",\"hourly_rate_usd\":40.0},"
        "{\"region_code\":\"eu-west-9\",\"hourly_rate_usd\":\"N/A\"},"
        "{\"region_code\":\"us-west-2\",\"hourly_rate_usd\":0}]},"
        "\"p4d.24xlarge\":{\"accelerator_count\":4,\"pricing\":["
        "{\"region_code\":\"us-east-1\",\"hourly_rate_usd\":12}]}}}" };
    static const char *const bad[] = { "", "{}", "[]",
        "{\"metadata\":{\"last_updated\":\"2026-07-22\"},\"instance_types\":{}}",
        ("{\"instance_types\":{\"p5.48xlarge\":{\"pricing\":[{\"region_code\":"
         "\"a\",\"hourly_rate_usd\":1}]}}}") };

    assert_int_equal(read_bodies("aws-blocks", body, 1, 21, h, next, sizeof next,
                                 why), GOOD);
    assert_string_equal(h->text,
        "p5.48xlarge us-east-1 capacity_block no_upfront 40 20260722 "
        "h100-sxm5-80gb 8\n!zero_price p5.48xlarge\n!gpu_count p4d.24xlarge\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_bodies("aws-blocks", &bad[i], 1, 9, h, next,
                                     sizeof next, why), FEED_REFUSED);
}

#define GESMES "<gesmes:Envelope xmlns:gesmes=\"x\">"
#define DONE "</gesmes:Envelope>"

/* Either quotes, any order and white space; the day of the outer element. */
static void ecb_days(void **state)
{
    struct heard *h = *state;
    char next[100], why[200];
    const char *body[1] = { "<?xml version=\"1.0\"?>\n" GESMES
        "<Cube><Cube time='2026-04-13'><Cube currency='USD' rate='1.1686'/>"
        "<Cube\n rate = \"184.77\"  currency=\"JPY\" /></Cube>"
        "<Cube time=\"2026-04-10\"><Cube currency='USD' rate='1.1701'/></Cube>"
        "</Cube>" DONE };
    static const char *const bad[] = { "", "<html><body>x</body></html>",
        GESMES "<Cube time='2026-04-13'><Cube currency='USD' rate='1'/>",
        GESMES DONE, "<!DOCTYPE a [<!ENTITY b 'c'>]>" GESMES DONE,
        GESMES "<Cube currency='USD' rate='1'/>" DONE,
        GESMES "<Cube time='2026-02-30'/>" DONE,
        GESMES "<Cube time='2026-04-13'><Cube currency='USD' rate='0'/>" DONE,
        GESMES "<Cube time='2026-04-13'><Cube currency='USD' rate='N/A'/>" DONE,
        GESMES "<Cube time='2026-04-13'><Cube currency='usd' rate='1'/>" DONE,
        GESMES "<Cube time='2026-04-13'><Cube currency='USD'/>" DONE };

    for (size_t piece = 1; piece < 60; piece += 7) {
        assert_int_equal(read_bodies("ecb", body, 1, piece, h, next,
                                     sizeof next, why), GOOD);
        assert_string_equal(h->text, "USD 20260413 1.1686\n"
                            "JPY 20260413 184.77\nUSD 20260410 1.1701\n");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_bodies("ecb", &bad[i], 1, 13, h, next,
                                     sizeof next, why), FEED_REFUSED);
}

/* All or none: too few, no dollar, a jump of more than a quarter within ten
   days (twofold further back), unless the operator has looked. */
static void rates_are_judged(void **state)
{
    (void)state;
    static const char *const names[12] = { "USD", "JPY", "GBP", "CHF", "AUD",
        "CAD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF" };
    static const char *const sorted[12] = { "AUD", "CAD", "CHF", "CZK", "DKK",
        "GBP", "HUF", "JPY", "NOK", "PLN", "SEK", "USD" };
    struct rate known[12], rate[12];
    const struct rate_table table = { known, 12, "", "", "" };
    char why[200];

    for (int i = 0; i < 12; i++) {
        known[i] = rate[i] = (struct rate){ .day = 20260410, .per_eur = 2 };
        memcpy(known[i].currency, sorted[i], 4);
        memcpy(rate[i].currency, names[i], 4);
        rate[i].day = 20260413;
    }
#define JUDGE(count, accept) \
    accept_rates(rate, count, &table, accept, why, sizeof why)
    assert_int_equal(JUDGE(12, 0), GOOD);
    assert_int_equal(JUDGE(5, 0), FEED_REFUSED);
    assert_int_equal(JUDGE(0, 0), FEED_REFUSED);
    rate[3].per_eur = 2.49;
    assert_int_equal(JUDGE(12, 0), GOOD);
    rate[3].per_eur = 2.51;
    assert_int_equal(JUDGE(12, 0), FEED_REFUSED);
    assert_non_null(strstr(why, "CHF"));
    assert_int_equal(JUDGE(12, 1), GOOD);
    for (int i = 0; i < 12; i++)
        rate[i].day = 20260601;
    assert_int_equal(JUDGE(12, 0), GOOD);
    rate[3].per_eur = 0.9;
    assert_int_equal(JUDGE(12, 0), FEED_REFUSED);
    rate[3].per_eur = 2;
    memcpy(rate[0].currency, "XXX", 4);
    assert_int_equal(JUDGE(12, 0), FEED_REFUSED);
}

/* A first price beyond what its GPU ever cost waits for a second day, or for
   the operator; one within, or of an own book, does not. */
static void first_prices_have_a_band(void **state)
{
    (void)state;
    static const struct { double price; int trusted, accept, seen; enum change_kind kind; }
    rows[] = {
        { 98.32, 0, 0, 0, CHANGE_NEW }, { 0.98, 0, 0, 0, CHANGE_HELD },
        { 983.2, 0, 0, 0, CHANGE_HELD }, { 983.2, 1, 0, 0, CHANGE_NEW },
        { 983.2, 0, 1, 0, CHANGE_NEW }, { 983.2, 0, 0, 20260630, CHANGE_NEW },
        { 983.2, 0, 0, 20260701, CHANGE_HELD },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct feed *feed = feed_find("az-eastus");
        struct batch *batch = batch_open(feed);
        struct feed_sink sink = batch_sink(batch);
        const struct feed_row row = {
            .provider = "azure", .instance = ND, .region = "eastus",
            .currency = "USD", .gpu = "h100-sxm5-80gb", .gpu_name = "",
            .zone = "", .source = "", .price_per_hour = rows[i].price,
            .gpu_count = 8, .gpu_memory_gib = 80, .vcpu_count = 96,
            .memory_gib = 1900, .effective_day = 20260701 };
        const struct held held = { "azure", ND, "eastus", TERM_ON_DEMAND,
                                   PAYMENT_NO_UPFRONT, 983.2, 0,
                                   rows[i].seen };
        const struct kept kept = { NULL, 0, &held, rows[i].seen != 0 };
        const struct accept_rule rule = { 20260701, rows[i].trusted,
                                          rows[i].accept, 0 };
        struct change *change = NULL;
        size_t count = 0;
        char why[200] = "";

        assert_int_equal(sink.row(sink.context, &row), 0);
        assert_int_equal(batch_fold(batch), GOOD);
        assert_int_equal(accept_compare(batch, &kept, &rule, &change, &count,
                                        why, sizeof why), GOOD);
        assert_int_equal(count, 1);
        assert_int_equal(change[0].kind, rows[i].kind);
        free(change);
        batch_close(batch);
    }
}

/* A first price more than three times another list's, or less than a third,
   waits; somebody's own negotiated price says nothing of lists, nor does a
   price of years ago, nor one that the feed itself had. */
static void first_prices_and_other_lists(void **state)
{
    (void)state;
    static const struct {
        enum feed_kind kind; const char *id; int day; double price;
        enum change_kind want;
    } rows[] = {
        { FEED_CATALOGUE, "other", 20260601, 98.32, CHANGE_NEW },
        { FEED_CATALOGUE, "other", 20260601, 20, CHANGE_HELD },
        { FEED_CATALOGUE, "other", 20260601, 196, CHANGE_HELD },
        { FEED_CATALOGUE, "other", 20260601, 180, CHANGE_NEW },
        { FEED_CATALOGUE, "other", 20250601, 20, CHANGE_NEW },
        { FEED_BOOK, "book-mine", 20260601, 20, CHANGE_NEW },
        { FEED_PROVIDER, "az-eastus", 20260601, 20, CHANGE_NEW },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct price_feed list = { .kind = rows[i].kind };
        const struct price known = {
            .provider = "azure", .instance = ND, .region = "eastus",
            .currency = "USD", .gpu = "", .source = "",
            .price_per_hour = rows[i].price, .effective_day = rows[i].day };
        const struct price_table others = { .price = &known, .count = 1,
                                            .feed = &list, .feed_count = 1 };
        const struct feed_row row = {
            .provider = "azure", .instance = ND, .region = "eastus",
            .currency = "USD", .gpu = "h100-sxm5-80gb", .gpu_name = "",
            .zone = "", .source = "", .price_per_hour = 65,
            .gpu_count = 8, .gpu_memory_gib = 80, .vcpu_count = 96,
            .memory_gib = 1900, .effective_day = 20260701 };
        const struct kept kept = { .count = 0 };
        const struct accept_rule rule = { .day = 20260701 };
        struct batch *batch = batch_open(feed_find("az-eastus"));
        struct feed_sink sink = batch_sink(batch);
        struct change *change = NULL;
        size_t count = 0;
        char why[200] = "";

        snprintf(list.id, sizeof list.id, "%s", rows[i].id);
        batch_know(batch, &others, 20260701);
        assert_int_equal(sink.row(sink.context, &row), 0);
        assert_int_equal(batch_fold(batch), GOOD);
        assert_int_equal(accept_compare(batch, &kept, &rule, &change, &count,
                                        why, sizeof why), GOOD);
        assert_int_equal(count, 1);
        if (change[0].kind != rows[i].want)
            fail_msg("row %zu", i);
        assert_int_equal(batch_tally(batch)->refused[REFUSED_sources_differ],
                         rows[i].want == CHANGE_HELD);
        free(change);
        batch_close(batch);
    }
}

/* Recorded lists: January 2024 rates that the notes print, a day of rates. */
static void recorded(void **state)
{
    struct heard *h = *state;
    char next[100], why[200];
    char *oci = shared_text("feeds/oci/cetools_products_usd_2024-01-19.json", NULL);
    char *ecb = shared_text("feeds/fx/ecb_daily_2026-04-13_rebuilt.xml", NULL);

    if (!oci || !ecb)
        skip(); /* the recorded feeds are not here */
    assert_int_equal(read_bodies("oci", (const char *const *)&oci, 1, 4096, h,
                                 next, sizeof next, why), GOOD);
    assert_non_null(strstr(h->text, "BM.GPU.H100.8 commercial on_demand no_upfront 80 "));
    assert_non_null(strstr(h->text, "BM.GPU4.8 commercial on_demand no_upfront 24.4 "));
    assert_non_null(strstr(h->text, "VM.GPU3.4 commercial on_demand no_upfront 11.8 "));
    assert_int_equal(read_bodies("ecb", (const char *const *)&ecb, 1, 100, h,
                                 next, sizeof next, why), GOOD);
    assert_true(h->rates >= 28);
    assert_non_null(strstr(h->text, "USD 20260413 1.1684\n"));
    {
        char *blocks = shared_text("feeds/aws/capacity_blocks_pricing_2026-07-22.json", NULL);
        assert_non_null(blocks);
        assert_int_equal(read_bodies("aws-blocks",
                                     (const char *const *)&blocks, 1, 999, h,
                                     next, sizeof next, why), GOOD);
        assert_int_equal(h->rows, 69); /* the notes' count */
        free(blocks);
    }
    free(oci);
    free(ecb);
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
        cmocka_unit_test(azure_meters), cmocka_unit_test(azure_item_faults),
        cmocka_unit_test(azure_pages), cmocka_unit_test(where_pages_lead),
        cmocka_unit_test(aws_prices), cmocka_unit_test(aws_refusals),
        cmocka_unit_test(blocks_by_region),
        cmocka_unit_test(first_prices_and_other_lists),
        cmocka_unit_test(oci_parts), cmocka_unit_test(ecb_days),
        cmocka_unit_test(rates_are_judged),
        cmocka_unit_test(first_prices_have_a_band), cmocka_unit_test(recorded),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
