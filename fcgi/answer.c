/* answer.c: runs a study and gathers what renderers share. */
#include "fcgi/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/extras.h"
#include "fcgi/grant_ask.h"
#include "fcgi/say.h"
#include "pricing/calendar.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

/* --- sources -------------------------------------------------------------- */

static int same_text(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

static int cite(struct answer *answer, const struct source *source, int day)
{
    for (int i = 0; i < answer->cited_count; i++) {
        const struct cited *c = &answer->cited[i];
        if (c->day == day && same_text(c->source->title, source->title) &&
            same_text(c->source->address, source->address) &&
            same_text(c->source->date, source->date))
            return i + 1;
    }
    if (answer->cited_count == SOURCE_MAX)
        return 0;
    answer->cited[answer->cited_count].source = source;
    answer->cited[answer->cited_count].day = day;
    return ++answer->cited_count;
}

static int is_shown(const struct alternatives *found, int row)
{
    for (int i = 0; i < found->front_count; i++)
        if (found->front[i] == row)
            return 1;
    return row < found->count;
}

static void collect_of_alternatives(struct answer *answer)
{
    const struct alternatives *found = &answer->alternatives;

    for (int i = 0; i < ALTERNATIVE_MAX + ALTERNATIVE_FRONT_MAX; i++) {
        const struct origin *origin = &found->row[i].origin;
        answer->source_of_alternative[i] = 0;
        if (is_shown(found, i) && origin->source.title &&
            *origin->source.title)
            answer->source_of_alternative[i] =
                (unsigned char)cite(answer, &origin->source, origin->day);
    }
}

static void collect_sources(struct answer *answer)
{
    const struct study *study = &answer->study;

    answer->cited_count = 0;
    for (int i = 0; i < study->option_count; i++)
        for (int f = 0; f < FIELD_COUNT; f++) {
            const struct origin *origin = &study->option[i].origin[f];
            answer->source_of[i][f] = 0;
            if (option_has(i, study->option[i].kind, f) &&
                origin->source.title && *origin->source.title)
                answer->source_of[i][f] =
                    (unsigned char)cite(answer, &origin->source, origin->day);
        }
    collect_of_alternatives(answer);
}

const char *cited_date(const struct cited *cited, char day[11])
{
    if (!cited->day)
        return cited->source->date;
    day_print(day, cited->day);
    return day;
}

/* --- warnings that only the result can give --------------------------------- */

static const struct { size_t offset; const char *field, *message; } never[] = {
#define NEVER(member, message) { offsetof(struct pair, member), #member, message }
    NEVER(saving_frac, "the smaller cost is not positive"),
    NEVER(break_even_month, "never within the comparison"),
    NEVER(break_even_month_discounted, "never within the comparison"),
    NEVER(break_even_busy_frac, "at no load"),
    NEVER(carbon_break_even_busy_frac, "at no load"),
    NEVER(break_even_rent_price_per_hour, "at no rent"),
    NEVER(break_even_energy_price_per_kwh, "at no tariff"),
    NEVER(irr, "the flows have no single rate of return"),
};

static void warn_pair(struct answer *answer, const struct pair *pair)
{
    char option = (char)('a' + pair->b);

    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        double value;
        memcpy(&value, (const char *)pair + never[i].offset, sizeof value);
        if (isnan(value))
            warning_add(&answer->warnings, "never", option, never[i].field,
                        "%c against %c: %s", 'a' + pair->a, option,
                        never[i].message);
    }
    if (pair->irr_not_unique)
        warning_add(&answer->warnings, "irr_not_unique", option, "irr",
                    "the flows change sign more than once, so that no one "
                    "rate describes them");
}

static void warn_results(struct answer *answer)
{
    for (int i = 0; i < answer->study.option_count; i++) {
        const struct result *r = &answer->result[i];
        if (r->short_of_capacity)
            warning_add(&answer->warnings, "short_of_capacity",
                        (char)('a' + i), "machine_count",
                        "these machines cannot do the work; "
                        "the option is shown but not ranked");
        if (isnan(r->step[S_cost_per_gpu_hour]))
            warning_add(&answer->warnings, "no_work", (char)('a' + i),
                        "cost_per_gpu_hour", "there is no work to divide by");
    }
    if (isnan(answer->result[0].step[S_cost_per_work_hour]))
        warning_add(&answer->warnings, "no_work", 0, "cost_per_work_hour",
                    "there is no work to divide by");
    for (int i = 0; i < answer->verdict.count; i++)
        warn_pair(answer, &answer->verdict.pair[i]);
}

