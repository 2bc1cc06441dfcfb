/* alternatives.c: a walk over all offers in rows of LANE_COUNT: hours, energy
   and carbon by the formulas, cost by a straight line for each term, since a
   rent enters it as a factor; then the model itself for those that are
   shown. */
#include "pricing/alternatives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/resolve.h"

#define UNWRITTEN __attribute__((uninitialized))

enum { PLACE_MAX = 4096 /* a power of two */, BUILD_COUNT_MAX = 4 };

/* --- what an alternative takes over --------------------------------------- */

/* What says which machine it is; never taken over. */
static const int identity[] = {
    F_gpu, F_server, F_gpu_count, F_machine_count, F_machine_speed,
    F_gpu_price, F_host_price, F_gpu_watt, F_gpu_idle_watt, F_host_watt,
    F_host_idle_watt, F_embodied_gpu_kg, F_embodied_host_kg, F_provider,
    F_instance, F_region, F_term, F_payment, F_rent_price_per_hour,
    F_rent_upfront_price };

/* What belongs to the owner and not to the machine. */
static const int of_owner[] = {
    F_site, F_zone, F_pue_ratio, F_grid_g_per_kwh, F_renewable_frac,
    F_wue_l_per_kwh, F_grid_water_l_per_kwh, F_powered_frac, F_max_use_frac,
    F_gpu_load_frac, F_load, F_grid_growth_frac, F_life_year, F_purchase_tax_frac, F_setup_cost,
    F_network_cost, F_residual_frac, F_maintenance_frac_per_year,
    F_insurance_frac_per_year, F_gpu_failure_frac_per_year,
    F_staff_cost_per_year, F_hosting_price_per_kw_month,
    F_licence_price_per_gpu_year, F_other_cost_per_month,
    F_energy_price_per_kwh, F_energy_price_growth_frac, F_offpeak_frac,
    F_offpeak_price_per_kwh, F_demand_price_per_kw_month, F_loan_frac,
    F_loan_rate_frac, F_loan_year, F_depreciation, F_depreciation_year };

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static int among(int field, const int *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] == field)
            return 1;
    return 0;
}

static void take(struct option *to, const struct option *from, int field,
                 enum typed typed)
{
    to->typed[field] = (unsigned char)typed;
    to->value[field] = from->value[field];
    memcpy(to->name[field], from->name[field], NAME_BYTE_MAX);
}

/* An option of the kind that has the field from a plain key, or NULL. */
static const struct option *plainly_typed(const struct study *study,
                                          enum kind kind, int field)
{
    for (int i = 0; i < study->option_count; i++) {
        const struct option *o = &study->option[i];
        if (o->typed[field] == TYPED_PLAIN && option_has(i, o->kind, field) &&
            (field_table[field].applies == APPLIES_BOTH || o->kind == kind))
            return o;
    }
    return NULL;
}

static void take_over(const struct study *study, enum kind kind,
                      struct option *to)
{
    const struct option *a = &study->option[0];

    memset(to->typed, TYPED_NO, sizeof to->typed);
    to->kind = kind;
    to->declared = 1;
    to->label[0] = to->made_label[0] = '\0';
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct option *plain;
        if (field_table[f].applies == APPLIES_SHARED) {
            take(to, a, f, (enum typed)a->typed[f]);
            continue;
        }
        if (!option_has(1, kind, f) || among(f, identity, COUNT(identity)))
            continue;
        plain = plainly_typed(study, kind, f);
        if (plain)
            take(to, plain, f, TYPED_PLAIN);
        else if (kind == KIND_OWN && a->kind == KIND_OWN && a->typed[f] &&
                 among(f, of_owner, COUNT(of_owner)))
            take(to, a, f, TYPED_PREFIXED);
    }
}

/* A study of `a` and an option b that is still to be named. What was typed
   for all options and says which machine it is stays with `a` alone. */
