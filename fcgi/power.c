/* power.c: from the meters of a log to the keys of a study. What the user
   typed wins over what the log says; what neither says stays the study's. */
#include "fcgi/power.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/power.h"
#include "fcgi/answer.h"
#include "pricing/catalogue.h"
#include "pricing/num.h"

struct power_answer *power_open(void)
{
    struct power_answer *answer = malloc(sizeof *answer);

    if (answer)
        memset(answer, 0, offsetof(struct power_answer, log));
    return answer;
}

void power_close(struct power_answer *answer)
{
    free(answer);
}

/* What was typed behind a key; an empty value is none. */
static const char *typed_text(const struct input *input, const char *key)
{
    const char *text = input_typed(input, key);

    return text && *text ? text : NULL;
}

/* --- figures -------------------------------------------------------------- */

static void no_figures(struct power_figures *out)
{
#define FIGURE(name, ...) out->name = NAN;
#include "fcgi/power_figures.def"
}

static const struct gpu *model_of(const struct power_gpu *gpu,
                                  const struct input *input)
{
    const char *typed = typed_text(input, "gpu"), *id;

    if (typed)
        return gpu_find(typed);
    if (!gpu->name[0])
        return NULL;
    id = gpu_of_name(gpu->name, gpu->memory_gib);
    if (!id) /* the tool's own name may hold the memory already */
        id = gpu_of_name(gpu->name, NAN);
    return id ? gpu_find(id) : NULL;
}

static void device_figures(const struct power_gpu *gpu,
                           const struct gpu *model, struct power_figures *out)
{
    const struct power_measure *m = &gpu->measure;

    no_figures(out);
    out->kwh = m->kwh;
    out->mean_watt = m->mean_watt;
    out->p95_watt = m->p95_watt;
    out->p95_step_watt = m->p95_step_watt;
    out->peak_watt = m->peak_watt;
    out->gpu_watt = model ? model->gpu_watt.value : NAN;
    out->limit_watt = gpu->limit_watt;
    out->load_frac = m->mean_watt / out->gpu_watt;
    out->busy_frac = m->busy_frac;
    out->use_frac = m->use_frac;
    out->busy_watt = m->busy_watt;
    out->idle_watt = m->idle_watt;
    out->hour = m->hour;
    out->gap_hour = m->gap_hour;
    out->gap_count = (double)m->gap_count;
    out->median_second = m->median_second;
    out->sample_count = (double)m->sample_count;
    out->missing_count = (double)gpu->missing_count;
    out->again_count = (double)gpu->again_count;
}

/* Sums over devices, times of the device that has most; shares and means are
   weighted by the time of each. A device without energy says nothing. */
static void total_figures(struct power_answer *answer)
{
    const struct power_log *log = &answer->log;
    struct power_figures *t = &answer->total;
    double hour = 0, tdp_hour = 0, known = 0, busy = 0, use = 0, busy_j = 0,
           idle_j = 0;
    int tdp_known = 1, limits = 1;

    no_figures(t);
    t->kwh = t->mean_watt = t->gpu_watt = t->limit_watt = t->hour =
        t->gap_hour = t->gap_count = t->sample_count = t->missing_count =
        t->again_count = 0;
    for (int i = 0; i < log->gpu_count; i++) {
        const struct power_figures *f = &answer->device[i];
        const struct power_measure *m = &log->gpu[i].measure;
        t->sample_count += f->sample_count;
        t->missing_count += f->missing_count;
        t->again_count += f->again_count;
        t->gap_count += f->gap_count;
        t->gap_hour = f->gap_hour > t->gap_hour ? f->gap_hour : t->gap_hour;
        t->gpu_watt += f->gpu_watt;
        tdp_known &= !isnan(f->gpu_watt);
        limits &= !isnan(f->limit_watt);
        t->limit_watt += f->limit_watt;
        if (isnan(f->kwh))
            continue;
        t->kwh += f->kwh;
        t->mean_watt += f->mean_watt;
        t->hour = f->hour > t->hour ? f->hour : t->hour;
        hour += f->hour;
        tdp_hour += f->hour * f->gpu_watt;
        known += m->known_second;
        use += m->use_second;
        busy += m->busy_second;
        busy_j += m->busy_joule;
        idle_j += m->idle_joule;
    }
    answer->device_hour = hour;
    if (!(hour > 0))
        t->kwh = t->mean_watt = NAN;
    if (t->sample_count + t->missing_count == 0) /* of a plain table */
        t->hour = t->gap_hour = t->gap_count = t->sample_count = NAN;
    t->load_frac = tdp_known ? t->kwh * 1000 / tdp_hour : NAN;
    t->busy_frac = known > 0 ? busy / known : NAN;
    t->use_frac = known > 0 ? use / known : NAN;
    /* of one device, so that it can be compared with its TDP */
    t->busy_watt = busy > 0 ? busy_j / busy : NAN;
    t->idle_watt = known > busy ? idle_j / (known - busy) : NAN;
    if (!limits)
        t->limit_watt = NAN;
    t->p95_watt = log->together.p95_watt;
    t->p95_step_watt = isnan(t->p95_watt) ? NAN : log->together.p95_step_watt;
    t->peak_watt = log->together.peak_watt;
    if (log->gpu_count)
        t->median_second = log->gpu[0].measure.median_second;
}

