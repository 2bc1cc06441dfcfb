/* selfcheck.c: published runs against what the program says of them. */
#include "pricing/selfcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "energy/train.h"
#include "pricing/run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const check_kind_name[CHECK_KIND_COUNT] = {
    "hours", "hours_with_mfu", "mlperf", "llmcarbon", "energy",
    "energy_stated"
};
const char *const check_kind_title[CHECK_KIND_COUNT] = {
    "GPU-hours from size and tokens, the run's family left out of the fit",
    "GPU-hours with the utilisation the run reports",
    "MLPerf minutes, given one entry of another system",
    "Emissions of LLMCarbon's table, given its inputs",
    "Power in the scope of the meter, the run left out of the fit",
    "Energy and emissions from the hours, power, PUE and grid a run states",
};

static void row_add(struct selfcheck *out, enum check_kind kind,
                    const char *id, const char *device, const char *unit,
                    const char *address, double want, double got, double low,
                    double high)
{
    if (out->row_count == CHECK_ROW_MAX || isnan(want) || isnan(got))
        return;
    out->row[out->row_count++] = (struct check_row){
        kind, id, device, unit, address, want, got, low, high,
        got / want - 1
    };
}

/* --- runs ------------------------------------------------------------------ */

static const struct published {
    const char *id, *kind, *stage, *gpu, *use_hours, *address;
    double active_param_count, token_count, peak_tflops, gpu_hour, mfu_frac;
} published[] = {
#define ROW(id, model, developer, year, family, kind, stage, param, active, \
            token, sample, sequence, precision, gpu, run_gpu_count, peak, \
            watt, hour, hours_basis, mfu, energy, scope, energy_basis, pue, \
            use_hours, use_energy, tier, verification, source, address, \
            date, licence, note) \
    { id, kind, stage, gpu, use_hours, address, active, token, peak, hour, \
      mfu },
#include "energy/training_runs.inc"
};

static const struct { const char *id; double hour, low, high; } left_out[] = {
#define ROW(id, gpu_hour, low_hour, high_hour, fitted_hour) \
    { id, gpu_hour, low_hour, high_hour },
#include "energy/mfu_left_out.inc"
};

static const struct published *find_published(const char *id)
{
    for (size_t i = 0; i < COUNT(published); i++)
        if (strcmp(published[i].id, id) == 0)
            return &published[i];
    return NULL;
}

static void check_hours(struct selfcheck *out)
{
    for (size_t i = 0; i < COUNT(left_out); i++) {
        const struct published *p = find_published(left_out[i].id);
        if (p)
            row_add(out, CHECK_HOURS, p->id, p->gpu, "GPU-hours", p->address,
                    p->gpu_hour, left_out[i].hour, left_out[i].low,
                    left_out[i].high);
    }
}

/* 6 N D at the reported utilisation. A timed step has lost no hours yet. */
static void check_hours_with_mfu(struct selfcheck *out)
{
    struct mfu_case any = { gpu_find("a100-sxm4-80gb"), PRECISION_BF16, 7e9,
                            7e9, 2048, 8, TASK_DECODER, 1, 0 };
    double goodput = mfu_predict(&any).goodput_frac;

    for (size_t i = 0; i < COUNT(published); i++) {
        const struct published *p = &published[i];
        struct train_run run;
        int step = strcmp(p->stage, "throughput benchmark") == 0;
        if (strcmp(p->use_hours, "yes") != 0 || isnan(p->mfu_frac))
            continue;
        train_init(&run);
        run.shape.active_param_count = p->active_param_count;
        run.token_count = p->token_count;
        row_add(out, CHECK_HOURS_WITH_MFU, p->id, p->gpu, "GPU-hours",
                p->address, p->gpu_hour,
                train_gpu_hour(train_flop(&run), p->peak_tflops, p->mfu_frac,
                               step ? 1 : goodput), NAN, NAN);
    }
}

