/* resolve.c: presets and joins. What the user typed wins; every other value
   gets the row, source and date it comes from. The calculation contract
   ("Presets and joins") says which row wins. */
#include "pricing/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "energy/device.h"
#include "energy/power.h"
#include "energy/zone.h"
#include "pricing/catalogue.h"
#include "pricing/num.h"
#include "pricing/offer.h"
#include "pricing/pricing.h"

/* What is at hand while one option is resolved. */
struct job {
    struct study *study;
    const struct world *world;
    struct problems *problems;
    struct warnings *warnings;
    int option;
    struct option *o;
    const struct gpu *gpu;
    const struct server *server;
    const struct region *region;
    const struct zone *zone;
    const struct site *site;
};

static const struct source no_source = { "", "", "", "" };
static const char table_preset[] = "Preset of the field table";

static struct source estimate_source(const char *title)
{
    struct source source = { title, "", "2026", "own estimate" };

    return source;
}

int option_has(int option, enum kind kind, int field)
{
    if (field == F_machine_count && kind == KIND_RENT)
        return option == 0;
    return field_applies(field, kind);
}

void study_init(struct study *study)
{
    memset(study, 0, sizeof *study);
    study->option_count = 2;
    study->option[0].kind = KIND_OWN;
    for (int i = 1; i < OPTION_MAX; i++)
        study->option[i].kind = KIND_RENT;
    memcpy(study->currency, "USD", 4);
    study->currency_per_usd = 1;
}

/* --- putting values ----------------------------------------------------- */

static struct origin origin_of(enum origin_kind kind, struct source source,
                               int estimate)
{
    struct origin origin = { kind, estimate, source, 0, (double)NAN };

    return origin;
}

static void put(struct job *j, int field, double value, struct origin origin)
{
    if (j->o->typed[field] || !option_has(j->option, j->o->kind, field))
        return;
    j->o->value[field] = value;
    j->o->origin[field] = origin;
}

static void put_fact(struct job *j, int field, struct fact fact)
{
    put(j, field, fact.value,
        origin_of(ORIGIN_CATALOGUE, fact.source, fact.estimate));
}

static void put_estimate(struct job *j, int field, double value,
                         const char *title)
{
    put(j, field, value, origin_of(ORIGIN_PRESET, estimate_source(title), 1));
}

static void put_derived(struct job *j, int field, double value)
{
    put(j, field, value, origin_of(ORIGIN_DERIVED, no_source, 0));
}

static void put_name(struct job *j, int field, const char *name,
                     enum origin_kind kind, struct source source)
{
    if (j->o->typed[field])
        return;
    snprintf(j->o->name[field], NAME_BYTE_MAX, "%s", name);
    j->o->origin[field] = origin_of(kind, source, 0);
}

static void fail(struct job *j, int field, const char *code,
                 const char *limit, const char *hint)
{
    char key[48];

    study_key(j->study, j->option, field, key, sizeof key);
    problem_add(j->problems, key, code, limit, hint);
}

static void warn(struct job *j, const char *code, int field,
                 const char *message)
{
    warning_add(j->warnings, code, (char)('a' + j->option),
                field_table[field].name, "%s", message);
}

/* Says so when a fact is younger than the day asked for. */
static void check_newer(struct job *j, int field, const char *date)
{
    char text[11];

    if (j->o->typed[field] || fact_day(date) <= j->study->as_of_day)
        return;
    day_print(text, j->study->as_of_day);
    warning_add(j->warnings, "fact_newer_than_as_of", (char)('a' + j->option),
                field_table[field].name, "%s is of %s, later than %s",
                field_table[field].name, date, text);
}

/* Says, once a currency, that its newest rate is old. */
static void note_stale_rate(struct warnings *warnings, const char *currency,
                            int day, int as_of_day)
{
    char message[sizeof warnings->warning[0].message], text[11];

    if (day_difference(as_of_day, day) <= 7)
        return;
    day_print(text, day);
    snprintf(message, sizeof message,
             "the newest exchange rate for %s is of %s", currency, text);
    for (int i = 0; i < warnings->count; i++)
        if (strcmp(warnings->warning[i].message, message) == 0)
            return;
    warning_add(warnings, "stale_rate", 0, "currency", "%s", message);
}

