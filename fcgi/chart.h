/* chart.h: geometry of figures: numbers in, coordinates out. Knows neither
   studies nor SVG, so that a figure can be tested as numbers. Coordinates
   grow to the right and downwards, in the units of the frame. */
#ifndef GPUTCO_FCGI_CHART_H
#define GPUTCO_FCGI_CHART_H

enum { TICK_MAX = 16, CURVE_MAX = 6, CURVE_POINT_MAX = 64, PART_MAX = 24,
       BAR_MAX = 12, HEAT_MAX = 24 };

/* Straight line from values to coordinates. */
struct scale { double low, high, from, to; };

double scale_at(const struct scale *scale, double value);

/* Round values from low to high, about `about` of them: steps of 1, 2 or 5
   times a power of ten, whole multiples of the step. decimals: how many show
   the step exactly. Empty when there is no span. */
struct ticks { double at[TICK_MAX], step; int count, decimals; };

void ticks_of(double low, double high, int about, struct ticks *ticks);

/* Ticks of a time axis in months: steps of 1, 3, 6, 12, 24 ... months. */
void ticks_of_months(double months, int about, struct ticks *ticks);

/* The plot's own rectangle inside the figure. */
struct frame { double left, right, top, bottom; };

struct point { double x, y; };

/* --- curves ---------------------------------------------------------------- */

/* Values by month 0 ... month_count; low and high may be NULL. */
struct curve_in { const double *value, *low, *high; };

struct curve {
    struct point point[CURVE_POINT_MAX];
    double low_y[CURVE_POINT_MAX], high_y[CURVE_POINT_MAX];
    int has_band;
    double label_y;                     /* labels stand apart */
};

struct curves {
    struct frame frame;
    struct scale x, y;
    struct ticks x_ticks, y_ticks;
    int month[CURVE_POINT_MAX], point_count; /* months that are drawn */
    struct curve curve[CURVE_MAX];
    int count;
};

/* Up to CURVE_POINT_MAX months, first and last included, evenly spaced. y
   holds 0 and everything drawn. label_gap: least distance of end labels. */
void chart_curves(const struct curve_in *in, int count, int month_count,
                  const struct frame *frame, double label_gap,
                  struct curves *out);

/* Moves positions apart to at least `gap`, in their order, within low ...
   high where they fit. */
void chart_spread(double *y, int count, double gap, double low, double high);

/* --- stacked bars -------------------------------------------------------------- */

/* Parts from left to right; negative ones to the left of 0. */
struct part { int index; double from, to; };
struct bar { double y, height, sum, end; struct part part[PART_MAX]; int count; };
struct stack {
    struct frame frame;
    struct scale x;
    struct ticks ticks;
    struct bar bar[CURVE_MAX];
    int count;
};

/* value[i * part_count + k]: part k of bar i; what is not finite or 0 is
   left out. bar_share: of a bar's place, how much it fills. */
void chart_stack(const double *value, int count, int part_count,
                 const struct frame *frame, double bar_share,
                 struct stack *out);

/* --- tornado ------------------------------------------------------------------- */

struct swing_in { double low, high; };
struct swing { double y, height, low_x, high_x; int low_ok, high_ok; };
struct tornado {
    struct frame frame;
    struct scale x;
    struct ticks ticks;
    double base_x, zero_x;              /* zero_x NAN: outside */
    struct swing swing[BAR_MAX];
    int count;
};

void chart_tornado(const struct swing_in *in, int count, double base,
                   const struct frame *frame, struct tornado *out);

/* --- heat map ------------------------------------------------------------------- */

/* Columns from left to right, rows from the bottom up. */
struct heat {
    struct frame frame;
    struct scale x, y;
    struct ticks x_ticks, y_ticks;
    int columns, rows;
    int level[HEAT_MAX][HEAT_MAX];      /* [row][column] -3 ... 3, 0 near tie */
    unsigned char none[HEAT_MAX][HEAT_MAX];
    struct point line[HEAT_MAX];        /* where the value is 0 */
    unsigned char line_on[HEAT_MAX];    /* per column */
};

/* value[row * columns + column] at cell centres, which stand evenly between
   the ends of x and y; levels by size: below `near`, 4 near, 16 near. */
void chart_heat(const double *value, int columns, int rows, double x_low,
                double x_high, double y_low, double y_high, double near,
                const struct frame *frame, struct heat *out);

/* --- steps ----------------------------------------------------------------------- */

/* A value that holds from its day on. */
struct observation { double day, value; };

/* Points of a step line through the observations, ending at last_day;
   returns how many (at most 2 count). */
int chart_steps(const struct observation *seen, int count, double last_day,
                const struct scale *x, const struct scale *y,
                struct point *out);

#endif