static void job_figures(struct power_answer *answer)
{
    const struct power_jobs *jobs = &answer->log.jobs;
    struct power_figures *t = &answer->total;

    no_figures(t);
    t->kwh = jobs->joule / 3.6e6;
    t->hour = jobs->second / 3600;
    t->mean_watt = jobs->joule / jobs->second;
    t->missing_count = (double)jobs->missing_count;
    t->sample_count = (double)jobs->job_count;
    answer->node_watt = jobs->joule / jobs->node_second;
    answer->watt_per_gpu = jobs->joule / jobs->gpu_second;
}

/* --- devices -------------------------------------------------------------- */

/* One model for all, and how many machines they make. */
static void settle_devices(struct power_answer *answer,
                           const struct input *input)
{
    const struct power_log *log = &answer->log;
    int count = log->gpu_count, machines = 1;

    for (int i = 0; i < count; i++) {
        answer->model[i] = model_of(&log->gpu[i], input);
        device_figures(&log->gpu[i], answer->model[i], &answer->device[i]);
        if (log->gpu[i].machine >= machines)
            machines = log->gpu[i].machine + 1;
    }
    answer->gpu = count ? answer->model[0] : NULL;
    for (int i = 1; i < count; i++)
        if (answer->model[i] != answer->gpu)
            answer->gpu = NULL;
    answer->machine_count = count % machines ? 1 : machines;
    if (count)
        answer->cuda = driver_read(log->gpu[0].driver, answer->driver)
                     ? driver_cuda(answer->driver) : NULL;
    if (answer->gpu)
        snprintf(answer->declared, sizeof answer->declared, "own/%s/%d/%d",
                 answer->gpu->id, count / answer->machine_count,
                 answer->machine_count);
}

/* --- the study ------------------------------------------------------------ */

static int typed(const struct input *input, const char *name)
{
    char key[64];

    snprintf(key, sizeof key, "a.%s", name);
    return typed_text(input, name) || typed_text(input, key);
}

static void add_key(struct power_answer *answer, const char *name,
                    double value, const char *why)
{
    if (!isnan(value) && !typed(answer->input, name))
        answer->key[answer->key_count++] =
            (struct power_key){ name, value, why };
}

/* The share of TDP is that of a device in use, as the model means it; where
   the log does not tell use, that of the whole log. */
static void find_keys(struct power_answer *answer)
{
    const struct power_figures *t = &answer->total;
    int use = !isnan(t->busy_watt);
    double watt = use ? t->busy_watt : t->kwh * 1000 / answer->device_hour;
    double load = watt / answer->gpu->gpu_watt.value;

    if (load > 1) { /* the table's TDP is not this board's */
        add_key(answer, "gpu_watt", watt, "mean power of one device, above "
                "the table's TDP");
        load = 1;
    }
    add_key(answer, "gpu_load_frac", load, use
            ? "mean power of a device in use over its TDP"
            : "mean power of a device over its TDP; use was not logged");
    if (t->idle_watt <= (load < 1 ? answer->gpu->gpu_watt.value : watt))
        add_key(answer, "gpu_idle_watt", t->idle_watt,
                "mean power of a device not in use");
    add_key(answer, "busy_frac", t->busy_frac,
            "share of the logged time with any use");
}

/* Of a whole node: what it draws beyond its GPUs, as the study has them, is
   its host's; a node below that has GPUs that draw less. */
static void find_node_keys(struct power_answer *answer,
                           const struct answer *plain)
{
    const double *set = plain->study.option[0].value;
    double all = set[F_gpu_count] * set[F_gpu_watt];
    double host = answer->node_watt - all * set[F_gpu_load_frac];

    if (host < 0)
        add_key(answer, "gpu_load_frac", answer->node_watt / all,
                "measured power of a node over its GPUs' TDP; the host is in "
                "it");
    add_key(answer, "host_watt", host < 0 ? 0 : host,
            host < 0 ? "counted with the GPUs"
                     : "measured power of a node less its GPUs as modelled");
}

/* What is there without a measurement: a limit below the TDP holds. */
static void find_table_keys(struct power_answer *answer)
{
    double limit = answer->total.limit_watt / answer->log.gpu_count;

    if (limit < answer->gpu->gpu_watt.value)
        add_key(answer, "gpu_watt", limit,
                "power limit that was set, below the TDP");
}

