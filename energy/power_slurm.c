/* power_slurm.c: jobs and their steps. A job's own figure holds its steps;
   these are added up only when it has none. Energy 0 is what Slurm says when
   nothing was measured: it is missing, not nothing. */
#include "energy/power_slurm.h"

#include <math.h>
#include <string.h>

#include "energy/power_take.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct { const char *name; enum power_role role; } names[] = {
    { "jobid", ROLE_JOB }, { "jobidraw", ROLE_JOB },
    { "consumedenergyraw", ROLE_JOULE_RAW }, { "consumedenergy", ROLE_JOULE },
    { "elapsedraw", ROLE_SECOND_RAW }, { "elapsed", ROLE_SECOND },
    { "allocnodes", ROLE_NODES }, { "nnodes", ROLE_NODES },
    { "alloctres", ROLE_TRES },
};

/* What Slurm prints for "not set": the last two numbers of 32 and 64 bits. */
static const char *const not_set[] = { "4294967294", "4294967295",
    "18446744073709551614", "18446744073709551615" };

/* --- cells ---------------------------------------------------------------- */

static int by_bar(struct power_cell line, struct power_cell *cell)
{
    int count = 0;

    for (;;) {
        const char *bar = memchr(line.at, '|', line.byte);
        if (count == POWER_CELL_MAX)
            return count + 1;
        cell[count] = line;
        if (bar)
            cell[count].byte = (size_t)(bar - line.at);
        cell[count] = power_cell_trim(cell[count]);
        count++;
        if (!bar)
            break;
        line.byte -= (size_t)(bar + 1 - line.at);
        line.at = bar + 1;
    }
    return count - (cell[count - 1].byte == 0); /* -p ends lines with a bar */
}

static int by_span(const struct power_log *log, struct power_cell line,
                   struct power_cell *cell)
{
    for (int i = 0; i < log->column_count; i++) {
        size_t from = (size_t)log->span[i][0], to = (size_t)log->span[i][1];
        cell[i].at = line.at + (from < line.byte ? from : line.byte);
        cell[i].byte = (to < line.byte ? to : line.byte) -
                       (from < line.byte ? from : line.byte);
        cell[i] = power_cell_trim(cell[i]);
    }
    return log->column_count;
}

/* --- header --------------------------------------------------------------- */

static int name_columns(struct power_log *log, const struct power_cell *cell,
                        int count)
{
    int known = 0;

    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < COUNT(names); k++)
            if (power_cell_is(cell[i], names[k].name)) {
                log->column[names[k].role] = i;
                known++;
            }
    log->column_count = count;
    return known;
}

static void want_energy(struct power_log *log)
{
    if (log->column[ROLE_JOULE_RAW] < 0 && log->column[ROLE_JOULE] < 0)
        power_say(log, POWER_NO_ENERGY, "ConsumedEnergyRaw",
                  "sacct -o ConsumedEnergyRaw");
    if (log->column[ROLE_JOB] < 0)
        power_say(log, POWER_NO_ENERGY, "JobID", "sacct -o JobID");
}

static void forget(struct power_log *log)
{
    for (int i = 0; i < ROLE_COUNT; i++)
        log->column[i] = -1;
}

int power_slurm_header(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX], word = line;
    size_t byte = 0;

    if (memchr(line.at, '|', line.byte)) {
        int count = by_bar(line, cell);
        forget(log);
        if (count > POWER_CELL_MAX || name_columns(log, cell, count) < 1)
            return 0;
        log->form = FORM_SLURM;
        log->separator = '|';
            want_energy(log);
        return 1;
    }
    word = power_cell_trim(word);
    while (byte < word.byte && word.at[byte] != ' ')
        byte++;
    word.byte = byte;
    if (!power_cell_is(word, "jobid") && !power_cell_is(word, "jobidraw") &&
        !power_cell_is(word, "consumedenergyraw") &&
        !power_cell_is(word, "consumedenergy"))
        return 0;
    if (line.byte >= sizeof log->header)
        return 0;
    memcpy(log->header, line.at, line.byte);
    log->header[line.byte] = '\0';
    return 1;
}

