/* sentence.c: which of the shapes the answer has, and its words. */
#include "fcgi/sentence.h"

#include <math.h>
#include <stdio.h>

#include "fcgi/shown.h"

const struct pair *sentence_pair(const struct answer *answer)
{
    const struct pair *best = NULL;

    for (int i = 0; i < answer->verdict.count; i++) {
        const struct pair *each = &answer->verdict.pair[i];
        if (!best ||
            answer->result[each->b].rank < answer->result[best->b].rank)
            best = each;
    }
    return best;
}

/* The option with the lower present value. */
static int cheaper(const struct pair *pair)
{
    return pair->saving_npv < 0 ? pair->b : pair->a;
}

static int other_of(const struct pair *pair, int option)
{
    return option == pair->a ? pair->b : pair->a;
}

enum shape sentence_shape(const struct answer *answer,
                          const struct pair *pair)
{
    int heavy_wins;

    (void)answer;
    if (!pair)
        return SHAPE_NONE;
    if (pair->close_call)
        return SHAPE_CLOSE;
    if (pair->heavy < 0)
        return SHAPE_THROUGHOUT;
    heavy_wins = cheaper(pair) == pair->heavy;
    if (isnan(pair->break_even_month))
        return heavy_wins ? SHAPE_ONLY_LATE : SHAPE_THROUGHOUT;
    if (!heavy_wins)
        return SHAPE_TOO_LATE;
    return pair->break_even_month < 1 ? SHAPE_THROUGHOUT : SHAPE_FLIPS;
}

/* --- pieces ------------------------------------------------------------- */

static void put_doing(const struct answer *answer, int option, int first,
                      struct text *out)
{
    int own = answer->study.option[option].kind == KIND_OWN;

    if (first)
        text_str(out, own ? "Owning " : "Renting ");
    else
        text_str(out, own ? "owning " : "renting ");
    text_str(out, answer_label(answer, option));
}

/* "3 years", "18 months": the length of the comparison. */
static void put_span(const struct answer *answer, struct text *out)
{
    int months = answer->result[0].month_count;

    if (months % 12 == 0) {
        shown_number(out, months / 12, 0);
        text_str(out, months == 12 ? " year" : " years");
    } else {
        shown_number(out, months, 0);
        text_str(out, months == 1 ? " month" : " months");
    }
}

static void put_month(struct text *out, double month)
{
    text_str(out, "month ");
    shown_number(out, month, 0);
}

/* "renting is (aws p4d.24xlarge, us-east-1, on demand)": labels hold commas,
   so the second one stands in brackets. */
static void put_aside(const struct answer *answer, int option,
                      const char *verb, struct text *out)
{
    text_str(out, answer->study.option[option].kind == KIND_OWN ? "owning"
                                                                : "renting");
    text_str(out, verb);
    text_str(out, " (");
    text_str(out, answer_label(answer, option));
    text_char(out, ')');
}

static void put_flip(const struct answer *answer, const struct pair *pair,
                     struct text *out)
{
    put_doing(answer, pair->heavy, 1, out);
    text_str(out, " is cheaper from ");
    put_month(out, pair->break_even_month);
    text_str(out, " on; before that ");
    put_aside(answer, other_of(pair, pair->heavy), " is", out);
    text_char(out, '.');
}

static void put_throughout(const struct answer *answer,
                           const struct pair *pair, struct text *out)
{
    int best = cheaper(pair);

    put_doing(answer, best, 1, out);
    if (answer->study.option[best].kind == KIND_OWN) {
        text_str(out, " is cheaper from the start than ");
        put_aside(answer, other_of(pair, best), "", out);
    } else {
        text_str(out, " is cheaper throughout; ");
        put_aside(answer, other_of(pair, best), "", out);
        text_str(out, " never pays off within ");
        put_span(answer, out);
    }
    text_char(out, '.');
}

static void put_only_late(const struct answer *answer,
                          const struct pair *pair, struct text *out)
{
    put_doing(answer, pair->heavy, 1, out);
    text_str(out, " is cheaper only thanks to resale or financing; "
                  "without them ");
    put_aside(answer, other_of(pair, pair->heavy), " is", out);
    text_char(out, '.');
}

static void put_too_late(const struct answer *answer, const struct pair *pair,
                         struct text *out)
{
    put_doing(answer, other_of(pair, pair->heavy), 1, out);
    text_str(out, " is cheaper in present value, although from ");
    put_month(out, pair->break_even_month);
    text_str(out, " on less was paid for ");
    put_aside(answer, pair->heavy, "", out);
    text_char(out, '.');
}

static void put_close(const struct answer *answer, const struct pair *pair,
                      struct text *out)
{
    text_str(out, "Too close to call: ");
    put_doing(answer, pair->a, 0, out);
    text_str(out, " and ");
    put_doing(answer, pair->b, 0, out);
    text_str(out, " are less than 5 % apart.");
}

static void put_none(const struct answer *answer, struct text *out)
{
    for (int i = 0; i < answer->study.option_count; i++)
        if (!answer->result[i].short_of_capacity) {
            text_str(out, "Only one option can do the work: ");
            put_doing(answer, i, 0, out);
            text_char(out, '.');
            return;
        }
    text_str(out, "None of these options can do the work.");
}

void sentence_verdict(const struct answer *answer, struct text *out)
{
    const struct pair *pair = sentence_pair(answer);

    switch (sentence_shape(answer, pair)) {
    case SHAPE_NONE: put_none(answer, out); break;
    case SHAPE_CLOSE: put_close(answer, pair, out); break;
    case SHAPE_THROUGHOUT: put_throughout(answer, pair, out); break;
    case SHAPE_FLIPS: put_flip(answer, pair, out); break;
    case SHAPE_ONLY_LATE: put_only_late(answer, pair, out); break;
    case SHAPE_TOO_LATE: put_too_late(answer, pair, out); break;
    }
}

/* --- amounts -------------------------------------------------------------- */

static void put_cost(const struct answer *answer, int option,
                     struct text *out)
{
    shown_rounded(out, answer->study.currency,
                  answer->result[option].npv_cost);
}

static void put_difference(const struct answer *answer,
                           const struct pair *pair, struct text *out)
{
    text_str(out, ": ");
    shown_rounded(out, answer->study.currency, fabs(pair->saving_npv));
    text_str(out, " less than ");
    put_cost(answer, other_of(pair, cheaper(pair)), out);
    text_str(out, " for ");
    text_str(out, answer_label(answer, other_of(pair, cheaper(pair))));
}

void sentence_amounts(const struct answer *answer, struct text *out)
{
    const struct pair *pair = sentence_pair(answer);

    text_str(out, "Over ");
    put_span(answer, out);
    if (!pair) {
        for (int i = 0; i < answer->study.option_count; i++) {
            text_str(out, i ? ", " : " ");
            text_str(out, answer_label(answer, i));
            text_str(out, " would cost ");
            put_cost(answer, i, out);
        }
        text_str(out, " in present value.");
        return;
    }
    text_char(out, ' ');
    text_str(out, answer_label(answer, cheaper(pair)));
    text_str(out, " costs ");
    put_cost(answer, cheaper(pair), out);
    text_str(out, " in present value");
    put_difference(answer, pair, out);
    text_char(out, '.');
}

void sentence(const struct answer *answer, struct text *out)
{
    sentence_verdict(answer, out);
    text_char(out, ' ');
    sentence_amounts(answer, out);
}
