/* power_log.h: what measuring tools write, bytes in pieces of any size, into
   energy by device. Reads nvidia-smi (--query-gpu CSV, dmon and its plain
   table), dcgmi dmon, dcgm-exporter and Slurm's sacct. Pure: no clock, no
   allocation; the caller gives a struct of a few megabytes. */
#ifndef GPUTCO_ENERGY_POWER_LOG_H
#define GPUTCO_ENERGY_POWER_LOG_H

#include <stddef.h>

#include "energy/power_cell.h"
#include "energy/power_meter.h"

enum {
    POWER_GPU_MAX = 128,
    POWER_LINE_BYTE = 16384,
    POWER_CELL_MAX = 128,
    POWER_NAME_BYTE = 64,
    POWER_PROBLEM_MAX = 100,     /* told one by one; the rest is counted */
    POWER_JOB_SLOTS = 8192,
    POWER_HEADER_BYTE = 1024
};

/* No device draws more; a reading above is a mistake of unit. */
#define POWER_WATT_MAX 20000.0

enum power_form { FORM_NONE, FORM_CSV, FORM_DMON, FORM_DCGM, FORM_EXPORTER,
                  FORM_TABLE, FORM_SLURM };
extern const char *const power_form_name[]; /* "nvidia_smi_csv" ... */

enum power_code {
#define PROBLEM(id, ...) POWER_##id,
#include "energy/power_problems.def"
    POWER_CODE_COUNT
};

/* About one line; line 0: about the log. field: the column or key. */
struct power_problem {
    enum power_code code;
    int part;                    /* number of the file, from 1 */
    long line;
    char field[32], limit[32];
};
const char *power_code_name(enum power_code code);
const char *power_code_words(enum power_code code); /* English */
int power_code_is_mistake(enum power_code code);

/* One device. Strings are "" when the log does not tell. */
struct power_gpu {
    char id[POWER_NAME_BYTE];    /* uuid, bus, index or name: the best one */
    char name[POWER_NAME_BYTE], driver[POWER_NAME_BYTE];
    int machine;                 /* from 0: who else has the same index */
    int has_serial;              /* id names it among all machines */
    double limit_watt, memory_gib; /* NAN: not told */
    long missing_count, again_count;
    int64_t ticks;               /* readings, when lines carry no time */
    struct power_meter meter;
    struct power_measure measure;/* after power_log_end */
};

struct power_jobs {              /* of sacct: whole nodes */
    long job_count, missing_count;
    double joule, second, node_second, gpu_second; /* NAN: not told */
};

/* A column's meaning. */
enum power_role { ROLE_OTHER, ROLE_TIME, ROLE_DATE, ROLE_CLOCK, ROLE_UUID,
                  ROLE_BUS, ROLE_INDEX, ROLE_NAME, ROLE_WATT, ROLE_LIMIT,
                  ROLE_BUSY, ROLE_DRIVER, ROLE_MEMORY, ROLE_JOB, ROLE_JOULE_RAW,
                  ROLE_JOULE, ROLE_SECOND_RAW, ROLE_SECOND, ROLE_NODES,
                  ROLE_TRES, ROLE_COUNT };

struct power_log {
    double interval_second;      /* between lines without time; NAN not told */
    enum power_form form;
    long line, unknown_line;     /* the first that said nothing; 0 none */
    int part, machine;
    int part_open;               /* whose devices these are is not settled */
    int column[ROLE_COUNT];      /* -1: none */
    int column_count;
    double unit[ROLE_COUNT];     /* of cells without one */
    char separator;
    int nameless;                /* no column tells devices apart */
    int told_interval;
    struct power_day day;
    int64_t midnight_us, clock_us;
    int next_gpu;                /* whose turn it probably is */
    struct power_gpu gpu[POWER_GPU_MAX];
    int gpu_count;
    struct power_meter all;      /* watts of all devices together */
    double round_watt;
    int64_t round_us;
    unsigned char in_round[POWER_GPU_MAX];
    int round_count, round_full; /* devices in it; rounds that were whole */
    struct power_measure together; /* after power_log_end; NAN: not together */
    struct power_jobs jobs;
    uint64_t job_seen[POWER_JOB_SLOTS];
    struct { uint64_t id; double joule, steps, second, nodes, gpus;
             int has_steps; long line; } job;
    char table_driver[POWER_NAME_BYTE];
    int table_gpu;               /* of the table's line before; -1 none */
    char header[POWER_HEADER_BYTE];   /* of a table in columns of letters */
    short span[POWER_CELL_MAX][2];    /* where they begin and end */
    int is_cut;                  /* at a last line without an end */
    struct power_problem problem[POWER_PROBLEM_MAX];
    int problem_count, mistake_count;
    long code_count[POWER_CODE_COUNT];
    int coding;                  /* of this file, power_log.c */
    char low;                    /* half a character of UTF-16 */
    char kept[POWER_LINE_BYTE];  /* a line that came in pieces */
    size_t kept_byte;
    int too_long;
};

/* interval_second: between two readings of a device when lines do not say
   when they were taken; NAN when not known. */
void power_log_begin(struct power_log *log, double interval_second);

/* The next bytes. */
void power_log_bytes(struct power_log *log, const char *bytes, size_t count);

/* The next file begins: what comes has its own header. */
void power_log_next(struct power_log *log);

/* No more bytes: closes every meter and looks for what is missing as a
   whole. To be called once; 1 when log->mistake_count is 0. */
int power_log_end(struct power_log *log);

#endif
