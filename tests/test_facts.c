/* test_facts.c: the tables of facts against physics, against each other and
   against what may be shipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "energy/device.h"
#include "energy/zone.h"
#include "pricing/catalogue.h"
#include "pricing/price.h"
#include "tests/near.h"

/* Stops with the row's name, since a line number says nothing here. */
#define check(condition, row) \
    do { \
        if (!(condition)) \
            fail_msg("%s: not %s", row, #condition); \
    } while (0)

/* A fact that is there has its papers in order. */
static void check_source(const struct source *s, const char *row)
{
    check(s->title && s->address && s->date && s->licence, row);
    check(s->title[0] != '\0', row);
    check(s->licence[0] != '\0', row);
    check(fact_day(s->date) > 0, row);
    check(s->address[0] == '\0' ||
          strncmp(s->address, "https://", 8) == 0, row);
    /* licences of these do not allow shipping their figures */
    check(!strstr(s->title, "GlobalPetrolPrices"), row);
    check(!strstr(s->title, "Statista"), row);
}

/* NAN is allowed, then nothing else is asked. */
static void check_fact(const struct fact *f, double least, double most,
                       const char *row)
{
    check(f->source.title && f->source.date && f->source.licence, row);
    if (isnan(f->value))
        return;
    check(f->value >= least && f->value <= most, row);
    check(f->estimate == 0 || f->estimate == 1, row);
    check_source(&f->source, row);
}

static void dates(void **state)
{
    static const struct {
        const char *date;
        int want;
        const char *why;
    } run[] = {
        { "2026-02-14", 20260214, "a day is itself" },
        { "2026-02", 20260201, "a month starts on its first" },
        { "2026", 20260101, "so does a year" },
        { "2024-S1", 20240101, "first half" },
        { "2024-S2", 20240701, "second half" },
        { "2025-Q1", 20250101, "first quarter" },
        { "2025-Q2", 20250401, "second quarter" },
        { "2025-Q4", 20251001, "last quarter" },
        { "2024-02-29", 20240229, "leap day" },
        { "2023-02-29", 0, "no leap day" },
        { "2025-13", 0, "no such month" },
        { "2025-00", 0, "no such month" },
        { "2025-04-31", 0, "no such day" },
        { "2024-S3", 0, "a year has two halves" },
        { "2025-Q5", 0, "and four quarters" },
        { "2025-S2-01", 0, "a half has no days" },
        { "2025-1", 0, "one digit is no month" },
        { "2025-01-1", 0, "nor a day" },
        { "2025-01-011", 0, "too long" },
        { "2024-2025", 0, "a span of years is no date" },
        { "2025/26", 0, "nor is a financial year" },
        { "0999", 0, "yyyymmdd has eight digits" },
        { "", 0, "unknown" },
        { "soon", 0, "words" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++)
        if (fact_day(run[i].date) != run[i].want)
            fail_msg("%s: %d (%s)", run[i].date, fact_day(run[i].date),
                     run[i].why);
}

static double peak(const struct gpu *gpu, enum precision precision)
{
    return gpu->peak_tflops[precision].value;
}

/* a <= b where both exist; sheets round, hence the half per cent. */
static int ordered(double a, double b)
{
    return isnan(a) || isnan(b) || a <= b * 1.005;
}

static void gpus_are_physical(void **state)
{
    (void)state;
    assert_int_equal(gpu_count_all(), 87);
    for (size_t i = 0; i < gpu_count_all(); i++) {
        const struct gpu *g = gpu_at(i);
        const char *id = g->id;

        check(id[0] && g->name[0] && g->vendor[0], id);
        check(gpu_find(id) == g, id); /* also: no id twice */
        check(fact_day(g->release_date) > 20100000, id);
        check_fact(&g->memory_gib, 8, 1000, id);
        check(!isnan(g->memory_gib.value), id);
        check_fact(&g->bandwidth_gb_per_s, 100, 20000, id);
        check_fact(&g->gpu_watt, 20, 2000, id);
        check_fact(&g->gpu_idle_watt, 1, 0.3 * 2000, id);
        for (int p = 0; p < PRECISION_COUNT; p++)
            check_fact(&g->peak_tflops[p], 1, 20000, id);
        check(ordered(peak(g, PRECISION_TF32), peak(g, PRECISION_FP16)), id);
        check(ordered(peak(g, PRECISION_FP16), peak(g, PRECISION_FP8)), id);
        /* Gaudi 3 alone runs BF16 faster than FP16 */
        check(ordered(peak(g, PRECISION_BF16), peak(g, PRECISION_FP16)) ||
              strcmp(id, "gaudi3") == 0, id);
        check(ordered(peak(g, PRECISION_FP32), peak(g, PRECISION_FP16)), id);
        check_fact(&g->embodied_gpu_kg, 20, 600, id);
        check(!isnan(g->embodied_gpu_kg.value), id);
        if (!isnan(g->embodied_gpu_kg_low)) {
            check(g->embodied_gpu_kg_low <= g->embodied_gpu_kg.value, id);
            check(g->embodied_gpu_kg_high >= g->embodied_gpu_kg.value, id);
        }
    }
}

static void sparse_and_fast_rates_stay_out(void **state)
{
    static const struct { const char *gpu; enum precision precision;
                          double want; const char *why; } run[] = {
        { "rtx-4090", PRECISION_FP16, 165.2, "330.3 accumulates in FP16" },
        { "rtx-4090", PRECISION_BF16, 165.2, "as FP16" },
        { "rtx-4090", PRECISION_FP8, 330.3, "660.6 accumulates in FP16" },
        { "rtx-3090", PRECISION_FP16, 71, "142 accumulates in FP16" },
        { "rtx-5090", PRECISION_BF16, 209.5, "3,352 on the box is FP4 sparse" },
        { "a100-sxm4-40gb", PRECISION_BF16, 312, "624 is sparse" },
        { "a100-sxm4-40gb", PRECISION_TF32, 156, "312 is sparse" },
        { "h100-sxm5-80gb", PRECISION_FP16, 989.4, "1,979 is sparse" },
        { "h100-sxm5-80gb", PRECISION_FP8, 1979, "3,958 is sparse" },
        { "b200", PRECISION_FP8, 4500, "9,000 is sparse" },
        { "b200", PRECISION_BF16, 2250, "4,500 is sparse" },
        { "mi300x", PRECISION_BF16, 1307.4, "2,614.9 is sparse" },
        { "v100-sxm2-16gb", PRECISION_BF16, NAN, "Volta has no BF16" },
        { "gtx-1080-ti", PRECISION_FP16, NAN, "Pascal has no tensor cores" },
        { "mi100", PRECISION_BF16, 92.3, "half the FP16 rate" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct gpu *g = gpu_find(run[i].gpu);

        check(g != NULL, run[i].gpu);
        assert_near(peak(g, run[i].precision), run[i].want, 1e-12);
    }
}

/* GeForce cards run at half rate with FP32 accumulation, all others do not:
   the column that keeps the larger figure shows which one was taken. */
static void accumulation(void **state)
{
    static const struct {
        const char *id, *segment;
        double fp16, fast;
    } run[] = {
#define ROW(id, name, vendor, architecture, segment, form, housing, link, \
            release, memory, bandwidth, fp32, tf32, fp16, fp16_fast, ...) \
        { id, segment, fp16, fp16_fast },
#include "energy/gpus.inc"
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        double times = run[i].fast / run[i].fp16;

        if (isnan(times))
            continue;
        if (strcmp(run[i].segment, "consumer") == 0 &&
            strncmp(run[i].id, "titan", 5) != 0)
            check(times > 1.98 && times < 2.02, run[i].id);
        else
            check(times == 1, run[i].id);
    }
}

static void gpu_presets(void **state)
{
    static const struct { const char *gpu; double watt, idle, kg;
                          enum housing housing; int estimate; } run[] = {
        { "rtx-4090", 450, 45, 60, HOUSING_CONSUMER, 1 },
        { "rtx-6000-ada", 300, 30, 60, HOUSING_CONSUMER, 1 },
        { "a100-sxm4-40gb", 400, 40, 150, HOUSING_SXM, 1 },
        { "a100-pcie-80gb", 300, 30, 150, HOUSING_PCIE, 1 },
        { "h100-sxm5-80gb", 700, 70, 164, HOUSING_SXM, 0 },
        { "h100-nvl-94gb", 400, 40, 164, HOUSING_PCIE, 0 },
        { "b200", 1000, 100, 284, HOUSING_SXM, 0 },
        { "h200-sxm-141gb", 700, 70, 150, HOUSING_SXM, 1 },
        { "mi300x", 750, 75, 150, HOUSING_SXM, 1 },
        { "gb200", 1200, 120, 150, HOUSING_SXM, 1 },
        { "l4", 72, 7.2, 150, HOUSING_PCIE, 1 },
        { "tpu-v5e", NAN, NAN, 150, HOUSING_SXM, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct gpu *g = gpu_find(run[i].gpu);

        check(g != NULL, run[i].gpu);
        assert_near(g->gpu_watt.value, run[i].watt, 1e-12);
        assert_near(g->gpu_idle_watt.value, run[i].idle, 1e-12);
        assert_near(g->embodied_gpu_kg.value, run[i].kg, 1e-12);
        check(g->housing == run[i].housing, run[i].gpu);
        check(g->embodied_gpu_kg.estimate == run[i].estimate, run[i].gpu);
        check(g->gpu_idle_watt.estimate, run[i].gpu);
    }
    assert_int_equal(gpu_find("tesla-p40")->gpu_idle_watt.estimate, 0);
    assert_near(gpu_find("a100-sxm4-80gb")->embodied_gpu_kg_low, 128, 1e-12);
    assert_near(gpu_find("a100-sxm4-80gb")->embodied_gpu_kg_high, 318, 1e-12);
    assert_near(gpu_find("h100-sxm5-80gb")->embodied_gpu_kg_high, 575, 1e-12);
    assert_near(embodied_host(HOUSING_SXM).value, 2500, 1e-12);
    assert_near(embodied_host(HOUSING_PCIE).value, 1200, 1e-12);
    assert_near(embodied_host(HOUSING_CONSUMER).value, 1200, 1e-12);
    assert_null(gpu_find("RTX-4090"));
    assert_null(gpu_find(""));
}

static void nearest_gpu(void **state)
{
    static const struct { const char *text, *want; } run[] = {
        { "rtx4090", "rtx-4090" }, { "RTX 4090", "rtx-4090" },
        { "rtx-4095", "rtx-4090" }, { "GeForce RTX 3090 Ti", "rtx-3090-ti" },
        { "mi300", "mi300a" }, { "b20", "b200" }, { "h100", "h100-nvl-94gb" },
        { "", NULL }, { "!?", NULL }, { "a toaster with a fan", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const char *got = gpu_nearest(run[i].text);

        if (run[i].want == NULL ? got != NULL
                                : !got || strcmp(got, run[i].want) != 0)
            fail_msg("%s: %s", run[i].text, got ? got : "none");
    }
}

static void servers_hold_known_gpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < server_count_all(); i++) {
        const struct server *s = server_at(i);

        check(server_find(s->id) == s, s->id);
        check(gpu_find(s->gpu) != NULL, s->id);
        check(s->gpu_count >= 1 && s->gpu_count <= 576, s->id);
        check_fact(&s->host_watt, 50, 40000, s->id);
        check_fact(&s->max_watt, 100, 200000, s->id);
        check_fact(&s->idle_watt, 5, 20000, s->id);
    }
    assert_string_equal(server_of_gpu("rtx-4090", 4)->id, "ws-4x-rtx4090");
    assert_near(server_of_gpu("rtx-4090", 4)->host_watt.value, 400, 1e-12);
    assert_near(server_of_gpu("h100-sxm5-80gb", 8)->host_watt.value, 4600,
                1e-12);
    assert_near(server_of_gpu("a100-sxm4-40gb", 8)->host_watt.value, 3300,
                1e-12);
    assert_null(server_of_gpu("rtx-4090", 3));
    assert_null(server_of_gpu("a100-sxm4-80gb", 4)); /* its host is unknown */
    assert_null(server_find("dgx"));
}

static void zones_join(void **state)
{
    (void)state;
    for (size_t i = 0; i < zone_count_all(); i++) {
        const struct zone *z = zone_at(i);
        const char *id = z->id;
        enum tariff_class used;
        struct dated_price price = tariff_find(id, TARIFF_COMMERCIAL, &used);

        check(zone_find(id) == z, id);
        check(strlen(id) == 2 ||
              (strlen(id) == 5 && strncmp(id, "US-", 3) == 0), id);
        check(z->name[0] && zone_find(z->grid_zone), id);
        check(z->grid_of_parent == (strlen(id) == 5), id);
        check(strcmp(z->grid_zone, z->grid_of_parent ? "US" : id) == 0, id);
        check_fact(&z->grid_g_per_kwh, 0, 2000, id);
        check_fact(&z->grid_alternative, 0, 2000, id);
        check_fact(&z->grid_water_l_per_kwh, 0, 30, id);
        if (!isnan(z->grid_g_per_kwh.value)) {
            check(strstr(z->grid_g_per_kwh.source.title, "Ember"), id);
            check(strstr(z->grid_g_per_kwh.source.licence, "CC BY"), id);
        }
        if (!isnan(z->grid_alternative.value)) {
            check(strstr(z->grid_alternative.source.title,
                         "Electricity Maps"), id);
            check(strstr(z->grid_alternative.source.licence, "ODbL"), id);
        }
        check(isnan(price.fact.value) == (z->tariff_zone[0] == '\0'), id);
    }
}

static void zone_values(void **state)
{
    (void)state;
    /* hardware notes, 3.2 */
    assert_near(zone_find("CN")->grid_g_per_kwh.value, 557.5, 2e-4);
    assert_near(zone_find("US")->grid_g_per_kwh.value, 383.6, 2e-4);
    assert_near(zone_find("CN")->grid_alternative.value, 485, 1e-12);
    assert_near(zone_find("US-CA")->grid_g_per_kwh.value,
                zone_find("US")->grid_g_per_kwh.value, 0);
    assert_near(zone_find("US")->grid_water_l_per_kwh.value, 3.1321, 1e-12);
    /* Ember prints zero there, which no grid is */
    assert_true(isnan(zone_find("CF")->grid_g_per_kwh.value));
    assert_string_equal(zone_find("GR")->name, "Greece");
    assert_string_equal(zone_find("GB")->name, "United Kingdom");
    assert_null(zone_find("EL"));
    assert_null(zone_find("UK"));
    assert_null(zone_find("us"));
}

static void regions_join(void **state)
{
    (void)state;
    for (size_t i = 0; i < region_count_all(); i++) {
        const struct region *r = region_at(i);

        check(region_find(r->provider, r->id) == r, r->id);
        check(zone_find(r->zone) != NULL && strlen(r->zone) == 2, r->id);
        check_fact(&r->pue_ratio, 1, 4, r->id);
        check(!isnan(r->pue_ratio.value), r->id);
        check_fact(&r->wue_l_per_kwh, 0, 10, r->id);
    }
    assert_near(region_find("aws", "us-east-1")->pue_ratio.value, 1.15, 1e-12);
    assert_near(region_find("aws", "eu-west-2")->pue_ratio.value,
                provider_pue("aws").value, 0); /* fleet */
    /* 0.18 repeated for many regions is the fleet's of 2023: not taken */
    assert_near(region_find("aws", "eu-west-2")->wue_l_per_kwh.value, 0.12,
                1e-12);
    assert_near(region_find("gcp", "us-central1")->pue_ratio.value, 1.1,
                1e-12);
    assert_string_equal(region_find("gcp", "europe-west4")->zone, "NL");
    assert_string_equal(region_find("azure", "uksouth")->zone, "GB");
    assert_near(provider_pue("aws").value, 1.14, 1e-12);
    assert_near(provider_pue("nobody").value, 1.2, 1e-12);
    assert_true(provider_pue("nobody").estimate);
    assert_true(isnan(provider_wue("gcp").value));
    assert_true(isnan(provider_wue("nobody").value));
    assert_string_equal(region_nearest("aws", "N. Virginia")->id, "us-east-1");
    assert_string_equal(region_nearest("aws", "US East 1")->id, "us-east-1");
    assert_string_equal(region_nearest("gcp", "Montréal")->id,
                        "northamerica-northeast1");
    assert_null(region_nearest("aws", "Atlantis"));
    assert_null(region_nearest("aws", ""));
    assert_null(region_nearest("nobody", "us-east-1"));
}

static void prices_are_of_known_things(void **state)
{
    static const struct { const char *gpu, *kind; double price;
                          struct source source; } gpu[] = {
#define ROW(gpu, kind, price, low, high, currency, title, address, date, \
            licence, estimate, note) \
        { gpu, kind, price, { title, address, date, licence } },
#include "pricing/gpu_prices.inc"
    };
    static const struct { const char *server; double price;
                          struct source source; } server[] = {
#define ROW(server, kind, price, currency, title, address, date, licence, \
            estimate, note) \
        { server, price, { title, address, date, licence } },
#include "pricing/server_prices.inc"
    };

    (void)state;
    for (size_t i = 0; i < sizeof gpu / sizeof gpu[0]; i++) {
        check(gpu_find(gpu[i].gpu) != NULL, gpu[i].gpu);
        check(gpu[i].price >= 300 && gpu[i].price <= 60000, gpu[i].gpu);
        check(strcmp(gpu[i].kind, "launch") == 0 ||
              strcmp(gpu[i].kind, "street") == 0, gpu[i].gpu);
        check_source(&gpu[i].source, gpu[i].gpu);
    }
    for (size_t i = 0; i < sizeof server / sizeof server[0]; i++) {
        check(server_find(server[i].server) != NULL, server[i].server);
        check(server[i].price >= 1000 && server[i].price <= 5e6,
              server[i].server);
        check_source(&server[i].source, server[i].server);
    }
}

