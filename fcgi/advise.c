/* advise.c: chooses a tier and prices its builds with the study's engine. */
#include "fcgi/advise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/num.h"

static const double byte_per_gib = 1024.0 * 1024 * 1024;

/* --- memory ------------------------------------------------------------------ */

/* The model as a run on that many GPUs; what else matters is settled. */
static void memory_need(const struct advice *advice, const struct gpu *gpu,
                        double gpu_count, struct advised_build *out)
{
    struct train_run run;
    struct train_memory memory;

    train_init(&run);
    run.shape.param_count = run.shape.active_param_count =
        advice->param_count;
    train_guess_shape(&run.shape);
    run.sequence_token = advice->param_count < 1e9 ? 512 : 2048;
    run.run_gpu_count = gpu_count;
    if (advice->task == TASK_INFERENCE) {
        struct inference serving;
        inference_run(&run.shape, gpu, (enum precision)(int)
                      advice->study.option[0].value[F_precision], gpu_count,
                      1, run.sequence_token, &serving);
        memory.total_gib = serving.total_gib_per_gpu;
    } else {
        run.method = advice->task == TASK_LORA ? METHOD_LORA
                   : advice->task == TASK_QLORA ? METHOD_QLORA : METHOD_FULL;
        train_choose(&run, gpu->memory_gib.value, 0, 0);
        train_memory_of(&run, &memory);
    }
    out->total_gib_per_gpu = memory.total_gib;
    out->fits = isnan(advice->param_count)
              ? FITS_UNKNOWN : train_fits_in(&memory, gpu->memory_gib.value);
}

static void whole_need(struct advice *advice)
{
    struct train_run run;

    train_init(&run);
    run.method = advice->task == TASK_LORA ? METHOD_LORA
               : advice->task == TASK_QLORA ? METHOD_QLORA : METHOD_FULL;
    advice->weight_gib = 2 * advice->param_count / byte_per_gib;
    advice->state_gib = advice->task == TASK_INFERENCE
                      ? advice->weight_gib
                      : train_state_byte(&run) * advice->param_count /
                        byte_per_gib;
}

/* --- tiers ---------------------------------------------------------------------- */

static int tier_fits(const struct advice *advice, int tier)
{
    if (isnan(advice->param_count))
        return 1;
    for (size_t i = 0; i < tier_build_count_all(); i++) {
        const struct tier_build *b = tier_build_at(i);
        const struct gpu *gpu = gpu_find(b->gpu);
        struct advised_build need;
        if (!gpu || strcmp(b->tier, tier_at((size_t)tier)->id) != 0)
            continue;
        memory_need(advice, gpu, b->gpu_count, &need);
        if (need.fits != FITS_NOT)
            return 1;
    }
    return 0;
}

/* The highest tier within the budget that fits; without a budget the lowest
   that the size wants and that fits. */
static void choose_tier(struct advice *advice)
{
    int last = (int)tier_count_all() - 1;

    advice->tier_by_size = tier_of_size(advice->param_count,
                                        advice->sample_count);
    /* adapters and serving take what fits: the sizes are those of training */
    if (advice->task >= TASK_LORA && !isnan(advice->param_count))
        for (advice->tier_by_size = 0; advice->tier_by_size < last &&
             !tier_fits(advice, advice->tier_by_size); )
            advice->tier_by_size++;
    if (!(advice->budget > 0)) {
        advice->tier_by_budget = -1;
        advice->tier = advice->tier_by_size;
        while (advice->tier < last && !tier_fits(advice, advice->tier))
            advice->tier++;
        return;
    }
    advice->tier_by_budget = tier_of_budget(advice->budget_cny);
    advice->tier = advice->tier_by_budget;
    while (advice->tier > 0 && !tier_fits(advice, advice->tier))
        advice->tier--;
    if (advice->tier >= 0 && !tier_fits(advice, advice->tier))
        advice->tier = advice->tier_by_budget;
}

static void warn_tier(struct advice *advice)
{
    const struct tier *by_size = tier_at((size_t)advice->tier_by_size);
    const char *budget_name = advice->tier_by_budget < 0 ? "none"
        : tier_at((size_t)advice->tier_by_budget)->name;

    if (advice->budget > 0 && advice->tier_by_budget < 0)
        warning_add(&advice->warnings, "budget_below_all", 0, "budget",
                    "the lowest tier starts at CNY %.0f",
                    tier_at(0)->budget_low);
    if (advice->budget > 0 && advice->tier_by_size > advice->tier_by_budget)
        warning_add(&advice->warnings, "budget_and_size", 0, "budget",
                    "by the budget: %s; by the size: %s, which starts at CNY "
                    "%.0f. Renting, adapters or a smaller model bridge it",
                    budget_name, by_size->name, by_size->budget_low);
    if (advice->tier >= 0 && !tier_fits(advice, advice->tier))
        warning_add(&advice->warnings, "does_not_fit", 0, "param_count",
                    "%.1f GiB of states fit no build of this tier",
                    advice->state_gib);
}

