/* test_sentence.c: each shape of the answer in both languages, and its
   grammar at none, one and many months. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/sentence.h"
#include "pricing/price.h"

struct bench {
    struct world world;
    struct input input;
    struct answer answer;
    struct text out;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    if (!b)
        return -1;
    b->world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = 20261201,
                                .degraded_reason = "" };
    text_init(&b->out, 8192);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    text_free(&b->out);
    free(b);
    return 0;
}

static void answer(struct bench *b, const char *query)
{
    input_init(&b->input);
    input_query(&b->input, query, SURFACE_QUERY);
    input_keys(&b->input, ON_COMPARE);
    assert_true(answer_run(&b->answer, &b->input, &b->world, ""));
}

/* What is said when the result is this one: nothing but the result counts. */
struct outcome {
    double own, rent, month;
    int heavy, close, straddles, months;
};

static const char *said(struct bench *b, const struct outcome *o, int zh)
{
    struct pair *pair = &b->answer.verdict.pair[0];

    answer(b, "a.label=RIG&b.label=CLOUD&samples=0");
    b->answer.study.zh = zh;
    b->answer.result[0].npv_cost = o->own;
    b->answer.result[1].npv_cost = o->rent;
    b->answer.result[0].month_count = o->months;
    pair->saving_npv = o->rent - o->own;
    pair->break_even_month = o->month;
    pair->heavy = o->heavy;
    pair->close_call = o->close;
    b->answer.range_straddles_zero[0] = o->straddles;
    text_reset(&b->out);
    sentence(&b->answer, &b->out);
    return b->out.at;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void each_shape_in_both_languages(void **state)
{
    struct bench *b = *state;
    static const struct {
        struct outcome outcome;
        const char *english, *chinese, *why;
    } run[] = {
        { { 100, 200, 0, 0, 0, 0, 36 },
          "Owning RIG is cheaper from the start than renting (CLOUD). Over 3 "
          "years RIG costs USD 100 in present value: USD 100 less than USD "
          "200 for CLOUD.",
          "自购 RIG 从一开始就比租用（CLOUD）便宜。3 年内，RIG 的现值成本为 "
          "USD 100，比 CLOUD 的 USD 200 少 USD 100。",
          "paid back in month 0" },
        { { 100, 200, NAN, 1, 0, 0, 36 },
          "Owning RIG is cheaper from the start than renting (CLOUD). ",
          "自购 RIG 从一开始就比租用（CLOUD）便宜。",
          "the rent is paid up front" },
        { { 100, 200, NAN, -1, 0, 0, 36 },
          "Owning RIG is cheaper from the start than renting (CLOUD). ",
          "自购 RIG 从一开始就比租用（CLOUD）便宜。", "the same outlay" },
        { { 300, 200, NAN, 0, 0, 0, 36 },
          "Renting CLOUD is cheaper throughout; owning (RIG) never pays off "
          "within 3 years. Over 3 years CLOUD costs USD 200 in present value: "
          "USD 100 less than USD 300 for RIG.",
          "租用 CLOUD 始终更便宜；自购（RIG）在 3 年内无法回本。3 年内，CLOUD "
          "的现值成本为 USD 200，比 RIG 的 USD 300 少 USD 100。", "never" },
        { { 300, 200, NAN, 0, 0, 0, 12 },
          "Renting CLOUD is cheaper throughout; owning (RIG) never pays off "
          "within 1 year. Over 1 year ",
          "租用 CLOUD 始终更便宜；自购（RIG）在 1 年内无法回本。1 年内，",
          "never in one year" },
        { { 300, 200, NAN, 0, 0, 0, 1 },
          "Renting CLOUD is cheaper throughout; owning (RIG) never pays off "
          "within 1 month. Over 1 month ",
          "租用 CLOUD 始终更便宜；自购（RIG）在 1 个月内无法回本。1 个月内，",
          "never in one month" },
        { { 300, 200, NAN, 0, 0, 0, 18 },
          "Renting CLOUD is cheaper throughout; owning (RIG) never pays off "
          "within 18 months. Over 18 months ",
          "租用 CLOUD 始终更便宜；自购（RIG）在 18 个月内无法回本。18 个月内，",
          "never in months that are no years" },
        { { 100, 200, 1, 0, 0, 0, 36 },
          "Owning RIG is cheaper from month 1 on; before that renting is "
          "(CLOUD). ",
          "自购 RIG 从第 1 个月起更便宜；在此之前租用（CLOUD）更便宜。",
          "flips at once" },
        { { 100, 200, 31, 0, 0, 0, 36 },
          "Owning RIG is cheaper from month 31 on; before that renting is "
          "(CLOUD). ",
          "自购 RIG 从第 31 个月起更便宜；在此之前租用（CLOUD）更便宜。",
          "flips late" },
        { { 200, 100, 7, 1, 0, 0, 36 },
          "Renting CLOUD is cheaper from month 7 on; before that owning is "
          "(RIG). Over 3 years CLOUD costs USD 100",
          "租用 CLOUD 从第 7 个月起更便宜；在此之前自购（RIG）更便宜。",
          "the rent is the larger outlay" },
        { { 100, 104, 35, 0, 1, 0, 36 },
          "Too close to call: owning RIG and renting CLOUD are less than 5 % "
          "apart. Over 3 years RIG costs USD 100 in present value: USD 4 "
          "less",
          "难分高下：自购 RIG 与租用 CLOUD 的成本相差不到 5 %。3 年内，RIG "
          "的现值成本为 USD 100，比 CLOUD 的 USD 104 少 USD 4。", "close" },
        { { 100, 100, NAN, -1, 1, 0, 36 },
          "Too close to call: owning RIG and renting CLOUD are less than 5 % "
          "apart. Over 3 years RIG costs USD 100 in present value, the same "
          "as CLOUD.",
          "难分高下：自购 RIG 与租用 CLOUD 的成本相差不到 5 %。3 年内，RIG "
          "的现值成本为 USD 100，与 CLOUD 相同。", "equal" },
        { { 100, 180, 20, 0, 0, 1, 36 },
          "Too close to call: within what is uncertain, owning RIG as well as "
          "renting CLOUD may turn out cheaper. ",
          "难分高下：在不确定范围内，自购 RIG 与租用 CLOUD 都可能更便宜。",
          "the range of the saving straddles zero" },
        { { 100, 200, NAN, 0, 0, 0, 36 },
          "Owning RIG is cheaper only thanks to resale or financing; without "
          "them renting is (CLOUD). ",
          "自购 RIG 仅因转售或融资才更便宜；若无这些因素，租用（CLOUD）更便宜。",
          "resale decides" },
        { { 300, 200, 30, 0, 0, 0, 36 },
          "Renting CLOUD is cheaper in present value, although from month 30 "
          "on less was paid for owning (RIG). ",
          "按现值计算租用 CLOUD 更便宜，尽管从第 30 个月起自购（RIG）的累计"
          "支出更少。", "discounting decides" },
        { { 2345678, 9876543, 5, 0, 0, 0, 36 },
          "Owning RIG is cheaper from month 5 on; before that renting is "
          "(CLOUD). Over 3 years RIG costs USD 2.35 million in present value: "
          "USD 7.53 million less than USD 9.88 million for CLOUD.",
          "自购 RIG 从第 5 个月起更便宜；在此之前租用（CLOUD）更便宜。3 年内，"
          "RIG 的现值成本为 USD 2,350,000，比 CLOUD 的 USD 9,880,000 少 USD "
          "7,530,000。", "millions" },
    };

    for (size_t i = 0; i < COUNT(run); i++)
        for (int zh = 0; zh < 2; zh++) {
            const char *want = zh ? run[i].chinese : run[i].english;
            const char *got = said(b, &run[i].outcome, zh);
            if (strncmp(got, want, strlen(want)) != 0)
                fail_msg("%s: %s", run[i].why, got);
            if (strpbrk(got, "{}"))
                fail_msg("%s: %s", run[i].why, got);
        }
}

static void without_a_pair(void **state)
{
    struct bench *b = *state;
    static const struct { const char *query, *english, *chinese; } run[] = {
        { "a.label=BIG&b=own/rtx-4090/1/1&b.label=SMALL",
          "Only one option can do the work: owning BIG. Over 3 years BIG would "
          "cost USD ",
          "只有一个方案能完成这些工作：自购 BIG。3 年内，按现值计算：BIG 的成本"
          "为 USD " },
        { "a=own/rtx-4090/1/1&busy_frac=1&a.rework_frac=0.5&b=own/rtx-3060-12gb"
          "/1/1&a.machine_speed=1e6", "Only one option can do the work: ",
          "只有一个方案能完成这些工作：" },
    };

    for (size_t i = 0; i < COUNT(run); i++)
        for (int zh = 0; zh < 2; zh++) {
            const char *want = zh ? run[i].chinese : run[i].english;
            answer(b, run[i].query);
            assert_int_equal(b->answer.verdict.count, 0);
            b->answer.study.zh = zh;
            text_reset(&b->out);
            sentence(&b->answer, &b->out);
            if (strncmp(b->out.at, want, strlen(want)) != 0)
                fail_msg("%s", b->out.at);
        }
    b->answer.result[0].short_of_capacity = 1;
    b->answer.study.zh = 0;
    text_reset(&b->out);
    sentence(&b->answer, &b->out);
    assert_non_null(strstr(b->out.at, "None of these options can do the work."));
}

/* The deciding pair is the one with the cheapest other option, wherever it
   stands; its own range decides. */
static void of_three_options(void **state)
{
    struct bench *b = *state;

    answer(b, "c=own/rtx-3060-12gb/8&c.label=THIRD&b.label=CLOUD&a.label=RIG"
              "&samples=0");
    assert_int_equal(b->answer.verdict.count, 2);
    b->answer.range_straddles_zero[0] = 1;
    assert_ptr_equal(sentence_pair(&b->answer), &b->answer.verdict.pair[1]);
    text_reset(&b->out);
    sentence(&b->answer, &b->out);
    assert_non_null(strstr(b->out.at, "THIRD"));
    assert_null(strstr(b->out.at, "CLOUD"));
    assert_null(strstr(b->out.at, "Too close to call: within"));
}

/* Two years on, nobody has read the lists again: said with the day, in the
   sentence and by a warning; not for a day in the past, nor a typed price. */
static void old_prices_are_called_old(void **state)
{
    struct bench *b = *state;

    b->world.today = 20281201;
    answer(b, "samples=0");
    assert_true(sentence_is_warned(&b->answer, -1, "stale_price"));
    assert_false(sentence_is_warned(&b->answer, 0, "stale_price"));
    assert_true(sentence_is_warned(&b->answer, 1, "stale_price"));
    text_reset(&b->out);
    sentence(&b->answer, &b->out);
    assert_non_null(strstr(b->out.at, " is old: its list was last read on 202"));
    answer(b, "samples=0&lang=zh");
    text_reset(&b->out);
    sentence(&b->answer, &b->out);
    assert_non_null(strstr(b->out.at, "的价格已旧"));
    answer(b, "samples=0&as_of=2026-12-01");
    assert_false(sentence_is_warned(&b->answer, -1, "stale_price"));
    answer(b, "samples=0&b.rent_price_per_hour=20");
    assert_false(sentence_is_warned(&b->answer, -1, "stale_price"));
    b->world.today = 20261201;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_in_both_languages),
        cmocka_unit_test(without_a_pair),
        cmocka_unit_test(of_three_options),
        cmocka_unit_test(old_prices_are_called_old),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