/* --- MLPerf ------------------------------------------------------------------ */

static const struct entry {
    const char *round, *submitter, *system, *benchmark, *gpu, *address;
    double count, minute;
} entries[] = {
#define ROW(round, division, submitter, system, benchmark, gpu, count, host, \
            minute, target, unit, token, sequence, address, date, licence) \
    { round, submitter, system, benchmark, gpu, address, count, minute },
#include "energy/mlperf_training.inc"
};

/* The entry nearest in size of the same round, benchmark and accelerator,
   by another system. */
static const struct entry *reference_of(const struct entry *e)
{
    const struct entry *best = NULL;
    double least = INFINITY;

    for (size_t i = 0; i < COUNT(entries); i++) {
        const struct entry *o = &entries[i];
        double distance = fabs(log(o->count / e->count));
        if (strcmp(o->round, e->round) != 0 ||
            strcmp(o->benchmark, e->benchmark) != 0 ||
            strcmp(o->gpu, e->gpu) != 0 ||
            (strcmp(o->submitter, e->submitter) == 0 &&
             strcmp(o->system, e->system) == 0))
            continue;
        if (distance < least) {
            least = distance;
            best = o;
        }
    }
    return best;
}

static void check_mlperf(struct selfcheck *out)
{
    for (size_t i = 0; i < COUNT(entries); i++) {
        const struct entry *e = &entries[i], *from = reference_of(e);
        if (from)
            row_add(out, CHECK_MLPERF, e->system, e->gpu, "minutes",
                    e->address, e->minute,
                    run_scaled_hour(from->minute, from->count, e->count), NAN,
                    NAN);
    }
}

/* --- LLMCarbon ----------------------------------------------------------------- */

/* github.com/SotaroKaneda/MLCarbon data/database.csv (2025-05-22); Faiz et
   al., LLMCarbon, ICLR 2024, table 4: work, achieved rate, system power, PUE,
   grid and published emissions of each run. */
static const struct carbon_row {
    const char *id, *gpu;
    double flop, tflops, watt, pue, kg_per_kwh, tonne;
} carbon_rows[] = {
    { "T5", "tpu-v3", 40.5e21, 45.6, 310, 1.12, 0.545, 46.7 },
    { "GPT-3", "v100-sxm2-32gb", 314e21, 24.6, 330, 1.1, 0.429, 552.1 },
    { "GShard", "tpu-v3", 13.3e21, 48, 288, 1.09, 0.177, 4.3 },
    { "Switch", "tpu-v3", 82.2e21, 34.4, 245, 1.1, 0.33, 59.1 },
    { "XLM", "v100-sxm2-32gb", 23.9e21, 26.5, 342, 1.1, 0.413, 39 },
};

static void check_llmcarbon(struct selfcheck *out)
{
    for (size_t i = 0; i < COUNT(carbon_rows); i++) {
        const struct carbon_row *c = &carbon_rows[i];
        double kwh = train_gpu_hour(c->flop, c->tflops, 1, 1) * c->watt *
                     c->pue / 1000;
        row_add(out, CHECK_LLMCARBON, c->id, c->gpu, "t CO2e",
                "https://github.com/SotaroKaneda/MLCarbon", c->tonne,
                kwh * c->kg_per_kwh / 1000, NAN, NAN);
    }
}

/* --- energy ---------------------------------------------------------------------- */

static const struct { const char *id; double metered, left_out; } powers[] = {
#define ROW(id, metered_watt, left_out_watt, fitted_watt) \
    { id, metered_watt, left_out_watt },
#include "energy/power_left_out.inc"
};

static void check_energy(struct selfcheck *out)
{
    for (size_t i = 0; i < COUNT(powers); i++) {
        const struct published *p = find_published(powers[i].id);
        if (p)
            row_add(out, CHECK_ENERGY, p->id, p->gpu, "W", p->address,
                    powers[i].metered, powers[i].left_out, NAN, NAN);
    }
}

