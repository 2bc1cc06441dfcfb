/* power_form.c: headers and rows of nvidia-smi and dcgmi. Columns are known
   by their names, never by their place. */
#include "energy/power_form.h"

#include <math.h>
#include <string.h>

#include "energy/power_exporter.h"
#include "energy/power_slurm.h"
#include "energy/power_take.h"

/* Two kilobytes that each line fills as it needs: not cleared first by
   -ftrivial-auto-var-init. */
#define UNWRITTEN __attribute__((uninitialized))

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const power_form_name[] = {
    [FORM_NONE] = "none", [FORM_CSV] = "nvidia_smi_csv",
    [FORM_DMON] = "nvidia_smi_dmon", [FORM_DCGM] = "dcgmi_dmon",
    [FORM_EXPORTER] = "dcgm_exporter",
    [FORM_TABLE] = "nvidia_smi_table", [FORM_SLURM] = "slurm_sacct",
};

/* What columns are called, in lower case; of several for one role the
   earlier line wins. */
static const struct { const char *name; enum power_role role; } names[] = {
    { "timestamp", ROLE_TIME }, { "time", ROLE_TIME },
    { "datetime", ROLE_TIME },
    { "uuid", ROLE_UUID }, { "gpu_uuid", ROLE_UUID },
    { "pci.bus_id", ROLE_BUS }, { "gpu_bus_id", ROLE_BUS },
    { "index", ROLE_INDEX }, { "gpu", ROLE_INDEX }, { "gpu_id", ROLE_INDEX },
    { "gpu_index", ROLE_INDEX },
    { "name", ROLE_NAME }, { "gpu_name", ROLE_NAME },
    { "power.draw", ROLE_WATT }, { "power.draw.average", ROLE_WATT },
    { "power.draw.instant", ROLE_WATT }, { "power_watt", ROLE_WATT },
    { "power_w", ROLE_WATT }, { "power", ROLE_WATT },
    { "dcgm_fi_dev_power_usage", ROLE_WATT },
    { "dcgm_fi_dev_gpu_util", ROLE_BUSY }, { "modelname", ROLE_NAME },
    { "power.limit", ROLE_LIMIT }, { "enforced.power.limit", ROLE_LIMIT },
    { "power.default_limit", ROLE_LIMIT },
    { "utilization.gpu", ROLE_BUSY }, { "driver_version", ROLE_DRIVER },
    { "memory.total", ROLE_MEMORY },
};

/* Of nvidia-smi dmon. */
static const struct { const char *name; enum power_role role; } marks[] = {
    { "date", ROLE_DATE }, { "time", ROLE_CLOCK }, { "gpu", ROLE_INDEX },
    { "pwr", ROLE_WATT }, { "sm", ROLE_BUSY },
};

/* Of dcgmi dmon: field 155 and 203. */
static const struct { const char *name; enum power_role role; } fields[] = {
    { "power", ROLE_WATT }, { "power_usage", ROLE_WATT },
    { "dcgm_fi_dev_power_usage", ROLE_WATT }, { "gputl", ROLE_BUSY },
    { "gpu_util", ROLE_BUSY }, { "dcgm_fi_dev_gpu_util", ROLE_BUSY },
};

void power_form_reset(struct power_log *log)
{
    for (int i = 0; i < ROLE_COUNT; i++) {
        log->column[i] = -1;
        log->unit[i] = 1;
    }
    log->unit[ROLE_BUSY] = 0.01;
    log->column_count = 0;
    log->header[0] = '\0';
}

/* --- cells ---------------------------------------------------------------- */

static int split(struct power_cell line, char separator,
                 struct power_cell cell[POWER_CELL_MAX])
{
    const char *at = line.at, *end = at + line.byte;
    int count = 0;

    for (;;) {
        const char *next = memchr(at, separator, (size_t)(end - at));
        if (count == POWER_CELL_MAX)
            return count + 1;
        cell[count].at = at;
        cell[count].byte = (size_t)((next ? next : end) - at);
        cell[count] = power_cell_trim(cell[count]);
        count++;
        if (!next)
            return count;
        at = next + 1;
    }
}