/* --- how sure -------------------------------------------------------------------- */

int answer_pair(const struct answer *answer, int *a, int *b)
{
    const char *typed = answer->input->key_text[K_pair];

    if (*typed) {
        *a = typed[0] - 'a';
        *b = typed[1] - 'a';
        return 1;
    }
    if (!answer->verdict.count)
        return 0;
    *a = answer->verdict.pair[0].a;
    *b = answer->verdict.pair[0].b;
    return 1;
}

static int is_pair(const char *text, int option_count)
{
    char last = (char)('a' + option_count - 1);

    return strlen(text) == 2 && text[0] >= 'a' && text[0] <= last &&
           text[1] >= 'a' && text[1] <= last && text[0] != text[1];
}

/* What a case would cost: the model on the values of a trial. */
static void run_case(const struct study *study, const struct trial *trial,
                     struct case_row *row)
{
    struct work work = work_of(trial->value[0]);
    struct result result;

    for (int i = 0; i < study->option_count; i++) {
        model_run(study->option[i].kind, trial->value[i], &work, &result, NULL);
        row->npv_cost[i] = result.short_of_capacity ? (double)NAN
                                                    : result.npv_cost;
        row->total_kg[i] = result.short_of_capacity ? (double)NAN
                                                    : result.step[S_total_kg];
    }
}

/* Whatever the range of a case moved is no longer what it was filled in
   with. */
static void take_case(struct study *study, const struct trial *trial)
{
    for (int i = 0; i < study->option_count; i++)
        for (int f = 0; f < FIELD_COUNT; f++)
            if (trial->value[i][f] < study->option[i].value[f] ||
                trial->value[i][f] > study->option[i].value[f]) {
                study->option[i].value[f] = trial->value[i][f];
                study->option[i].origin[f].kind = ORIGIN_DERIVED;
            }
    study->work_speed_hour_per_month =
        work_of(study->option[0].value).speed_hour_per_month;
}

/* The trial of the case that is asked for. */
static void run_cases(struct answer *answer, int other, int asked,
                      struct trial *taken)
{
    struct trial trial;

    for (int i = 0; i < CASE_COUNT; i++) {
        if (i == CASE_BASE)
            trial_of(&answer->study, &trial);
        else
            case_of(&answer->study, &answer->ranges, other, i == CASE_HIGH,
                    &trial);
        run_case(&answer->study, &trial, &answer->cases[i]);
        if (i == asked)
            *taken = trial;
    }
}

static void run_uncertainty(struct answer *answer)
{
    const struct input *input = answer->input;
    int samples = (int)input->key_value[K_samples];
    union uncertainty_room *room;

    answer->uncertainty.samples = 0;
    for (int i = 0; i < answer->verdict.count; i++)
        answer->range_straddles_zero[i] = -1;
    if (samples == 0)
        return;
    room = malloc(sizeof *room);
    if (!room) {
        warning_add(&answer->warnings, "no_memory", 0, "samples",
                    "the uncertainty was left out for want of memory");
        return;
    }
    uncertainty_run(&answer->study, &answer->ranges, &answer->verdict, samples,
                    (uint64_t)input->key_value[K_seed], room,
                    &answer->uncertainty);
    free(room);
    for (int i = 0; i < answer->verdict.count; i++) {
        struct spread s = answer->uncertainty.pair_saving[i];
        answer->range_straddles_zero[i] = s.p5 < 0 && s.p95 > 0;
    }
}

static void run_models(struct answer *answer)
{
    study_run(&answer->study, answer->result);
    verdict_run(&answer->study, answer->result, &answer->verdict);
}

