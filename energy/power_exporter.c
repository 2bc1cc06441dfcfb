/* power_exporter.c: DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-…",
   modelName="…"} 87.3 [milliseconds since 1970]. Use stands in lines of its
   own and is not joined to it. */
#include "energy/power_exporter.h"

#include <math.h>
#include <string.h>

#include "energy/power_take.h"

static const char power[] = "DCGM_FI_DEV_POWER_USAGE{";

static int starts_with(struct power_cell line, const char *start)
{
    size_t byte = strlen(start);

    return line.byte >= byte && memcmp(line.at, start, byte) == 0;
}

/* What stands behind name=" up to the next quote; byte 0 when it is not
   there. A name begins behind { or a comma. */
static struct power_cell label(struct power_cell labels, const char *name)
{
    size_t byte = strlen(name);

    for (size_t i = 1; i + byte + 2 < labels.byte; i++) {
        struct power_cell found = { labels.at + i + byte + 2, 0 };
        if ((labels.at[i - 1] != '{' && labels.at[i - 1] != ',') ||
            memcmp(labels.at + i, name, byte) != 0 ||
            memcmp(labels.at + i + byte, "=\"", 2) != 0)
            continue;
        while (i + byte + 2 + found.byte < labels.byte &&
               found.at[found.byte] != '"')
            found.byte++;
        return found;
    }
    return (struct power_cell){ "", 0 };
}

/* The value and, when it is there, the time behind it. */
static void take(struct power_log *log, struct power_cell labels,
                 struct power_cell rest)
{
    struct power_reading_of r = { .busy = NAN, .limit_watt = NAN,
                                  .memory_gib = NAN };
    struct power_cell value = rest, time = { "", 0 };
    const char *blank = memchr(rest.at, ' ', rest.byte);

    if (blank) {
        value.byte = (size_t)(blank - rest.at);
        time.at = blank + 1;
        time.byte = rest.byte - value.byte - 1;
        time = power_cell_trim(time);
    }
    r.id = label(labels, "UUID");
    r.serial = r.id.byte > 0;
    if (!r.serial)
        r.id = label(labels, "gpu");
    r.name = label(labels, "modelName");
    r.driver = label(labels, "DCGM_FI_DRIVER_VERSION");
    r.has_time = time.byte > 0;
    if (r.has_time && !power_cell_instant(time, &log->day, &r.us)) {
        power_say(log, POWER_BAD_TIME, "time", "");
        return;
    }
    switch (power_cell_value(value, 1, &r.watt)) {
    case READING_BAD:
        power_say(log, POWER_NOT_A_NUMBER, "power", "W");
        return;
    case READING_GOOD:
        r.has_watt = 1;
        break;
    case READING_MISSING:
        break;
    }
    if (r.watt < 0 || r.watt > POWER_WATT_MAX)
        power_say(log, POWER_OUT_OF_RANGE, "power", "0 to 20000 W");
    else
        power_take(log, &r);
}

/* "DCGM_FI_DEV_SM_CLOCK{": a field, and no column of a CSV. */
static int is_field(struct power_cell line)
{
    size_t i = 0;

    if (!starts_with(line, "DCGM_FI_"))
        return 0;
    while (i < line.byte && line.at[i] != '{' && line.at[i] != ' ' &&
           line.at[i] != ',' && line.at[i] != ';' && line.at[i] != '\t')
        i++;
    return i < line.byte && (line.at[i] == '{' || line.at[i] == ' ');
}

int power_exporter_line(struct power_log *log, struct power_cell line)
{
    struct power_cell labels = line, rest = line;
    const char *close;

    if (starts_with(line, "# HELP ") || starts_with(line, "# TYPE "))
        return 1;
    if (!is_field(line))
        return 0;
    if (log->form != FORM_NONE && log->form != FORM_EXPORTER) {
        power_say(log, POWER_MIXED_FORMS, "", power_form_name[log->form]);
        return 1;
    }
    log->form = FORM_EXPORTER;
    if (!starts_with(line, power))
        return 1;
    close = memchr(line.at, '}', line.byte);
    if (!close) {
        power_say(log, POWER_CELL_COUNT, "", "");
        return 1;
    }
    labels.at += sizeof power - 2; /* from the brace on */
    labels.byte = (size_t)(close - labels.at);
    rest.at = close + 1;
    rest.byte = line.byte - (size_t)(rest.at - line.at);
    rest = power_cell_trim(rest);
    take(log, labels, rest);
    return 1;
}