/* Hours times watts times PUE, and that times the grid factor. Patterson et
   al. 2021 (arXiv 2104.10350), with hours from their work and rate; BLOOM
   (arXiv 2211.02001), whose 689,842 kWh hold host and cooling; LLaMA
   (arXiv 2302.13971); model cards of Llama 2 and 3.1. */
static const struct stated_row {
    const char *id, *gpu, *unit, *address;
    double hour, watt, pue, kg_per_kwh, want;   /* kg 0: kWh wanted */
} stated_rows[] = {
#define PATTERSON "https://arxiv.org/abs/2104.10350"
    { "T5 11B", "tpu-v3", "MWh", PATTERSON, 246711, 310, 1.12, 0, 85.7 },
    { "GPT-3 175B", "v100-sxm2-32gb", "MWh", PATTERSON, 3545619, 330, 1.1, 0,
      1287 },
    { "GShard 600B", "tpu-v3", "MWh", PATTERSON, 76968, 288, 1.09, 0, 24.1 },
    { "Switch 1.5T", "tpu-v3", "MWh", PATTERSON, 663760, 245, 1.1, 0, 179 },
    { "XLM-R", "v100-sxm2-32gb", "MWh", PATTERSON, 250524, 342, 1.1, 0, 94.4 },
    { "BLOOM 176B", "a100-sxm4-80gb", "MWh", "https://arxiv.org/abs/2211.02001",
      1082990, 400, 1, 0, 433.196 },
    { "BLOOM 176B", "a100-sxm4-80gb", "t CO2e",
      "https://arxiv.org/abs/2211.02001", 1082990, 400, 1, 0.057, 24.69 },
    { "LLaMA 7B", "a100-sxm4-80gb", "t CO2e", "https://arxiv.org/abs/2302.13971",
      82432, 400, 1.1, 0.385, 13.96 },
    { "LLaMA 65B", "a100-sxm4-80gb", "t CO2e",
      "https://arxiv.org/abs/2302.13971", 1022362, 400, 1.1, 0.385, 173.19 },
#define LLAMA "https://github.com/meta-llama/llama-models"
    { "Llama 2 70B", "a100-sxm4-80gb", "t CO2e", LLAMA, 1720320, 400, 1.1,
      0.385, 291.42 },
    { "Llama 3.1 70B", "h100-sxm5-80gb", "MWh", LLAMA, 7000000, 700, 1, 0,
      4900 },
    { "Llama 3.1 405B", "h100-sxm5-80gb", "MWh", LLAMA, 30840000, 700, 1, 0,
      21588 },
};

static void check_energy_stated(struct selfcheck *out)
{
    for (size_t i = 0; i < COUNT(stated_rows); i++) {
        const struct stated_row *s = &stated_rows[i];
        double mwh = s->hour * s->watt * s->pue / 1e6;
        row_add(out, CHECK_ENERGY_STATED, s->id, s->gpu, s->unit, s->address,
                s->want, s->kg_per_kwh > 0 ? mwh * s->kg_per_kwh : mwh, NAN,
                NAN);
    }
}

/* --- sums ---------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Between the two nearest, as most tools do. */
static double quantile(double *values, int count, double q)
{
    double at = q * (count - 1);
    int low = (int)at, high = low + 1 < count ? low + 1 : low;

    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[low] + (values[high] - values[low]) * (at - low);
}