/* Words between blanks; commas count as blanks, as dmon may write them. */
static int words(struct power_cell line, struct power_cell cell[POWER_CELL_MAX])
{
    static const unsigned char blank[256] = { [' '] = 1, ['\t'] = 1,
                                              [','] = 1, ['\r'] = 1 };
    const char *at = line.at, *end = at + line.byte;
    int count = 0;

    for (;;) {
        while (at < end && blank[(unsigned char)*at])
            at++;
        if (at == end || count == POWER_CELL_MAX)
            return count + (at < end);
        cell[count].at = at;
        while (at < end && !blank[(unsigned char)*at])
            at++;
        cell[count].byte = (size_t)(at - cell[count].at);
        count++;
    }
}

static struct power_cell of_role(const struct power_log *log,
                                 const struct power_cell *cell,
                                 enum power_role role)
{
    static const struct power_cell none = { "", 0 };

    return log->column[role] < 0 ? none : cell[log->column[role]];
}

static int contains(struct power_cell line, const char *text)
{
    size_t byte = strlen(text);

    for (size_t i = 0; i + byte <= line.byte; i++)
        if (line.at[i] == *text && memcmp(line.at + i, text, byte) == 0)
            return 1;
    return 0;
}

/* Instead of readings nvidia-smi may say what went wrong. */
static int is_remark(struct power_cell line)
{
    return contains(line, "Unable to") || contains(line, "No devices") ||
           contains(line, "Failed to") || contains(line, "NVIDIA-SMI has");
}

/* A log of one kind stays one. */
static int set_form(struct power_log *log, enum power_form form)
{
    if (log->form != FORM_NONE && log->form != FORM_TABLE &&
        log->form != form) {
        power_say(log, POWER_MIXED_FORMS, "", power_form_name[log->form]);
        return 0;
    }
    log->form = form;
    return 1;
}

/* --- readings ------------------------------------------------------------- */

/* Nothing told yet. Member by member: this is done for every line. */
static void empty(struct power_reading_of *r)
{
    static const struct power_cell none = { "", 0 };

    r->id = r->name = r->driver = none;
    r->serial = r->has_time = r->has_watt = 0;
    r->us = 0;
    r->watt = 0;
    r->busy = r->limit_watt = r->memory_gib = NAN;
}

/* Watts and use of a row. 1 unless the row has to be left out. */
static int read_values(struct power_log *log, const struct power_cell *cell,
                       struct power_reading_of *r)
{
    struct power_cell busy = of_role(log, cell, ROLE_BUSY);
    double watt = 0;

    switch (power_cell_value(of_role(log, cell, ROLE_WATT),
                             log->unit[ROLE_WATT], &watt)) {
    case READING_BAD:
        power_say(log, POWER_NOT_A_NUMBER, "power", "W");
        return 0;
    case READING_MISSING:
        return 1;
    case READING_GOOD:
        break;
    }
    if (watt < 0 || watt > POWER_WATT_MAX) {
        power_say(log, POWER_OUT_OF_RANGE, "power", "0 to 20000 W");
        return 0;
    }
    r->watt = watt;
    r->has_watt = 1;
    if (log->column[ROLE_BUSY] < 0)
        return 1;
    if (power_cell_value(busy, log->unit[ROLE_BUSY], &r->busy) == READING_BAD) {
        power_say(log, POWER_NOT_A_NUMBER, "utilization", "%");
        return 0;
    }
    if (r->busy < 0 || r->busy > 1) {
        power_say(log, POWER_OUT_OF_RANGE, "utilization", "0 to 100 %");
        return 0;
    }
    return 1;
}

static void read_extras(struct power_log *log, const struct power_cell *cell,
                        struct power_reading_of *r)
{
    double value;

    r->name = of_role(log, cell, ROLE_NAME);
    r->driver = of_role(log, cell, ROLE_DRIVER);
    if (log->column[ROLE_LIMIT] >= 0 &&
        power_cell_value(of_role(log, cell, ROLE_LIMIT), log->unit[ROLE_LIMIT],
                         &value) == READING_GOOD && value > 0)
        r->limit_watt = value;
    if (log->column[ROLE_MEMORY] >= 0) {
        size_t used;
        if (power_cell_number(of_role(log, cell, ROLE_MEMORY), &value, &used))
            r->memory_gib = value / 1024; /* nvidia-smi says MiB */
    }
}

