/* power.c: look-ups in the fit of power, and the rules that go with it. */
#include "energy/power.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct term {
    const char *name;
    double fit_ratio;
    int run_count, estimate;
    const char *note;
} terms[] = {
#define ROW(name, fit, run_count, estimate, note) \
    { name, fit, (int)(run_count), estimate, note },
#include "energy/power_fit.inc"
};

static struct fact fact_of(const char *name)
{
    struct fact fact = { NAN, { "", "", "", "" }, 0 };

    for (size_t i = 0; i < COUNT(terms); i++) {
        const struct term *term = &terms[i];
        if (strcmp(term->name, name) != 0)
            continue;
        fact.value = term->fit_ratio;
        fact.estimate = term->estimate;
        fact.source.title = term->note;
        fact.source.date = "2026-12-01";
    }
    return fact;
}

static int starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Hopper and what came after it on the same kind of baseboard. */
static int is_new(const struct gpu *gpu)
{
    return strstr(gpu->architecture, "Hopper") != NULL ||
           strstr(gpu->architecture, "Blackwell") != NULL;
}

enum load power_load_of(enum train_task task, double active_param_count,
                        const struct gpu *gpu, int tuned)
{
    double n = active_param_count;

    if (tuned || isnan(n))
        return LOAD_TRAINING_LARGE;
    if (task == TASK_VISION)
        return n < 5e7 ? LOAD_TRAINING_SMALL
             : n < 2e8 ? LOAD_TRAINING_MID : LOAD_TRAINING_LARGE;
    if (n < 1e9)
        return LOAD_TRAINING_SMALL;
    return n < 1e10 && !is_new(gpu) ? LOAD_TRAINING_MID : LOAD_TRAINING_LARGE;
}

/* Memory stacked beside the chip. */
static int is_stacked(const struct gpu *gpu)
{
    return gpu->housing == HOUSING_SXM || starts(gpu->id, "a100") ||
           starts(gpu->id, "h100") || starts(gpu->id, "v100") ||
           starts(gpu->id, "p100") || starts(gpu->id, "a30-");
}

struct fact power_context_watt(const struct gpu *gpu)
{
    struct fact fact = fact_of(is_stacked(gpu) ? "context_hbm"
                                               : "context_gddr");

    fact.value += gpu->gpu_idle_watt.value;
    return fact;
}

struct fact power_gpu_load_frac(enum load load, const struct gpu *gpu)
{
    static const char *const name[LOAD_COUNT] = {
        [LOAD_TRAINING_LARGE] = "large", [LOAD_TRAINING_MID] = "mid",
        [LOAD_TRAINING_SMALL] = "small", [LOAD_INFERENCE] = "inference",
    };
    struct fact fact = fact_of("");

    if (load == LOAD_TDP) {
        fact.value = 1;
    } else if (load == LOAD_IDLE) {
        fact = power_context_watt(gpu);
        fact.value = fmin(1, fact.value / gpu->gpu_watt.value);
    } else if (name[load]) {
        fact = fact_of(name[load]);
    }
    return fact;
}

struct fact power_host_ratio(const struct gpu *gpu)
{
    return fact_of(is_new(gpu) && gpu->housing == HOUSING_SXM ? "host" : "");
}

struct fact power_host_of_rated(void)
{
    return fact_of("host_of_rated");
}

struct fact power_system_watt(const struct gpu *gpu)
{
    return fact_of(starts(gpu->id, "tpu-v2") ? "tpu_v2"
                 : starts(gpu->id, "tpu-v3") ? "tpu_v3"
                 : strcmp(gpu->id, "tpu-v4") == 0 ? "tpu_v4" : "");
}

double power_short_ratio(double node_count, double wall_hour)
{
    if (!(node_count > 1) || !(wall_hour < 1.0 / 6))
        return 1;
    return fmax(0, 1 - fact_of("short").value * log2(node_count));
}

double power_network_ratio(double node_count)
{
    if (!(node_count > 1))
        return 0;
    return fact_of(node_count < 64 ? "network" : "network_large").value;
}
