/* power_log.c: bytes into lines, and the end of a log. */
#include "energy/power_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "energy/power_form.h"
#include "energy/power_slurm.h"
#include "energy/power_take.h"

/* How a file's characters are written: not known at its first byte, and in
   two bytes each, the low one first, when it begins with FF FE (what Windows
   PowerShell writes). */
enum { CODING_UNKNOWN, CODING_MARK, CODING_LOW, CODING_HIGH, CODING_PLAIN,
       NARROW_BYTE = 4096 };

/* Everything but the devices, whose meters are set up one by one: most of
   the struct stays untouched. */
void power_log_begin(struct power_log *log, double interval_second)
{
    log->interval_second = interval_second;
    log->form = FORM_NONE;
    log->line = log->unknown_line = 0;
    log->part = 1;
    log->machine = log->part_open = 0;
    log->separator = ',';
    log->told_interval = log->nameless = 0;
    memset(&log->day, 0, sizeof log->day);
    log->midnight_us = log->clock_us = 0;
    log->next_gpu = log->gpu_count = 0;
    power_meter_init(&log->all);
    memset(log->in_round, 0, sizeof log->in_round);
    log->round_count = log->round_full = 0;
    log->round_watt = 0;
    log->round_us = 0;
    memset(&log->jobs, 0, sizeof log->jobs);
    memset(log->job_seen, 0, sizeof log->job_seen);
    memset(&log->job, 0, sizeof log->job);
    log->table_driver[0] = '\0';
    log->table_gpu = -1;
    log->is_cut = 0;
    log->problem_count = log->mistake_count = 0;
    memset(log->code_count, 0, sizeof log->code_count);
    log->kept_byte = 0;
    log->too_long = 0;
    log->coding = CODING_UNKNOWN;
    power_form_reset(log);
}

static void line_too_long(struct power_log *log)
{
    char limit[32];

    snprintf(limit, sizeof limit, "%d bytes", POWER_LINE_BYTE);
    log->line++;
    power_say(log, POWER_LINE_TOO_LONG, "", limit);
}

static void whole_line(struct power_log *log, const char *at, size_t byte)
{
    struct power_cell line = { at, byte };

    log->line++;
    if (log->line == 1 && byte >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
        line.at += 3; /* byte order mark */
        line.byte -= 3;
    }
    power_form_line(log, line);
}

/* The end of a line that began in an earlier piece. */
static void kept_line(struct power_log *log, const char *at, size_t byte)
{
    if (log->too_long || byte > sizeof log->kept - log->kept_byte) {
        line_too_long(log);
    } else {
        memcpy(log->kept + log->kept_byte, at, byte);
        whole_line(log, log->kept, log->kept_byte + byte);
    }
    log->kept_byte = 0;
    log->too_long = 0;
}

static void take_bytes(struct power_log *log, const char *bytes, size_t count)
{
    const char *end = bytes + count;

    while (bytes < end) {
        const char *stop = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t byte = (size_t)((stop ? stop : end) - bytes);
        if (!stop) {
            if (byte > sizeof log->kept - log->kept_byte) {
                log->too_long = 1;
                return;
            }
            memcpy(log->kept + log->kept_byte, bytes, byte);
            log->kept_byte += byte;
            return;
        }
        if (log->kept_byte || log->too_long)
            kept_line(log, bytes, byte);
        else if (byte > POWER_LINE_BYTE)
            line_too_long(log);
        else
            whole_line(log, bytes, byte);
        bytes = stop + 1;
    }
}

/* Characters of two bytes to one; beyond Latin-1 a question mark. */
static void take_wide(struct power_log *log, const char *bytes, size_t count)
{
    char narrow[NARROW_BYTE];
    size_t byte = 0;

    for (size_t i = 0; i < count; i++) {
        if (log->coding == CODING_LOW) {
            log->low = bytes[i];
            log->coding = CODING_HIGH;
            continue;
        }
        narrow[byte++] = bytes[i] ? '?' : log->low;
        log->coding = CODING_LOW;
        if (byte == sizeof narrow) {
            take_bytes(log, narrow, byte);
            byte = 0;
        }
    }
    take_bytes(log, narrow, byte);
}