/* --- CSV ------------------------------------------------------------------ */

/* "power.draw [W]": the name, and the unit of cells that have none. */
static struct power_cell split_unit(struct power_cell cell,
                                    struct power_cell *unit)
{
    const char *open = cell.byte ? memchr(cell.at, '[', cell.byte) : NULL;

    *unit = (struct power_cell){ "", 0 };
    if (!open || cell.at[cell.byte - 1] != ']')
        return cell;
    unit->at = open + 1;
    unit->byte = (size_t)(cell.at + cell.byte - 1 - unit->at);
    cell.byte = (size_t)(open - cell.at);
    return power_cell_trim(cell);
}

static size_t name_of(struct power_cell name)
{
    size_t i = 0;

    while (i < COUNT(names) && !power_cell_is(name, names[i].name))
        i++;
    return i;
}

static char separator_of(struct power_cell line)
{
    return memchr(line.at, ',', line.byte) ? ','
         : memchr(line.at, ';', line.byte) ? ';' : '\t';
}

/* 1 when the line is a header: then the columns are those it names. */
static int csv_header(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX], unit;
    size_t best[ROLE_COUNT];
    char separator = separator_of(line);
    int count = split(line, separator, cell), known = 0;

    if (count > POWER_CELL_MAX)
        return 0;
    for (int i = 0; i < count; i++) {
        if (cell[i].byte && *cell[i].at >= '0' && *cell[i].at <= '9')
            return 0; /* no name begins so */
        known += name_of(split_unit(cell[i], &unit)) < COUNT(names);
    }
    if (known == 0)
        return 0;
    if (!set_form(log, FORM_CSV))
        return 1;
    power_form_reset(log);
    log->separator = separator;
    log->column_count = count;
    for (int i = 0; i < ROLE_COUNT; i++)
        best[i] = COUNT(names);
    for (int i = 0; i < count; i++) {
        size_t at = name_of(split_unit(cell[i], &unit));
        enum power_role role;
        double worth = power_cell_unit(unit);
        if (at == COUNT(names) || at >= best[names[at].role])
            continue;
        role = names[at].role;
        best[role] = at;
        log->column[role] = i;
        if (role == ROLE_WATT || role == ROLE_LIMIT || role == ROLE_BUSY) {
            if (unit.byte && isnan(worth))
                power_say(log, POWER_NOT_A_NUMBER, names[at].name, "mW W kW %");
            else if (unit.byte)
                log->unit[role] = worth;
        }
    }
    if (log->column[ROLE_WATT] < 0)
        power_say(log, POWER_NO_POWER, "power.draw", "power.draw");
    log->part_open = 1;
    return 1;
}

/* What a cell without header must be. */
static enum power_role guess(struct power_cell cell, struct power_day *day)
{
    int64_t us;
    double number;
    size_t used;

    if (cell.byte > 4 && memcmp(cell.at, "GPU-", 4) == 0)
        return ROLE_UUID;
    if (cell.byte > 8 && cell.at[8] == ':' && cell.at[cell.byte - 2] == '.')
        return ROLE_BUS;
    if (power_cell_instant(cell, day, &us))
        return ROLE_TIME;
    if (!power_cell_number(cell, &number, &used))
        return *cell.at >= 'A' ? ROLE_NAME : ROLE_OTHER;
    if (used == cell.byte)
        return number >= 0 && number < POWER_GPU_MAX &&
               number == floor(number) ? ROLE_INDEX : ROLE_OTHER;
    return cell.at[cell.byte - 1] == 'W' ? ROLE_WATT
         : cell.at[cell.byte - 1] == '%' ? ROLE_BUSY : ROLE_OTHER;
}

/* A CSV that begins without a header but with units (--format=csv,noheader).
   Two powers, or none with its unit, cannot be told apart. */