static void run_ranges(struct answer *answer)
{
    /* by the choice of key `case`: base, low, high */
    static const int asked[] = { CASE_BASE, CASE_LOW, CASE_HIGH };
    int a, b, which = asked[(int)answer->input->key_value[K_case]];
    struct trial trial;

    ranges_of(&answer->study, &answer->input->ranges, &answer->ranges);
    answer->sensitivity.count = 0;
    for (int i = 0; i < CASE_COUNT; i++)
        for (int k = 0; k < OPTION_MAX; k++)
            answer->cases[i].npv_cost[k] = answer->cases[i].total_kg[k] =
                (double)NAN;
    if (!answer_pair(answer, &a, &b))
        return;
    sensitivity_run(&answer->study, &answer->ranges, a, b,
                    &answer->sensitivity);
    run_cases(answer, a > 0 ? a : b, which, &trial);
    if (which == CASE_BASE)
        return;
    take_case(&answer->study, &trial);
    run_models(answer);
    ranges_of(&answer->study, &answer->input->ranges, &answer->ranges);
}

void answer_say_term(int zh, int term, char *label, size_t room)
{
    size_t length = strlen(label), word_length;
    char word[NAME_BYTE_MAX];

    snprintf(word, sizeof word, "%s",
             choice_word(field_table[F_term].choices, term, &word_length));
    word[word_length < sizeof word ? word_length : 0] = '\0';
    for (char *at = word; *at; at++)
        *at = (char)(*at == '_' ? ' ' : *at);
    if (length < word_length ||
        strcmp(label + length - word_length, word) != 0)
        return;
    snprintf(label + length - word_length, room - (length - word_length), "%s",
             say(zh, word));
}

static void say_terms(struct study *study)
{
    for (int i = 0; i < study->option_count; i++) {
        struct option *o = &study->option[i];
        if (o->kind == KIND_RENT)
            answer_say_term(study->zh, (int)o->value[F_term], o->made_label,
                            sizeof o->made_label);
    }
}

enum { START_DAY_MIN = 20000101, START_DAY_MAX = 21001231 };

/* Key `start`: any day of the first month. */
static void read_start(struct answer *answer, struct problems *problems)
{
    const char *typed = answer->input->key_text[K_start];
    int day = *typed ? day_read(typed, strlen(typed))
                     : calendar_start(answer->study.as_of_day);

    if (!day)
        problem_add(problems, "start", "bad_date", "", "");
    else if (day < START_DAY_MIN)
        problem_add(problems, "start", "below_min", "2000-01-01", "");
    else if (day > START_DAY_MAX)
        problem_add(problems, "start", "above_max", "2100-12-31", "");
    answer->start_day = calendar_month(day, 0);
}

/* A picture of more pixels would take more memory than one request may. */
static void check_picture(struct input *input)
{
    enum { PICTURE_WIDTH_MAX = 8192 };
    char limit[NUM_TEXT_BYTE];

    if (input->key_value[K_width] * input->key_value[K_scale] <=
        PICTURE_WIDTH_MAX)
        return;
    num_print(limit, floor(PICTURE_WIDTH_MAX / input->key_value[K_width]));
    problem_add(&input->problems, "scale", "above_max", limit, "");
}

int answer_run(struct answer *answer, struct input *input,
               const struct world *world, const char *base_url)
{
    answer->input = input;
    answer->world = world;
    answer->base_url = base_url;
    answer->is_saved = 0;
    answer->warnings.count = 0;
    answer->verdict.count = 0;
    answer->cited_count = 0;
    if (world->degraded)
        warning_add(&answer->warnings, "built_in_prices", 0, "", "%s",
                    world->degraded_reason);
    input_study(input, world, &answer->study, &answer->warnings);
    say_terms(&answer->study);
    if (*input->key_text[K_pair] &&
        !is_pair(input->key_text[K_pair], answer->study.option_count))
        problem_add(&input->problems, "pair", "not_in_list",
                    "two letters of options", "");
    read_start(answer, &input->problems);
    check_picture(input);
    grant_check(answer, &input->problems);
    extras_check(answer, &input->problems);
    if (input->problems.count)
        return 0;
    run_models(answer);
    extras_rank(answer);
    run_ranges(answer);
    run_uncertainty(answer);
    extras_run(answer);
    collect_sources(answer);
    warn_results(answer);
    return 1;
}