/* Adds "&key=value", encoded. 0 when it does not fit. */
static int put_pair(struct text *out, const char *key, const char *value)
{
    if (out->byte)
        text_char(out, '&');
    url_arg(out, key);
    text_char(out, '=');
    url_arg(out, value);
    return !out->failed;
}

/* What was typed for the study, then the devices when option a was not. */
static void put_typed(const struct power_answer *answer, struct text *out)
{
    const struct input *input = answer->input;
    int has_a = 0;

    for (int i = 0; i < input->entry_count; i++) {
        const struct entry *entry = &input->entry[i];
        if (strcmp(entry->key, "interval_second") == 0 ||
            strcmp(entry->key, "lang") == 0 || entry->value_length == 0 ||
            strcmp(entry->key, "gpu") == 0)
            continue;
        has_a |= strcmp(entry->key, "a") == 0;
        put_pair(out, entry->key, entry->value);
    }
    if (!has_a && *answer->declared)
        put_pair(out, "a", answer->declared);
}

static void put_keys(const struct power_answer *answer, struct text *out)
{
    for (int i = 0; i < answer->key_count; i++) {
        const struct power_key *key = &answer->key[i];
        char name[64], value[NUM_TEXT_BYTE];
        snprintf(name, sizeof name, "%s%s",
                 strcmp(key->name, "busy_frac") == 0 ? "" : "a.", key->name);
        num_print(value, key->value);
        put_pair(out, name, value);
    }
}

/* Answers the query as /compare does. NULL when it has mistakes, which then
   stand in `input`. */
static struct answer *study(const char *query, struct input *input,
                            const struct world *world)
{
    struct answer *answer = malloc(sizeof *answer);

    if (!answer)
        return NULL;
    input_init(input);
    input_query(input, query, SURFACE_QUERY);
    input_keys(input, ON_COMPARE);
    input->key_value[K_samples] = 0;
    input->key_value[K_alternatives] = 0;
    if (answer_run(answer, input, world, ""))
        return answer;
    free(answer);
    return NULL;
}

static void add_row(struct power_answer *answer, const char *name,
                    const char *label, const char *unit, int is_money,
                    double measured, double modelled)
{
    answer->row[answer->row_count++] = (struct power_row){
        name, label, unit, is_money, measured, modelled };
}

