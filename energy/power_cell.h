/* power_cell.h: what stands in the cells of power logs: numbers with or
   without a unit, instants in the forms the tools write. Pure. */
#ifndef GPUTCO_ENERGY_POWER_CELL_H
#define GPUTCO_ENERGY_POWER_CELL_H

#include <stddef.h>
#include <stdint.h>

/* A piece of a line; not ended by NUL. */
struct power_cell { const char *at; size_t byte; };

enum power_reading {
    READING_GOOD,
    READING_MISSING, /* the tool says that it has none: [N/A], -, empty */
    READING_BAD      /* something else */
};

/* The cell without blanks around it and without a pair of quotes. */
struct power_cell power_cell_trim(struct power_cell cell);

/* Same letters, capitals or not. `text` is in lower case. */
int power_cell_is(struct power_cell cell, const char *text);

/* Digits with at most one point, correctly rounded; a minus in front. *used
   (may be NULL) is how much of the cell that took: without it the number has
   to be all of it. 1 or 0. */
int power_cell_number(struct power_cell cell, double *out, size_t *used);

/* A number times the unit behind it ("59.12 W", "59 %", "1.2 kW"), or times
   `plain` when there is none. Units: mW, W, kW, MW, %. */
enum power_reading power_cell_value(struct power_cell cell, double plain,
                                    double *out);

/* What a unit is worth in watts (of 1 for %), NAN when unknown. */
double power_cell_unit(struct power_cell unit);

/* Joules: "12.3M", "118K", "4567": powers of a thousand, as sacct writes. */
enum power_reading power_cell_joule(struct power_cell cell, double *out);

/* "[DD-]HH:MM:SS[.mmm]" or plain seconds, in seconds. */
enum power_reading power_cell_span(struct power_cell cell, double *second);

/* What a day last read was; saves reading it again. All zero at first. */
struct power_day { char text[10]; int64_t us; };

/* An instant in microseconds since 1970: 2024/05/01 12:00:00.123, the same
   with - and T, with Z or an offset, 20240501 12:00:00, seconds or
   milliseconds since 1970. Without offset: as if it were UTC. 1 or 0. */
int power_cell_instant(struct power_cell cell, struct power_day *day,
                       int64_t *us);

/* HH:MM:SS[.mmm] in microseconds since midnight. 1 or 0. */
int power_cell_clock(struct power_cell cell, int64_t *us);

/* YYYY-MM-DD HH:MM:SS of an instant, for people. */
void power_instant_print(char out[24], int64_t us);

#endif
