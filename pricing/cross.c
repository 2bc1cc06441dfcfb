/* cross.c: prices of one fetch against each other (see cross.h). */
#include "pricing/cross.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/zone.h"

enum { LISTED_MIN = 30 };  /* regions of a provider that we list in full */
static const double slack = 1 + 1e-9;

double cross_cost_per_hour(const struct feed_row *row)
{
    return price_spread(row->term, row->price_per_hour, row->upfront_price);
}

void cross_note(struct tally *tally, enum refusal why,
                const struct feed_row *row)
{
    if (!tally->refused[why]++)
        snprintf(tally->example[why], sizeof *tally->example, "%.50s %.26s",
                 row->instance, row->region);
}

/* -- regions -------------------------------------------------------------- */

int cross_region(const char *provider, const char *region, int first)
{
    size_t listed = 0;

    for (size_t i = 0; i < region_count_all(); i++) {
        const struct region *known = region_at(i);
        size_t byte = strlen(known->id);

        if (strcmp(known->provider, provider))
            continue;
        listed++;
        if (!strncmp(known->id, region, byte)
            && (region[byte] == '\0' || region[byte] == '-'))
            return 1;
    }
    return listed < LISTED_MIN || (first && !strpbrk(region, " ()"));
}

static int compare_place(const void *a, const void *b)
{
    const struct feed_row *x = *(const struct feed_row *const *)a;
    const struct feed_row *y = *(const struct feed_row *const *)b;
    int order = strcmp(x->provider, y->provider);

    return order ? order : strcmp(x->region, y->region);
}

/* Regions among the gone that are not among those in force; both get sorted. */
static void look_at_regions(const struct feed_row **gone, size_t gone_count,
                            const struct feed_row **row, size_t count,
                            struct tally *tally)
{
    if (gone_count)
        qsort(gone, gone_count, sizeof *gone, compare_place);
    if (count)
        qsort(row, count, sizeof *row, compare_place);
    for (size_t i = 0; i < gone_count; i++)
        if ((i == 0 || compare_place(&gone[i - 1], &gone[i]))
            && !(count && bsearch(&gone[i], row, count, sizeof *row,
                                  compare_place)))
            cross_note(tally, REFUSED_region_missing, gone[i]);
}

/* -- order of prices ------------------------------------------------------ */

static int same_place(const struct feed_row *a, const struct feed_row *b)
{
    return !strcmp(a->provider, b->provider)
           && !strcmp(a->instance, b->instance)
           && !strcmp(a->region, b->region);
}

/* Rows in key order: the price on demand of a machine comes first. */
static void look_at_terms(const struct feed_row **row, size_t count,
                          struct tally *tally)
{
    const struct feed_row *demand = NULL;

    for (size_t i = 0; i < count; i++) {
        if (row[i]->term == TERM_ON_DEMAND)
            demand = row[i];
        else if (demand && row[i]->term != TERM_UNSPECIFIED
                 && row[i]->term != TERM_CAPACITY_BLOCK
                 && same_place(demand, row[i])
                 && !strcmp(demand->currency, row[i]->currency)
                 && cross_cost_per_hour(row[i])
                    > cross_cost_per_hour(demand) * slack)
            cross_note(tally, row[i]->term == TERM_SPOT
                       ? REFUSED_spot_above_on_demand
                       : REFUSED_commitment_above_on_demand, row[i]);
    }
}

/* Names as they are without their digits. */
static int compare_kind(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (isdigit((unsigned char)*a))
            a++;
        while (isdigit((unsigned char)*b))
            b++;
        if (*a != *b || !*a)
            return (unsigned char)*a - (unsigned char)*b;
    }
}

static int compare_group(const struct feed_row *x, const struct feed_row *y)
{
    int order = strcmp(x->provider, y->provider);

    if (!order)
        order = strcmp(x->region, y->region);
    if (!order)
        order = (x->term > y->term) - (x->term < y->term);
    if (!order)
        order = (x->payment > y->payment) - (x->payment < y->payment);
    if (!order)
        order = strcmp(x->gpu, y->gpu);
    if (!order)
        order = strcmp(x->currency, y->currency);
    return order ? order : compare_kind(x->instance, y->instance);
}

static int compare_size(const void *a, const void *b)
{
    const struct feed_row *x = *(const struct feed_row *const *)a;
    const struct feed_row *y = *(const struct feed_row *const *)b;
    const double cx = cross_cost_per_hour(x), cy = cross_cost_per_hour(y);
    int order = compare_group(x, y);

    if (!order)
        order = (x->gpu_count > y->gpu_count) - (x->gpu_count < y->gpu_count);
    return order ? order : (cx > cy) - (cx < cy);
}

/* The cheapest of each number of GPUs against the cheapest of fewer. */
static void look_at_sizes(const struct feed_row **row, size_t count,
                          struct tally *tally)
{
    const struct feed_row *most = NULL; /* dearest of the cheapest so far */

    if (count)
        qsort(row, count, sizeof *row, compare_size);
    for (size_t i = 0; i < count; i++) {
        const int same = i > 0 && compare_group(row[i - 1], row[i]) == 0;

        if (same && !(row[i]->gpu_count > row[i - 1]->gpu_count))
            continue; /* the dearer ones of a number */
        if (!same)
            most = NULL;
        if (most && cross_cost_per_hour(row[i]) * slack
                    < cross_cost_per_hour(most))
            cross_note(tally, REFUSED_not_monotone, row[i]);
        else
            most = row[i];
    }
}

/* -- all of it ------------------------------------------------------------ */

/* The row a change leaves in force by `day`, NULL: none. */
static const struct feed_row *in_force(const struct change *change, int day)
{
    switch (change->kind) {
    case CHANGE_NEW: case CHANGE_PRICE: case CHANGE_CORRECTED:
    case CHANGE_BACK: case CHANGE_NONE: case CHANGE_DETAIL:
        return change->row && change->row->effective_day > day ? NULL
             : change->row ? change->row : &change->old->row;
    case CHANGE_HELD: case CHANGE_KEPT:
        return change->old ? &change->old->row : NULL;
    case CHANGE_GONE: case CHANGE_KIND_COUNT:
        break;
    }
    return NULL;
}

static int same_offer(const struct feed_row *a, const struct feed_row *b)
{
    return a->term == b->term && a->payment == b->payment && same_place(a, b);
}

/* Numbers of GPUs count for those that state them; spot comes and goes. */
static size_t sized_only(const struct feed_row **row, size_t count)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        if (row[i]->gpu_count > 0 && *row[i]->gpu
            && row[i]->term != TERM_SPOT)
            row[left++] = row[i];
    return left;
}

int cross_check(const struct change *change, size_t count, int day,
                struct tally *tally)
{
    const struct feed_row **row = malloc((count + 1) * sizeof *row);
    const struct feed_row **gone = malloc((count + 1) * sizeof *gone);
    size_t found = 0, gone_count = 0;

    for (size_t i = 0; row && gone && i < count; i++) {
        const struct feed_row *now = in_force(&change[i], day);

        if (change[i].kind == CHANGE_GONE)
            gone[gone_count++] = &change[i].old->row;
        if (!now)
            continue;
        if (found && same_offer(row[found - 1], now))
            found--; /* a later day of the same offer */
        row[found++] = now;
    }
    if (row && gone) {
        look_at_terms(row, found, tally);
        look_at_regions(gone, gone_count, row, found, tally);
        look_at_sizes(row, sized_only(row, found), tally);
    }
    free(row);
    free(gone);
    return row && gone;
}