/* "------------ ----------" under the header: where columns begin and end. */
static void measure(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX];
    struct power_cell header = { log->header, strlen(log->header) };
    int count = 0;

    for (size_t i = 0; i < line.byte && count < POWER_CELL_MAX; ) {
        size_t from = i;
        while (i < line.byte && line.at[i] == '-')
            i++;
        if (i == from) {
            i++;
            continue;
        }
        log->span[count][0] = (short)from;
        log->span[count][1] = (short)i;
        count++;
    }
    forget(log);
    log->column_count = count;
    name_columns(log, cell, by_span(log, header, cell));
    log->header[0] = '\0';
    log->form = FORM_SLURM;
    log->separator = ' ';
    want_energy(log);
}

/* --- jobs ----------------------------------------------------------------- */

static uint64_t hash(struct power_cell id) /* FNV-1a */
{
    uint64_t h = 14695981039346656037u;

    for (size_t i = 0; i < id.byte; i++)
        h = (h ^ (unsigned char)id.at[i]) * 1099511628211u;
    return h ? h : 1;
}

/* 1 when the job was in the log before; remembers it otherwise. */
static int seen(struct power_log *log, uint64_t id)
{
    for (size_t i = 0; i < POWER_JOB_SLOTS / 2; i++) {
        uint64_t *slot = &log->job_seen[(id + i) % POWER_JOB_SLOTS];
        if (*slot == id)
            return 1;
        if (*slot == 0) {
            *slot = id;
            return 0;
        }
    }
    if (!log->code_count[POWER_TOO_MANY_JOBS])
        power_say(log, POWER_TOO_MANY_JOBS, "JobID", "4096");
    return 1;
}

static void close_job(struct power_log *log)
{
    struct power_jobs *jobs = &log->jobs;
    double joule = log->job.joule;
    long line = log->line;

    if (log->job.id == 0)
        return;
    log->line = log->job.line;
    if (isnan(joule) && log->job.has_steps) {
        joule = log->job.steps;
        power_say(log, POWER_JOB_STEPS, "ConsumedEnergy", "");
    }
    if (isnan(joule)) {
        jobs->missing_count++;
        power_say(log, POWER_MISSING_READING, "ConsumedEnergy", "");
    } else {
        jobs->job_count++;
        jobs->joule += joule;
        jobs->second += log->job.second;
        jobs->node_second += log->job.second * log->job.nodes;
        jobs->gpu_second += log->job.second * log->job.gpus;
    }
    log->job.id = 0;
    log->line = line;
}

static struct power_cell cell_of(const struct power_log *log,
                                 const struct power_cell *cell,
                                 enum power_role role)
{
    static const struct power_cell none = { "", 0 };

    return log->column[role] < 0 ? none : cell[log->column[role]];
}

/* Joules of a row; NAN when none were measured. 0 when it cannot be read. */
static int read_joule(struct power_log *log, const struct power_cell *cell,
                      double *joule)
{
    struct power_cell raw = cell_of(log, cell, ROLE_JOULE_RAW);
    enum power_reading reading;

    *joule = NAN;
    for (size_t i = 0; i < COUNT(not_set); i++)
        if (power_cell_is(raw, not_set[i]))
            return 1;
    if (raw.byte == 0)
        raw = cell_of(log, cell, ROLE_JOULE);
    reading = power_cell_joule(raw, joule);
    if (reading == READING_BAD) {
        power_say(log, POWER_NOT_A_NUMBER, "ConsumedEnergy", "J");
        return 0;
    }
    if (reading == READING_GOOD && *joule < 0) {
        power_say(log, POWER_OUT_OF_RANGE, "ConsumedEnergy", "0 J or more");
        return 0;
    }
    if (reading == READING_MISSING || *joule == 0)
        *joule = NAN;
    return 1;
}