/* Units of the study's currency for one of `currency`; NAN without a rate. */
static double rate_from(const struct job *j, const char *currency)
{
    double per_usd;
    int day;

    if (strcmp(currency, j->study->currency) == 0)
        return 1;
    if (strcmp(currency, "USD") == 0)
        return j->study->currency_per_usd;
    if (!rate_find(j->world->rates, currency, j->study->as_of_day, &per_usd,
                   &day))
        return (double)NAN;
    note_stale_rate(j->warnings, currency, day, j->study->as_of_day);
    return j->study->currency_per_usd / per_usd;
}

static void put_price(struct job *j, int field, struct dated_price price)
{
    double rate = rate_from(j, price.currency);
    struct origin origin = origin_of(ORIGIN_CATALOGUE, price.fact.source,
                                     price.fact.estimate);

    if (strcmp(price.currency, j->study->currency) != 0)
        origin.rate_per_usd = rate;
    put(j, field, price.fact.value * rate, origin);
}

/* An amount in USD that is a preset. */
static void put_usd(struct job *j, int field, double usd, const char *title,
                    int estimate)
{
    struct origin origin = origin_of(ORIGIN_PRESET, estimate_source(title),
                                     estimate);

    if (strcmp(j->study->currency, "USD") != 0)
        origin.rate_per_usd = j->study->currency_per_usd;
    put(j, field, usd * j->study->currency_per_usd, origin);
}

/* --- frame: day and currency -------------------------------------------- */

static void frame_day(struct study *study, const struct world *world,
                      struct problems *problems)
{
    struct option *o = &study->option[0];
    const char *text = o->name[F_as_of];
    int day = day_read(text, strlen(text));
    const char *code = NULL;
    char limit[11];

    study->as_of_day = world->today;
    if (!o->typed[F_as_of]) {
        day_print(limit, world->today);
        memcpy(o->name[F_as_of], limit, sizeof limit);
        o->origin[F_as_of] = origin_of(ORIGIN_PRESET, no_source, 0);
        return;
    }
    day_print(limit, world->today);
    if (!day)
        code = "bad_date";
    else if (day > world->today)
        code = "in_future";
    else if (day < world->prices->first_day) {
        code = "before_first_price";
        day_print(limit, world->prices->first_day);
    }
    if (code)
        problem_add(problems, "as_of", code, day ? limit : "YYYY-MM-DD", "");
    else
        study->as_of_day = day;
}

static void frame_currency(struct study *study, const struct world *world,
                           struct problems *problems,
                           struct warnings *warnings)
{
    struct option *o = &study->option[0];
    const char *text = o->name[F_currency];
    char upper[4] = "";
    double per_usd;
    int day;

    if (!o->typed[F_currency]) {
        memcpy(o->name[F_currency], "USD", 4);
        o->origin[F_currency] = origin_of(ORIGIN_PRESET, no_source, 0);
        return;
    }
    if (strlen(text) == 3)
        for (int i = 0; i < 3; i++)
            upper[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ?
                              text[i] - 'a' + 'A' : text[i]);
    if (strlen(text) != 3 || !rate_known(world->rates, text)) {
        int hint = strlen(text) == 3 && rate_known(world->rates, upper);
        problem_add(problems, "currency", "not_in_list", "ISO 4217",
                    hint ? upper : "");
        return;
    }
    if (!rate_find(world->rates, text, study->as_of_day, &per_usd, &day)) {
        problem_add(problems, "currency", "no_rate", "", "");
        return;
    }
    memcpy(study->currency, text, 4);
    study->currency_per_usd = per_usd;
    study->rate_day = strcmp(text, "USD") == 0 ? 0 : day;
    if (study->rate_day)
        note_stale_rate(warnings, text, day, study->as_of_day);
}

void resolve_frame(struct study *study, const struct world *world,
                   struct problems *problems, struct warnings *warnings)
{
    frame_day(study, world, problems);
    frame_currency(study, world, problems, warnings);
}

/* --- presets that stand in the field table ------------------------------- */

static int is_estimate(int field)
{
    return field == F_max_use_frac || field == F_fleet_busy_frac;
}