static void bench_study(const struct study *study, enum kind kind,
                        struct study *bench)
{
    bench->option[0] = study->option[0];
    for (int i = 0; i < COUNT(identity); i++)
        if (bench->option[0].typed[identity[i]] == TYPED_PLAIN)
            bench->option[0].typed[identity[i]] = TYPED_PREFIXED;
    bench->option_count = 2;
    memcpy(bench->label, study->label, sizeof bench->label);
    memcpy(bench->currency, study->currency, sizeof bench->currency);
    bench->as_of_day = study->as_of_day;
    bench->currency_per_usd = study->currency_per_usd;
    bench->rate_day = study->rate_day;
    bench->work_speed_hour_per_month = study->work_speed_hour_per_month;
    bench->zh = study->zh;
    bench->of_run = study->of_run;
    take_over(study, kind, &bench->option[1]);
}

/* --- naming option b ------------------------------------------------------ */

static int set_name(struct option *o, int field, const char *name)
{
    size_t byte = strlen(name) + 1;

    if (byte > NAME_BYTE_MAX)
        return 0;
    memcpy(o->name[field], name, byte);
    o->typed[field] = TYPED_DECLARED;
    return 1;
}

static void set_number(struct option *o, int field, double value)
{
    o->value[field] = value;
    o->typed[field] = TYPED_DECLARED;
}

/* 0 when a name is longer than can be typed. */
static int set_offer(struct option *o, const struct price *price)
{
    set_number(o, F_term, price->term);
    o->typed[F_payment] = TYPED_NO;
    if (term_month_of(price->term) > 0)
        set_number(o, F_payment, price->payment);
    return set_name(o, F_provider, price->provider) &&
           set_name(o, F_instance, price->instance) &&
           set_name(o, F_region, price->region);
}

static void set_build(struct option *o, const struct server *server,
                      const struct gpu *gpu, double gpu_count)
{
    o->typed[F_server] = o->typed[F_gpu] = o->typed[F_gpu_count] = TYPED_NO;
    if (server) {
        set_name(o, F_server, server->id);
        return;
    }
    memcpy(o->name[F_server], "none", 5);
    set_name(o, F_gpu, gpu->id);
    set_number(o, F_gpu_count, gpu_count);
}

int alternative_study(const struct study *study, const struct world *world,
                      const struct alternative *row, struct study *out)
{
    struct warnings warnings UNWRITTEN;
    struct option *o = &out->option[1];

    warnings.count = WARNING_MAX; /* none is wanted */
    bench_study(study, row->kind, out);
    if (row->kind == KIND_OWN)
        set_build(o, row->server, row->gpu, row->gpu_count);
    else if (!set_offer(o, row->price))
        return 0;
    return resolve_more(out, world, 1, &warnings);
}

/* --- the run -------------------------------------------------------------- */

/* npv_cost of a rented offer: fixed + price * hours billed * per_hour +
   upfront * machines * per_upfront. */
struct line {
    int ready;              /* 0 not yet made, -1 it does not hold */
    double fixed, per_hour, per_upfront;
    double rework_frac, term_month;
    double value[FIELD_COUNT];
};

struct place {
    const char *provider, *region;
    double pue_ratio, grid_g_per_kwh;
};

/* Fields that differ from machine to machine. */
static const int machine_fields[] = {
    F_gpu_count, F_machine_speed, F_gpu_watt, F_gpu_idle_watt, F_host_watt,
    F_host_idle_watt, F_gpu_load_frac, F_embodied_gpu_kg,
    F_embodied_host_kg };

struct lanes {
    double value[ENERGY_FIELD_COUNT][LANE_COUNT];
    double given[GIVEN_COUNT][LANE_COUNT];
    double step[ENERGY_STEP_COUNT][LANE_COUNT];
    const struct price *price[LANE_COUNT];
    double rent[LANE_COUNT], upfront[LANE_COUNT];
    int count;
};

struct run {
    const struct world *world;
    const struct alternative_filter *filter;
    struct study bench;         /* a, and b that takes any shape */
    struct work work;
    double carbon_per_kg;       /* npv_cost_with_carbon - npv_cost, each kg */
    struct candidates candidates;
    /* of the walk over offers */
    struct line line[TERM_COUNT];
    struct place place[PLACE_MAX];
    struct lanes lanes;
    const char *provider, *instance; /* whose machine is in bench */
    int machine_fits;
    const char *currency;
    double rate;
};

