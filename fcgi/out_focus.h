/* out_focus.h: an estimate in the columns of a bill: FOCUS 1.2 (FinOps Open
   Cost and Usage Specification, 2025-05-30), for rented and owned options. */
#ifndef GPUTCO_FCGI_OUT_FOCUS_H
#define GPUTCO_FCGI_OUT_FOCUS_H

#include "fcgi/answer.h"

/* The 21 mandatory columns and some of our own (x_...), a row a charge.
   BilledCost is what falls due in the period: over all rows of an option it
   sums to total_cost. EffectiveCost spreads outlays (less resale) over all
   months and upfronts over their term, and sums to the same. The first period
   is the month of key `start`. */
void out_focus(const struct answer *answer, struct text *out);

#endif