static void hardware_prices_by_day(void **state)
{
    int later;

    (void)state;
    assert_near(gpu_price_find("rtx-4090", 20250501, &later).fact.value, 1599,
                1e-12);
    assert_int_equal(later, 1);
    assert_near(gpu_price_find("rtx-4090", 20260201, &later).fact.value, 2500,
                1e-12);
    assert_int_equal(later, 0);
    assert_string_equal(gpu_price_find("rtx-4090", 20260201, NULL).kind,
                        "street");
    assert_true(isnan(gpu_price_find("rtx-4090", 20221011, &later)
                          .fact.value));
    assert_int_equal(later, 1);
    assert_true(isnan(gpu_price_find("tpu-v4", 20261201, &later).fact.value));
    assert_int_equal(later, 0);
    assert_near(server_price_find("dgx-a100-320gb", 20261201, NULL).fact.value,
                199000, 1e-12);
    assert_true(isnan(server_price_find("dgx-b200", 20261201, &later)
                          .fact.value));
}

static void tariffs_by_class(void **state)
{
    static const struct { const char *zone; enum tariff_class want, used;
                          double price; const char *currency, *why; } run[] = {
        { "US", TARIFF_HOUSEHOLD, TARIFF_HOUSEHOLD, 0.165, "USD", "average" },
        { "US", TARIFF_COMMERCIAL, TARIFF_COMMERCIAL, 0.128, "USD", "same" },
        { "US", TARIFF_INDUSTRIAL, TARIFF_INDUSTRIAL, 0.081, "USD", "same" },
        { "US-CA", TARIFF_COMMERCIAL, TARIFF_COMMERCIAL, 0.2994, "USD",
          "state" },
        { "US-CO", TARIFF_INDUSTRIAL, TARIFF_COMMERCIAL, 0.1327, "USD",
          "no industrial row: commercial" },
        { "CN", TARIFF_COMMERCIAL, TARIFF_INDUSTRIAL, 0.088, "USD",
          "the commercial figure may not be shipped" },
        { "CN", TARIFF_HOUSEHOLD, TARIFF_INDUSTRIAL, 0.088, "USD",
          "household takes commercial, then industrial" },
        { "GB", TARIFF_INDUSTRIAL, TARIFF_COMMERCIAL, 0.243, "GBP",
          "one figure for all business" },
        { "AL", TARIFF_COMMERCIAL, TARIFF_COMMERCIAL, 0.1292, "EUR",
          "Eurostat band IB" },
        { "MX", TARIFF_COMMERCIAL, TARIFF_INDUSTRIAL, 0.095, "USD",
          "industrial before household" },
        { "KW", TARIFF_INDUSTRIAL, TARIFF_HOUSEHOLD, 0.016, "USD",
          "household when nothing else is there" },
        { "ZA", TARIFF_INDUSTRIAL, TARIFF_INDUSTRIAL, 1.349, "ZAR",
          "the newer row" },
        { "CF", TARIFF_COMMERCIAL, TARIFF_COMMERCIAL, NAN, "", "none" },
        { "nowhere", TARIFF_HOUSEHOLD, TARIFF_HOUSEHOLD, NAN, "", "no zone" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        enum tariff_class used;
        struct dated_price got = tariff_find(run[i].zone, run[i].want, &used);

        check(used == run[i].used, run[i].why);
        assert_near(got.fact.value, run[i].price, 1e-12);
        assert_string_equal(got.currency, run[i].currency);
    }
}

static void tariff_rows(void **state)
{
    static const struct { const char *zone; double price; const char *currency,
                          *band; enum tariff_class tariff;
                          struct source source; } run[] = {
#define ROW(zone, tariff, price, currency, band, tax, title, address, date, \
            licence, estimate, note) \
        { zone, price, currency, band, tariff, \
          { title, address, date, licence } },
#include "pricing/tariffs.inc"
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct zone *z = zone_find(run[i].zone);
        const char *row = run[i].zone;

        check(z != NULL && strcmp(z->tariff_zone, row) == 0, row);
        check_source(&run[i].source, row);
        check(rate_known(seed_rates(), run[i].currency), row);
        check(run[i].price > 0, row);
        if (strcmp(run[i].currency, "USD") == 0 ||
            strcmp(run[i].currency, "EUR") == 0)
            check(run[i].price < 0.6, row);
        if (strncmp(run[i].band, "IB", 2) == 0)
            check(run[i].tariff == TARIFF_COMMERCIAL, row);
        if (strncmp(run[i].band, "ID", 2) == 0)
            check(run[i].tariff == TARIFF_INDUSTRIAL, row);
        if (strncmp(run[i].band, "DC", 2) == 0)
            check(run[i].tariff == TARIFF_HOUSEHOLD, row);
    }
}