static int is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);

    if (!*list)
        return 1;
    while (*list) {
        size_t each = strcspn(list, ",");
        if (each == length && memcmp(list, word, length) == 0)
            return 1;
        list += each + (list[each] == ',');
    }
    return 0;
}

static int gpu_fits(const struct run *r, const struct gpu *gpu)
{
    const struct alternative_filter *filter = r->filter;

    return is_listed(filter->gpu, gpu->id) &&
           (!(filter->min_gpu_memory_gib > 0) ||
            gpu->memory_gib.value >= filter->min_gpu_memory_gib);
}

static double machines_at_once(const double *step, int counted)
{
    if (counted)
        return step[S_machine_used_count];
    return fmax(0, ceil(step[S_need_machine_hour_per_month] / 730 - 1e-9));
}

static int too_many(const struct run *r, double machines)
{
    return r->filter->max_machine_count > 0 &&
           machines > r->filter->max_machine_count;
}

static void keep(struct run *r, size_t at, double npv_cost,
                 double operational_kg, double total_kg)
{
    struct candidate *c = &r->candidates.at[r->candidates.count];

    if (isnan(npv_cost))
        return;
    c->npv_cost = npv_cost;
    c->npv_cost_with_carbon = npv_cost + operational_kg * r->carbon_per_kg;
    c->total_kg = total_kg;
    c->at = (uint32_t)at;
    r->candidates.count++;
}

/* --- what is owned -------------------------------------------------------- */

static int is_card(const struct gpu *gpu)
{
    return gpu->housing != HOUSING_SXM &&
           strncmp(gpu->form_factor, "PCIe", 4) == 0;
}

/* GPUs that a machine of the catalogue may hold: cards by ones, twos, fours
   and eights, others as complete systems have them, else eight. */
static int build_counts(const struct gpu *gpu, int count[BUILD_COUNT_MAX])
{
    int found = 0;

    if (is_card(gpu)) {
        for (int i = 0; i < BUILD_COUNT_MAX; i++)
            count[i] = 1 << i;
        return BUILD_COUNT_MAX;
    }
    for (size_t i = 0; i < server_count_all(); i++) {
        const struct server *server = server_at(i);
        int known = strcmp(server->gpu, gpu->id) != 0;
        for (int k = 0; k < found; k++)
            known |= count[k] == server->gpu_count;
        if (!known && found < BUILD_COUNT_MAX)
            count[found++] = server->gpu_count;
    }
    if (!found)
        count[found++] = 8;
    return found;
}

/* Builds are numbered: BUILD_COUNT_MAX a GPU, then the servers. 0 when there
   is none of that number. */
static size_t build_limit(void)
{
    return gpu_count_all() * BUILD_COUNT_MAX + server_count_all();
}

static int build_of(size_t number, const struct server **server,
                    const struct gpu **gpu, double *gpu_count)
{
    size_t cards = gpu_count_all() * BUILD_COUNT_MAX;
    int count[BUILD_COUNT_MAX];

    if (number >= cards) {
        *server = server_at(number - cards);
        *gpu = gpu_find((*server)->gpu);
        *gpu_count = (*server)->gpu_count;
        return *gpu != NULL;
    }
    *server = NULL;
    *gpu = gpu_at(number / BUILD_COUNT_MAX);
    if ((int)(number % BUILD_COUNT_MAX) >= build_counts(*gpu, count))
        return 0;
    *gpu_count = count[number % BUILD_COUNT_MAX];
    return 1;
}

static int is_priced(const struct run *r, const struct server *server,
                     const struct gpu *gpu)
{
    int day = r->bench.as_of_day;

    const struct own_table *own = r->world->own;

    return !isnan(own_gpu_price(own, gpu->id, day, NULL).fact.value) &&
           (!server ||
            !isnan(own_server_price(own, server->id, day, NULL).fact.value));
}

