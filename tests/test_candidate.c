/* test_candidate.c: order, front and places against sorting everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/candidate.h"
#include "pricing/philox.h"

enum { MANY = 400, ROUNDS = 60 };

static int by_order(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return candidate_before(y, x) - candidate_before(x, y);
}

/* Few different figures, so that there are many equals; some have none. */
static size_t make(struct candidate *at, int round)
{
    double u[3 * MANY];
    size_t count = (size_t)(round * 7 % MANY) + 1;

    philox_uniform(1, (uint32_t)round * 10000, 0, 0, 3 * MANY, u);
    for (size_t i = 0; i < count; i++) {
        double steps = round % 3 == 0 ? 5 : 1000;
        at[i].npv_cost = floor(u[3 * i] * steps);
        at[i].total_kg = u[3 * i + 1] < 0.1 ? (double)NAN
                                            : floor(u[3 * i + 1] * steps);
        at[i].npv_cost_with_carbon = at[i].npv_cost + at[i].total_kg;
        at[i].at = (uint32_t)i;
    }
    return count;
}

static int beats(const struct candidate *a, const struct candidate *b)
{
    return a->npv_cost <= b->npv_cost && a->total_kg <= b->total_kg &&
           (a->npv_cost < b->npv_cost || a->total_kg < b->total_kg);
}

static void cheapest_are_the_first_of_a_sort(void **state)
{
    static struct candidate at[MANY], sorted[MANY];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct candidates all = { at, make(at, round) };
        const struct candidate *best[MANY];
        memcpy(sorted, at, sizeof at);
        qsort(sorted, all.count, sizeof *sorted, by_order);
        for (int limit = 1; limit <= 100; limit += 33) {
            int count = candidates_cheapest(&all, limit, best);
            assert_int_equal(count, (size_t)limit < all.count ? limit
                                                              : (int)all.count);
            for (int i = 0; i < count; i++) {
                assert_int_equal(best[i]->at, sorted[i].at);
                assert_int_equal(candidate_rank(&all, best[i]), i + 1);
            }
        }
    }
}

static void nothing_beats_the_front(void **state)
{
    static struct candidate at[MANY];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct candidates all = { at, make(at, round) };
        const struct candidate *front[MANY];
        int count = candidates_front(&all, MANY, front);
        for (int i = 0; i < count; i++)
            for (size_t k = 0; k < all.count; k++)
                assert_false(beats(&at[k], front[i]));
        /* and what is not on it is beaten, equal, or has no carbon figure */
        for (size_t k = 0; k < all.count; k++) {
            int found = isnan(at[k].total_kg);
            for (int i = 0; i < count; i++)
                found |= !(at[k].npv_cost < front[i]->npv_cost) &&
                         !(at[k].total_kg < front[i]->total_kg);
            assert_true(found);
        }
    }
}

static void places_with_carbon(void **state)
{
    static struct candidate at[MANY];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct candidates all = { at, make(at, round) };
        unsigned char taken[MANY + 1] = { 0 };
        int with = 0;
        for (size_t k = 0; k < all.count; k++) {
            int rank = candidate_rank_with_carbon(&all, &at[k]);
            if (isnan(at[k].total_kg)) {
                assert_int_equal(rank, 0);
                continue;
            }
            assert_true(rank >= 1 && (size_t)rank <= all.count);
            assert_false(taken[rank]); /* each place once */
            taken[rank] = 1;
            with++;
            for (size_t n = 0; n < all.count; n++)
                if (at[n].npv_cost_with_carbon < at[k].npv_cost_with_carbon)
                    assert_true(candidate_rank_with_carbon(&all, &at[n]) < rank);
        }
        for (int i = 1; i <= with; i++)
            assert_true(taken[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheapest_are_the_first_of_a_sort),
        cmocka_unit_test(nothing_beats_the_front),
        cmocka_unit_test(places_with_carbon),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