static int read_second(struct power_log *log, const struct power_cell *cell,
                       double *second)
{
    struct power_cell raw = cell_of(log, cell, ROLE_SECOND_RAW);

    *second = NAN;
    if (raw.byte == 0)
        raw = cell_of(log, cell, ROLE_SECOND);
    if (power_cell_span(raw, second) != READING_BAD)
        return 1;
    power_say(log, POWER_BAD_TIME, "Elapsed", "[DD-]HH:MM:SS");
    return 0;
}

/* The count behind "gres/gpu=" in "billing=64,cpu=64,gres/gpu=8,node=1". */
static double gpus_of(struct power_cell tres)
{
    static const char mark[] = "gres/gpu=";
    size_t byte = sizeof mark - 1;
    double count;

    for (size_t i = 0; i + byte < tres.byte; i++)
        if (memcmp(tres.at + i, mark, byte) == 0) {
            struct power_cell rest = { tres.at + i + byte,
                                       tres.byte - i - byte };
            size_t used;
            if (power_cell_number(rest, &count, &used))
                return count;
        }
    return NAN;
}

static void job_row(struct power_log *log, const struct power_cell *cell)
{
    struct power_cell id = cell_of(log, cell, ROLE_JOB), nodes;
    const char *dot = id.byte ? memchr(id.at, '.', id.byte) : NULL;
    struct power_cell base = id;
    double joule, second;
    uint64_t which;

    if (id.byte == 0 || !read_joule(log, cell, &joule) ||
        !read_second(log, cell, &second))
        return;
    if (dot)
        base.byte = (size_t)(dot - id.at);
    which = hash(base);
    if (which != log->job.id) {
        close_job(log);
        if (seen(log, which)) {
            if (!log->code_count[POWER_TOO_MANY_JOBS])
                power_say(log, POWER_JOB_AGAIN, "JobID", "");
            return;
        }
        log->job.id = which;
        log->job.joule = log->job.second = log->job.nodes = log->job.gpus =
            NAN;
        log->job.steps = 0;
        log->job.has_steps = 0;
        log->job.line = log->line;
    }
    if (dot) {
        if (!isnan(joule)) {
            log->job.has_steps = 1;
            log->job.steps += joule;
        }
        if (isnan(log->job.second) || second > log->job.second)
            log->job.second = second;
        return;
    }
    log->job.joule = joule;
    log->job.second = second;
    log->job.gpus = gpus_of(cell_of(log, cell, ROLE_TRES));
    nodes = cell_of(log, cell, ROLE_NODES);
    if (!power_cell_number(nodes, &log->job.nodes, NULL))
        log->job.nodes = NAN;
}

void power_slurm_line(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX];
    int count;

    if (log->header[0]) {
        if (*power_cell_trim(line).at == '-')
            measure(log, line);
        else
            power_say(log, POWER_UNKNOWN_FORM, "", "sacct -P");
        log->header[0] = '\0';
        return;
    }
    if (log->column[ROLE_JOB] < 0 || (log->column[ROLE_JOULE_RAW] < 0 &&
                                      log->column[ROLE_JOULE] < 0))
        return; /* said at the header */
    count = log->separator == '|' ? by_bar(line, cell)
                                  : by_span(log, line, cell);
    if (log->separator == '|' && count < log->column_count &&
        count == log->column_count - 1) {
        cell[count].at = line.at; /* a last cell that is empty */
        cell[count++].byte = 0;
    }
    if (count != log->column_count) {
        power_say(log, POWER_CELL_COUNT, "", "");
        return;
    }
    if (power_cell_is(cell_of(log, cell, ROLE_JOB), "jobid") ||
        power_cell_is(cell_of(log, cell, ROLE_JOB), "jobidraw"))
        return; /* the header once more */
    job_row(log, cell);
}

void power_slurm_end(struct power_log *log)
{
    close_job(log);
}
