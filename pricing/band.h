/* band.h: how far running totals may stray: the first draws of
   pricing/uncertainty.h, run month by month. Pure: the caller brings the
   room. */
#ifndef GPUTCO_PRICING_BAND_H
#define GPUTCO_PRICING_BAND_H

#include <stdint.h>

#include "pricing/range.h"

enum { BAND_DRAW_COUNT = 160 };

/* Running totals of each month by draw, then sorted. */
struct band_room { double total[MONTH_MAX + 1][BAND_DRAW_COUNT]; };

/* 5th and 95th percentile (nearest rank) of the running total of months
   0 ... M. */
struct band { double p5[MONTH_MAX + 1], p95[MONTH_MAX + 1]; int month_count; };

/* Bands of one option of a resolved study. 0, and nothing written, when the
   length of the comparison itself is uncertain. */
int band_run(const struct study *study, const struct ranges *ranges,
             int option, uint64_t seed, struct band_room *room,
             struct band *out);

#endif