static void group_add(struct selfcheck *out, enum check_kind kind,
                      const char *device)
{
    struct check_group *g = &out->group[out->group_count];
    double size[CHECK_ROW_MAX], error[CHECK_ROW_MAX];
    int with = 0, within = 0;

    *g = (struct check_group){ .kind = kind, .device = device };
    for (int i = 0; i < out->row_count; i++) {
        const struct check_row *r = &out->row[i];
        if (r->kind != kind || (*device && strcmp(r->device, device) != 0))
            continue;
        error[g->row_count] = r->error;
        size[g->row_count++] = fabs(r->error);
        g->mean += fabs(r->error);
        g->worst = fmax(g->worst, fabs(r->error));
        with += !isnan(r->low);
        within += r->low <= r->want && r->want <= r->high;
    }
    if (!g->row_count)
        return;
    g->mean /= g->row_count;
    g->median = quantile(size, g->row_count, 0.5);
    g->ninetieth = quantile(size, g->row_count, 0.9);
    g->bias = quantile(error, g->row_count, 0.5);
    g->coverage = with ? (double)within / with : NAN;
    if (out->group_count < CHECK_GROUP_MAX - 1)
        out->group_count++;
}

static int has_group(const struct selfcheck *out, enum check_kind kind,
                     const char *device)
{
    for (int i = 0; i < out->group_count; i++)
        if (out->group[i].kind == kind &&
            strcmp(out->group[i].device, device) == 0)
            return 1;
    return 0;
}

static void group_rows(struct selfcheck *out)
{
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++) {
        group_add(out, (enum check_kind)kind, "");
        for (int i = 0; i < out->row_count; i++)
            if ((int)out->row[i].kind == kind &&
                !has_group(out, (enum check_kind)kind, out->row[i].device))
                group_add(out, (enum check_kind)kind, out->row[i].device);
    }
}

static void headline_add(struct selfcheck *out, enum check_kind kind,
                         const char *name, double value, double low,
                         double high)
{
    int good = value >= low && value <= high;

    out->headline[out->headline_count++] = (struct check_headline){
        kind, name, value, low, high, good
    };
    out->good = out->good && good;
}

static void check_headlines(struct selfcheck *out)
{
    const struct check_group *of[CHECK_KIND_COUNT] = { NULL };

    for (int i = 0; i < out->group_count; i++)
        if (!*out->group[i].device)
            of[out->group[i].kind] = &out->group[i];
    out->good = 1;
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++)
        if (!of[kind]) {
            out->good = 0;
            return;
        }
    headline_add(out, CHECK_HOURS, "median", of[CHECK_HOURS]->median, 0, 0.15);
    headline_add(out, CHECK_HOURS, "ninetieth", of[CHECK_HOURS]->ninetieth, 0,
                 0.38);
    headline_add(out, CHECK_HOURS, "bias", of[CHECK_HOURS]->bias, -0.05, 0.05);
    headline_add(out, CHECK_HOURS, "coverage", of[CHECK_HOURS]->coverage,
                 0.75, 0.88);
    headline_add(out, CHECK_HOURS_WITH_MFU, "median",
                 of[CHECK_HOURS_WITH_MFU]->median, 0, 0.06);
    headline_add(out, CHECK_MLPERF, "median", of[CHECK_MLPERF]->median, 0,
                 0.12);
    headline_add(out, CHECK_LLMCARBON, "mean", of[CHECK_LLMCARBON]->mean, 0,
                 0.025);
    headline_add(out, CHECK_LLMCARBON, "worst", of[CHECK_LLMCARBON]->worst, 0,
                 0.05);
    headline_add(out, CHECK_ENERGY, "median", of[CHECK_ENERGY]->median, 0,
                 0.12);
    headline_add(out, CHECK_ENERGY, "ninetieth", of[CHECK_ENERGY]->ninetieth,
                 0, 0.30);
    headline_add(out, CHECK_ENERGY_STATED, "worst",
                 of[CHECK_ENERGY_STATED]->worst, 0, 0.005);
}

void selfcheck_run(struct selfcheck *out)
{
    out->row_count = out->group_count = out->headline_count = 0;
    check_hours(out);
    check_hours_with_mfu(out);
    check_mlperf(out);
    check_llmcarbon(out);
    check_energy(out);
    check_energy_stated(out);
    group_rows(out);
    check_headlines(out);
}