void power_log_bytes(struct power_log *log, const char *bytes, size_t count)
{
    if (count && log->coding == CODING_UNKNOWN) {
        log->coding = *bytes == '\xFF' ? CODING_MARK : CODING_PLAIN;
        bytes += log->coding == CODING_MARK;
        count -= log->coding == CODING_MARK;
    }
    if (count && log->coding == CODING_MARK) {
        log->coding = *bytes == '\xFE' ? CODING_LOW : CODING_PLAIN;
        if (log->coding == CODING_PLAIN)
            take_bytes(log, "\xFF", 1);
        bytes += log->coding == CODING_LOW;
        count -= log->coding == CODING_LOW;
    }
    if (log->coding == CODING_PLAIN)
        take_bytes(log, bytes, count);
    else if (count)
        take_wide(log, bytes, count);
}

static void last_line(struct power_log *log)
{
    if (!log->kept_byte && !log->too_long)
        return;
    log->is_cut = 1;
    kept_line(log, "", 0);
    log->is_cut = 0;
}

void power_log_next(struct power_log *log)
{
    last_line(log);
    power_slurm_end(log);
    power_round(log);
    log->line = 0;
    log->coding = CODING_UNKNOWN;
    log->part++;
    log->part_open = 1;
    power_form_reset(log);
}

/* Devices that only the plain table knows go when others have readings. */
static void drop_unread(struct power_log *log)
{
    int kept = 0;

    for (int i = 0; i < log->gpu_count; i++)
        if (log->gpu[i].meter.sample_count || log->gpu[i].missing_count) {
            if (kept != i)
                log->gpu[kept] = log->gpu[i];
            kept++;
        }
    if (kept)
        log->gpu_count = kept;
}

/* Readings of several devices under one name: again and again two of one
   instant, or bursts of them. Read as one device they would be a fraction of
   what was drawn. */
static int is_crowd(const struct power_log *log, const struct power_gpu *gpu)
{
    const struct power_measure *m = &gpu->measure;

    return log->nameless &&
           ((gpu->again_count >= 3 && gpu->again_count * 9 > m->sample_count &&
             !log->code_count[POWER_COPY]) ||
            (m->gap_count >= 3 && m->gap_count * 20 > m->sample_count &&
             m->median_second < 0.05));
}

static int is_together(const struct power_log *log, double samples)
{
    return log->all.sample_count > 0 &&
           (double)log->round_full * log->gpu_count >= 0.9 * samples;
}

int power_log_end(struct power_log *log)
{
    double samples = 0;

    last_line(log);
    power_slurm_end(log);
    power_round(log);
    drop_unread(log);
    log->line = log->unknown_line;
    if (log->form == FORM_NONE && log->unknown_line)
        power_say(log, POWER_UNKNOWN_FORM, "", "nvidia-smi dcgmi sacct");
    log->line = 0;
    for (int i = 0; i < log->gpu_count; i++) {
        struct power_gpu *gpu = &log->gpu[i];
        samples += (double)gpu->meter.sample_count;
        power_meter_end(&gpu->meter, &gpu->measure);
        if (is_crowd(log, gpu))
            power_say(log, POWER_NO_DEVICE, "index", "index uuid");
        if (gpu->measure.gap_count > gpu->measure.gap_listed)
            power_say(log, POWER_MANY_GAPS, gpu->id, "");
        if (!gpu->driver[0])
            memcpy(gpu->driver, log->table_driver, sizeof gpu->driver);
    }
    if (!is_together(log, samples))
        power_meter_init(&log->all);
    power_meter_end(&log->all, &log->together);
    if (samples == 0 && log->jobs.job_count == 0 && !log->mistake_count &&
        !(log->form == FORM_TABLE && log->gpu_count))
        power_say(log, POWER_NO_READING, "", "");
    return log->mistake_count == 0;
}