static void put_table_presets(struct job *j)
{
    struct option *o = j->o;

    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct field *field = &field_table[f];
        if (o->typed[f]) {
            o->origin[f] = origin_of(ORIGIN_USER, no_source, 0);
            continue;
        }
        if (!option_has(j->option, o->kind, f) || f == F_as_of ||
            f == F_currency)
            continue;
        if (field->type == FIELD_NAME) {
            put_name(j, f, field->text, ORIGIN_PRESET,
                     estimate_source(table_preset));
        } else if (field->type == FIELD_CHOICE) {
            int at = choice_find(field->choices, field->text,
                                 strlen(field->text));
            put(j, f, at < 0 ? 0 : at,
                origin_of(ORIGIN_PRESET, estimate_source(table_preset), 0));
        } else if (!isnan(field->preset)) {
            const char *title = is_estimate(f) ? "Estimate: usual fill"
                                               : table_preset;
            if (unit_table[field->unit].money)
                put_usd(j, f, field->preset, title, f == F_staff_cost_per_year);
            else
                put(j, f, field->preset,
                    origin_of(ORIGIN_PRESET, estimate_source(title),
                              is_estimate(f)));
        } else {
            o->value[f] = (double)NAN;
        }
    }
}

/* --- what is owned -------------------------------------------------------- */

static int is_instance(const char *name)
{
    for (size_t i = 0; i < instance_count_all(); i++)
        if (strcasecmp(instance_at(i)->id, name) == 0)
            return 1;
    return 0;
}

static void own_server(struct job *j)
{
    const char *id = j->o->name[F_server];

    if (strcmp(id, "none") == 0)
        return;
    j->server = server_find(id);
    if (!j->server) {
        fail(j, F_server, "not_in_list", "", "");
        return;
    }
    /* The system decides; typed values were refused by the input already. */
    j->o->typed[F_gpu] = j->o->typed[F_gpu_count] = TYPED_NO;
    put_name(j, F_gpu, j->server->gpu, ORIGIN_CATALOGUE,
             j->server->max_watt.source);
    put(j, F_gpu_count, j->server->gpu_count,
        origin_of(ORIGIN_CATALOGUE, j->server->max_watt.source, 0));
}

static void own_gpu(struct job *j)
{
    const char *id = j->o->name[F_gpu], *near;

    own_server(j);
    j->gpu = gpu_find(id);
    if (j->gpu)
        return;
    near = is_instance(id) ? "instance" : gpu_nearest(id);
    fail(j, F_gpu, "not_in_list", "", near ? near : "");
}

static double host_price_usd(enum housing housing, double gpu_count)
{
    switch (housing) {
    case HOUSING_CONSUMER: return 1600 + 600 * gpu_count;
    case HOUSING_PCIE: return 8000 + 2000 * gpu_count;
    case HOUSING_SXM: break;
    }
    return 6000 + 8000 * gpu_count;
}

/* No price: as_of when only a later day has one, else the price itself. */
static void fail_no_price(struct job *j, int field, int later)
{
    if (later && j->study->option[0].typed[F_as_of])
        problem_add(j->problems, "as_of", "no_price", "",
                    field_table[field].name);
    else
        fail(j, field, "no_price", "", "");
}

static void own_prices(struct job *j)
{
    struct option *o = j->o;
    int later = 0;

    if (!o->typed[F_gpu_price]) {
        put_price(j, F_gpu_price,
                  own_gpu_price(j->world->own, j->gpu->id,
                                j->study->as_of_day, &later));
        if (isnan(o->value[F_gpu_price]))
            fail_no_price(j, F_gpu_price, later);
    }
    if (o->typed[F_host_price])
        return;
    if (!j->server) {
        put_usd(j, F_host_price,
                host_price_usd(j->gpu->housing, o->value[F_gpu_count]),
                "Estimate: host by kind and number of its GPUs", 1);
        return;
    }
    put_price(j, F_host_price,
              own_server_price(j->world->own, j->server->id, j->study->as_of_day,
                               &later));
    o->value[F_host_price] -= o->value[F_gpu_count] * o->value[F_gpu_price];
    if (isnan(o->value[F_host_price]) && !isnan(o->value[F_gpu_price]))
        fail_no_price(j, F_host_price, later);
    /* A system cannot cost less than the GPUs in it. */
    if (o->value[F_host_price] < 0)
        fail(j, F_gpu_price, "conflict", "server", j->server->id);
}

/* --- what is rented -------------------------------------------------------- */

static struct offer_name offer_of(const struct job *j, enum term term,
                                  enum payment payment)
{
    return (struct offer_name){ j->o->name[F_provider], j->o->name[F_instance],
                                j->o->name[F_region], term, payment };
}

