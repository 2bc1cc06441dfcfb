/* near.h: compares doubles in double precision, which cmocka's own float
   assertion does not. Include after cmocka.h. */
#ifndef GPUTCO_TESTS_NEAR_H
#define GPUTCO_TESTS_NEAR_H

#include <math.h>

/* Holds when got is within relative * max(1, |want|) of want. NAN is near
   NAN only. */
#define assert_near(got, want, relative) \
    near_check(got, want, relative, #got, __FILE__, __LINE__)

static inline void near_check(double got, double want, double relative,
                              const char *what, const char *file, int line)
{
    double scale = fabs(want) > 1 ? fabs(want) : 1;

    if (isnan(want) ? isnan(got)
                    : got == want || fabs(got - want) <= relative * scale)
        return;
    print_error("%s is %.17g, not %.17g\n", what, got, want);
    _fail(file, line);
}

#endif
