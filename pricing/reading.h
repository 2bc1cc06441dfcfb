/* reading.h: what a feed says of a place at a time: carbon of the grid, or a
   tariff. Shown beside the dated facts that results use, never in their
   place. Pure. */
#ifndef GPUTCO_PRICING_READING_H
#define GPUTCO_PRICING_READING_H

#include <stddef.h>

#include "pricing/catalogue.h"

enum reading_kind { READING_GRID, READING_TARIFF, READING_KIND_COUNT };
extern const char *const reading_kind_name[READING_KIND_COUNT];

/* What a grid figure counts; all are averages, none is marginal. */
enum reading_basis { BASIS_NONE, BASIS_DIRECT, BASIS_LIFECYCLE, BASIS_COUNT };
extern const char *const reading_basis_name[BASIS_COUNT]; /* "", "direct" .. */

/* One value for the time from `begin` to before `end`, seconds since 1970 UTC.
   zone: of the zone table; region: a cloud region of the feed's provider, ""
   the whole zone. note: what else must be known of a tariff ("band IB"). */
struct reading {
    enum reading_kind kind;
    enum tariff_class tariff;   /* of a tariff */
    enum reading_basis basis;   /* of the grid */
    double value;               /* g CO2e/kWh, or money a kWh */
    long long begin, end;
    int forecast, estimated;
    char zone[12], region[32], currency[4], note[48];
    char feed[24];              /* as kept: whose it is */
};

/* By feed, kind, zone, region, tariff, begin. */
struct reading_table { const struct reading *row; size_t count; };
int reading_compare(const struct reading *a, const struct reading *b);
/* The same apart from `begin`. */
int reading_compare_place(const struct reading *a, const struct reading *b);

/* A grid value of a whole zone and of an hour or less. */
int reading_is_live(const struct reading *reading);

/* The newest grid value of a whole zone that is no forecast, or else the
   newest forecast; NULL when there is none. */
const struct reading *reading_live(const struct reading_table *table,
                                   const char *zone);

/* The newest tariff of a zone and class; NULL when there is none. */
const struct reading *reading_tariff(const struct reading_table *table,
                                     const char *zone,
                                     enum tariff_class tariff);

/* -- time ------------------------------------------------------------------ */

long long second_of_day(int day);       /* its first, UTC */
int day_of_second(long long second);    /* yyyymmdd, UTC */

/* Reads YYYY-MM-DDTHH:MM, seconds and their parts or not, and Z. -1: it is
   no such time. */
long long second_read(const char *text);

/* The time a reading is of: "2026-12-01 12:30 UTC", "2026-09", "2024-S2",
   "2024", whatever its length makes of it. */
enum { READING_WHEN_BYTE = 24 };
void reading_when(const struct reading *reading, char out[READING_WHEN_BYTE]);

/* The seconds of a local day, from midnight to midnight. hour: local time less
   UTC in winter. summer: clocks change as in Europe, at 01:00 UTC on the last
   Sundays of March and October, so that a day has 23 or 25 hours. */
void local_day(int day, int hour, int summer, long long *begin,
               long long *end);

/* Mean of readings (of one place, sorted) over that time, each weighted by how
   much of it it covers. NAN unless all of it is covered just once. */
double reading_mean(const struct reading *reading, size_t count,
                    long long begin, long long end);

#endif
