/* power_meter.h: readings of one sensor, one after another, into energy: the
   trapezoid between readings, what was not measured, and how the watts were
   spread. Bounded memory, no allocation, pure. */
#ifndef GPUTCO_ENERGY_POWER_METER_H
#define GPUTCO_ENERGY_POWER_METER_H

#include <stdint.h>

enum {
    POWER_BIN_COUNT = 2048,      /* of watts, as wide as the peak needs */
    POWER_STEP_COUNT = 44 * 32,  /* of interval lengths: 3 % or finer */
    POWER_HELD_MAX = 64,         /* longest intervals kept until the end */
    POWER_STRETCH_MAX = 8,       /* beginnings known again when repeated */
    POWER_GAP_MAX = 16           /* gaps told one by one, the longest */
};

/* An interval longer than this many median intervals is a gap. */
#define POWER_GAP_RATIO 5.0
/* Of the first bin; doubled until the peak fits. p95 is that exact. */
#define POWER_BIN_WATT 0.25

/* Two readings and the time between them. busy: the share of the GPU's time
   in use at either end, NAN when not told. */
struct power_interval {
    int64_t from_us, length_us;
    long line;                   /* of the later reading */
    double watt[2], busy[2];
};

/* One reading after another. Set up with power_meter_init; members are the
   meter's own. */
struct power_meter {
    long sample_count;
    int64_t first_us, latest_us; /* span of all readings */
    int64_t last_us;             /* the reading before */
    double last_watt, last_busy;
    int is_copy;                 /* passing over a stretch seen before */
    struct { int64_t us; double watt; } stretch[POWER_STRETCH_MAX];
    int stretch_count;
    double joule, second;        /* of the intervals that count */
    double known_second, use_second, busy_second, busy_joule, idle_joule;
    double peak_watt, bin_watt, bin_per_watt;
    struct { double second, peak; } bin[POWER_BIN_COUNT]; /* peak: the largest
                                    reading of the bin */
    uint32_t step_count[POWER_STEP_COUNT];
    int64_t step_peak_us[POWER_STEP_COUNT];/* longest of that length */
    struct power_interval held[POWER_HELD_MAX]; /* a heap, shortest first */
    int held_count;
    long gap_count;              /* and those found before the end */
    double gap_second;
};

enum power_taken { TAKEN, TAKEN_SAME_INSTANT, /* dropped */
                   TAKEN_BACK,                /* a new stretch begins */
                   TAKEN_COPY_BEGINS, TAKEN_COPY /* dropped */ };

struct power_gap { int64_t from_us; double second; long line; };

/* What the readings come to. NAN: cannot be said. */
struct power_measure {
    long sample_count;
    int64_t first_us, latest_us;
    double kwh, hour;            /* of the time that was measured */
    double gap_hour, median_second;
    double mean_watt, p95_watt, p95_step_watt, peak_watt;
    double busy_frac;            /* share of time with any use at all */
    double busy_watt, idle_watt; /* mean while in use and while not */
    double use_frac;             /* mean of what the tool calls utilization */
    /* Of the time in which use was told, for sums over devices. */
    double known_second, use_second, busy_second, busy_joule, idle_joule;
    long gap_count;
    struct power_gap gap[POWER_GAP_MAX]; /* in order of time */
    int gap_listed;
};

void power_meter_init(struct power_meter *meter);

/* The next reading: watt finite and not negative, busy 0 to 1 or NAN. A
   reading of the same instant as the one before is dropped. When the clock
   has gone back a new stretch begins, joined to nothing; but when it begins
   exactly as a stretch did before, the log holds that part twice, and
   readings are dropped until the clock is past all that was seen. */
enum power_taken power_meter_add(struct power_meter *meter, int64_t at_us,
                                 double watt, double busy, long line);

/* The end: decides what is a gap by the median of all intervals and fills
   `out`. Half of an interval belongs to either reading. To be called once. */
void power_meter_end(struct power_meter *meter, struct power_measure *out);

#endif
