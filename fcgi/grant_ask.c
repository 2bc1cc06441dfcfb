/* grant_ask.c: what is not typed follows from the flavour. */
#include "fcgi/grant_ask.h"

#include <stdio.h>
#include <string.h>

#include "pricing/num.h"

#define UNWRITTEN __attribute__((uninitialized))

/* A rate older than so many days is warned of. */
enum { VALUE_BYTE_MAX = 40, RATE_AGE = 7 };

/* Keys that only a request takes, in the order of queries. */
static const struct { int key; const char *name; } number[] = {
    { K_grant_use_frac, "grant_use_frac" },
    { K_grant_overhead_frac, "grant_overhead_frac" },
    { K_grant_equipment_line, "grant_equipment_line" },
    { K_grant_year_month, "grant_year_month" },
    { K_grant_period_month, "grant_period_month" },
};
enum { NUMBER_COUNT = sizeof number / sizeof *number };

const struct grant_flavour *grant_flavour_of(const struct input *input)
{
    int at = (int)input->key_value[K_grant];

    return at > 0 ? &grant_flavour_table[at - 1] : NULL;
}

static const char *currency_of(const struct answer *answer,
                               const struct grant_flavour *flavour)
{
    return *flavour->currency ? flavour->currency : answer->study.currency;
}

/* Units of the funder's currency for one of the study's; 0 without a rate. */
static double rate_of(const struct answer *answer, const char *currency,
                      int *day)
{
    double per_usd;

    *day = 0;
    if (strcmp(currency, answer->study.currency) == 0)
        return 1;
    if (!rate_find(answer->world->rates, currency, answer->study.as_of_day,
                   &per_usd, day))
        return 0;
    if (strcmp(currency, "USD") == 0)
        *day = answer->study.rate_day;
    return per_usd / answer->study.currency_per_usd;
}

void grant_check(struct answer *answer, struct problems *problems)
{
    const struct input *input = answer->input;
    const struct grant_flavour *flavour = grant_flavour_of(input);
    int day, option = (int)input->key_value[K_grant_option];

    if (!flavour) {
        if (input->key_typed[K_grant_option])
            problem_add(problems, "grant_option", "not_applicable", "", "");
        for (int i = 0; i < NUMBER_COUNT; i++)
            if (input->key_typed[number[i].key])
                problem_add(problems, number[i].name, "not_applicable", "",
                            "");
        return;
    }
    if (option > answer->study.option_count)
        problem_add(problems, "grant_option", "unknown_option", "", "");
    if (!(rate_of(answer, currency_of(answer, flavour), &day) > 0))
        problem_add(problems, "grant", "no_rate", flavour->currency, "");
    else if (day && day_difference(answer->study.as_of_day, day) > RATE_AGE)
        warning_add(&answer->warnings, "stale_rate", 0, "grant",
                    "the rate of %s is of %04d-%02d-%02d",
                    currency_of(answer, flavour), day / 10000,
                    day / 100 % 100, day % 100);
}

/* The cheapest option that can do the work, else the first. */
static int best_option(const struct answer *answer)
{
    for (int i = 0; i < answer->study.option_count; i++)
        if (answer->result[i].rank == 1)
            return i;
    return 0;
}

static double typed_or(const struct input *input, int key, double preset)
{
    return input->key_typed[key] ? input->key_value[key] : preset;
}

static void settle_terms(const struct answer *answer, struct grant_pack *pack)
{
    const struct grant_flavour *f = pack->flavour;
    const struct input *input = answer->input;

    pack->currency = currency_of(answer, f);
    pack->terms = (struct grant_terms){
        .basis = f->basis, .overhead_on = f->overhead_on,
        .overhead_frac = typed_or(input, K_grant_overhead_frac,
                                  f->overhead_frac),
        .use_frac = input->key_value[K_grant_use_frac],
        .funded_frac = f->funded_frac,
        .equipment_line = typed_or(input, K_grant_equipment_line,
                                   f->equipment_line),
        .round_to = f->round_to,
        .rate = rate_of(answer, pack->currency, &pack->rate_day),
        .start_month = answer->start_day / 100 % 100,
        .year_month = (int)typed_or(input, K_grant_year_month, f->year_month),
        .period_month = (int)typed_or(input, K_grant_period_month,
                                      f->period_month) };
}

/* The first owned option stands for the like equipment of a rent. */
static void compare_rent(const struct answer *answer, struct grant_pack *pack)
{
    const struct study *study = &answer->study;

    pack->like = -1;
    if (study->option[pack->option].kind == KIND_OWN)
        return;
    for (int i = 0; i < study->option_count && pack->like < 0; i++)
        if (study->option[i].kind == KIND_OWN)
            pack->like = i;
    if (pack->like >= 0)
        pack->cap = grant_cap_of(&answer->result[pack->option],
            &answer->result[pack->like],
            study->option[pack->like].value[F_depreciation_year],
            &pack->terms);
}

void grant_work_out(const struct answer *answer, struct grant_pack *pack)
{
    struct month months[MONTH_MAX + 1] UNWRITTEN;
    struct result result;
    const struct study *study = &answer->study;
    int asked = (int)answer->input->key_value[K_grant_option];
    struct work work = work_of(study->option[0].value);
    const struct option *o;

    pack->flavour = grant_flavour_of(answer->input);
    pack->option = asked > 0 ? asked - 1 : best_option(answer);
    settle_terms(answer, pack);
    o = &study->option[pack->option];
    model_run(o->kind, o->value, &work, &result, months);
    grant_run(o->kind, o->value, &result, months, &pack->terms, &pack->grant);
    compare_rent(answer, pack);
}

int grant_query_key(const struct input *input, int i, const char **key,
                    char *value)
{
    const struct grant_flavour *flavour = grant_flavour_of(input);

    for (int k = -2; flavour && k < NUMBER_COUNT; k++) {
        int of = k == -2 ? K_grant : k == -1 ? K_grant_option : number[k].key;
        if (!input->key_typed[of] || i-- > 0)
            continue;
        *key = k == -2 ? "grant" : k == -1 ? "grant_option" : number[k].name;
        if (k == -2)
            snprintf(value, VALUE_BYTE_MAX, "%s", flavour->id);
        else if (k == -1 && input->key_value[of] > 0)
            snprintf(value, VALUE_BYTE_MAX, "%c",
                     'a' + (int)input->key_value[of] - 1);
        else if (k == -1)
            snprintf(value, VALUE_BYTE_MAX, "best");
        else
            num_print(value, input->key_value[of]);
        return 1;
    }
    return 0;
}
