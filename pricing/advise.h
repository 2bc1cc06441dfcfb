/* advise.h: which machine to buy for a budget and a model: tiers, builds,
   drivers, and mistakes of common rules of thumb. Pure look-ups. */
#ifndef GPUTCO_PRICING_ADVISE_H
#define GPUTCO_PRICING_ADVISE_H

#include <stddef.h>

#include "energy/device.h"

/* Budgets in CNY. high NAN: no upper end. */
struct tier {
    const char *id, *name, *note;
    double budget_low, budget_high, sample_low, sample_high, param_low,
           param_high;
    struct source source;
};
size_t tier_count_all(void);
const struct tier *tier_at(size_t i);

/* Highest tier that starts at or below the budget; -1 below them all. */
int tier_of_budget(double budget_cny);
/* Lowest tier whose size takes both; NAN is any. */
int tier_of_size(double param_count, double sample_count);

struct tier_build { const char *tier, *gpu, *reason; double gpu_count; };
size_t tier_build_count_all(void);
const struct tier_build *tier_build_at(size_t i);

/* A rule of thumb and what is right. gpu: "" for all. */
struct correction { const char *id, *claim, *correction, *gpu;
                    struct source source; };
size_t correction_count_all(void);
const struct correction *correction_at(size_t i);

/* --- drivers ----------------------------------------------------------------- */

enum { DRIVER_TEXT_BYTE = 24 };

/* Finds the driver's version in a pasted nvidia-smi or takes the text as the
   version. 1 when found. */
int driver_read(const char *text, char version[DRIVER_TEXT_BYTE]);

/* -1, 0, 1 as a is older than, equal to or newer than b, part by part. */
int driver_compare(const char *a, const char *b);

/* Newest CUDA release that the driver was made for, or NULL; oldest driver
   for an architecture as the device table names it (NULL: not known). */
const char *driver_cuda(const char *version);
const char *driver_of_architecture(const char *architecture);
/* Oldest driver that runs programs of a CUDA major version, or NULL. */
const char *driver_of_cuda(const char *major);

#endif
