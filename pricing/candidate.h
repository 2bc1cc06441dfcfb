/* candidate.h: very many things with a cost and a carbon figure: which are
   cheapest, which nothing beats in both, where one stands. Pure; looks at
   each once or a few times, never sorts them all. */
#ifndef GPUTCO_PRICING_CANDIDATE_H
#define GPUTCO_PRICING_CANDIDATE_H

#include <stddef.h>
#include <stdint.h>

/* at: what it is, for the caller; the lower one stands first among equals.
   total_kg and npv_cost_with_carbon may be NAN. */
struct candidate {
    double npv_cost, npv_cost_with_carbon, total_kg;
    uint32_t at;
};

struct candidates { struct candidate *at; size_t count; };

/* Cheaper first, then less carbon; those without a figure of carbon last of
   equally cheap ones. */
int candidate_before(const struct candidate *a, const struct candidate *b);

/* The cheapest, in order; returns how many, at most `limit` (from 1). */
int candidates_cheapest(const struct candidates *all, int limit,
                        const struct candidate **best);

/* The Pareto front from the cheapest to the cleanest, one of equals; returns
   how many, at most `limit`. */
int candidates_front(const struct candidates *all, int limit,
                     const struct candidate **front);

/* Places from 1 among all, by cost, and by cost with carbon; the latter 0
   when it has no such figure. */
int candidate_rank(const struct candidates *all, const struct candidate *of);
int candidate_rank_with_carbon(const struct candidates *all,
                               const struct candidate *of);

#endif