const char *answer_label(const struct answer *answer, int option)
{
    const struct option *o = &answer->study.option[option];

    return *o->label ? o->label : o->made_label;
}

/* --- the canonical query ------------------------------------------------------ */

void url_arg(struct text *out, const char *text)
{
    static const char hex[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            (c >= '0' && c <= '9') || (c && strchr("-._~/", c))) {
            text_char(out, (char)c);
            continue;
        }
        text_char(out, '%');
        text_char(out, hex[c >> 4]);
        text_char(out, hex[c & 15]);
    }
}

static void query_key(struct text *out, char option, const char *name)
{
    if (out->byte > 0 && out->at[out->byte - 1] != '?')
        text_char(out, '&');
    if (option) {
        text_char(out, option);
        if (*name)
            text_char(out, '.');
    }
    text_str(out, name);
    text_char(out, '=');
}

static void query_value(struct text *out, const struct option *o, int field)
{
    const struct field *row = &field_table[field];
    char number[NUM_TEXT_BYTE];
    size_t length;
    const char *word;

    if (row->type == FIELD_NAME) {
        url_arg(out, o->name[field]);
    } else if (row->type == FIELD_CHOICE) {
        word = choice_word(row->choices, (int)o->value[field], &length);
        text_put(out, word, length);
    } else {
        num_print(number, o->value[field]);
        url_arg(out, number);
    }
}

static int is_own_key(const struct option *o, int field)
{
    return o->typed[field] >= TYPED_PREFIXED;
}

/* The fields that stand in the declaration instead of as keys of their own:
   how many of the list, 0 if the short form must do. */
static int declared_fields(const struct option *o, const int **fields)
{
    static const int server[] = { F_server, F_machine_count };
    static const int gpu[] = { F_gpu, F_gpu_count, F_machine_count };
    static const int rent[] = { F_provider, F_instance, F_region, F_term,
                                F_payment };
    int needed = 4, all = 5;

    *fields = rent;
    if (o->kind == KIND_OWN) {
        int with_server = is_own_key(o, F_server);
        *fields = with_server ? server : gpu;
        needed = with_server ? 1 : 2;
        all = needed + 1;
    }
    for (int i = 0; i < needed; i++)
        if (!is_own_key(o, (*fields)[i]))
            return 0;
    return is_own_key(o, (*fields)[needed]) ? all : needed;
}

/* Option i, written as the one at place `as`. */
static void query_option(const struct study *study, int i, int as,
                         struct text *out)
{
    const struct option *o = &study->option[i];
    const int *fields;
    int count = declared_fields(o, &fields);
    enum kind usual = as == 0 ? KIND_OWN : KIND_RENT;

    if (count || as > 1 || o->kind != usual) {
        query_key(out, (char)('a' + as), "");
        text_str(out, o->kind == KIND_OWN ? "own" : "rent");
    }
    for (int k = 0; k < count; k++) {
        text_char(out, '/');
        query_value(out, o, fields[k]);
    }
    if (*o->label) {
        query_key(out, (char)('a' + as), "label");
        url_arg(out, o->label);
    }
    for (int f = 0; f < FIELD_COUNT; f++) {
        int in_declaration = 0;
        if (!is_own_key(o, f) || field_table[f].applies == APPLIES_SHARED)
            continue;
        for (int k = 0; k < count; k++)
            in_declaration |= fields[k] == f;
        if (in_declaration)
            continue;
        query_key(out, (char)('a' + as), field_table[f].name);
        query_value(out, o, f);
    }
}

/* Keys without an option: shared fields and those typed for all options. */
static void query_plain(const struct study *study, struct text *out)
{
    for (int f = 0; f < FIELD_COUNT; f++) {
        if (f == F_as_of)
            continue;
        for (int i = 0; i < study->option_count; i++)
            if (study->option[i].typed[f] == TYPED_PLAIN) {
                query_key(out, 0, field_table[f].name);
                query_value(out, &study->option[i], f);
                break;
            }
    }
}