static void walk_builds(struct run *r)
{
    struct option *o = &r->bench.option[1];
    struct warnings warnings UNWRITTEN;
    int whole = 0;

    warnings.count = WARNING_MAX;
    for (size_t i = 0; i < build_limit(); i++) {
        const struct server *server;
        const struct gpu *gpu;
        double gpu_count;
        struct result result;
        if (!build_of(i, &server, &gpu, &gpu_count) || !gpu_fits(r, gpu) ||
            !is_priced(r, server, gpu))
            continue;
        set_build(o, server, gpu, gpu_count);
        /* All of the option once, then only what the machine changes. */
        if (!(whole ? resolve_machine(&r->bench, r->world, 1)
                    : resolve_more(&r->bench, r->world, 1, &warnings)))
            continue;
        whole = 1;
        model_run(KIND_OWN, o->value, &r->work, &result, NULL);
        if (!result.short_of_capacity &&
            !too_many(r, machines_at_once(result.step, 1)))
            keep(r, r->world->prices->count + i, result.npv_cost,
                 result.step[S_operational_kg], result.step[S_total_kg]);
    }
}

/* --- what is rented ------------------------------------------------------- */

static double rent_npv(const struct line *line, double price, double upfront,
                       double machines)
{
    struct work work = { 730 * machines * (1 - line->rework_frac),
                         730 * machines };
    double value[FIELD_COUNT];
    struct result result;

    memcpy(value, line->value, sizeof value);
    value[F_rent_price_per_hour] = price;
    value[F_rent_upfront_price] = upfront;
    value[F_machine_speed] = 1;
    model_run(KIND_RENT, value, &work, &result, NULL);
    return result.npv_cost;
}

/* Three runs of the model give the line, a fourth checks it. */
static void measure(struct line *line)
{
    double hours = 730, by_line, by_model;
    int commitment = line->term_month > 0;

    if (!commitment)
        hours *= 1 + line->value[F_billing_overhead_frac];
    line->fixed = rent_npv(line, 0, 0, 1);
    line->per_hour = (rent_npv(line, 1, 0, 1) - line->fixed) / hours;
    line->per_upfront = rent_npv(line, 0, 1000, 1) / 1000 - line->fixed / 1000;
    by_line = line->fixed + 2.7 * 3 * hours * line->per_hour +
              (commitment ? 130 * 3 * line->per_upfront : 0);
    by_model = rent_npv(line, 2.7, 130, 3);
    if (!(fabs(by_line - by_model) <= 1e-9 * fmax(1, fabs(by_model))))
        line->ready = -1;
}

/* What the machine and the price do not decide, at the term of an offer. It
   stands for any: its price and speed are put in by hand, so that they
   may be missing. */
static void make_line(struct run *r, const struct price *price,
                      struct line *line)
{
    static const int by_hand[] = { F_rent_price_per_hour,
                                   F_rent_upfront_price, F_machine_speed };
    struct option *o = &r->bench.option[1];
    struct warnings warnings UNWRITTEN;

    warnings.count = WARNING_MAX;
    if (!set_offer(o, price))
        return;
    for (int i = 0; i < COUNT(by_hand); i++)
        set_number(o, by_hand[i], 1);
    r->provider = r->instance = NULL;
    if (resolve_more(&r->bench, r->world, 1, &warnings)) {
        line->ready = 1;
        line->term_month = term_month_of(price->term);
        line->rework_frac = o->value[F_rework_frac];
        memcpy(line->value, o->value, sizeof line->value);
        measure(line);
    }
    for (int i = 0; i < COUNT(by_hand); i++)
        o->typed[by_hand[i]] = TYPED_NO;
}

static const struct line *line_of(struct run *r, const struct price *price)
{
    struct line *line = &r->line[price->term];

    if (!line->ready)
        make_line(r, price, line);
    return line->ready ? line : NULL;
}

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Puts the machine of an offer into the bench; 0 when it is not to be
   ranked. Offers of one machine stand together. */
static int set_machine(struct run *r, const struct price *price)
{
    struct option *o = &r->bench.option[1];
    const struct gpu *gpu;

    if (same_text(r->instance, price->instance) &&
        same_text(r->provider, price->provider))
        return r->machine_fits;
    r->provider = price->provider;
    r->instance = price->instance;
    r->machine_fits = 0;
    if (!set_name(o, F_provider, price->provider) ||
        !set_name(o, F_instance, price->instance) ||
        !resolve_machine(&r->bench, r->world, 1))
        return 0;
    gpu = gpu_find(o->name[F_gpu]);
    r->machine_fits = gpu && gpu_fits(r, gpu);
    return r->machine_fits;
}