static void instances_hold_known_gpus(void **state)
{
    static const struct { const char *provider, *id, *gpu; double count;
                          const char *why; } run[] = {
        { "aws", "p4d.24xlarge", "a100-sxm4-40gb", 8, "the 40 GB model" },
        { "aws", "p4de.24xlarge", "a100-sxm4-80gb", 8, "the 80 GB model" },
        { "aws", "g6f.large", "l4", 0.125, "an eighth of a card" },
        { "aws", "p5.48xlarge", "h100-sxm5-80gb", 8, "SXM" },
        { "aws", "g5g.metal", "", 2, "T4g is not in the device table" },
        { "aws", "p2.xlarge", "", 1, "half of a K80 board" },
        { "azure", "Standard_NC24ads_A100_v4", "a100-pcie-80gb", 1, "PCIe" },
        { "azure", "Standard_ND96asr_v4", "a100-sxm4-40gb", 8, "SXM" },
        { "azure", "Standard_ND96amsr_A100_v4", "a100-sxm4-80gb", 8, "SXM" },
        { "azure", "Standard_NC40ads_H100_v5", "h100-nvl-94gb", 1, "NVL" },
        { "gcp", "a2-highgpu-8g", "a100-sxm4-40gb", 8, "40 GB" },
        { "gcp", "a2-ultragpu-8g", "a100-sxm4-80gb", 8, "80 GB" },
        { "gcp", "a3-highgpu-8g", "h100-sxm5-80gb", 8, "SXM" },
        { "lambda", "gpu_1x_h100_pcie", "h100-pcie-80gb", 1, "by its name" },
    };

    (void)state;
    for (size_t i = 0; i < instance_count_all(); i++) {
        const struct instance *in = instance_at(i);
        const struct gpu *g = gpu_find(in->gpu);

        check(instance_find(in->provider, in->id) == in, in->id);
        check(in->gpu[0] == '\0' || g != NULL, in->id);
        check(in->gpu_name[0] != '\0', in->id);
        check(in->gpu_count > 0 && in->gpu_count <= 576, in->id);
        check_source(&in->source, in->id);
        /* slices name the share of the memory that they get */
        if (g != NULL && !isnan(in->gpu_memory_gib) && in->gpu_count >= 1)
            check(fabs(in->gpu_memory_gib / g->memory_gib.value - 1) < 0.1,
                  in->id);
    }
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const struct instance *in = instance_find(run[i].provider, run[i].id);

        check(in != NULL, run[i].id);
        assert_string_equal(in->gpu, run[i].gpu);
        assert_near(in->gpu_count, run[i].count, 1e-12);
    }
    assert_null(instance_find("gcp", "p4d.24xlarge"));
}