static int csv_guess(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX];
    int count, watts = 0;

    if (!memchr(line.at, ',', line.byte))
        return 0;
    count = split(line, ',', cell);
    if (count > POWER_CELL_MAX)
        return 0;
    power_form_reset(log);
    for (int i = 0; i < count; i++) {
        enum power_role role = cell[i].byte ? guess(cell[i], &log->day)
                                            : ROLE_OTHER;
        watts += role == ROLE_WATT;
        if (role != ROLE_OTHER && log->column[role] < 0)
            log->column[role] = i;
    }
    if (watts != 1 || !set_form(log, FORM_CSV)) {
        power_form_reset(log);
        return 0;
    }
    log->separator = ',';
    log->column_count = count;
    log->part_open = 1;
    return 1;
}

static void csv_identity(struct power_log *log, const struct power_cell *cell,
                         struct power_reading_of *r)
{
    static const enum power_role by[] = { ROLE_UUID, ROLE_BUS, ROLE_INDEX,
                                          ROLE_NAME };

    for (size_t i = 0; i < COUNT(by) && r->id.byte == 0; i++) {
        r->id = of_role(log, cell, by[i]);
        r->serial = by[i] == ROLE_UUID;
        log->nameless |= by[i] == ROLE_NAME;
    }
    if (r->id.byte == 0)
        r->id = (struct power_cell){ "0", 1 };
}

static void csv_row(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX] UNWRITTEN;
    struct power_reading_of r UNWRITTEN;
    int count = split(line, log->separator, cell);

    if (log->column[ROLE_WATT] < 0)
        return; /* said at the header */
    if (count != log->column_count) {
        if (is_remark(line))
            power_say(log, POWER_OTHER_LINE, "", "");
        else if (!csv_header(log, line))
            power_say(log, POWER_CELL_COUNT, "", "");
        return;
    }
    empty(&r);
    r.has_time = log->column[ROLE_TIME] >= 0;
    if (r.has_time &&
        !power_cell_instant(cell[log->column[ROLE_TIME]], &log->day, &r.us)) {
        if (!csv_header(log, line))
            power_say(log, POWER_BAD_TIME, "timestamp", "");
        return;
    }
    csv_identity(log, cell, &r);
    if (!r.has_time && csv_header(log, line))
        return;
    if (!read_values(log, cell, &r))
        return;
    read_extras(log, cell, &r);
    power_take(log, &r);
}

/* --- dmon ----------------------------------------------------------------- */

/* "# gpu pwr …" names the columns, "# Idx W …" their units. */
static void dmon_header(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX];
    int count;

    line.at++;
    line.byte--;
    count = words(line, cell);
    if (count > POWER_CELL_MAX) {
        power_say(log, POWER_TOO_MANY_CELLS, "", "128");
        return;
    }
    if (count == 0 || power_cell_is(cell[0], "idx") ||
        power_cell_is(cell[0], "yyyymmdd") ||
        power_cell_is(cell[0], "hh:mm:ss"))
        return;
    if (!set_form(log, FORM_DMON))
        return;
    power_form_reset(log);
    log->column_count = count;
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < COUNT(marks); k++)
            if (power_cell_is(cell[i], marks[k].name))
                log->column[marks[k].role] = i;
    if (log->column[ROLE_WATT] < 0)
        power_say(log, POWER_NO_POWER, "pwr", "pwr");
}

/* Date and time, or the time alone: then it is a new day when the clock goes
   back by more than half a day. */
static int dmon_time(struct power_log *log, const struct power_cell *cell,
                     struct power_reading_of *r)
{
    struct power_cell date = of_role(log, cell, ROLE_DATE), all;
    int64_t clock;

