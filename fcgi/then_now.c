/* then_now.c: reads the inputs that a saved document pins, runs the model on
   them and then lets in today's values, one cause after the other. */
#include "fcgi/then_now.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pricing/pricing.h"
#include "pricing/resolve.h"

const struct quantity_row quantity_table[QUANTITY_COUNT] = {
    [QUANTITY_TOTAL] = { "total_cost", "Sum", 1 },
    [QUANTITY_NPV] = { "npv_cost", "Present value", 1 },
    [QUANTITY_KWH] = { "meter_kwh", "Energy with cooling and losses", 0 },
    [QUANTITY_KG] = { "total_kg", "Location-based and making", 0 },
};
const char *const cause_name[CAUSE_COUNT] = { "formula", "price", "rate",
                                              "factor" };

enum { QUERY_BYTE_MAX = 64 * 1024 };

/* What the document says of one input of one option. */
struct pinned {
    double value, rate;         /* NAN: none */
    char text[NAME_BYTE_MAX];   /* of a name */
    int known;
};

struct pins {
    struct pinned pinned[OPTION_MAX][FIELD_COUNT];
    enum kind kind[OPTION_MAX];
};

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static const char *string_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(item) ? item->valuestring : "";
}

static void read_pin(const cJSON *input, const struct field *field,
                     struct pinned *pinned)
{
    const char *text = string_of(input, "value");

    pinned->known = 1;
    pinned->value = number_of(input, "value");
    pinned->rate = number_of(input, "rate");
    snprintf(pinned->text, sizeof pinned->text, "%s", text);
    if (field->type == FIELD_CHOICE) {
        int place = choice_find(field->choices, text, strlen(text));
        pinned->known = place >= 0; /* else the choice is gone */
        pinned->value = place;
    } else if (field->type == FIELD_NAME) {
        pinned->value = 0;
    }
}

static void read_option(struct then_now *both, int i, const cJSON *option,
                        struct pins *pins)
{
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(option, "inputs");

    pins->kind[i] = strcmp(string_of(option, "kind"), "own") == 0 ? KIND_OWN
                                                                  : KIND_RENT;
    for (int q = 0; q < QUANTITY_COUNT; q++)
        both->then[i][q] = number_of(option, quantity_table[q].name);
    for (int f = 0; f < FIELD_COUNT; f++) {
        const cJSON *input =
            cJSON_GetObjectItemCaseSensitive(inputs, field_table[f].name);
        pins->pinned[i][f].known = 0;
        if (input)
            read_pin(input, &field_table[f], &pins->pinned[i][f]);
    }
}

static int read_document(struct then_now *both, const struct saved *saved,
                         struct pins *pins)
{
    cJSON *tree = cJSON_ParseWithLength(saved->document.at,
                                        saved->document.byte);
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(tree, "options"),
                *option;

    both->option_count = 0;
    cJSON_ArrayForEach(option, options)
        if (both->option_count < OPTION_MAX)
            read_option(both, both->option_count++, option, pins);
    cJSON_Delete(tree);
    return both->option_count > 0;
}

/* --- today ------------------------------------------------------------------- */

/* The saved query without its day. */
static void put_today(const struct saved *saved, int zh, struct text *out)
{
    const char *at = saved->head.query;

    while (*at) {
        size_t length = strcspn(at, "&");
        if (strncmp(at, "as_of=", 6) != 0) {
            if (out->byte)
                text_char(out, '&');
            text_put(out, at, length);
        }
        at += length + (at[length] == '&');
    }
    if (zh)
        text_str(out, out->byte ? "&lang=zh" : "lang=zh");
}

static void run_today(struct then_now *both, const struct saved *saved, int zh,
                      const struct world *world, const char *base_url)
{
    struct text query;

    text_init(&query, QUERY_BYTE_MAX);
    put_today(saved, zh, &query);
    input_init(&both->input);
    input_query(&both->input, query.at ? query.at : "", SURFACE_QUERY);
    input_keys(&both->input, ON_COMPARE);
    both->has_now = answer_run(&both->answer, &both->input, world, base_url) &&
                    both->answer.study.option_count == both->option_count;
    text_free(&query);
}

/* --- what comes from what ----------------------------------------------------- */

static int differ(double a, double b)
{
    return a < b || a > b || !isnan(a) != !isnan(b);
}

/* The value of today at the exchange rate of then. */
static double at_saved_rate(const struct pinned *then, double now,
                            double now_rate)
{
    return isnan(then->rate) || isnan(now_rate) ? now
                                                : now / now_rate * then->rate;
}