static void gpu_names(void **state)
{
    static const struct { const char *name; double gib; const char *want,
                          *why; } run[] = {
        { "A100", 40, "a100-sxm4-40gb", "clouds rent the SXM card" },
        { "A100", 80, NULL, "PCIe and SXM are both rented" },
        { "A100", NAN, NULL, "40 or 80" },
        { "A100-80GB", 80, NULL, "PCIe or SXM" },
        { "A100-80GB-SXM", 80, "a100-sxm4-80gb", "said" },
        { "NVIDIA A100-SXM4-80GB", NAN, "a100-sxm4-80gb", "driver's name" },
        { "NVIDIA A100 80GB PCIe", 79.2, "a100-pcie-80gb", "driver's name" },
        { "H100", 80, NULL, "PCIe or SXM" },
        { "H100 NVL", 94, "h100-nvl-94gb", "said" },
        { "H100-SXM", 80, "h100-sxm5-80gb", "said" },
        { "NVIDIA H100 80GB HBM3", 79.6, "h100-sxm5-80gb", "HBM3 is SXM" },
        { "H200", 141, "h200-sxm-141gb", "the NVL card says so" },
        { "B200", 179, "b200", "usable memory differs a little" },
        { "B200", 80, NULL, "but not by that much" },
        { "V100", 16, NULL, "PCIe or SXM" },
        { "Tesla V100-SXM2-16GB", 16, "v100-sxm2-16gb", "said" },
        { "RTX4090", 24, "rtx-4090", "spelling" },
        { "NVIDIA GeForce RTX 4090", NAN, "rtx-4090", "driver's name" },
        { "rtx-4090", NAN, "rtx-4090", "the id itself" },
        { "T4", 16, "t4", "one kind" },
        { "Tesla T4", 15, "t4", "driver's name" },
        { "A10G", 22.35, "a10g", "usable memory" },
        { "RTX PRO 6000", 96, NULL, "three editions" },
        { "RTXPRO6000-WK", 95.6, "rtx-pro-6000-blackwell-ws", "said" },
        { "A100-80G-PCIe-NVLink", 80, "a100-pcie-80gb", "a bridge is no form" },
        { "H100-80G-PCIe", 80, "h100-pcie-80gb", "said, memory with a G" },
        { "H100-80G-SXM5", 80, "h100-sxm5-80gb", "said" },
        { "H100_PCIE_BAREMETAL", 80, "h100-pcie-80gb", "how it is rented" },
        { "A100_80G_SXM4", 80, "a100-sxm4-80gb", "said" },
        { "A6000_PCIE_LOW_RAM", 48, "rtx-a6000", "of the machine" },
        { "L40_PCIE", 48, "l40", "has no other form" },
        { "V100_32G_PCIE", 16, NULL, "the name and the size differ" },
        { "H100_NVL", 80, NULL, "the NVL card has 94" },
        { "GH200", 96, "gh200-96gb", "by memory" },
        { "GH200", NAN, NULL, "two sizes" },
        { "", NAN, NULL, "nothing" },
        { "Radeon Pro V520", 8, NULL, "not in the table" },
    };
    static const struct { const char *name, *gpu; } alias[] = {
#define ROW(name, memory_gib, gpu) { name, gpu },
#include "pricing/gpu_names.inc"
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        const char *got = gpu_of_name(run[i].name, run[i].gib);

        if (run[i].want == NULL ? got != NULL
                                : !got || strcmp(got, run[i].want) != 0)
            fail_msg("%s: %s (%s)", run[i].name, got ? got : "none",
                     run[i].why);
    }
    for (size_t i = 0; i < sizeof alias / sizeof alias[0]; i++)
        check(gpu_find(alias[i].gpu) != NULL, alias[i].name);
}

