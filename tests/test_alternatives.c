/* test_alternatives.c: the ranking of everything else that could do the work
   is what single studies of each offer and each build give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/device.h"
#include "fcgi/input.h"
#include "pricing/alternatives.h"
#include "pricing/catalogue.h"
#include "pricing/pricing.h"
#include "tests/near.h"

enum { TODAY = 20261201, QUERY_BYTE = 1024, SINGLE_MAX = 4000 };

struct bench {
    struct world world;
    struct input input;
    struct study study, single;
    struct warnings warnings;
    struct result result[OPTION_MAX];
    struct candidate *room;
    struct alternatives found, again;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    *state = b;
    if (!b)
        return -1;
    b->world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = TODAY,
                                .degraded_reason = "" };
    b->room = calloc(alternatives_room(&b->world), sizeof *b->room);
    return b->room ? 0 : -1;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    free(b->room);
    free(b);
    return 0;
}

static int read_study(struct bench *b, const char *query, struct study *study)
{
    input_init(&b->input);
    b->warnings.count = 0;
    input_query(&b->input, query, SURFACE_QUERY);
    input_keys(&b->input, ON_COMPARE);
    input_study(&b->input, &b->world, study, &b->warnings);
    return b->input.problems.count == 0;
}

static const struct alternative_filter none = { "", "", "", "", 0, 0, 0 };

static void find(struct bench *b, const char *query,
                 const struct alternative_filter *filter, int limit)
{
    if (!read_study(b, query, &b->study))
        fail_msg("%s: %s %s", query, b->input.problems.problem[0].field,
                 b->input.problems.problem[0].code);
    alternatives_run(&b->study, &b->world, filter, limit, b->room, &b->found);
}

/* --- single studies ------------------------------------------------------- */

/* Studies with what an alternative takes over written out for option b. */
static const struct {
    const char *query;  /* about option a and all options */
    const char *owned;  /* what owned ones take over from option a */
    const char *other;  /* option b of the study itself, if not the preset */
    const char *why;
} base[] = {
    { "", "", "", "default" },
    { "a=own/h100-sxm5-80gb/8/2&a.zone=DE&a.site=colocation&currency=EUR"
      "&busy_frac=0.8&carbon_price_per_tonne=100&a.gpu_price=20000",
      "&b.zone=DE&b.site=colocation", "",
      "place of an owned option, another currency, a shadow price" },
    { "a=rent/aws/p4d.24xlarge/us-east-1/on_demand&busy_frac=0.35"
      "&horizon_year=2.5&precision=fp16&income_tax_frac=0.25"
      "&service_tax_frac=0.19&opex_growth_frac=0.03", "", "",
      "option a is rented, the last term is cut" },
    { "speed_basis=gpu_count&a.machine_count=3&storage_gb=1000"
      "&rent_discount_frac=0.15&rent_price_growth_frac=-0.1&support_frac=0.1"
      "&billing_overhead_frac=0.05&egress_gb_per_month=100&staff_fte=0.1"
      "&prorate_term=yes&c=rent", "", "", "plain keys hold for all options" },
    { "precision=fp8&a=own/rtx-4090/8/1&a.loan_frac=0.5&a.setup_cost=1000"
      "&a.energy_price_per_kwh=0.31&a.pue_ratio=1.2&a.staff_fte=7"
      "&a.machine_speed=900&horizon_year=4&discount_frac=0",
      "&b.loan_frac=0.5&b.setup_cost=1000&b.energy_price_per_kwh=0.31"
      "&b.pue_ratio=1.2", "&b=rent/aws/p5.48xlarge/us-east-1/on_demand",
      "the owner's rates, not the machine's" },
    { "as_of=2025-05-01&busy_frac=0.02", "", "", "another day, little work" },
    { "busy_frac=0", "", "", "no work" },
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void find_base(struct bench *b, size_t i,
                      const struct alternative_filter *filter)
{
    char query[QUERY_BYTE];

    snprintf(query, sizeof query, "%s%s", base[i].query, base[i].other);
    find(b, query, filter, ALTERNATIVE_MAX);
}

static void query_of(const struct alternative *row, size_t i,
                     char query[QUERY_BYTE])
{
    const struct price *p = row->price;
    int used = snprintf(query, QUERY_BYTE, "%s&b=", base[i].query);
    size_t room = QUERY_BYTE - (size_t)used;

    if (row->kind == KIND_RENT)
        snprintf(query + used, room, "rent/%s/%s/%s/%s%s%s", p->provider,
                 p->instance, p->region, term_name[p->term],
                 term_month_of(p->term) ? "/" : "",
                 term_month_of(p->term) ? payment_name[p->payment] : "");
    else if (row->server)
        snprintf(query + used, room, "own/%s%s", row->server->id,
                 base[i].owned);
    else
        snprintf(query + used, room, "own/%s/%g%s", row->gpu->id,
                 row->gpu_count, base[i].owned);
}

/* Option b of the study that names the alternative. 0 when it is refused. */
static int run_single(struct bench *b, const struct alternative *row, size_t i)
{
    char query[QUERY_BYTE];

    query_of(row, i, query);
    if (!read_study(b, query, &b->single))
        return 0;
    study_run(&b->single, b->result);
    return 1;
}

static void each_is_a_single_study(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < COUNT(base); i++) {
        find_base(b, i, &none);
        assert_true(b->found.count == ALTERNATIVE_MAX);
        assert_true(b->found.front_count > 0);
        for (int k = 0; k < b->found.count + b->found.front_count; k++) {
            const struct alternative *row =
                k < b->found.count ? &b->found.row[k] :
                &b->found.row[b->found.front[k - b->found.count]];
            const struct result *r = &b->result[1];
            const struct option *o = &b->single.option[1];
            if (!run_single(b, row, i))
                fail_msg("%s: %s %s", row->label,
                         b->input.problems.problem[0].field,
                         b->input.problems.problem[0].code);
            assert_near(row->npv_cost, r->npv_cost, 1e-9);
            assert_near(row->monthly_equivalent_cost,
                        r->step[S_monthly_equivalent_cost], 1e-9);
            assert_near(row->cost_per_gpu_hour, r->step[S_cost_per_gpu_hour],
                        1e-9);
            assert_near(row->npv_cost_with_carbon,
                        r->step[S_npv_cost_with_carbon], 1e-9);
            assert_near(row->meter_kwh, r->step[S_meter_kwh], 1e-9);
            assert_near(row->operational_kg, r->step[S_operational_kg], 1e-9);
            assert_near(row->total_kg, r->step[S_total_kg], 1e-9);
            assert_string_equal(row->label, o->made_label);
            if (row->kind == KIND_RENT) {
                assert_near(row->price_per_hour,
                            o->value[F_rent_price_per_hour], 1e-12);
                assert_int_equal(row->origin.day, price_day(row->price));
            } else {
                assert_near(row->machine_count, r->step[S_machine_used_count],
                            0);
                assert_near(row->capex_cost, r->step[S_capex_cost], 1e-9);
            }
        }
    }
}