/* Which of the names does not exist; 1 if all do. */
static int rent_names(struct job *j)
{
    const struct offer_name name = offer_of(j, TERM_ON_DEMAND,
                                            PAYMENT_NO_UPFRONT);
    const char *hint;
    const int unknown = offer_unknown(j->world, &name, &hint);

    j->region = region_find(name.provider, name.region);
    if (unknown >= 0)
        fail(j, unknown, "not_in_list", "", hint);
    return unknown < 0;
}

static void rent_gpu(struct job *j)
{
    const struct instance *instance =
        instance_find(j->o->name[F_provider], j->o->name[F_instance]);
    const struct price *price = instance ? NULL :
        price_of_instance(j->world->prices, j->o->name[F_provider],
                          j->o->name[F_instance]);
    const char *gpu = instance ? instance->gpu : price ? price->gpu : "";
    double count = instance ? instance->gpu_count
                            : price ? price->gpu_count : (double)NAN;
    struct source source = instance ? instance->source : no_source;

    put_name(j, F_gpu, gpu, ORIGIN_CATALOGUE, source);
    put(j, F_gpu_count, count, origin_of(ORIGIN_CATALOGUE, source, 0));
    j->gpu = gpu_find(gpu);
    if (!j->gpu || isnan(count))
        fail(j, F_instance, "no_value", "", "its GPU is not in the table");
}

/* Says which part of an offer has no price: never another region or term. */
static void fail_no_offer(struct job *j, enum term term, enum payment payment)
{
    const struct offer_name name = offer_of(j, term, payment);
    const int field = offer_unpriced(j->world, &name);

    if (field == F_as_of)
        fail_no_price(j, F_rent_price_per_hour, 1);
    else
        fail(j, field, "no_price", "", "");
}

static struct origin price_origin(const struct job *j,
                                  const struct price *price, double rate)
{
    const struct price_feed *feed = &j->world->prices->feed[price->feed];
    struct source source = { feed->title,
                             *price->source ? price->source : feed->address,
                             "", feed->licence };
    struct origin origin = origin_of(ORIGIN_PRICE, source,
                                     feed->kind == FEED_DERIVED);

    origin.day = price_day(price);
    if (strcmp(price->currency, j->study->currency) != 0)
        origin.rate_per_usd = rate;
    return origin;
}

static void rent_price_notes(struct job *j, const struct price *price)
{
    const struct price_table *table = j->world->prices;
    const char option = (char)('a' + j->option);
    double move_frac, was;
    char day[11];

    if (price->undated)
        warn(j, "undated_price", F_rent_price_per_hour,
             "the source gives no date for this price; "
             "it counts from 2025-08-01");
    if (table->feed[price->feed].kind == FEED_DERIVED)
        warn(j, "derived_price", F_rent_price_per_hour,
             "nobody states this spot price; it is the price on demand less "
             "the average saving of 30 days");
    switch (price_state(table, price, j->study->as_of_day)) {
    case PRICE_GONE:
        warn(j, "offer_gone", F_rent_price_per_hour,
             "the provider no longer lists this offer; its last price is used");
        break;
    case PRICE_OLD:
        day_print(day, price_seen_day(table, price));
        warning_add(j->warnings, "stale_price", option, "rent_price_per_hour",
                    "the price list was last read on %s", day);
        break;
    case PRICE_CURRENT:
        break;
    }
    if (price_moved(table, price, j->study->as_of_day, &move_frac, &was)) {
        day_print(day, price_day(price));
        warning_add(j->warnings, "price_moved", option, "rent_price_per_hour",
                    "it was %.8g %s an hour before %s (%+.0f %%)", was,
                    price->currency, day, move_frac * 100);
    }
}

static void rent_price(struct job *j)
{
    struct option *o = j->o;
    enum term term = (enum term)o->value[F_term];
    int commitment = term_month_of((int)term) > 0;
    enum payment payment = commitment ? (enum payment)o->value[F_payment]
                                      : PAYMENT_NO_UPFRONT;
    const struct price *price;
    double rate;

    if (o->typed[F_payment] && !commitment && o->value[F_payment] > 0)
        warn(j, "payment_ignored", F_payment,
             "payment belongs to reserved and savings terms");
    if (o->typed[F_rent_upfront_price] && !commitment &&
        o->value[F_rent_upfront_price] > 0)
        warn(j, "upfront_ignored", F_rent_upfront_price,
             "an upfront price belongs to reserved and savings terms");
    if (o->typed[F_rent_price_per_hour] &&
        (o->typed[F_rent_upfront_price] || payment == PAYMENT_NO_UPFRONT)) {
        put_derived(j, F_rent_upfront_price, 0);
        return;
    }
    price = price_find(j->world->prices, o->name[F_provider],
                       o->name[F_instance], o->name[F_region], term, payment,
                       j->study->as_of_day);
    rate = price ? rate_from(j, price->currency) : (double)NAN;
    if (!price || isnan(rate)) {
        fail_no_offer(j, term, payment);
        return;
    }
    put(j, F_rent_price_per_hour, price->price_per_hour * rate,
        price_origin(j, price, rate));
    put(j, F_rent_upfront_price, price->upfront_price * rate,
        price_origin(j, price, rate));
    rent_price_notes(j, price);
}

