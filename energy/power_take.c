/* power_take.c: devices and their readings. */
#include "energy/power_take.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name, *words; int is_mistake; } codes[] = {
#define PROBLEM(id, name, is_mistake, words) { name, words, is_mistake },
#include "energy/power_problems.def"
};

const char *power_code_name(enum power_code code)
{
    return codes[code].name;
}

const char *power_code_words(enum power_code code)
{
    return codes[code].words;
}

int power_code_is_mistake(enum power_code code)
{
    return codes[code].is_mistake;
}

/* A mistake is worth more room than a note: takes the last note's place. */
static struct power_problem *room_for(struct power_log *log, int mistake)
{
    struct power_problem *problem = log->problem;
    int at = log->problem_count - 1;

    if (log->problem_count < POWER_PROBLEM_MAX)
        return &problem[log->problem_count++];
    while (mistake && at >= 0 && codes[problem[at].code].is_mistake)
        at--;
    if (!mistake || at < 0)
        return NULL;
    memmove(&problem[at], &problem[at + 1],
            sizeof *problem * (size_t)(POWER_PROBLEM_MAX - 1 - at));
    return &problem[POWER_PROBLEM_MAX - 1];
}

void power_say(struct power_log *log, enum power_code code, const char *field,
               const char *limit)
{
    struct power_problem *problem;
    int mistake;

    if (log->is_cut && codes[code].is_mistake)
        code = POWER_CUT_LINE;
    if (code == POWER_CUT_LINE && log->code_count[code])
        return;
    mistake = codes[code].is_mistake;
    log->code_count[code]++;
    log->mistake_count += mistake;
    problem = room_for(log, mistake);
    if (!problem)
        return;
    problem->code = code;
    problem->part = log->part;
    problem->line = log->line;
    snprintf(problem->field, sizeof problem->field, "%s", field);
    snprintf(problem->limit, sizeof problem->limit, "%s", limit);
}

void power_copy(char out[POWER_NAME_BYTE], struct power_cell from)
{
    size_t byte = from.byte < POWER_NAME_BYTE - 1 ? from.byte
                                                  : POWER_NAME_BYTE - 1;

    for (size_t i = 0; i < byte; i++) /* what may stand on a page */
        out[i] = from.at[i] >= ' ' && from.at[i] <= '~' ? from.at[i] : '?';
    out[byte] = '\0';
}

/* --- devices -------------------------------------------------------------- */

static int is_device(const struct power_gpu *gpu, struct power_cell id,
                     int serial, int machine)
{
    return memcmp(gpu->id, id.at, id.byte) == 0 && gpu->id[id.byte] == '\0' &&
           (serial ? gpu->has_serial : gpu->machine == machine);
}

static struct power_gpu *find(struct power_log *log, struct power_cell id,
                              int serial, int machine)
{
    int next = log->next_gpu;

    if (id.byte >= POWER_NAME_BYTE)
        id.byte = POWER_NAME_BYTE - 1;
    for (int i = 0; i < log->gpu_count; i++) {
        if (next >= log->gpu_count)
            next = 0;
        if (is_device(&log->gpu[next], id, serial, machine)) {
            log->next_gpu = next + 1;
            return &log->gpu[next];
        }
        next++;
    }
    return NULL;
}

static struct power_gpu *add(struct power_log *log, struct power_cell id,
                             int serial)
{
    struct power_gpu *gpu = &log->gpu[log->gpu_count];

    if (log->gpu_count == POWER_GPU_MAX) {
        char limit[32];
        snprintf(limit, sizeof limit, "%d", POWER_GPU_MAX);
        if (!log->code_count[POWER_TOO_MANY_GPUS])
            power_say(log, POWER_TOO_MANY_GPUS, "", limit);
        return NULL;
    }
    log->gpu_count++;
    power_copy(gpu->id, id);
    gpu->name[0] = gpu->driver[0] = '\0';
    gpu->machine = log->machine;
    gpu->has_serial = serial;
    gpu->limit_watt = gpu->memory_gib = NAN;
    gpu->missing_count = gpu->again_count = 0;
    gpu->ticks = 0;
    power_meter_init(&gpu->meter);
    /* rounds so far were of fewer devices */
    log->in_round[log->gpu_count - 1] = 0;
    if (log->all.sample_count) {
        power_meter_init(&log->all);
        log->round_full = 0;
    }
    return gpu;
}

