/* extras.c: reads the keys that ask for more, and runs what they ask for. */
#include "fcgi/extras.h"

#include <stdlib.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/num.h"
#include "pricing/offer.h"

enum { WORD_BYTE_MAX = 64 };

/* --- lists of words ------------------------------------------------------- */

static int is_term(const struct world *world, const char *word)
{
    size_t length;

    (void)world;
    choice_word(field_table[F_term].choices, 0, &length);
    return choice_find(field_table[F_term].choices, word, strlen(word)) >= 0;
}

static int is_gpu(const struct world *world, const char *word)
{
    (void)world;
    return gpu_find(word) != NULL;
}

/* A region is any name that a provider may have given. */
static int is_any(const struct world *world, const char *word)
{
    (void)world;
    return *word != '\0';
}

static const struct list {
    int key;
    const char *name;
    int (*knows)(const struct world *world, const char *word);
    const char *limit;
} lists[] = {
    { K_only_provider, "only_provider", provider_known, "" },
    { K_only_region, "only_region", is_any, "" },
    { K_only_gpu, "only_gpu", is_gpu, "" },
    { K_only_term, "only_term", is_term,
      "on_demand spot capacity_block reserved_1y reserved_3y savings_1y "
      "savings_3y" },
};

static void check_list(const struct answer *answer, const struct list *list,
                       struct problems *problems)
{
    const char *at = answer->input->key_text[list->key];

    while (*at) {
        size_t length = strcspn(at, ",");
        char word[WORD_BYTE_MAX] = "";
        const char *near;
        if (length < sizeof word)
            memcpy(word, at, length);
        if (!list->knows(answer->world, word)) {
            near = list->key == K_only_gpu ? gpu_nearest(word) : NULL;
            problem_add(problems, list->name, "not_in_list", list->limit,
                        near ? near : "");
            return;
        }
        at += length + (at[length] == ',');
    }
}

/* --- names of figures ----------------------------------------------------- */

/* "b.gpu_price" or "gpu_price": cuts the option off; -1 when none is said, -2
   when it is none of the study's. */
static int option_of(const struct answer *answer, const char **name)
{
    int option = (*name)[0] - 'a';

    if ((*name)[0] == '\0' || (*name)[1] != '.')
        return -1;
    *name += 2;
    return option >= 0 && option < answer->study.option_count ? option : -2;
}

static void not_a_figure(struct problems *problems, const char *key,
                         const char *name)
{
    const char *near = field_nearest(name, strlen(name));

    problem_add(problems, key, "not_in_list", "", near ? near : "");
}

/* Two names with a comma between them. */
static void check_grid(struct answer *answer, struct problems *problems)
{
    const char *text = answer->input->key_text[K_grid];
    const char *comma = strchr(text, ',');

    answer->has_grid = 0;
    if (!*text)
        return;
    if (!comma || strchr(comma + 1, ',')) {
        problem_add(problems, "grid", "bad_grid", "", "");
        return;
    }
    for (int i = 0; i < 2; i++) {
        const char *name = i ? comma + 1 : text;
        size_t length = i ? strlen(name) : (size_t)(comma - text);
        char word[WORD_BYTE_MAX] = "";
        if (length < sizeof word)
            memcpy(word, name, length);
        name = word;
        answer->grid_of[i].option = option_of(answer, &name);
        answer->grid_of[i].field = field_find(name, strlen(name));
        if (answer->grid_of[i].field < 0 || answer->grid_of[i].option < -1) {
            not_a_figure(problems, "grid", name);
            return;
        }
    }
    answer->has_grid = 1;
}

/* The option that key explain means: the one said, else the first one that
   has such a figure. */
static int explained_option(const struct answer *answer, const char **name)
{
    int option = option_of(answer, name);

    if (option < -1)
        return -1;
    for (int i = 0; i < answer->study.option_count; i++)
        if ((option < 0 || option == i) &&
            explain_knows(answer->study.option[i].kind, *name))
            return i;
    return -1;
}

static void check_explain(struct answer *answer, struct problems *problems)
{
    const char *name = answer->input->key_text[K_explain];

    answer->has_explanation = 0;
    if (!*name)
        return;
    if (explained_option(answer, &name) < 0)
        not_a_figure(problems, "explain", name);
    else
        answer->has_explanation = 1;
}

