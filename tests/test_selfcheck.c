/* test_selfcheck.c: the self-check stays within its bands, and the program
   predicts what the script has fitted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "energy/train.h"
#include "pricing/selfcheck.h"
#include "tests/near.h"

static void headlines_hold(void **state)
{
    (void)state;
    struct selfcheck *check = malloc(sizeof *check);

    assert_non_null(check);
    selfcheck_run(check);
    assert_true(check->headline_count >= 8);
    for (int i = 0; i < check->headline_count; i++)
        if (!check->headline[i].good)
            fail_msg("%s %s is %.4f", check_kind_name[check->headline[i].kind],
                     check->headline[i].name, check->headline[i].value);
    assert_true(check->good);
    /* nothing was dropped for want of room */
    assert_in_range(check->row_count, 250, CHECK_ROW_MAX - 1);
    assert_in_range(check->group_count, 10, CHECK_GROUP_MAX - 2);
    free(check);
}

static const struct { const char *id; double hour; } fitted[] = {
#define ROW(id, gpu_hour, low_hour, high_hour, fitted_hour) { id, fitted_hour },
#include "energy/mfu_left_out.inc"
};

static const struct {
    const char *id, *kind, *gpu, *precision;
    double param, active, token, sequence, count, peak;
} runs[] = {
#define ROW(id, model, developer, year, family, kind, stage, param, active, \
            token, sample, sequence, precision, gpu, run_gpu_count, peak, \
            watt, hour, hours_basis, mfu, energy, scope, energy_basis, pue, \
            use_hours, use_energy, tier, verification, source, address, \
            date, licence, note) \
    { id, kind, gpu, precision, param, active, token, sequence, \
      run_gpu_count, peak },
#include "energy/training_runs.inc"
};

/* The script's formula and this one's are the same, whichever way the peak is
   counted. */
static void predicts_as_fitted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fitted / sizeof *fitted; i++)
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
            struct mfu_case c;
            struct mfu mfu;
            double hours, peak = runs[k].peak;
            if (strcmp(fitted[i].id, runs[k].id) != 0)
                continue;
            c = (struct mfu_case){
                gpu_find(runs[k].gpu), PRECISION_BF16, runs[k].active,
                runs[k].param, runs[k].sequence, runs[k].count,
                strcmp(runs[k].kind, "encoder") == 0 ? TASK_ENCODER
                                                     : TASK_DECODER, 0, 0 };
            assert_non_null(c.gpu);
            if (strcmp(runs[k].precision, "fp8") == 0) {
                c.precision = PRECISION_FP8;
                peak = c.gpu->peak_tflops[PRECISION_FP8].value;
                peak *= runs[k].peak / c.gpu->peak_tflops[PRECISION_BF16].value;
            }
            mfu = mfu_predict(&c);
            hours = train_gpu_hour(6 * runs[k].active * runs[k].token, peak,
                                   mfu.mfu_frac, mfu.goodput_frac);
            if (fabs(hours / fitted[i].hour - 1) > 1e-6)
                fail_msg("%s: %.3f, fitted %.3f", runs[k].id, hours,
                         fitted[i].hour);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headlines_hold),
        cmocka_unit_test(predicts_as_fitted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
