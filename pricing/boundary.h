/* boundary.h: the carbon of an option by where it is reported: by scope of
   the GHG Protocol and by the Software Carbon Intensity of ISO/IEC 21031.
   Pure; regroups what the model found and adds nothing to it. */
#ifndef GPUTCO_PRICING_BOUNDARY_H
#define GPUTCO_PRICING_BOUNDARY_H

#include "pricing/pricing.h"
#include "pricing/study.h"

/* One line of a report. Scope 2 has a figure by place and one by contract;
   the others have one: market_kg is NAN. label, note: English, to be said. */
struct ghg_line {
    const char *scope;      /* "2", "3.1", "3.2" */
    const char *label;
    double location_kg, market_kg;
};

/* Sums over the comparison: E and I make O, M is manufacture, R the GPU-hours
   of the work. grams_per_gpu_hour = (O + M) / R, NAN without work. */
struct sci {
    double e_kwh, i_g_per_kwh, o_kg, m_kg, r_gpu_hour, g_per_gpu_hour;
};

/* Manufacture with the lowest and highest study of the GPU, shares and life
   alike; the host stays. NAN when the GPU's figure was typed or has no band. */
struct embodied_band { double low_kg, value_kg, high_kg; const char *study; };

enum { GHG_LINE_MAX = 2 };
struct boundary {
    struct ghg_line line[GHG_LINE_MAX];
    int line_count;
    const char *note;       /* what is inside and what is not */
    struct sci sci;
    struct embodied_band band;
};

/* Of a resolved option and its result. Owned: electricity is scope 2 (in a
   colocation 2 or 3.8, by who controls the power), machines 3.2. Rented: all
   of it 3.1, purchased services. Offsets never enter (SCI 1.1, GHG Protocol
   scope 2 guidance). */
void boundary_of(const struct option *option, const struct result *result,
                 struct boundary *out);

#endif