/* --- physics of either ------------------------------------------------------ */

static void peak_missing(struct job *j, int precision)
{
    char have[64] = "";
    size_t used = 0;

    (void)precision;
    for (int p = 0; p < PRECISION_COUNT; p++)
        if (!isnan(j->gpu->peak_tflops[p].value))
            used += (size_t)snprintf(have + used, sizeof have - used, "%s%s",
                                     used ? " " : "", precision_name[p]);
    fail(j, F_precision, "no_value", have, j->gpu->id);
}

static void put_speed(struct job *j)
{
    struct option *o = j->o;
    int precision = (int)o->value[F_precision];
    struct fact peak = j->gpu->peak_tflops[precision];

    if (o->typed[F_machine_speed])
        return;
    if (o->value[F_speed_basis] > 0) {
        put_derived(j, F_machine_speed, o->value[F_gpu_count]);
        return;
    }
    if (isnan(peak.value)) {
        peak_missing(j, precision);
        return;
    }
    put(j, F_machine_speed, o->value[F_gpu_count] * peak.value,
        origin_of(ORIGIN_DERIVED, peak.source, 0));
}

static void put_scaled(struct job *j, int field, struct fact fact,
                       double value)
{
    fact.value = value;
    put_fact(j, field, fact);
}

/* Accelerators that are only metered with their share of the machine. */
static void put_system_load(struct job *j, struct fact system)
{
    double tdp = j->o->value[F_gpu_watt];
    double share = system.value < tdp ? system.value / tdp : 1;

    put_scaled(j, F_gpu_load_frac, system, share);
    put_scaled(j, F_host_watt, system,
               j->o->value[F_gpu_count] * (system.value - share * tdp));
}

/* The field load, where a run presets it, and what it fills in; rated: the
   host power is what a maker's rating leaves. */
static void put_load(struct job *j, int rated)
{
    struct option *o = j->o;
    const struct study_load *run = &j->study->of_run;
    struct fact system = power_system_watt(j->gpu), host;
    enum load load;

    if (run->known && !o->typed[F_load])
        put_derived(j, F_load, run->inference ? LOAD_INFERENCE
                    : power_load_of(run->task, run->active_param_count,
                                    j->gpu, 0));
    load = (enum load)o->value[F_load];
    if (load == LOAD_CUSTOM && !o->typed[F_gpu_load_frac])
        fail(j, F_gpu_load_frac, "missing", "", "");
    if (load == LOAD_TDP || load == LOAD_CUSTOM)
        return;
    if (!isnan(system.value) && load != LOAD_IDLE) {
        put_system_load(j, system);
        return;
    }
    put_fact(j, F_gpu_load_frac, power_gpu_load_frac(load, j->gpu));
    if (load == LOAD_INFERENCE)
        put_fact(j, F_gpu_idle_watt, power_context_watt(j->gpu));
    if (load == LOAD_IDLE)
        put_estimate(j, F_host_watt, o->value[F_host_idle_watt],
                     "Estimate: the idle host");
    host = rated ? power_host_of_rated() : power_host_ratio(j->gpu);
    if (load != LOAD_IDLE && !isnan(host.value))
        put_scaled(j, F_host_watt, host, host.value *
                   (rated ? o->value[F_host_watt]
                          : o->value[F_gpu_count] * o->value[F_gpu_watt]));
}