/* The place of an offer, from the ones seen before when it can. Strings of
   one generation are mostly the same ones. */
static const struct place *place_of(struct run *r, const struct price *price)
{
    uint64_t hash = ((uint64_t)(uintptr_t)price->region ^
                     (uint64_t)(uintptr_t)price->provider << 32) *
                    0x9E3779B97F4A7C15u;
    struct place *place = &r->place[hash >> 52 & (PLACE_MAX - 1)];
    struct option *o = &r->bench.option[1];

    if (place->region == price->region && place->provider == price->provider)
        return place;
    if (!set_name(o, F_region, price->region))
        return NULL;
    resolve_region(&r->bench, r->world, 1);
    place->provider = price->provider;
    place->region = price->region;
    place->pue_ratio = o->value[F_pue_ratio];
    place->grid_g_per_kwh = o->value[F_grid_g_per_kwh];
    return place;
}

/* Units of the study's currency for one of an offer's. */
static double rate_of(struct run *r, const char *currency)
{
    const struct study *study = &r->bench;
    double per_usd;
    int day;

    if (same_text(r->currency, currency))
        return r->rate;
    r->currency = currency;
    if (strcmp(currency, study->currency) == 0)
        r->rate = 1;
    else if (strcmp(currency, "USD") == 0)
        r->rate = study->currency_per_usd;
    else if (rate_find(r->world->rates, currency, study->as_of_day, &per_usd,
                       &day))
        r->rate = study->currency_per_usd / per_usd;
    else
        r->rate = (double)NAN;
    return r->rate;
}

static double npv_by_model(const struct run *r, const struct line *line,
                           int lane)
{
    const struct lanes *l = &r->lanes;
    double value[FIELD_COUNT];
    struct result result;

    memcpy(value, line->value, sizeof value);
    for (int i = 0; i < COUNT(machine_fields); i++)
        value[machine_fields[i]] = l->value[machine_fields[i]][lane];
    value[F_rent_price_per_hour] = l->rent[lane];
    value[F_rent_upfront_price] = l->upfront[lane];
    model_run(KIND_RENT, value, &r->work, &result, NULL);
    return result.npv_cost;
}

static double npv_of_lane(const struct run *r, const struct line *line,
                          int lane)
{
    const struct lanes *l = &r->lanes;

    if (r->filter->by_model || line->ready < 0)
        return npv_by_model(r, line, lane);
    return line->fixed +
           l->rent[lane] * l->step[S_billed_machine_hour_per_month][lane] *
               line->per_hour +
           l->upfront[lane] * l->step[S_machine_used_count][lane] *
               line->per_upfront;
}

static void run_lanes(struct run *r)
{
    struct lanes *l = &r->lanes;
    const struct price *first = r->world->prices->price;

    energy_run_lanes(KIND_RENT, (const double (*)[LANE_COUNT])l->value,
                     (const double (*)[LANE_COUNT])l->given, l->step);
    for (int lane = 0; lane < l->count; lane++) {
        const struct price *price = l->price[lane];
        double step[] = {
            [S_need_machine_hour_per_month] =
                l->step[S_need_machine_hour_per_month][lane],
            [S_machine_used_count] = l->step[S_machine_used_count][lane] };
        if (too_many(r, machines_at_once(step, term_month_of(price->term) > 0)))
            continue;
        keep(r, (size_t)(price - first),
             npv_of_lane(r, &r->line[price->term], lane),
             l->step[S_operational_kg][lane], l->step[S_total_kg][lane]);
    }
    l->count = 0;
}

