/* power.h: a measured power log as an answer: figures by device and in all,
   the keys a study takes from it, and that study with and without them. */
#ifndef GPUTCO_FCGI_POWER_H
#define GPUTCO_FCGI_POWER_H

#include "energy/device.h"
#include "energy/power_log.h"
#include "fcgi/input.h"
#include "pricing/advise.h"

/* NAN: cannot be said. Counts are whole. */
struct power_figures {
#define FIGURE(name, ...) double name;
#include "fcgi/power_figures.def"
};

/* A key of /compare that the log fills. why: English, where it comes from. */
struct power_key { const char *name; double value; const char *why; };

/* One thing, measured and as the study has it without the log. */
struct power_row {
    const char *name, *label, *unit;
    int is_money;
    double measured, modelled;
};

enum { POWER_KEY_MAX = 6, POWER_ROW_MAX = 12, POWER_QUERY_BYTE = 2048 };

/* Big: allocated by power_open. */
struct power_answer {
    const struct input *input;
    const char *base_url;
    int zh;
    struct power_figures total, device[POWER_GPU_MAX];
    const struct gpu *model[POWER_GPU_MAX]; /* NULL: not in the table */
    const struct gpu *gpu;       /* the model of all of them, or NULL */
    int machine_count;           /* as far as the log tells them apart */
    double device_hour;          /* of all devices together */
    double node_watt, watt_per_gpu; /* of sacct: whole nodes; NAN */
    char driver[DRIVER_TEXT_BYTE];
    const char *cuda;            /* the newest it was made for; NULL unknown */
    struct power_key key[POWER_KEY_MAX];
    int key_count;
    char declared[96];           /* a=own/… of the devices, or "" */
    char query[POWER_QUERY_BYTE];/* of /compare with the keys; "" none */
    const char *no_query;        /* English: why there is none */
    struct problems lacking;     /* what the study would need typed */
    char currency[4];
    struct power_row row[POWER_ROW_MAX];
    int row_count;
    struct power_log log;
};

/* NULL: no memory. */
struct power_answer *power_open(void);
void power_close(struct power_answer *answer); /* accepts NULL */

/* The log has ended (power_log_end): works out everything. `input` holds
   what was typed besides; its keys are read here. 1 when complete; 0 when
   input->problems or the log's mistakes say what is wrong. */
int power_run(struct power_answer *answer, struct input *input,
              const struct world *world, const char *base_url);

#endif