/* --- rent ------------------------------------------------------------------------- */

/* Cheapest hour on demand for one GPU of that kind, on that day. Offers that
   another row of the same offer has replaced are passed over. */
static const struct price *cheapest_rent(const struct world *world,
                                         const struct gpu *gpu, int day,
                                         double *usd_per_gpu_hour)
{
    const struct price_table *table = world->prices;
    const struct price *best = NULL;

    *usd_per_gpu_hour = INFINITY;
    for (size_t i = 0; i < table->count; i++) {
        const struct price *p = &table->price[i];
        double per_usd, each;
        int rate_day;
        if (p->term != TERM_ON_DEMAND || strcmp(p->gpu, gpu->id) != 0 ||
            !(p->gpu_count > 0) || price_day(p) > day ||
            price_state(table, p, day) == PRICE_GONE ||
            !rate_find(world->rates, p->currency, day, &per_usd, &rate_day))
            continue;
        each = p->price_per_hour / per_usd / p->gpu_count;
        if (!(each < *usd_per_gpu_hour) ||
            price_find(table, p->provider, p->instance, p->region,
                       TERM_ON_DEMAND, (enum payment)p->payment, day) != p)
            continue;
        best = p;
        *usd_per_gpu_hour = each;
    }
    return best;
}

/* The same GPU, else the cheapest one that has as much memory and speed. */
static const struct price *rent_like(const struct world *world,
                                     const struct gpu *gpu, int day,
                                     double *usd_per_gpu_hour)
{
    const struct price *best = cheapest_rent(world, gpu, day,
                                             usd_per_gpu_hour);

    if (best)
        return best;
    for (size_t i = 0; i < gpu_count_all(); i++) {
        const struct gpu *other = gpu_at(i);
        const struct price *p;
        double usd;
        /* what runs the same programs */
        if (strcmp(other->vendor, gpu->vendor) != 0 ||
            !(other->memory_gib.value >= gpu->memory_gib.value) ||
            !(other->peak_tflops[PRECISION_FP16].value >=
              gpu->peak_tflops[PRECISION_FP16].value))
            continue;
        p = cheapest_rent(world, other, day, &usd);
        if (p && usd < *usd_per_gpu_hour) {
            *usd_per_gpu_hour = usd;
            best = p;
        }
    }
    return best;
}

/* --- builds ------------------------------------------------------------------------- */

/* Prices the build and its rent as /compare does. */
static void price_build(struct advice *advice, const struct world *world,
                        struct advised_build *b)
{
    struct input *input = malloc(sizeof *input);
    struct answer *answer = malloc(sizeof *answer);
    char day[11];

    day_print(day, advice->study.as_of_day);
    snprintf(b->query, sizeof b->query,
             "a=own/%s/%.0f%s%s%s%s%s%s%s&speed_basis=gpu_count&currency=%s"
             "&as_of=%s", b->gpu->id, b->build->gpu_count,
             b->rent ? "&b=rent/" : "", b->rent ? b->rent->provider : "",
             b->rent ? "/" : "", b->rent ? b->rent->instance : "",
             b->rent ? "/" : "", b->rent ? b->rent->region : "",
             b->rent ? "/on_demand" : "", advice->study.currency, day);
    if (input && answer) {
        input_init(input);
        input_query(input, b->query, SURFACE_QUERY);
        input_keys(input, ON_COMPARE);
        input->key_value[K_samples] = 0;
        input->key_value[K_alternatives] = 0;
        if (answer_run(answer, input, world, "")) {
            b->capex_cost = answer->result[0].step[S_capex_cost];
            b->cost_per_gpu_hour =
                answer->result[0].step[S_cost_per_gpu_hour];
            b->card_cost = answer->study.option[0].value[F_gpu_price] *
                           b->build->gpu_count;
            if (b->rent) {
                b->rent_price_per_hour =
                    answer->study.option[1].value[F_rent_price_per_hour];
                b->rent_cost_per_gpu_hour =
                    answer->result[1].step[S_cost_per_gpu_hour];
            }
        }
    }
    free(answer);
    free(input);
}

