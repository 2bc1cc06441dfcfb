/* run.h: a training run, or the serving of a model, on the options of a
   study: GPU-hours, memory, money, kWh and CO2e. Pure. */
#ifndef GPUTCO_PRICING_RUN_H
#define GPUTCO_PRICING_RUN_H

#include "energy/train.h"
#include "pricing/pricing.h"

/* The run as asked; NAN where nothing was typed. */
struct run_spec {
    struct train_run train;   /* shape, method, tokens; count, stage and
                                 recomputation as far as given */
    int recompute_given, stage_given;
    double run_gpu_count;     /* GPUs of the run; NAN: the option's own */
    double flop_count, gpu_hour;
    double mfu_frac, goodput_frac;
    double project_factor;    /* all runs over the final one */
    double deadline_hour;
    double checkpoint_hour, interruption_hour; /* the latter NAN: rework_frac
                                                  of the option */
    int inference;
    double api_price_per_million_token;
};

/* One option. Costs, kWh and kg hold project_factor. */
struct run_option {
    const struct gpu *gpu;
    double run_gpu_count;
    double mfu_frac, goodput_frac;
    int mfu_typed;
    double flop, hardware_flop;
    double gpu_hour, gpu_hour_low, gpu_hour_high; /* of the final run */
    double wall_hour, machine_hour;               /* machine-hours with rework */
    double rework_frac;
    struct train_run train;                       /* as settled */
    struct train_memory memory;
    enum train_fits fits;
    struct train_advice advice;
    double cost_full, cost_marginal, kwh, kg;  /* kwh at the facility's meter */
    double gpu_kwh, node_kwh;                  /* of it: GPUs, whole machines;
                                                  the rest: switches, hall */
    double cost_per_million_tokens, cost_per_pflop_day;
    double deadline_gpu_count;   /* NAN: none asked, or not to be reached */
    struct inference inference;
    double inference_cost_per_million_tokens;
};

/* wanted: the run; option, result: one option of a study that has been run.
   reference: the run on option a, for what is only known there (a typed
   gpu_hour); NULL for option a itself. */
void run_option_of(const struct run_spec *wanted, const struct option *option,
                   const struct result *result,
                   const struct run_option *reference,
                   struct run_option *out);

/* Share of the hours lost when any of so many machines stops the run: half the
   time between checkpoints and a quarter of an hour to start again, each time;
   at most 0.95. */
double run_rework(double checkpoint_hour, double interruption_hour,
                  double machine_count);

/* Hours of a run on n GPUs when it takes `hour` on n0: strong scaling loses
   a share for each doubling (the median of MLPerf's pairs). */
double run_scaled_hour(double hour, double n0, double n);

#endif
