/* surrogate.h: the cost of an option as an exact polynomial of what is
   uncertain, for when it is wanted a million times. The model is run at the
   corners only; a check against the model itself says whether the formulas
   still have that form, so that a formula which bends costs time, not
   correctness. Pure. */
#ifndef GPUTCO_PRICING_SURROGATE_H
#define GPUTCO_PRICING_SURROGATE_H

#include "energy/energy.h"
#include "pricing/pricing.h"

/* Owned: number of machines, gpu_price, residual_frac, staff_fte and the
   year-1 energy bill of a month. Rented: hours or machines paid for, price,
   staff_fte; and rent_price_growth_frac in powers up to the years. */
enum { SURROGATE_AXIS_MAX = 5, SURROGATE_CORNER_MAX = 32,
       SURROGATE_NODE_MAX = 16 };

struct surrogate {
    enum kind kind;
    int axis_count, corner_count, node_count, commitment;
    double origin[SURROGATE_AXIS_MAX], scale[SURROGATE_AXIS_MAX];
    double node[SURROGATE_NODE_MAX];     /* growth */
    /* coefficient of the product of the axes in `corner`, in Newton's form
       of the growth */
    double coefficient[SURROGATE_CORNER_MAX][SURROGATE_NODE_MAX];
    int holds;              /* 0: it does not match the model, do not use */
};

/* 1 if only fields that the polynomial knows differ between runs: `moves`
   has a 1 for each field that does. */
int surrogate_knows(enum kind kind, const unsigned char moves[FIELD_COUNT]);

/* value: the option's values; growth_low and growth_high: ends of
   rent_price_growth_frac, equal when it does not move. */
void surrogate_make(enum kind kind, const double *value,
                    const struct work *work, double growth_low,
                    double growth_high, struct surrogate *out);

/* npv_cost of a row of cases: their fields and their steps of energy. */
void surrogate_run_lanes(const struct surrogate *s,
                         const double (*value)[LANE_COUNT],
                         const double (*step)[LANE_COUNT],
                         double npv_cost[LANE_COUNT]);

#endif