static void put_power(struct job *j)
{
    struct option *o = j->o;
    const struct server *server = j->server;
    double tdp = j->gpu->gpu_watt.value;
    int rated = 0;

    put_fact(j, F_gpu_watt, j->gpu->gpu_watt);
    if (isnan(o->value[F_gpu_watt]))
        fail(j, F_gpu_watt, "no_value", "", j->gpu->id);
    if (isnan(tdp))
        tdp = o->value[F_gpu_watt];
    put_fact(j, F_gpu_idle_watt, j->gpu->gpu_idle_watt);
    if (isnan(o->value[F_gpu_idle_watt]))
        put_estimate(j, F_gpu_idle_watt, 0.1 * tdp,
                     "Estimate: a tenth of the TDP");
    if (o->kind == KIND_OWN &&
        !(server && !isnan(server->host_watt.value)))
        server = server_of_gpu(j->gpu->id, o->value[F_gpu_count]);
    if (o->kind == KIND_OWN && server) {
        put_fact(j, F_host_watt, server->host_watt);
        rated = !isnan(server->max_watt.value);
    } else
        put_estimate(j, F_host_watt, 0.25 * o->value[F_gpu_count] * tdp,
                     "Estimate: a quarter of the GPUs' TDP");
    put_estimate(j, F_host_idle_watt, 0.4 * o->value[F_host_watt],
                 "Estimate: 0.4 of the busy host");
    put_load(j, rated);
    if (o->typed[F_gpu_idle_watt] &&
        o->value[F_gpu_idle_watt] > o->value[F_gpu_watt])
        fail(j, F_gpu_idle_watt, "conflict", "gpu_watt", "");
}

static void put_embodied(struct job *j)
{
    put_fact(j, F_embodied_gpu_kg, j->gpu->embodied_gpu_kg);
    put_fact(j, F_embodied_host_kg, embodied_host(j->gpu->housing));
}

static void missing_factor(struct job *j, int field)
{
    if (isnan(j->o->value[field]))
        warn(j, "no_value", field,
             "no figure for this place; what depends on it is left out");
}

static void put_zone(struct job *j)
{
    if (j->zone) {
        put_fact(j, F_grid_g_per_kwh, j->zone->grid_g_per_kwh);
        put_fact(j, F_grid_water_l_per_kwh, j->zone->grid_water_l_per_kwh);
        check_newer(j, F_grid_g_per_kwh, j->zone->grid_g_per_kwh.source.date);
        if (j->zone->grid_of_parent && !j->o->typed[F_grid_g_per_kwh])
            warn(j, "grid_of_parent", F_grid_g_per_kwh,
                 "the grid factor is that of the country");
    }
    missing_factor(j, F_grid_g_per_kwh);
    missing_factor(j, F_grid_water_l_per_kwh);
}

static void put_tariff(struct job *j)
{
    enum tariff_class used = j->site->tariff;
    struct dated_price price;

    if (j->o->typed[F_energy_price_per_kwh])
        return;
    price = own_tariff(j->world->own, j->zone->id, j->site->tariff,
                       j->study->as_of_day, &used);
    put_price(j, F_energy_price_per_kwh, price);
    if (isnan(j->o->value[F_energy_price_per_kwh])) {
        fail(j, F_energy_price_per_kwh, "no_price", "", j->zone->id);
        return;
    }
    check_newer(j, F_energy_price_per_kwh, price.fact.source.date);
    if (used != j->site->tariff)
        warning_add(j->warnings, "other_tariff_class",
                    (char)('a' + j->option), "energy_price_per_kwh",
                    "no %s tariff for %s; the %s one is used",
                    tariff_class_name[j->site->tariff], j->zone->id,
                    tariff_class_name[used]);
}

/* Cheap hours have a price of their own or none: never the other one. */
static void own_offpeak(struct job *j)
{
    struct option *o = j->o;

    if (o->value[F_offpeak_frac] > 0 && !o->typed[F_offpeak_price_per_kwh])
        fail(j, F_offpeak_price_per_kwh, "missing", "", "");
    put_derived(j, F_offpeak_price_per_kwh, 0);
}

static void own_place(struct job *j)
{
    j->site = site_at((size_t)j->o->value[F_site]);
    j->zone = zone_find(j->o->name[F_zone]);
    put_fact(j, F_pue_ratio, j->site->pue_ratio);
    put_estimate(j, F_wue_l_per_kwh, 0,
                 "Estimate: a room cooled with air uses no water");
    put_price(j, F_hosting_price_per_kw_month,
              j->site->hosting_price_per_kw_month);
    if (!j->zone) {
        fail(j, F_zone, "not_in_list", "ISO 3166", "");
        return;
    }
    put_zone(j);
    put_tariff(j);
    own_offpeak(j);
}