    r->has_time = log->column[ROLE_CLOCK] >= 0;
    if (!r->has_time)
        return 1;
    if (date.byte) { /* as one cell, with what lies between */
        all.at = date.at;
        all.byte = (size_t)(cell[log->column[ROLE_CLOCK]].at - date.at) +
                   cell[log->column[ROLE_CLOCK]].byte;
        if (log->column[ROLE_CLOCK] == log->column[ROLE_DATE] + 1 &&
            power_cell_instant(all, &log->day, &r->us))
            return 1;
    } else if (power_cell_clock(cell[log->column[ROLE_CLOCK]], &clock)) {
        if (log->clock_us - clock > 43200000000)
            log->midnight_us += 86400000000;
        log->clock_us = clock;
        r->us = log->midnight_us + clock;
        return 1;
    }
    power_say(log, POWER_BAD_TIME, "Time", "");
    return 0;
}

static void dmon_row(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX] UNWRITTEN;
    struct power_reading_of r UNWRITTEN;
    int count = words(line, cell);

    if (log->column[ROLE_WATT] < 0)
        return;
    if (count != log->column_count) {
        power_say(log, POWER_CELL_COUNT, "", "");
        return;
    }
    empty(&r);
    r.id = of_role(log, cell, ROLE_INDEX);
    if (r.id.byte == 0)
        r.id = (struct power_cell){ "0", 1 };
    if (dmon_time(log, cell, &r) && read_values(log, cell, &r))
        power_take(log, &r);
}

/* --- dcgmi dmon ----------------------------------------------------------- */

/* "#Entity  POWER  GPUTL", then "ID  W". */
static void dcgm_header(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX];
    int count;

    line.at++;
    line.byte--;
    count = words(line, cell);
    if (count > POWER_CELL_MAX) {
        power_say(log, POWER_TOO_MANY_CELLS, "", "128");
        return;
    }
    if (!set_form(log, FORM_DCGM))
        return;
    power_form_reset(log);
    log->column_count = count - 1;
    for (int i = 1; i < count; i++)
        for (size_t k = 0; k < COUNT(fields); k++)
            if (power_cell_is(cell[i], fields[k].name) &&
                log->column[fields[k].role] < 0)
                log->column[fields[k].role] = i - 1;
    if (log->column[ROLE_WATT] < 0)
        power_say(log, POWER_NO_POWER, "POWER", "dcgmi dmon -e 155");
}

/* "GPU 0  59.123  0", perhaps with an instant in front that something else
   has written there. */
static void dcgm_row(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX] UNWRITTEN, stamp;
    struct power_reading_of r UNWRITTEN;
    int count = words(line, cell), at = 0;

    if (log->column[ROLE_WATT] < 0 ||
        (count > 0 && power_cell_is(cell[0], "id")))
        return;
    while (at < count && at < 3 && !power_cell_is(cell[at], "gpu"))
        at++;
    if (at >= count || !power_cell_is(cell[at], "gpu")) {
        power_say(log, POWER_OTHER_LINE, "", "");
        return;
    }
    if (count - at - 2 != log->column_count) {
        power_say(log, POWER_CELL_COUNT, "", "");
        return;
    }
    empty(&r);
    if (at > 0) {
        stamp.at = cell[0].at;
        stamp.byte = (size_t)(cell[at - 1].at - stamp.at) + cell[at - 1].byte;
        r.has_time = power_cell_instant(stamp, &log->day, &r.us);
        if (!r.has_time) {
            power_say(log, POWER_BAD_TIME, "", "");
            return;
        }
    }
    r.id = cell[at + 1];
    /* dcgmi says use in percent, without the sign */
    if (read_values(log, cell + at + 2, &r))
        power_take(log, &r);
}

/* --- the plain table ------------------------------------------------------ */

/* "| NVIDIA-SMI 550.54.14   Driver Version: 550.54.14   CUDA …" */
static void table_driver(struct power_log *log, struct power_cell line)
{
    static const char mark[] = "Driver Version:";
    struct power_cell cell[POWER_CELL_MAX];
    int count = words(line, cell);

    for (int i = 0; i + 2 < count; i++)
        if (power_cell_is(cell[i], "driver") &&
            cell[i + 1].byte == sizeof mark - 1 - 7)
            power_copy(log->table_driver, cell[i + 2]);
    if (log->form == FORM_NONE)
        log->form = FORM_TABLE;
}

