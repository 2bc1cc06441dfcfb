/* grid.h: the saving of a pair over two uncertain quantities at once, and
   where it is nil. Pure. */
#ifndef GPUTCO_PRICING_GRID_H
#define GPUTCO_PRICING_GRID_H

#include "pricing/range.h"

enum { GRID_COUNT = 11 };

/* Row j of saving is y's value j, column i is x's value i; both go in equal
   steps from low to high. NAN where an option is short of capacity. */
struct grid {
    int a, b;
    struct range x, y;
    double saving[GRID_COUNT][GRID_COUNT];
    double even_y[GRID_COUNT]; /* by x: the y between its ends at which the
                                  saving is nil, the one nearest to today's
                                  value; NAN none */
};

/* The ranges belong to different quantities of the study. */
void grid_run(const struct study *study, const struct range *x,
              const struct range *y, int a, int b, struct grid *out);

/* Value i of GRID_COUNT. */
double grid_at(const struct range *range, int i);

#endif
