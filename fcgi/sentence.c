/* sentence.c: which of the shapes the answer has, and its words: one table
   of sentences in each language, filled in by role. */
#include "fcgi/sentence.h"

#include <math.h>
#include <string.h>

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

static int straddles(const struct answer *answer, const struct pair *pair)
{
    return answer->range_straddles_zero[pair - answer->verdict.pair] == 1;
}

enum shape sentence_shape(const struct answer *answer,
                          const struct pair *pair)
{
    int heavy_wins;

    if (!pair)
        return SHAPE_NONE;
    if (pair->close_call || straddles(answer, pair))
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

/* --- the table ------------------------------------------------------------ */

/* In braces a role, and after a colon how it is said: best and other (by
   present value), heavy and light (by outlay), a and b (of the pair), only
   (the one that can do the work).
     {best}        owning RIG         {Best}       Owning RIG
     {best:aside}  owning (RIG)       {best:is}    owning is (RIG)
     {best:label}  RIG                {best:cost}  USD 34,200
   {month}, {span}, {saving}: of the pair and the comparison. Labels hold
   commas, so the second one stands in brackets. Chinese sets a blank behind a
   label but where it has :end. */
enum words { CLOSE, CLOSE_BY_RANGE, START, NEVER, FLIPS, ONLY_LATE, TOO_LATE,
             ONLY_ONE, NO_ONE, AMOUNTS, AMOUNTS_SAME, WORDS_COUNT };
enum { ENGLISH, CHINESE, LANGUAGE_COUNT };

static const char *const sentences[WORDS_COUNT][LANGUAGE_COUNT] = {
    [CLOSE] = {
        "Too close to call: {a} and {b} are less than 5 % apart.",
        "难分高下：{a}与{b}的成本相差不到 5 %。" },
    [CLOSE_BY_RANGE] = {
        "Too close to call: within what is uncertain, {a} as well as {b} may "
        "turn out cheaper.",
        "难分高下：在不确定范围内，{a}与{b}都可能更便宜。" },
    [START] = {
        "{Best} is cheaper from the start than {other:aside}.",
        "{best}从一开始就比{other:aside}便宜。" },
    [NEVER] = {
        "{Best} is cheaper throughout; {other:aside} never pays off within "
        "{span}.",
        "{best}始终更便宜；{other:aside}在 {span}内无法回本。" },
    [FLIPS] = {
        "{Heavy} is cheaper from month {month} on; before that {light:is}.",
        "{heavy}从第 {month} 个月起更便宜；在此之前{light:is}更便宜。" },
    [ONLY_LATE] = {
        "{Heavy} is cheaper only thanks to resale or financing; without them "
        "{light:is}.",
        "{heavy}仅因转售或融资才更便宜；若无这些因素，{light:is}更便宜。" },
    [TOO_LATE] = {
        "{Light} is cheaper in present value, although from month {month} on "
        "less was paid for {heavy:aside}.",
        "按现值计算{light}更便宜，尽管从第 {month} 个月起{heavy:aside}的累计"
        "支出更少。" },
    [ONLY_ONE] = {
        "Only one option can do the work: {only}.",
        "只有一个方案能完成这些工作：{only:end}。" },
    [NO_ONE] = {
        "None of these options can do the work.",
        "没有一个方案能完成这些工作。" },
    [AMOUNTS] = {
        "Over {span} {best:label} costs {best:cost} in present value: "
        "{saving} less than {other:cost} for {other:label}.",
        "{span}内，{best:label} 的现值成本为 {best:cost}，比 {other:label} 的 "
        "{other:cost} 少 {saving}。" },
    [AMOUNTS_SAME] = {
        "Over {span} {best:label} costs {best:cost} in present value, the "
        "same as {other:label}.",
        "{span}内，{best:label} 的现值成本为 {best:cost}，与 {other:label} "
        "相同。" },
};

/* --- pieces --------------------------------------------------------------- */

static void put_doing(const struct answer *answer, int option, int capital,
                      struct text *out)
{
    static const char *const doing[][3] = {
        /* renting, owning: within a sentence, at its start, in Chinese */
        { "renting", "Renting", "租用" }, { "owning", "Owning", "自购" } };
    int own = answer->study.option[option].kind == KIND_OWN;

    text_str(out, doing[own][answer->study.zh ? 2 : capital]);
}

/* "3 years", "18 months": a length of the comparison. */
static void put_span(const struct answer *answer, struct text *out)
{
    static const char *const unit[][3] = {
        { " month", " months", " 个月" }, { " year", " years", " 年" } };
    int months = answer->result[0].month_count;
    int years = months % 12 == 0, count = years ? months / 12 : months;

    shown_number(out, count, 0);
    text_str(out, unit[years][answer->study.zh ? 2 : count != 1]);
}

static void put_money(const struct answer *answer, double value,
                      struct text *out)
{
    (answer->study.zh ? shown_rounded_digits : shown_rounded)(
        out, answer->study.currency, value);
}

/* The option of a role; -1 when the name is none. */
static int role_of(const struct answer *answer, const struct pair *pair,
                   const char *name, size_t length)
{
    const struct { const char *name; int option; } role[] = {
        { "best", pair ? cheaper(pair) : -1 },
        { "other", pair ? other_of(pair, cheaper(pair)) : -1 },
        { "heavy", pair ? pair->heavy : -1 },
        { "light", pair ? other_of(pair, pair->heavy) : -1 },
        { "a", pair ? pair->a : -1 }, { "b", pair ? pair->b : -1 } };

    for (size_t i = 0; i < sizeof role / sizeof *role; i++)
        if (strlen(role[i].name) == length &&
            memcmp(role[i].name + 1, name + 1, length - 1) == 0 &&
            (name[0] | 0x20) == role[i].name[0])
            return role[i].option;
    if (length == 4 && memcmp(name, "only", 4) == 0)
        for (int i = 0; i < answer->study.option_count; i++)
            if (!answer->result[i].short_of_capacity)
                return i;
    return -1;
}

static int is_word(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* "renting is (aws p4d.24xlarge, us-east-1, on demand)" */
static void put_aside(const struct answer *answer, int option,
                      const char *verb, struct text *out)
{
    int zh = answer->study.zh;

    put_doing(answer, option, 0, out);
    text_str(out, zh ? "" : verb);
    text_str(out, zh ? "（" : " (");
    text_str(out, answer_label(answer, option));
    text_str(out, zh ? "）" : ")");
}

static void put_role(const struct answer *answer, int option, int capital,
                     const char *how, size_t length, struct text *out)
{
    if (is_word(how, length, "label")) {
        text_str(out, answer_label(answer, option));
    } else if (is_word(how, length, "cost")) {
        put_money(answer, answer->result[option].npv_cost, out);
    } else if (is_word(how, length, "aside")) {
        put_aside(answer, option, "", out);
    } else if (is_word(how, length, "is")) {
        put_aside(answer, option, " is", out);
    } else {
        put_doing(answer, option, capital, out);
        text_char(out, ' ');
        text_str(out, answer_label(answer, option));
        if (answer->study.zh && !is_word(how, length, "end"))
            text_char(out, ' ');
    }
}

static void put_part(const struct answer *answer, const struct pair *pair,
                     const char *name, size_t length, struct text *out)
{
    size_t first = strcspn(name, ":}");
    int option;

    if (is_word(name, length, "span")) {
        put_span(answer, out);
        return;
    }
    if (is_word(name, length, "month")) {
        shown_number(out, pair->break_even_month, 0);
        return;
    }
    if (is_word(name, length, "saving")) {
        put_money(answer, fabs(pair->saving_npv), out);
        return;
    }
    option = role_of(answer, pair, name, first);
    if (option >= 0)
        put_role(answer, option, name[0] < 'a', name + first + 1,
                 first < length ? length - first - 1 : 0, out);
}

static void put_sentence(const struct answer *answer, const struct pair *pair,
                         enum words words, struct text *out)
{
    const char *at = sentences[words][answer->study.zh ? CHINESE : ENGLISH];

    while (*at) {
        size_t length = strcspn(at, "{");
        text_put(out, at, length);
        at += length;
        if (!*at)
            return;
        length = strcspn(at, "}");
        put_part(answer, pair, at + 1, length - 1, out);
        at += length + 1;
    }
}

/* --- sentences ------------------------------------------------------------ */

static enum words none_words(const struct answer *answer)
{
    for (int i = 0; i < answer->study.option_count; i++)
        if (!answer->result[i].short_of_capacity)
            return ONLY_ONE;
    return NO_ONE;
}

static enum words words_of(const struct answer *answer,
                           const struct pair *pair)
{
    switch (sentence_shape(answer, pair)) {
    case SHAPE_NONE: return none_words(answer);
    case SHAPE_CLOSE: return pair->close_call ? CLOSE : CLOSE_BY_RANGE;
    case SHAPE_FLIPS: return FLIPS;
    case SHAPE_ONLY_LATE: return ONLY_LATE;
    case SHAPE_TOO_LATE: return TOO_LATE;
    case SHAPE_THROUGHOUT: break;
    }
    return answer->study.option[cheaper(pair)].kind == KIND_OWN ? START : NEVER;
}

void sentence_verdict(const struct answer *answer, struct text *out)
{
    const struct pair *pair = sentence_pair(answer);

    put_sentence(answer, pair, words_of(answer, pair), out);
}

/* Each option with what it would cost, when there is nothing to compare. */
static void put_costs(const struct answer *answer, struct text *out)
{
    int zh = answer->study.zh;

    text_str(out, zh ? "" : "Over ");
    put_span(answer, out);
    text_str(out, zh ? "内，按现值计算：" : " ");
    for (int i = 0; i < answer->study.option_count; i++) {
        if (i)
            text_str(out, zh ? "，" : ", ");
        text_str(out, answer_label(answer, i));
        text_str(out, zh ? " 的成本为 " : " would cost ");
        put_money(answer, answer->result[i].npv_cost, out);
    }
    text_str(out, zh ? "。" : " in present value.");
}

int sentence_is_warned(const struct answer *answer, int option,
                       const char *code)
{
    for (int i = 0; i < answer->warnings.count; i++)
        if ((option < 0 || answer->warnings.warning[i].option == 'a' + option)
            && !strcmp(answer->warnings.warning[i].code, code))
            return 1;
    return 0;
}

/* What takes from the amounts: prices of lists that were last read too long
   ago (the warning ends in the day), and of offers that are gone. */
static void put_doubts(const struct answer *answer, struct text *out)
{
    const int zh = answer->study.zh;

    for (int i = 0; i < answer->warnings.count; i++) {
        const struct warning *warning = &answer->warnings.warning[i];
        const size_t length = strlen(warning->message);
        const int stale = !strcmp(warning->code, "stale_price");

        if (length < 10 || (!stale && strcmp(warning->code, "offer_gone")))
            continue;
        text_str(out, zh ? "" : stale ? " The price of " : " The offer ");
        text_str(out, answer_label(answer, warning->option - 'a'));
        text_str(out, zh && stale ? " 的价格已旧：价目表最近一次读取于 "
                    : zh ? " 已下架，所用为其最后价格"
                    : stale ? " is old: its list was last read on "
                    : " is no longer listed; its last price is used");
        text_str(out, stale ? warning->message + length - 10 : "");
        text_str(out, zh ? "。" : ".");
    }
}

void sentence_amounts(const struct answer *answer, struct text *out)
{
    const struct pair *pair = sentence_pair(answer);

    if (!pair)
        put_costs(answer, out);
    else
        put_sentence(answer, pair,
                     fabs(pair->saving_npv) > 0 ? AMOUNTS : AMOUNTS_SAME, out);
    put_doubts(answer, out);
}

void sentence(const struct answer *answer, struct text *out)
{
    sentence_verdict(answer, out);
    if (!answer->study.zh)
        text_char(out, ' ');
    sentence_amounts(answer, out);
}