/* Everything that a person could name: all offers of the price table, all
   devices by the counts that are built, all systems. */
static size_t all_singles(struct bench *b, size_t i, double *cost, double *kg)
{
    static const int slots[] = { 1, 2, 4, 8 };
    const struct price_table *table = b->world.prices;
    struct alternative row;
    size_t count = 0;

    memset(&row, 0, sizeof row);
    row.kind = KIND_RENT;
    for (size_t k = 0; k < table->count; k++) {
        row.price = &table->price[k];
        if (k > 0 && !strcmp(row.price->provider, row.price[-1].provider) &&
            !strcmp(row.price->instance, row.price[-1].instance) &&
            !strcmp(row.price->region, row.price[-1].region) &&
            row.price->term == row.price[-1].term &&
            row.price->payment == row.price[-1].payment)
            continue;
        if (row.price->term != TERM_UNSPECIFIED && run_single(b, &row, i)) {
            cost[count] = b->result[1].npv_cost;
            kg[count++] = b->result[1].step[S_total_kg];
        }
    }
    row.kind = KIND_OWN;
    for (size_t g = 0; g < gpu_count_all(); g++) {
        int card = gpu_at(g)->housing != HOUSING_SXM &&
                   !strncmp(gpu_at(g)->form_factor, "PCIe", 4);
        double last = 0;
        row.gpu = gpu_at(g);
        for (size_t k = 0; k < (card ? 4 : server_count_all() + 1); k++) {
            int system = !card && k < server_count_all() &&
                         !strcmp(server_at(k)->gpu, row.gpu->id);
            row.gpu_count = card ? slots[k] : system ? server_at(k)->gpu_count
                          : last > 0 || k < server_count_all() ? 0 : 8;
            if (!(row.gpu_count > 0) || (system && row.gpu_count == last))
                continue;
            last = row.gpu_count;
            if (run_single(b, &row, i)) {
                cost[count] = b->result[1].npv_cost;
                kg[count++] = b->result[1].step[S_total_kg];
            }
        }
    }
    for (size_t k = 0; k < server_count_all(); k++) {
        row.server = server_at(k);
        if (run_single(b, &row, i)) {
            cost[count] = b->result[1].npv_cost;
            kg[count++] = b->result[1].step[S_total_kg];
        }
    }
    assert_true(count < SINGLE_MAX);
    return count;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void ranking_is_that_of_all_single_studies(void **state)
{
    struct bench *b = *state;
    static double cost[SINGLE_MAX], kg[SINGLE_MAX], sorted[SINGLE_MAX];

    for (size_t i = 0; i < COUNT(base); i++) {
        size_t count;
        find_base(b, i, &none);
        count = all_singles(b, i, cost, kg);
        if (b->found.ranked_count != (long)count)
            fail_msg("%s: %ld ranked, not %zu", base[i].why,
                     b->found.ranked_count, count);
        memcpy(sorted, cost, sizeof cost);
        qsort(sorted, count, sizeof *sorted, by_size);
        for (int k = 0; k < b->found.count; k++) {
            const struct alternative *row = &b->found.row[k];
            int beaten = 0;
            assert_near(row->npv_cost, sorted[k], 1e-9);
            assert_int_equal(row->rank, k + 1);
            for (size_t n = 0; n < count; n++) {
                double dearer = cost[n] - row->npv_cost;
                double dirtier = kg[n] - row->total_kg;
                beaten |= dearer < 1e-6 && dirtier < 1e-6 &&
                          (dearer < -1e-6 || dirtier < -1e-6);
            }
            assert_int_equal(row->pareto, !beaten && !isnan(row->total_kg));
        }
        assert_int_equal(b->found.front[0], 0);
        for (int k = 0; k < b->found.front_count; k++) {
            const struct alternative *row = &b->found.row[b->found.front[k]];
            assert_true(row->pareto);
            for (size_t n = 0; n < count; n++)
                assert_false(cost[n] < row->npv_cost - 1e-6 &&
                             kg[n] < row->total_kg - 1e-6);
        }
    }
}

static void line_and_model_agree(void **state)
{
    struct bench *b = *state;
    struct alternative_filter by_model = none;

    by_model.by_model = 1;
    for (size_t i = 0; i < COUNT(base); i++) {
        find_base(b, i, &by_model);
        b->again = b->found;
        find_base(b, i, &none);
        assert_int_equal(b->found.ranked_count, b->again.ranked_count);
        for (int k = 0; k < b->found.count; k++) {
            assert_near(b->found.row[k].npv_cost, b->again.row[k].npv_cost,
                        1e-12);
            assert_int_equal(b->found.row[k].pareto, b->again.row[k].pareto);
        }
    }
}

/* --- what may be ranked --------------------------------------------------- */

#define OFFER(in, re, te, pa, g, count, price) \
    { .provider = "aws", .instance = in, .region = re, .currency = "USD", \
      .gpu = g, .source = "", .price_per_hour = price, .gpu_count = count, \
      .first_seen_day = 20260101, .term = te, .payment = pa, .feed = 0 }

static int by_order(const void *a, const void *b)
{
    return price_compare(a, b);
}

static void some_offers_are_never_ranked(void **state)
{
    struct bench *b = *state;
    static const struct price_feed feed[] = { { .id = "own" } };
    struct price row[] = {
        OFFER("x.good", "us-east-1", TERM_ON_DEMAND, PAYMENT_NO_UPFRONT,
              "a100-sxm4-40gb", 8, 10),
        OFFER("x.good", "us-east-1", TERM_RESERVED_1Y, PAYMENT_ALL_UPFRONT,
              "a100-sxm4-40gb", 8, 0.001),
        OFFER("x.good", "mars-1", TERM_ON_DEMAND, PAYMENT_NO_UPFRONT,
              "a100-sxm4-40gb", 8, 11),
        OFFER("x.good", "us-east-1", TERM_UNSPECIFIED, PAYMENT_NO_UPFRONT,
              "a100-sxm4-40gb", 8, 1),
        OFFER("x.good", "us-east-1", TERM_ON_DEMAND, PAYMENT_ALL_UPFRONT,
              "a100-sxm4-40gb", 8, 1),
        OFFER("x.unknown", "us-east-1", TERM_ON_DEMAND, PAYMENT_NO_UPFRONT, "",
              8, 1),
        OFFER("x.slow", "us-east-1", TERM_ON_DEMAND, PAYMENT_NO_UPFRONT,
              "gtx-1080-ti", 8, 1),
        OFFER("x.half", "us-east-1", TERM_ON_DEMAND, PAYMENT_NO_UPFRONT,
              "a100-sxm4-40gb", 0.5, 2),
    };
    const struct price_table table = { row, COUNT(row), feed, 1, 7, 20260101 };
    const struct price_table *before = b->world.prices;
    const struct alternative_filter rented = { "aws", "", "", "", 0, 0, 0 };

    row[1].upfront_price = 40000;
    qsort(row, COUNT(row), sizeof *row, by_order);
    b->world.prices = &table;
    find(b, "b=own", &rented, ALTERNATIVE_MAX);
    b->world.prices = before;
    assert_int_equal(b->found.ranked_count, 4);
    assert_string_equal(b->found.row[0].price->region, "us-east-1");
    assert_near(b->found.row[0].price->price_per_hour, 10, 0);
    assert_string_equal(b->found.row[1].price->region, "mars-1");
    assert_true(isnan(b->found.row[1].total_kg)); /* no grid on Mars */
    assert_false(b->found.row[1].pareto);
    assert_near(b->found.row[2].upfront_price, 40000, 0);
    assert_near(b->found.row[3].gpu_count, 0.5, 0);
}

static void filters(void **state)
{
    struct bench *b = *state;
    static const struct { struct alternative_filter filter; const char *why; }
    run[] = {
        { { "aws,gcp", "", "", "", 0, 0, 0 }, "provider" },
        { { "", "us-east-1", "", "", 0, 0, 0 }, "region" },
        { { "", "", "h100-sxm5-80gb,h200-sxm-141gb", "", 0, 0, 0 }, "gpu" },
        { { "", "", "", "reserved_1y,spot", 0, 0, 0 }, "term" },
        { { "", "", "", "", 80, 0, 0 }, "memory" },
        { { "", "", "", "", 0, 1, 0 }, "machines" },
        { { "aws", "", "", "on_demand", 40, 0, 0 }, "several" },
    };
    long all;

    find(b, "a.machine_count=4", &none, ALTERNATIVE_MAX);
    all = b->found.ranked_count;
    for (size_t i = 0; i < COUNT(run); i++) {
        const struct alternative_filter *f = &run[i].filter;
        find(b, "a.machine_count=4", f, ALTERNATIVE_MAX);
        if (b->found.count == 0 || b->found.ranked_count >= all)
            fail_msg("%s: %ld of %ld", run[i].why, b->found.ranked_count, all);
        for (int k = 0; k < b->found.count; k++) {
            const struct alternative *row = &b->found.row[k];
            const struct price *p = row->price;
            assert_true(!*f->provider || (p && strstr(f->provider, p->provider)));
            assert_true(!*f->region || (p && !strcmp(p->region, f->region)));
            assert_true(!*f->gpu || strstr(f->gpu, row->gpu->id));
            assert_true(!*f->term || (p && strstr(f->term, term_name[p->term])));
            assert_true(row->gpu->memory_gib.value >= f->min_gpu_memory_gib);
            assert_true(f->max_machine_count <= 0 ||
                        row->running_machine_count <= f->max_machine_count);
        }
    }
    {
        const struct alternative_filter nobody = { "nobody", "", "", "", 0, 0, 0 };
        find(b, "", &nobody, 10);
        assert_int_equal(b->found.count, 0);
        assert_int_equal(b->found.front_count, 0);
    }
}

static void a_shadow_price_reorders(void **state)
{
    struct bench *b = *state;
    int moved = 0;

    find(b, "", &none, 20);
    for (int k = 0; k < b->found.count; k++)
        assert_int_equal(b->found.row[k].rank_with_carbon, 0);
    find(b, "carbon_price_per_tonne=2000", &none, 20);
    assert_int_equal(b->found.count, 20);
    for (int k = 0; k < b->found.count; k++) {
        const struct alternative *row = &b->found.row[k];
        assert_true(row->rank_with_carbon > 0);
        moved |= row->rank_with_carbon != row->rank;
        for (int n = 0; n < k; n++) {
            const struct alternative *other = &b->found.row[n];
            assert_true(other->npv_cost <= row->npv_cost);
            if (other->npv_cost_with_carbon < row->npv_cost_with_carbon - 1e-6)
                assert_true(other->rank_with_carbon < row->rank_with_carbon);
        }
    }
    assert_true(moved);
}

static void front_goes_from_cheap_to_clean(void **state)
{
    struct bench *b = *state;

    find(b, "a.zone=PL", &none, 5);
    assert_true(b->found.front_count > 1);
    for (int k = 1; k < b->found.front_count; k++) {
        const struct alternative *row = &b->found.row[b->found.front[k]];
        const struct alternative *last = &b->found.row[b->found.front[k - 1]];
        assert_true(row->npv_cost > last->npv_cost);
        assert_true(row->total_kg < last->total_kg);
        assert_true(row->rank > last->rank);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_a_single_study),
        cmocka_unit_test(ranking_is_that_of_all_single_studies),
        cmocka_unit_test(line_and_model_agree),
        cmocka_unit_test(some_offers_are_never_ranked),
        cmocka_unit_test(filters),
        cmocka_unit_test(a_shadow_price_reorders),
        cmocka_unit_test(front_goes_from_cheap_to_clean),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
