/* selfcheck.h: recomputes published training runs and says how far off the
   program is. Pure. */
#ifndef GPUTCO_PRICING_SELFCHECK_H
#define GPUTCO_PRICING_SELFCHECK_H

#include <stddef.h>

enum check_kind {
    CHECK_HOURS,          /* GPU-hours from size and tokens; the run's family
                             of models was left out of the fit */
    CHECK_HOURS_WITH_MFU, /* the same with the utilisation the run reports */
    CHECK_MLPERF,         /* minutes, given one entry of another system */
    CHECK_LLMCARBON,      /* tonnes CO2e, given that table's inputs */
    CHECK_ENERGY,         /* watts an accelerator in the scope of its meter,
                             hours given; the run was left out of the fit */
    CHECK_ENERGY_STATED,  /* kWh and tonnes of published runs from the power,
                             PUE and grid they state */
    CHECK_KIND_COUNT
};
extern const char *const check_kind_name[CHECK_KIND_COUNT];
extern const char *const check_kind_title[CHECK_KIND_COUNT];

/* low, high: the 80 % interval; NAN when none is given. error: got over want,
   less 1. */
struct check_row {
    enum check_kind kind;
    const char *id, *device, *unit, *address;
    double want, got, low, high, error;
};

/* Of the rows of one kind, on one device ("" all). coverage: share of rows
   within the interval, NAN without one. */
struct check_group {
    enum check_kind kind;
    const char *device;
    int row_count;
    double median, ninetieth, bias, mean, worst, coverage;
};

/* A figure that the build holds within a band. */
struct check_headline {
    enum check_kind kind;
    const char *name;
    double value, low, high;
    int good;
};

enum { CHECK_ROW_MAX = 512, CHECK_GROUP_MAX = 64, CHECK_HEADLINE_MAX = 16 };

struct selfcheck {
    struct check_row row[CHECK_ROW_MAX];
    struct check_group group[CHECK_GROUP_MAX];
    struct check_headline headline[CHECK_HEADLINE_MAX];
    int row_count, group_count, headline_count;
    int good;             /* every headline in its band */
};

void selfcheck_run(struct selfcheck *out);

#endif