static enum cause cause_of(int field, const struct pinned *then, double now,
                           double now_rate)
{
    double moved = at_saved_rate(then, now, now_rate) - then->value;

    if (!unit_table[field_table[field].unit].money)
        return CAUSE_FACTOR;
    return differ(then->rate, now_rate) && !isnan(then->rate) &&
           fabs(moved) <= 1e-9 * fabs(then->value) ? CAUSE_RATE : CAUSE_PRICE;
}

static void note_change(struct then_now *both, int i, int f,
                        const struct pinned *then, enum cause cause)
{
    const struct option *now = &both->answer.study.option[i];
    struct changed_input *changed = &both->changed[both->changed_count];
    const char *word;
    size_t length;

    if (both->changed_count == CHANGED_MAX)
        return;
    both->changed_count++;
    *changed = (struct changed_input){ .option = i, .field = f, .cause = cause,
                                       .then = then->value,
                                       .now = now->value[f] };
    snprintf(changed->then_text, NAME_BYTE_MAX, "%s", then->text);
    if (field_table[f].type == FIELD_NAME) {
        memcpy(changed->now_text, now->name[f], NAME_BYTE_MAX);
    } else if (field_table[f].type == FIELD_CHOICE) {
        word = choice_word(field_table[f].choices, (int)now->value[f],
                           &length);
        snprintf(changed->now_text, NAME_BYTE_MAX, "%.*s", (int)length, word);
    }
}

/* Values of the study after each cause has been let in: stage[0] as saved,
   with what a newer program asks for and the document does not know. */
typedef double stages[CAUSE_COUNT][OPTION_MAX][FIELD_COUNT];

static void stage_input(struct then_now *both, const struct pins *pins, int i,
                        int f, stages stage)
{
    const struct option *o = &both->answer.study.option[i];
    const struct pinned *then = &pins->pinned[i][f];
    double now = o->value[f], rate = o->origin[f].rate_per_usd;
    enum cause cause = cause_of(f, then, now, rate);
    int is_name = field_table[f].type == FIELD_NAME;
    int changed = is_name ? strcmp(then->text, o->name[f]) != 0
                          : differ(then->value, now);

    if (f == F_as_of)
        changed = 0; /* what is asked about, not an answer */
    for (int s = 0; s < CAUSE_COUNT; s++)
        stage[s][i][f] = then->known && changed ? then->value : now;
    if (!then->known || !changed)
        return;
    note_change(both, i, f, then, cause);
    if (cause == CAUSE_PRICE)
        stage[CAUSE_PRICE][i][f] = at_saved_rate(then, now, rate);
    if (cause == CAUSE_PRICE || cause == CAUSE_RATE)
        stage[CAUSE_RATE][i][f] = now;
    stage[CAUSE_FACTOR][i][f] = now;
}

static void run_stage(const struct then_now *both, const struct pins *pins,
                      double value[OPTION_MAX][FIELD_COUNT],
                      double out[OPTION_MAX][QUANTITY_COUNT])
{
    struct work work = work_of(value[0]);
    struct result result;

    for (int i = 0; i < both->option_count; i++) {
        model_run(pins->kind[i], value[i], &work, &result, NULL);
        out[i][QUANTITY_TOTAL] = result.total_cost;
        out[i][QUANTITY_NPV] = result.npv_cost;
        out[i][QUANTITY_KWH] = result.step[S_meter_kwh];
        out[i][QUANTITY_KG] = result.step[S_total_kg];
    }
}

static void run_stages(struct then_now *both, const struct pins *pins)
{
    stages stage;
    double before[OPTION_MAX][QUANTITY_COUNT],
           after[OPTION_MAX][QUANTITY_COUNT];

    both->changed_count = 0;
    for (int i = 0; i < both->option_count; i++)
        for (int f = 0; f < FIELD_COUNT; f++)
            stage_input(both, pins, i, f, stage);
    memcpy(before, both->then, sizeof before);
    for (int s = 0; s < CAUSE_COUNT; s++) {
        run_stage(both, pins, stage[s], after);
        for (int i = 0; i < both->option_count; i++)
            for (int q = 0; q < QUANTITY_COUNT; q++)
                both->effect[i][q][s] = after[i][q] - before[i][q];
        memcpy(before, after, sizeof before);
    }
    memcpy(both->now, before, sizeof before);
}

int then_now_run(struct then_now *both, const struct saved *saved, int zh,
                 const struct world *world, const char *base_url)
{
    struct pins pins;

    memset(both->then, 0, sizeof both->then);
    both->changed_count = 0;
    if (!read_document(both, saved, &pins))
        return 0;
    run_today(both, saved, zh, world, base_url);
    for (int i = 0; i < both->option_count && both->has_now; i++)
        both->has_now = pins.kind[i] == both->answer.study.option[i].kind;
    if (both->has_now)
        run_stages(both, &pins);
    return 1;
}