static void sites_follow_the_model(void **state)
{
    (void)state;
    assert_int_equal(site_count_all(), 3);
    assert_near(site_find("office")->pue_ratio.value, 1, 1e-12);
    assert_near(site_find("server_room")->pue_ratio.value, 1.54, 1e-12);
    assert_near(site_find("colocation")->pue_ratio.value, 1.4, 1e-12);
    assert_true(site_find("office")->pue_ratio.estimate);
    assert_false(site_find("server_room")->pue_ratio.estimate);
    assert_near(site_find("colocation")->hosting_price_per_kw_month.fact.value,
                195, 1e-12);
    assert_int_equal(site_find("office")->tariff, TARIFF_HOUSEHOLD);
    assert_int_equal(site_find("server_room")->tariff, TARIFF_COMMERCIAL);
    assert_int_equal(site_find("colocation")->tariff, TARIFF_INDUSTRIAL);
    for (size_t i = 0; i < site_count_all(); i++) {
        check_fact(&site_at(i)->pue_ratio, 1, 4, site_at(i)->id);
        check_fact(&site_at(i)->hosting_price_per_kw_month.fact, 0, 1000,
                   site_at(i)->id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates),
        cmocka_unit_test(gpus_are_physical),
        cmocka_unit_test(sparse_and_fast_rates_stay_out),
        cmocka_unit_test(accumulation),
        cmocka_unit_test(gpu_presets),
        cmocka_unit_test(nearest_gpu),
        cmocka_unit_test(servers_hold_known_gpus),
        cmocka_unit_test(zones_join),
        cmocka_unit_test(zone_values),
        cmocka_unit_test(regions_join),
        cmocka_unit_test(prices_are_of_known_things),
        cmocka_unit_test(hardware_prices_by_day),
        cmocka_unit_test(tariffs_by_class),
        cmocka_unit_test(tariff_rows),
        cmocka_unit_test(instances_hold_known_gpus),
        cmocka_unit_test(gpu_names),
        cmocka_unit_test(sites_follow_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