static void query_number(struct text *out, double value)
{
    char digits[NUM_TEXT_BYTE];

    num_print(digits, value);
    text_str(out, digits);
}

/* Ranges and keys that change what is answered, but for one key. */
static void query_extras(const struct answer *answer, int without,
                         struct text *out)
{
    const struct input *input = answer->input;
    static const struct { int key; const char *name; } number[] = {
        { K_samples, "samples" }, { K_seed, "seed" }, { K_alternatives, "limit" },
        { K_min_gpu_memory_gib, "min_gpu_memory_gib" },
        { K_max_machine_count, "max_machine_count" } };
    static const struct { int key; const char *name; } word[] = {
        { K_only_provider, "only_provider" }, { K_only_region, "only_region" },
        { K_only_gpu, "only_gpu" }, { K_only_term, "only_term" },
        { K_pair, "pair" }, { K_start, "start" }, { K_grid, "grid" }, { K_explain, "explain" } };

    for (int i = 0; i < input->ranges.count; i++) {
        const struct typed_range *range = &input->ranges.range[i];
        query_key(out, 0, "range.");
        out->byte--;
        text_str(out, field_table[range->field].name);
        text_char(out, '=');
        query_number(out, range->low);
        text_char(out, ',');
        query_number(out, range->high);
    }
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (input->key_typed[number[i].key]) {
            query_key(out, 0, number[i].name);
            query_number(out, input->key_value[number[i].key]);
        }
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (*input->key_text[word[i].key] && word[i].key != without) {
            query_key(out, 0, word[i].name);
            url_arg(out, input->key_text[word[i].key]);
        }
    if (input->key_value[K_case] > 0) {
        query_key(out, 0, "case");
        text_str(out, input->key_value[K_case] > 1 ? "high" : "low");
    }
}

void answer_query(const struct answer *answer, struct text *out)
{
    int order[OPTION_MAX];

    for (int i = 0; i < answer->study.option_count; i++)
        order[i] = i;
    answer_query_of(answer, order, answer->study.option_count, out);
}

/* A flavour may be Chinese of itself. */
static void query_lang(const struct answer *answer, struct text *out)
{
    const struct grant_flavour *flavour = grant_flavour_of(answer->input);

    if (!answer->study.zh && !(flavour && flavour->zh))
        return;
    query_key(out, 0, "lang");
    text_str(out, answer->study.zh ? "zh" : "en");
}

static void query_grant(const struct answer *answer, struct text *out)
{
    const char *key;
    char value[40];

    for (int i = 0; grant_query_key(answer->input, i, &key, value); i++) {
        query_key(out, 0, key);
        url_arg(out, value);
    }
}

static void query_tail(const struct answer *answer, int without,
                       struct text *out)
{
    char day[11];

    if (*answer->study.label) {
        query_key(out, 0, "label");
        url_arg(out, answer->study.label);
    }
    query_key(out, 0, "as_of");
    day_print(day, answer->study.as_of_day);
    text_str(out, day);
    query_extras(answer, without, out);
    query_grant(answer, out);
    query_lang(answer, out);
}

static void query_all(const struct answer *answer, const int *order,
                      int count, int without, struct text *out)
{
    for (int i = 0; i < count; i++)
        query_option(&answer->study, order[i], i, out);
    query_plain(&answer->study, out);
    query_tail(answer, without, out);
}

void answer_query_of(const struct answer *answer, const int *order, int count,
                     struct text *out)
{
    query_all(answer, order, count, -1, out);
}

void answer_query_unexplained(const struct answer *answer, struct text *out)
{
    int order[OPTION_MAX];

    for (int i = 0; i < answer->study.option_count; i++)
        order[i] = i;
    query_all(answer, order, answer->study.option_count, K_explain, out);
}

void answer_query_against(const struct answer *answer,
                          const struct alternative *row, struct text *out)
{
    struct study study __attribute__((uninitialized)); /* filled in at once */

    if (!alternative_study(&answer->study, answer->world, row, &study))
        return;
    query_option(&study, 0, 0, out);
    query_option(&study, 1, 1, out);
    query_plain(&study, out);
    query_tail(answer, K_pair, out);
}