/* The same device as the classes of load have it (energy/power_fit.csv). */
static void add_classes(struct power_answer *answer, double measured)
{
    static const struct { enum load load; const char *name, *label; } row[] = {
        { LOAD_TRAINING_LARGE, "training_large_watt",
          "The same GPU training a large model" },
        { LOAD_TRAINING_MID, "training_mid_watt",
          "The same GPU training a mid-sized model" },
        { LOAD_TRAINING_SMALL, "training_small_watt",
          "The same GPU training a small model, or waiting for its input" },
        { LOAD_INFERENCE, "inference_watt", "The same GPU serving a model" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double share = power_gpu_load_frac(row[i].load, answer->gpu).value;
        if (!isnan(share))
            add_row(answer, row[i].name, row[i].label, "W", 0, measured,
                    share * answer->gpu->gpu_watt.value);
    }
}

/* Like with like: watts of a device in use, energy of the devices over the
   hours that were logged. */
static void add_gpu_rows(struct power_answer *answer, double measured,
                         double modelled)
{
    add_row(answer, "gpu_busy_watt", "Power of one GPU in use", "W", 0,
            measured, modelled);
    add_classes(answer, measured);
    add_row(answer, "gpu_kwh", "GPUs over the logged hours; modelled as in use "
            "throughout", "kWh", 0, answer->total.kwh,
            answer->device_hour * modelled / 1000);
}

static void add_rows(struct power_answer *answer, const struct answer *with,
                     const struct answer *without)
{
    const double *set = without->study.option[0].value;
    const double *steps = with->result[0].step,
                 *plain = without->result[0].step;
    const double *now = with->study.option[0].value;
    double watt = set[F_gpu_watt] * set[F_gpu_load_frac];

    memcpy(answer->currency, with->study.currency, sizeof answer->currency);
    if (!(answer->total.kwh > 0))
        return; /* nothing measured to set beside it */
    if (answer->gpu)
        add_gpu_rows(answer, now[F_gpu_watt] * now[F_gpu_load_frac], watt);
    add_row(answer, "busy_watt", "Study: power of a busy machine", "W", 0,
            steps[S_busy_watt], plain[S_busy_watt]);
    add_row(answer, "it_kwh", "Study: energy of the machines", "kWh", 0,
            steps[S_it_kwh], plain[S_it_kwh]);
    add_row(answer, "meter_kwh", "Study: energy at the meter", "kWh", 0,
            steps[S_meter_kwh], plain[S_meter_kwh]);
    add_row(answer, "operational_kg", "Study: CO2e of the electricity",
            "kg CO2e", 0, steps[S_operational_kg], plain[S_operational_kg]);
    add_row(answer, "npv_cost", "Study: present value of its cost", "", 1,
            with->result[0].npv_cost, without->result[0].npv_cost);
}

/* 1 when nobody has typed anything wrong: a price or a rate is not known. */
static int is_lack(const struct problem *problem)
{
    return strcmp(problem->code, "no_price") == 0 ||
           strcmp(problem->code, "no_value") == 0;
}

/* Mistakes go to what was typed; what is merely not known only leaves the log
   without a study. */
static void take_problems(struct power_answer *answer, struct input *input,
                          const struct input *from)
{
    for (int i = 0; i < from->problems.count; i++) {
        const struct problem *p = &from->problems.problem[i];
        problem_add(is_lack(p) ? &answer->lacking : &input->problems,
                    p->field, p->code, p->limit, p->hint);
    }
    if (answer->lacking.count && !answer->no_query)
        answer->no_query = "it needs what is not known of this GPU: type it";
}

/* The study with the log's keys and without; what was typed wrong for it
   becomes this input's problem, also when the log itself leads to none. */
static void run_studies(struct power_answer *answer, struct input *input,
                        const struct world *world)
{
    struct input *plain_input = malloc(sizeof *plain_input);
    struct input *with_input = malloc(sizeof *with_input);
    struct answer *plain = NULL, *with = NULL;
    struct text query;

    text_init(&query, sizeof answer->query - 1);
    put_typed(answer, &query);
    if (plain_input && with_input && !query.failed)
        plain = study(query.at ? query.at : "", plain_input, world);
    if (plain && !answer->no_query) {
        if (answer->log.form == FORM_SLURM)
            find_node_keys(answer, plain);
        put_keys(answer, &query);
        with = query.failed ? NULL : study(query.at, with_input, world);
        if (!with)
            take_problems(answer, input, with_input);
    } else if (!plain && plain_input) {
        take_problems(answer, input, plain_input);
    }
    if (with && with->study.option[0].kind == KIND_OWN) {
        add_rows(answer, with, plain);
        memcpy(answer->query, query.at, query.byte);
        answer->query[query.byte] = '\0';
    }
    text_free(&query);
    free(plain_input);
    free(with_input);
    free(plain);
    free(with);
}

/* English: why no study follows from this log; NULL when one does. */
static const char *obstacle(const struct power_answer *answer)
{
    const struct power_log *log = &answer->log;

    if (log->form == FORM_SLURM)
        return isnan(answer->node_watt)
            ? "Slurm's lines do not say how many nodes a job had or how long "
              "it took: ask sacct for AllocNodes and ElapsedRaw too"
            : typed_text(answer->input, "a") ? NULL
            : "Slurm measures whole nodes and does not say which GPUs they "
              "hold: say it with a=own/<gpu>/<GPUs>";
    for (int i = 0; i < log->gpu_count; i++)
        if (!answer->model[i])
            return log->gpu[i].name[0]
                   ? "the log's GPU is not in the table: say which one it is "
                     "with gpu=<id>"
                   : "the log does not name the GPU: say which one it is with "
                     "gpu=<id>";
    if (!answer->gpu)
        return "the log holds several models of GPU: send them one by one";
    if (log->gpu_count / answer->machine_count > 576)
        return "more GPUs than a machine of a study has";
    return NULL;
}

int power_run(struct power_answer *answer, struct input *input,
              const struct world *world, const char *base_url)
{
    const char *gpu;

    answer->input = input;
    answer->base_url = base_url;
    answer->node_watt = answer->watt_per_gpu = NAN;
    input_keys(input, ON_POWER);
    answer->zh = input->key_value[K_lang] > 0;
    gpu = typed_text(input, "gpu");
    if (gpu && !gpu_find(gpu))
        problem_add(&input->problems, "gpu", "not_in_list", "",
                    gpu_nearest(gpu) ? gpu_nearest(gpu) : "");
    if (answer->log.mistake_count) {
        answer->no_query = "the log has mistakes";
        run_studies(answer, input, world); /* says what else is wrong */
        return 0;
    }
    settle_devices(answer, input);
    if (answer->log.form == FORM_SLURM)
        job_figures(answer);
    else
        total_figures(answer);
    answer->no_query = obstacle(answer);
    if (!answer->no_query && answer->log.form != FORM_SLURM) {
        if (answer->total.kwh > 0)
            find_keys(answer);
        else
            find_table_keys(answer);
    }
    run_studies(answer, input, world);
    return input->problems.count == 0;
}