struct power_gpu *power_device(struct power_log *log, struct power_cell id,
                               int serial)
{
    struct power_gpu *gpu = find(log, id, serial, log->machine);

    return gpu ? gpu : add(log, id, serial);
}

/* Whether the reading can be the same device's next one, or its first one
   once more. */
static int goes_on(const struct power_gpu *gpu,
                   const struct power_reading_of *r)
{
    const struct power_meter *meter = &gpu->meter;

    if (meter->sample_count == 0 || (r->has_time && r->us > meter->latest_us))
        return 1;
    for (int i = 0; r->has_time && i < meter->stretch_count; i++)
        if (meter->stretch[i].us == r->us && meter->stretch[i].watt == r->watt)
            return 1;
    return 0;
}

/* A new file with devices of the same index goes on where they stopped, or
   is of another machine. */
static void settle_machine(struct power_log *log,
                           const struct power_reading_of *r)
{
    const struct power_gpu *gpu;

    log->part_open = 0;
    for (log->machine = 0; ; log->machine++) {
        gpu = find(log, r->id, 0, log->machine);
        if (!gpu || goes_on(gpu, r))
            return;
    }
}

/* --- readings ------------------------------------------------------------- */

void power_round(struct power_log *log)
{
    if (log->round_count && log->round_count == log->gpu_count) {
        power_meter_add(&log->all, log->round_us, log->round_watt, NAN,
                        log->line);
        log->round_full++;
    }
    memset(log->in_round, 0, sizeof log->in_round);
    log->round_count = 0;
    log->round_watt = 0;
}

static void join_round(struct power_log *log, const struct power_gpu *gpu,
                       int64_t us, double watt)
{
    size_t at = (size_t)(gpu - log->gpu);

    if (log->in_round[at])
        power_round(log);
    if (log->round_count == 0)
        log->round_us = us;
    log->in_round[at] = 1;
    log->round_count++;
    log->round_watt += watt;
}

static void tell(struct power_gpu *gpu, const struct power_reading_of *r)
{
    if (r->name.byte && !gpu->name[0])
        power_copy(gpu->name, r->name);
    if (r->driver.byte && !gpu->driver[0])
        power_copy(gpu->driver, r->driver);
    if (!isnan(r->limit_watt))
        gpu->limit_watt = r->limit_watt;
    if (!isnan(r->memory_gib))
        gpu->memory_gib = r->memory_gib;
}

/* When lines carry no time, it goes by the device's own count. */
static int64_t tick(struct power_log *log, struct power_gpu *gpu)
{
    double step = log->interval_second > 0 ? log->interval_second * 1e6 : 1e6;

    if (!(log->interval_second > 0) && !log->told_interval) {
        log->told_interval = 1;
        power_say(log, POWER_NO_INTERVAL, "interval_second", "");
    }
    return (int64_t)((double)gpu->ticks++ * step + 0.5);
}

void power_take(struct power_log *log, const struct power_reading_of *r)
{
    struct power_gpu *gpu;
    int64_t us;

    if (log->part_open && !r->serial)
        settle_machine(log, r);
    gpu = power_device(log, r->id, r->serial);
    if (!gpu)
        return;
    tell(gpu, r);
    us = r->has_time ? r->us : tick(log, gpu);
    if (!r->has_watt) {
        gpu->missing_count++;
        power_say(log, POWER_MISSING_READING, gpu->id, "");
        return;
    }
    switch (power_meter_add(&gpu->meter, us, r->watt, r->busy, log->line)) {
    case TAKEN_SAME_INSTANT:
        gpu->again_count++;
        power_say(log, POWER_SAME_INSTANT, gpu->id, "");
        return;
    case TAKEN_COPY_BEGINS:
        power_say(log, POWER_COPY, gpu->id, "");
        gpu->again_count++;
        return;
    case TAKEN_COPY:
        gpu->again_count++;
        return;
    case TAKEN_BACK:
        power_say(log, POWER_CLOCK_BACK, gpu->id, "");
        break;
    case TAKEN:
        break;
    }
    join_round(log, gpu, us, r->watt);
}