/* "|   0  NVIDIA A100-SXM4-80GB     On  | 00000000:07:00.0 Off | …" */
static void table_device(struct power_log *log, struct power_cell first,
                         struct power_cell bus)
{
    struct power_cell name = first, index;
    struct power_gpu *gpu;
    double number;
    size_t used;

    log->table_gpu = -1;
    if (bus.byte < 10 || !memchr(bus.at, ':', bus.byte) ||
        !power_cell_number(first, &number, &used))
        return;
    index.at = first.at;
    index.byte = used;
    name.at += used;
    name.byte -= used;
    name = power_cell_trim(name);
    while (name.byte && name.at[name.byte - 1] != ' ')
        name.byte--; /* persistence: On, Off */
    name = power_cell_trim(name);
    gpu = power_device(log, index, 0);
    if (!gpu)
        return;
    if (!gpu->name[0])
        power_copy(gpu->name, name);
    log->table_gpu = (int)(gpu - log->gpu);
}

/* "| N/A   30C    P0    61W / 400W |      0MiB / 81920MiB | …" */
static void table_values(struct power_log *log, struct power_cell first,
                         struct power_cell second)
{
    struct power_gpu *gpu = &log->gpu[log->table_gpu];
    struct power_cell cell[POWER_CELL_MAX];
    int count = words(first, cell);
    double number;
    size_t used;

    log->table_gpu = -1;
    if (count > 2 && power_cell_is(cell[count - 2], "/") &&
        power_cell_value(cell[count - 1], 1, &number) == READING_GOOD)
        gpu->limit_watt = number;
    count = words(second, cell);
    if (count == 3 && power_cell_number(cell[2], &number, &used))
        gpu->memory_gib = number / 1024;
}

static void table_line(struct power_log *log, struct power_cell line)
{
    struct power_cell cell[POWER_CELL_MAX];
    int count;

    if (contains(line, "NVIDIA-SMI")) {
        table_driver(log, line);
        return;
    }
    count = split(line, '|', cell);
    if (*line.at != '|' || count != 5)
        return; /* rules, and the list of processes */
    if (log->table_gpu >= 0)
        table_values(log, cell[1], cell[2]);
    else
        table_device(log, cell[1], cell[2]);
}

/* --- lines ---------------------------------------------------------------- */

/* body: the line without blanks in front. */
static void first_line(struct power_log *log, struct power_cell line,
                       struct power_cell body)
{
    if (power_slurm_header(log, line) || csv_header(log, body))
        return;
    if (csv_guess(log, body)) {
        csv_row(log, body);
        return;
    }
    if (!log->unknown_line)
        log->unknown_line = log->line;
    power_say(log, POWER_OTHER_LINE, "", "");
}

static int is_table(const struct power_log *log, struct power_cell line)
{
    return log->form != FORM_SLURM && (*line.at == '+' || *line.at == '|') &&
           line.byte > 60;
}

void power_form_line(struct power_log *log, struct power_cell line)
{
    struct power_cell body;

    while (line.byte && (line.at[line.byte - 1] == '\r' ||
                         line.at[line.byte - 1] == ' '))
        line.byte--;
    for (body = line; body.byte && *body.at == ' '; body.byte--)
        body.at++;
    if (body.byte == 0)
        return;
    if ((*body.at == '#' || *body.at == 'D') && power_exporter_line(log, body))
        return;
    if (*body.at == '#' && body.byte > 1) {
        if (contains(body, "Entity"))
            dcgm_header(log, body);
        else
            dmon_header(log, body);
        return;
    }
    if (is_table(log, body)) {
        table_line(log, body);
        return;
    }
    switch (log->header[0] ? FORM_SLURM : log->form) {
    case FORM_CSV:
        if (log->column_count)
            csv_row(log, body);
        else
            first_line(log, line, body);
        break;
    case FORM_DMON: dmon_row(log, body); break;
    case FORM_DCGM: dcgm_row(log, body); break;
    case FORM_SLURM: power_slurm_line(log, line); break;
    case FORM_EXPORTER: break; /* of other programs */
    case FORM_TABLE:
    case FORM_NONE: first_line(log, line, body); break;
    }
}