void extras_check(struct answer *answer, struct problems *problems)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        check_list(answer, &lists[i], problems);
    check_grid(answer, problems);
    check_explain(answer, problems);
}

/* --- running -------------------------------------------------------------- */

void extras_rank(struct answer *answer)
{
    const struct input *input = answer->input;
    const struct alternative_filter filter = {
        input->key_text[K_only_provider], input->key_text[K_only_region],
        input->key_text[K_only_gpu], input->key_text[K_only_term],
        input->key_value[K_min_gpu_memory_gib],
        input->key_value[K_max_machine_count], 0 };
    int limit = (int)input->key_value[K_alternatives];
    struct candidate *room;

    answer->alternatives.count = answer->alternatives.front_count = 0;
    answer->alternatives.ranked_count = -1;
    if (limit == 0)
        return;
    room = malloc(alternatives_room(answer->world) * sizeof *room);
    if (!room) {
        warning_add(&answer->warnings, "no_memory", 0, "limit",
                    "the alternatives were left out for want of memory");
        return;
    }
    alternatives_run(&answer->study, answer->world, &filter, limit, room,
                     &answer->alternatives);
    free(room);
    if (answer->alternatives.count == 0)
        warning_add(&answer->warnings, "no_alternatives", 0, "",
                    "nothing else that is priced on this day passes the "
                    "filters");
}

/* The range that a name of key grid means: of the option that is said, else
   of the study, else of the first of the pair that has it. */
static const struct range *range_of(const struct answer *answer, int i, int a,
                                    int b)
{
    const struct named *named = &answer->grid_of[i];
    const struct range *best = NULL;

    for (int k = 0; k < answer->ranges.count; k++) {
        const struct range *range = &answer->ranges.range[k];
        int fits = range->option == named->option;
        if (named->option < 0)
            fits |= range->option == a || range->option == b;
        if (range->field == named->field && fits &&
            (!best || range->option == a))
            best = range;
    }
    return best;
}

static void run_grid(struct answer *answer)
{
    const struct range *x, *y;
    int a, b;

    if (!answer->has_grid)
        return;
    answer->has_grid = 0;
    if (!answer_pair(answer, &a, &b))
        return;
    x = range_of(answer, 0, a, b);
    y = range_of(answer, 1, a, b);
    if (!x || !y || x == y) {
        warning_add(&answer->warnings, "no_grid", 0, "grid",
                    "the grid needs two different uncertain inputs of the "
                    "pair; range.NAME=low,high makes one uncertain");
        return;
    }
    grid_run(&answer->study, x, y, a, b, &answer->grid);
    answer->has_grid = 1;
}

static void run_explanation(struct answer *answer)
{
    const char *name = answer->input->key_text[K_explain];
    struct month *months;
    int option;

    if (!answer->has_explanation)
        return;
    answer->has_explanation = 0;
    option = explained_option(answer, &name);
    months = malloc((MONTH_MAX + 1) * sizeof *months);
    if (months)
        answer->has_explanation = explain_run(&answer->study, option, name,
                                              months, &answer->explanation);
    free(months);
    if (!answer->has_explanation)
        warning_add(&answer->warnings, "not_explained", 0, "explain",
                    "there is no such figure in this option");
}

void extras_run(struct answer *answer)
{
    run_grid(answer);
    run_explanation(answer);
}

/* --- declarations --------------------------------------------------------- */

void extras_declaration(const struct alternative *row, struct text *out)
{
    const struct price *p = row->price;
    char digits[NUM_TEXT_BYTE];

    text_str(out, p ? "rent/" : "own/");
    if (p) {
        text_str(out, p->provider);
        text_char(out, '/');
        text_str(out, p->instance);
        text_char(out, '/');
        text_str(out, p->region);
        text_char(out, '/');
        text_str(out, term_name[p->term]);
        if (term_month_of(p->term) > 0) {
            text_char(out, '/');
            text_str(out, payment_name[p->payment]);
        }
    } else if (row->server) {
        text_str(out, row->server->id);
    } else {
        num_print(digits, row->gpu_count);
        text_str(out, row->gpu->id);
        text_char(out, '/');
        text_str(out, digits);
    }
}