static void rent_place(struct job *j)
{
    struct option *o = j->o;

    put_fact(j, F_pue_ratio, j->region ? j->region->pue_ratio
                                       : provider_pue(o->name[F_provider]));
    put_fact(j, F_wue_l_per_kwh, j->region ? j->region->wue_l_per_kwh
                                           : provider_wue(o->name[F_provider]));
    j->zone = j->region ? zone_find(j->region->zone) : NULL;
    if (!j->zone) {
        put_derived(j, F_grid_g_per_kwh, (double)NAN);
        put_derived(j, F_grid_water_l_per_kwh, (double)NAN);
    }
    put_zone(j);
    missing_factor(j, F_wue_l_per_kwh);
}

/* --- one option --------------------------------------------------------------- */

static void put_own_money(struct job *j)
{
    struct option *o = j->o;
    double years = o->value[F_horizon_year], tax = o->value[F_income_tax_frac];

    put_estimate(j, F_residual_frac, pow(0.7, years),
                 "Estimate: 0.7 a year");
    put(j, F_depreciation, tax > 0 ? 1 : 0,
        origin_of(ORIGIN_DERIVED, no_source, 0));
    if (years > o->value[F_life_year])
        warn(j, "horizon_beyond_life", F_residual_frac,
             "the comparison is longer than the service life");
    if (tax > 0 && o->value[F_depreciation] <= 0)
        warn(j, "not_depreciated", F_depreciation,
             "there is a profit tax, but the outlay is not depreciated");
}

static void rent_term_note(struct job *j)
{
    int term = term_month_of((int)j->o->value[F_term]);
    int months = (int)fmax(1, floor(12 * j->o->value[F_horizon_year] + 0.5));

    if (term == 0 || months % term == 0)
        return;
    warn(j, "commitment_beyond_horizon", F_term,
         j->o->value[F_prorate_term] > 0 ?
         "the last commitment is cut at the end of the comparison" :
         "the last commitment is owed to its end, "
         "beyond the end of the comparison");
}

static void resolve_option(struct job *j)
{
    struct option *o = j->o;
    int known;

    put_table_presets(j);
    put_estimate(j, F_machine_count, j->option == 0 ? 1 : 0,
                 table_preset);
    o->origin[F_machine_count].estimate = 0;
    if (o->kind == KIND_OWN) {
        put_derived(j, F_rework_frac, 0);
        own_gpu(j);
    } else {
        put_estimate(j, F_rework_frac,
                     (int)o->value[F_term] == TERM_SPOT ? 0.1 : 0,
                     "Estimate: share redone after interruptions");
        known = rent_names(j);
        if (!known)
            return;
        rent_gpu(j);
        rent_price(j);
        rent_term_note(j);
        rent_place(j);
    }
    if (o->kind == KIND_OWN) {
        own_place(j);
        put_own_money(j);
    }
    if (!j->gpu)
        return;
    if (fact_day(j->gpu->release_date) > j->study->as_of_day)
        check_newer(j, F_gpu_watt, j->gpu->release_date);
    put_speed(j);
    put_power(j);
    put_embodied(j);
    if (o->kind == KIND_OWN)
        own_prices(j);
}

static void put_staff(struct job *j)
{
    const double *value = j->o->value;
    double k = value[F_machine_count], need;

    if (j->o->kind == KIND_RENT) {
        put_estimate(j, F_staff_fte, 0.02, "Estimate: rented machines");
        return;
    }
    if (!(k > 0)) {
        need = j->study->work_speed_hour_per_month / value[F_machine_speed] /
               (1 - value[F_rework_frac]);
        k = fmax(1, ceil(need / 730 / value[F_max_use_frac] - 1e-9));
    }
    put_estimate(j, F_staff_fte, 0.03 + 0.02 * k,
                 "Estimate: 0.03 and 0.02 a machine");
}

/* --- labels --------------------------------------------------------------------- */

