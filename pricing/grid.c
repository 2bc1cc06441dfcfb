/* grid.c: the model at each crossing, and a search along each column. */
#include "pricing/grid.h"

#include <math.h>

#include "pricing/sensitivity.h"

enum { BISECTIONS = 60 };

double grid_at(const struct range *range, int i)
{
    if (i == GRID_COUNT - 1)
        return range->high;
    return range->low + (range->high - range->low) * i / (GRID_COUNT - 1);
}

struct probe {
    const struct study *study;
    const struct grid *grid;
    struct trial *trial;        /* x is set in it */
};

static double saving_at(const struct probe *p, double y)
{
    double saving;

    range_set(p->study, &p->grid->y, y, p->trial);
    saving = saving_of(p->study, p->trial, p->grid->a, p->grid->b);
    range_set(p->study, &p->grid->y, p->grid->y.value, p->trial);
    return saving;
}

/* The zero between two values of different sign: halving is sure to end,
   at a jump as well. */
static double zero_between(const struct probe *p, double low, double high,
                           int rises)
{
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = low + (high - low) / 2;
        double saving = saving_at(p, middle);
        if (isnan(saving))
            return (double)NAN;
        if ((saving > 0) == rises)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static double even_y_of(const struct probe *p, const double *column)
{
    const struct range *y = &p->grid->y;
    double best = (double)NAN;

    for (int j = 0; j < GRID_COUNT; j++) {
        double at = (double)NAN;
        if (!(fabs(column[j]) > 0) && !isnan(column[j]))
            at = grid_at(y, j);
        else if (j > 0 && column[j - 1] * column[j] < 0)
            at = zero_between(p, grid_at(y, j - 1), grid_at(y, j),
                              column[j] > 0);
        if (!isnan(at) &&
            !(fabs(at - y->value) >= fabs(best - y->value)))
            best = at;
    }
    return best;
}

void grid_run(const struct study *study, const struct range *x,
              const struct range *y, int a, int b, struct grid *out)
{
    struct trial trial;
    struct probe p = { study, out, &trial };

    out->a = a;
    out->b = b;
    out->x = *x;
    out->y = *y;
    trial_of(study, &trial);
    for (int i = 0; i < GRID_COUNT; i++) {
        double column[GRID_COUNT];
        range_set(study, x, grid_at(x, i), &trial);
        for (int j = 0; j < GRID_COUNT; j++)
            column[j] = out->saving[j][i] = saving_at(&p, grid_at(y, j));
        out->even_y[i] = even_y_of(&p, column);
        range_set(study, x, x->value, &trial);
    }
}