/* Lanes start as the first offer's term; what no offer changes stays. */
static void fill_lanes(struct run *r, const struct line *line)
{
    struct lanes *l = &r->lanes;

    for (int lane = 0; lane < LANE_COUNT; lane++) {
        for (int f = 0; f < ENERGY_FIELD_COUNT; f++)
            l->value[f][lane] = line->value[f];
        l->given[G_work_speed_hour_per_month][lane] =
            r->work.speed_hour_per_month;
        l->given[G_commitment_count][lane] = 0;
        l->given[G_term_month][lane] = 0;
    }
}

static void add_lane(struct run *r, const struct price *price,
                     const struct line *line, const struct place *place)
{
    struct lanes *l = &r->lanes;
    const double *value = r->bench.option[1].value;
    int lane = l->count++;

    for (int i = 0; i < COUNT(machine_fields); i++)
        l->value[machine_fields[i]][lane] = value[machine_fields[i]];
    l->value[F_rework_frac][lane] = line->rework_frac;
    l->value[F_pue_ratio][lane] = place->pue_ratio;
    l->value[F_grid_g_per_kwh][lane] = place->grid_g_per_kwh;
    l->given[G_commitment_count][lane] = line->term_month > 0;
    l->given[G_term_month][lane] = line->term_month;
    l->price[lane] = price;
    l->rent[lane] = price->price_per_hour * rate_of(r, price->currency);
    l->upfront[lane] = line->term_month > 0
        ? price->upfront_price * rate_of(r, price->currency) : 0;
    if (l->count == LANE_COUNT)
        run_lanes(r);
}

/* Prices by the hour are not paid upfront. */
static int may_rank(const struct run *r, const struct price *price)
{
    return price->term != TERM_UNSPECIFIED &&
           (price->payment == PAYMENT_NO_UPFRONT ||
            term_month_of(price->term) > 0) &&
           is_listed(r->filter->term, term_name[price->term]) &&
           is_listed(r->filter->provider, price->provider) &&
           is_listed(r->filter->region, price->region);
}

static void walk_offers(struct run *r)
{
    const struct price_table *table = r->world->prices;
    int filled = 0;

    memset(r->line, 0, sizeof r->line);
    memset(r->place, 0, sizeof r->place);
    r->provider = r->instance = r->currency = NULL;
    r->lanes.count = 0;
    for (size_t first = 0, end; first < table->count; first = end) {
        const struct price *price = price_of_rows(table, r->bench.as_of_day,
                                                  first, &end);
        const struct line *line;
        const struct place *place;
        if (!price || !may_rank(r, price) || !*price->gpu)
            continue;
        line = line_of(r, price);
        if (!line || !set_machine(r, price))
            continue;
        place = place_of(r, price);
        if (!place || isnan(rate_of(r, price->currency)))
            continue;
        if (!filled)
            fill_lanes(r, line);
        filled = 1;
        add_lane(r, price, line, place);
    }
    if (r->lanes.count)
        run_lanes(r);
}

/* --- what is shown -------------------------------------------------------- */

static void name_row(const struct run *r, size_t at, struct alternative *row)
{
    const struct price_table *table = r->world->prices;

    memset(row, 0, sizeof *row);
    if (at < table->count) {
        row->kind = KIND_RENT;
        row->price = &table->price[at];
        return;
    }
    row->kind = KIND_OWN;
    build_of(at - table->count, &row->server, &row->gpu, &row->gpu_count);
}

static void fill_row(struct run *r, const struct study *study,
                     struct alternative *row)
{
    const struct option *o = &r->bench.option[1];
    int owned = row->kind == KIND_OWN, counted;
    struct result result;