static void make_label(struct job *j)
{
    char count[NUM_TEXT_BYTE], machines[NUM_TEXT_BYTE] = "";
    struct option *o = j->o;
    size_t word_length;
    const char *word;

    if (o->kind == KIND_RENT) {
        word = choice_word(field_table[F_term].choices, (int)o->value[F_term],
                           &word_length);
        snprintf(o->made_label, sizeof o->made_label, "%s %s, %s, %.*s",
                 provider_name(o->name[F_provider]), o->name[F_instance],
                 o->name[F_region], (int)word_length, word);
        for (char *at = o->made_label + strlen(o->made_label) - word_length;
             *at; at++)
            if (*at == '_')
                *at = ' ';
        return;
    }
    num_print(count, o->value[F_gpu_count]);
    if (o->value[F_machine_count] > 1)
        num_print(machines, o->value[F_machine_count]);
    if (j->server)
        snprintf(o->made_label, sizeof o->made_label, "%s%s%s", machines,
                 *machines ? " × " : "", j->server->name);
    else
        snprintf(o->made_label, sizeof o->made_label, "%s%s%s × %s", machines,
                 *machines ? " × " : "", count,
                 j->gpu ? j->gpu->name : o->name[F_gpu]);
}

static void job_begin(struct job *j, struct study *study,
                      const struct world *world, struct problems *problems,
                      struct warnings *warnings, int option)
{
    memset(j, 0, sizeof *j);
    j->study = study;
    j->world = world;
    j->problems = problems;
    j->warnings = warnings;
    j->option = option;
    j->o = &study->option[option];
}

/* The day and the currency are the first option's. */
static void take_frame(struct job *j)
{
    const struct option *first = &j->study->option[0];

    if (j->o == first)
        return;
    memcpy(j->o->name[F_as_of], first->name[F_as_of], NAME_BYTE_MAX);
    memcpy(j->o->name[F_currency], first->name[F_currency], NAME_BYTE_MAX);
    j->o->origin[F_as_of] = first->origin[F_as_of];
    j->o->origin[F_currency] = first->origin[F_currency];
}

/* All factors of the table have one basis; what a typed one has, nobody
   knows. */
static void check_basis(const struct study *study, struct warnings *warnings)
{
    int typed = 0;

    for (int i = 0; i < study->option_count; i++)
        typed += study->option[i].typed[F_grid_g_per_kwh] != TYPED_NO;
    if (typed && typed < study->option_count)
        warning_add(warnings, "grid_basis_unknown", 0, "grid_g_per_kwh",
                    "one grid factor was typed, another is Ember's (life "
                    "cycle, production): see that they mean the same");
}

void resolve_study(struct study *study, const struct world *world,
                   struct problems *problems, struct warnings *warnings)
{
    struct job jobs[OPTION_MAX];

    for (int i = 0; i < study->option_count; i++) {
        job_begin(&jobs[i], study, world, problems, warnings, i);
        take_frame(&jobs[i]);
        resolve_option(&jobs[i]);
    }
    if (problems->count)
        return;
    study->work_speed_hour_per_month =
        work_of(study->option[0].value).speed_hour_per_month;
    for (int i = 0; i < study->option_count; i++) {
        put_staff(&jobs[i]);
        make_label(&jobs[i]);
    }
    check_basis(study, warnings);
}

/* Large and empty to begin with: not cleared first by
   -ftrivial-auto-var-init. */
#define UNWRITTEN __attribute__((uninitialized))

int resolve_more(struct study *study, const struct world *world, int option,
                 struct warnings *warnings)
{
    struct problems problems UNWRITTEN;
    struct job job;

    problems.count = problems.more = 0;
    job_begin(&job, study, world, &problems, warnings, option);
    take_frame(&job);
    resolve_option(&job);
    if (problems.count)
        return 0;
    put_staff(&job);
    make_label(&job);
    return 1;
}

int resolve_machine(struct study *study, const struct world *world, int option)
{
    struct problems problems UNWRITTEN;
    struct warnings warnings UNWRITTEN;
    struct job job, *j = &job;

    problems.count = problems.more = 0;
    warnings.count = WARNING_MAX; /* none is wanted */
    job_begin(j, study, world, &problems, &warnings, option);
    if (j->o->kind == KIND_OWN)
        own_gpu(j);
    else
        rent_gpu(j);
    if (problems.count)
        return 0;
    put_speed(j);
    put_power(j);
    put_embodied(j);
    if (j->o->kind == KIND_OWN)
        own_prices(j);
    if (problems.count)
        return 0;
    put_staff(j);
    return 1;
}

void resolve_region(struct study *study, const struct world *world, int option)
{
    struct problems problems UNWRITTEN;
    struct warnings warnings UNWRITTEN;
    struct job job;

    problems.count = problems.more = 0;
    warnings.count = WARNING_MAX; /* none is wanted */
    job_begin(&job, study, world, &problems, &warnings, option);
    job.region = region_find(job.o->name[F_provider], job.o->name[F_region]);
    rent_place(&job);
}
