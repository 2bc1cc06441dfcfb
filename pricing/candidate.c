/* candidate.c: selection by insertion and by repeated passes. */
#include "pricing/candidate.h"

#include <math.h>

int candidate_before(const struct candidate *a, const struct candidate *b)
{
    if (a->npv_cost < b->npv_cost || a->npv_cost > b->npv_cost)
        return a->npv_cost < b->npv_cost;
    if (isnan(a->total_kg) || isnan(b->total_kg))
        return isnan(a->total_kg) == isnan(b->total_kg) ? a->at < b->at
                                                        : !isnan(a->total_kg);
    if (a->total_kg < b->total_kg || a->total_kg > b->total_kg)
        return a->total_kg < b->total_kg;
    return a->at < b->at;
}

int candidates_cheapest(const struct candidates *all, int limit,
                        const struct candidate **best)
{
    int count = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct candidate *c = &all->at[i];
        int at = count;
        if (count == limit && !candidate_before(c, best[count - 1]))
            continue;
        if (count < limit)
            count++;
        else
            at--;
        for (; at > 0 && candidate_before(c, best[at - 1]); at--)
            best[at] = best[at - 1];
        best[at] = c;
    }
    return count;
}

int candidates_front(const struct candidates *all, int limit,
                     const struct candidate **front)
{
    double below = INFINITY;
    int count = 0;

    for (; count < limit; count++) {
        const struct candidate *best = NULL;
        for (size_t i = 0; i < all->count; i++) {
            const struct candidate *c = &all->at[i];
            if (c->total_kg < below && (!best || candidate_before(c, best)))
                best = c;
        }
        if (!best)
            break;
        front[count] = best;
        below = best->total_kg;
    }
    return count;
}

int candidate_rank(const struct candidates *all, const struct candidate *of)
{
    int rank = 1;

    for (size_t i = 0; i < all->count; i++)
        rank += candidate_before(&all->at[i], of);
    return rank;
}

int candidate_rank_with_carbon(const struct candidates *all,
                               const struct candidate *of)
{
    double cost = of->npv_cost_with_carbon;
    int rank = 1;

    if (isnan(cost))
        return 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct candidate *c = &all->at[i];
        rank += c->npv_cost_with_carbon < cost ||
                (c->npv_cost_with_carbon <= cost && candidate_before(c, of));
    }
    return rank;
}