    alternative_study(study, r->world, row, &r->bench);
    model_run(o->kind, o->value, &r->work, &result, NULL);
    counted = owned || term_month_of((int)o->value[F_term]) > 0;
    row->gpu = gpu_find(o->name[F_gpu]);
    row->gpu_count = o->value[F_gpu_count];
    row->machine_count = counted ? result.step[S_machine_used_count]
                                 : (double)NAN;
    row->running_machine_count = machines_at_once(result.step, counted);
    row->price_per_hour = owned ? (double)NAN : o->value[F_rent_price_per_hour];
    row->upfront_price = owned ? (double)NAN : o->value[F_rent_upfront_price];
    row->capex_cost = owned ? result.step[S_capex_cost] : (double)NAN;
    row->npv_cost = result.npv_cost;
    row->monthly_equivalent_cost = result.step[S_monthly_equivalent_cost];
    row->cost_per_gpu_hour = result.step[S_cost_per_gpu_hour];
    row->npv_cost_with_carbon = result.step[S_npv_cost_with_carbon];
    row->meter_kwh = result.step[S_meter_kwh];
    row->operational_kg = result.step[S_operational_kg];
    row->total_kg = result.step[S_total_kg];
    row->origin = o->origin[!owned ? F_rent_price_per_hour
                            : row->server ? F_host_price : F_gpu_price];
    row->old = row->price
        && price_state(r->world->prices, row->price, r->bench.as_of_day)
           == PRICE_OLD;
    memcpy(row->label, o->made_label, sizeof row->label);
}

static void add_row(struct run *r, const struct study *study,
                    const struct candidate *c, int rank,
                    struct alternative *row)
{
    name_row(r, c->at, row);
    fill_row(r, study, row);
    row->rank = rank ? rank : candidate_rank(&r->candidates, c);
    row->rank_with_carbon = r->carbon_per_kg > 0
        ? candidate_rank_with_carbon(&r->candidates, c) : 0;
}

/* Of the cheapest, in their order: what is as clean as all before it is on
   the front; nothing that is dearer can push it off. */
static void mark_pareto(const struct candidate **best, int count,
                        struct alternative *row)
{
    double least = INFINITY, cost = 0;

    for (int i = 0; i < count; i++) {
        double kg = best[i]->total_kg;
        row[i].pareto = kg < least ||
                        (kg <= least && best[i]->npv_cost <= cost);
        if (!(kg < least))
            continue;
        least = kg;
        cost = best[i]->npv_cost;
    }
}

static void show(struct run *r, const struct study *study, int limit,
                 struct alternatives *out)
{
    const struct candidate *best[ALTERNATIVE_MAX];
    const struct candidate *front[ALTERNATIVE_FRONT_MAX];
    int more;

    out->ranked_count = (long)r->candidates.count;
    out->count = more = candidates_cheapest(&r->candidates, limit, best);
    for (int i = 0; i < out->count; i++)
        add_row(r, study, best[i], i + 1, &out->row[i]);
    mark_pareto(best, out->count, out->row);
    out->front_count = candidates_front(&r->candidates, ALTERNATIVE_FRONT_MAX,
                                        front);
    for (int i = 0; i < out->front_count; i++) {
        int at = 0;
        while (at < out->count && best[at] != front[i])
            at++;
        if (at == out->count) {
            at = more++;
            add_row(r, study, front[i], 0, &out->row[at]);
            out->row[at].pareto = 1;
        }
        out->front[i] = at;
    }
}

size_t alternatives_room(const struct world *world)
{
    return world->prices->count + build_limit();
}

/* What a kilogram adds to the present value; no option changes that. */
static double carbon_per_kg(const struct study *study)
{
    const struct option *a = &study->option[0];
    struct work work = { a->value[F_machine_speed], 1 };
    double value[FIELD_COUNT];
    struct result result;

    memcpy(value, a->value, sizeof value);
    value[F_grid_g_per_kwh] = 1000;
    value[F_host_watt] = 1000;
    model_run(a->kind, value, &work, &result, NULL);
    return (result.step[S_npv_cost_with_carbon] - result.npv_cost) /
           result.step[S_operational_kg];
}

void alternatives_run(const struct study *study, const struct world *world,
                      const struct alternative_filter *filter, int limit,
                      struct candidate *room, struct alternatives *out)
{
    struct run r UNWRITTEN;

    r.world = world;
    r.filter = filter;
    r.work = work_of(study->option[0].value);
    r.carbon_per_kg = carbon_per_kg(study);
    r.candidates.at = room;
    r.candidates.count = 0;
    if (!*filter->provider && !*filter->region && !*filter->term) {
        bench_study(study, KIND_OWN, &r.bench);
        walk_builds(&r);
    }
    bench_study(study, KIND_RENT, &r.bench);
    walk_offers(&r);
    show(&r, study, limit, out);
}
