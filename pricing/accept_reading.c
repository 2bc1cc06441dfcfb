/* accept_reading.c: believing or not believing values of grid and tariff. */
#include "pricing/accept_reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/zone.h"
#include "pricing/cross.h"

enum { DAY_SECOND = 86400 };

/* No grid is dirtier: oil burnt badly is some 1,200 g. */
static const double grid_ceiling_g = 2000;
/* An hour may be far from its year, so far it never was. */
static const double grid_spread = 20;
/* Below 1 g where the year has more than 20: kilograms. */
static const double kg_below_g = 1, kg_above_yearly_g = 20;
/* A tariff moves by a third in a bad year. */
static const double tariff_spread = 3;
/* EUR, GBP or USD a kWh. */
static const double tariff_floor = 0.001, tariff_ceiling = 5;

static int within(double value, double known, double spread)
{
    return isnan(known) || known <= 0 ||
           (value <= known * spread && value >= known / spread);
}

/* The built-in tariff of the same class and currency, or NAN. */
static double known_tariff(const struct reading *r)
{
    enum tariff_class used;
    const struct dated_price known = tariff_find(r->zone, r->tariff, &used);

    return used == r->tariff && known.currency &&
           strcmp(known.currency, r->currency) == 0 ? known.fact.value
                                                    : (double)NAN;
}

/* The yearly factor of the reading's place: a cloud region is on a part of the
   country's grid. NAN unknown. */
static double known_grid(const struct reading *r, const struct feed *feed)
{
    const struct zone *zone = zone_find(r->zone);
    const struct region *region = *r->region
        ? region_find(feed->provider, r->region) : NULL;

    return region && !isnan(region->grid_g_per_kwh.value)
        ? region->grid_g_per_kwh.value
        : zone ? zone->grid_g_per_kwh.value : (double)NAN;
}

static int grid_fault(const struct reading *r,
                      const struct accept_reading_rule *rule)
{
    if (!rule->accept &&
        !within(r->value, known_grid(r, rule->feed), grid_spread))
        return REFUSED_outlier;
    return r->value > grid_ceiling_g ? REFUSED_out_of_range : -1;
}

static int tariff_fault(const struct reading *r, int accept)
{
    if (!(r->value > 0))
        return REFUSED_zero_price;
    if (r->value < tariff_floor || r->value > tariff_ceiling)
        return REFUSED_out_of_range;
    return accept || within(r->value, known_tariff(r), tariff_spread)
        ? -1 : REFUSED_outlier;
}

/* What is wrong with one reading by itself, or -1. */
static int fault(const struct reading *r,
                 const struct accept_reading_rule *rule)
{
    if (!isfinite(r->value))
        return REFUSED_not_finite;
    if (r->value < 0)
        return REFUSED_negative;
    if (!zone_find(r->zone))
        return REFUSED_unknown_region;
    if (r->begin <= 0 || r->end <= r->begin ||
        r->begin > rule->now + DAY_SECOND)
        return REFUSED_bad_date;
    return r->kind == READING_GRID ? grid_fault(r, rule)
                                   : tariff_fault(r, rule->accept);
}

static int is_in_kg(const struct reading *r, const struct feed *feed)
{
    return r->kind == READING_GRID && r->value >= 0 && r->value < kg_below_g &&
           known_grid(r, feed) > kg_above_yearly_g;
}

/* One value of a whole country is enough; of cloud regions, some of which have
   water power alone, it takes most. */
static int all_in_kg(const struct reading *reading, size_t count,
                     const struct feed *feed)
{
    size_t found = 0, whole = 0;

    for (size_t i = 0; i < count; i++) {
        const int kg = is_in_kg(&reading[i], feed);

        found += (size_t)kg;
        whole += kg && !*reading[i].region;
    }
    return whole || found > count / 2;
}

static void note(struct tally *tally, int why, const struct reading *r)
{
    const struct feed_row row = { .instance = r->zone, .region =
        r->kind == READING_TARIFF ? tariff_class_name[r->tariff] : r->region };

    cross_note(tally, (enum refusal)why, &row);
}

static int compare(const void *a, const void *b)
{
    const struct reading *x = a, *y = b;
    int order = reading_compare(x, y);

    return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* Of sorted readings: one for each time, none where two do not agree. */
static size_t drop_double(struct reading *reading, size_t count,
                          struct tally *tally)
{
    size_t left = 0;

    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count &&
             reading_compare(&reading[i], &reading[next]) == 0; next++)
            ;
        if (reading[next - 1].value > reading[i].value)
            note(tally, REFUSED_duplicate, &reading[i]);
        else
            reading[left++] = reading[i];
    }
    return left;
}

/* The first reason of those counted, for a feed of which nothing is left. */
static const char *first_reason(const struct tally *tally)
{
    for (int i = 0; i < REFUSAL_COUNT; i++)
        if (tally->refused[i] && refusal_table[i].alarm == 1)
            return refusal_table[i].id;
    return "row_count";
}

static enum status judge_whole(size_t good, size_t far,
                               const struct accept_reading_rule *rule,
                               const struct tally *tally, char *why,
                               size_t why_byte)
{
    if (!good && !far) {
        snprintf(why, why_byte, "%s: no reading can be used",
                 first_reason(tally));
        return FEED_REFUSED;
    }
    if (far > good) {
        snprintf(why, why_byte, "%s: %zu values are far from the known ones, "
                 "%zu are not", good + far > 1 ? "unit" : "outlier", far, good);
        return FEED_REFUSED;
    }
    if (!rule->accept && rule->last_count >= 10 &&
        (double)good < 0.8 * (double)rule->last_count) {
        snprintf(why, why_byte, "row_count: %zu readings, %ld the last time",
                 good, rule->last_count);
        return FEED_REFUSED;
    }
    return GOOD;
}

enum status accept_readings(struct reading *reading, size_t *count,
                            const struct accept_reading_rule *rule,
                            struct tally *tally, char *why, size_t why_byte)
{
    size_t good = 0, far = 0;

    if (!rule->accept && all_in_kg(reading, *count, rule->feed)) {
        snprintf(why, why_byte, "unit: values of the grid are in kilograms, "
                 "not g CO2e/kWh");
        return FEED_REFUSED;
    }
    for (size_t i = 0; i < *count; i++) {
        int found = fault(&reading[i], rule);

        far += found == REFUSED_outlier;
        if (found >= 0) {
            note(tally, found, &reading[i]);
            continue;
        }
        reading[good] = reading[i];
        reading[good].forecast |= reading[i].begin > rule->now;
        good++;
    }
    if (good)
        qsort(reading, good, sizeof *reading, compare);
    *count = drop_double(reading, good, tally);
    return judge_whole(*count, far, rule, tally, why, why_byte);
}