static void add_build(struct advice *advice, const struct world *world,
                      const struct tier_build *build)
{
    struct advised_build *b = &advice->build[advice->build_count];
    const struct gpu *gpu = gpu_find(build->gpu);
    enum precision precision = (enum precision)(int)
        advice->study.option[0].value[F_precision];
    double usd;

    if (!gpu || advice->build_count == ADVISED_BUILD_MAX)
        return;
    advice->build_count++;
    memset(b, 0, sizeof *b);
    b->build = build;
    b->gpu = gpu;
    b->card_cost = b->capex_cost = b->cost_per_gpu_hour = b->rent_price_per_hour =
        b->rent_cost_per_gpu_hour = NAN;
    b->has_precision = !isnan(gpu->peak_tflops[precision].value);
    memory_need(advice, gpu, build->gpu_count, b);
    b->rent = rent_like(world, gpu, advice->study.as_of_day, &usd);
    b->rent_old = b->rent && price_state(world->prices, b->rent,
                                         advice->study.as_of_day) == PRICE_OLD;
    price_build(advice, world, b);
    b->within_budget = advice->budget > 0 && !isnan(b->capex_cost)
                     ? b->capex_cost <= advice->budget : -1;
    b->driver_needed = driver_of_architecture(gpu->architecture);
    b->driver_good = *advice->driver && b->driver_needed
        ? driver_compare(advice->driver, b->driver_needed) >= 0 : -1;
    if (b->driver_good == 0)
        warning_add(&advice->warnings, "driver_too_old", 0, "driver",
                    "%s needs driver %s or later, this is %s", gpu->name,
                    b->driver_needed, advice->driver);
    if (!b->has_precision)
        warning_add(&advice->warnings, "no_value", 0, "precision",
                    "%s has no peak rate at this precision", gpu->name);
}

/* When no build of the tier is within the budget: those of other tiers that
   are. What they cannot do is said beside each (memory). */
static void add_affordable(struct advice *advice, const struct world *world)
{
    const int of_tier = advice->build_count;

    if (!(advice->budget > 0))
        return;
    for (int i = 0; i < of_tier; i++)
        if (advice->build[i].within_budget == 1)
            return;
    for (size_t i = 0; i < tier_build_count_all(); i++) {
        const struct tier_build *build = tier_build_at(i);
        const int builds = advice->build_count;
        const int warnings = advice->warnings.count;

        if (advice->tier >= 0
            && strcmp(build->tier, tier_at((size_t)advice->tier)->id) == 0)
            continue;
        add_build(advice, world, build);
        if (advice->build_count == builds
            || advice->build[builds].within_budget == 1)
            continue;
        advice->build_count = builds;
        advice->warnings.count = warnings;
    }
    if (of_tier && advice->build_count > of_tier)
        warning_add(&advice->warnings, "tier_above_budget", 0, "budget",
                    "no build of this tier is within the budget; those of "
                    "lower tiers that are stand behind them");
}

/* --- reading ---------------------------------------------------------------------- */

static void read_keys(struct advice *advice, struct input *input)
{
    const double *key = input->key_value;
    const char *driver = input->key_text[K_driver];

    advice->budget = input->key_typed[K_budget] ? key[K_budget] : NAN;
    advice->param_count = input->key_typed[K_param_count]
                        ? key[K_param_count] : NAN;
    advice->sample_count = input->key_typed[K_dataset_sample_count]
                         ? key[K_dataset_sample_count] : NAN;
    advice->task = (enum task)(int)key[K_task];
    advice->driver[0] = '\0';
    if (*driver && !driver_read(driver, advice->driver))
        problem_add(&input->problems, "driver", "no_value",
                    "a version such as 570.133.20, or what nvidia-smi prints",
                    "this text");
}

int advice_run(struct advice *advice, struct input *input,
               const struct world *world, const char *base_url)
{
    double cny;
    int rate_day;

    advice->input = input;
    advice->base_url = base_url;
    advice->warnings.count = 0;
    advice->build_count = 0;
    advice->tier = advice->tier_by_budget = advice->tier_by_size = -1;
    if (world->degraded)
        warning_add(&advice->warnings, "built_in_prices", 0, "", "%s",
                    world->degraded_reason);
    input_keys(input, ON_ADVISE);
    read_keys(advice, input);
    input_study(input, world, &advice->study, &advice->warnings);
    if (input->problems.count)
        return 0;
    advice->warnings.count = world->degraded ? 1 : 0; /* of machines not asked
                                                         about */
    if (!rate_find(world->rates, "CNY", advice->study.as_of_day, &cny,
                   &rate_day)) {
        problem_add(&input->problems, "as_of", "no_rate", "", "");
        return 0;
    }
    advice->budget_cny = advice->budget / advice->study.currency_per_usd * cny;
    whole_need(advice);
    choose_tier(advice);
    warn_tier(advice);
    for (size_t i = 0; advice->tier >= 0 && i < tier_build_count_all(); i++)
        if (strcmp(tier_build_at(i)->tier,
                   tier_at((size_t)advice->tier)->id) == 0)
            add_build(advice, world, tier_build_at(i));
    add_affordable(advice, world);
    return 1;
}
