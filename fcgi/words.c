/* words.c: fills the sentences of words.def. */
#include "fcgi/words.h"

#include <string.h>

#include "fcgi/say.h"
#include "pricing/catalogue.h"
#include "pricing/field.h"
#include "pricing/num.h"

static const struct words { const char *code, *field, *words; } table[] = {
#define WORDS(code, field, words) { #code, field, words },
#include "fcgi/words.def"
};

static int option_letter(const char *key)
{
    return key[0] >= 'a' && key[0] < 'a' + OPTION_MAX &&
           (key[1] == '.' || key[1] == '\0');
}

/* The key without its option. */
static const char *bare(const char *key)
{
    return option_letter(key) && key[1] == '.' ? key + 2 : key;
}

static void put_option(char letter, int zh, struct text *out)
{
    text_str(out, say(zh, "option "));
    text_char(out, letter);
}

void key_words(const char *key, int zh, struct text *out)
{
    const char *name = bare(key);
    int field = field_find(name, strlen(name));
    int label = strcmp(name, "label") == 0;

    if (option_letter(key) && !key[1]) {
        text_str(out, say(zh, "Option "));
        text_char(out, key[0]);
        return;
    }
    if (zh && name != key && (field >= 0 || label)) {
        put_option(key[0], zh, out);
        text_str(out, "\xE7\x9A\x84"); /* of: the option comes first */
    }
    if (field >= 0)
        text_str(out, say(zh, field_table[field].label));
    else if (label)
        text_str(out, say(zh, name == key ? "The title" : "The name"));
    else if (strcmp(name, "lang") == 0)
        text_str(out, say(zh, "Language"));
    else
        text_str(out, key);
    if (!zh && name != key && (field >= 0 || label)) {
        text_str(out, " of ");
        put_option(key[0], zh, out);
    }
}

/* "a b c" as "a, b, c". */
static void put_list(const char *words, struct text *out)
{
    for (; *words; words++) {
        if (*words == ' ')
            text_str(out, ", ");
        else
            text_char(out, *words);
    }
}

static int is_provider(const char *name)
{
    for (size_t i = 0; i < instance_count_all(); i++)
        if (strcmp(instance_at(i)->provider, name) == 0)
            return 1;
    return 0;
}

/* A hint may be the name of another input or of the provider that has it. */
static void put_hint(const struct problem *problem, int zh, struct text *out)
{
    const char *hint = problem->hint;
    int field = field_find(hint, strlen(hint));

    if (field >= 0 && strcmp(problem->code, "unknown_key") != 0) {
        text_str(out, say(zh, field_table[field].label));
        return;
    }
    if (is_provider(hint))
        text_str(out, say(zh, "provider "));
    text_str(out, hint);
}

static int is_share(const char *key)
{
    int field = field_find(bare(key), strlen(bare(key)));

    return field >= 0 && (field_table[field].unit == UNIT_FRAC ||
                          field_table[field].unit == UNIT_FRAC_PER_YEAR);
}

static void put_limit(const struct problem *problem, struct text *out)
{
    int is_list = strcmp(problem->code, "not_in_list") == 0 ||
                  strcmp(problem->code, "no_value") == 0 ||
                  strncmp(problem->code, "not_", 4) == 0;
    char percent[NUM_TEXT_BYTE];
    double value;

    if (is_list)
        put_list(problem->limit, out);
    else
        text_str(out, problem->limit);
    if (is_share(problem->field) &&
        num_read(problem->limit, strlen(problem->limit), 0, &value) ==
        NUM_GOOD) {
        num_print(percent, value * 100);
        text_str(out, " (");
        text_str(out, percent);
        text_str(out, "%)");
    }
}

static void put_part(const struct problem *problem, const char *name,
                     size_t length, int zh, struct text *out)
{
    if (length == 5 && memcmp(name, "field", 5) == 0)
        key_words(problem->field, zh, out);
    else if (length == 3 && memcmp(name, "key", 3) == 0)
        text_str(out, problem->field);
    else if (length == 7 && memcmp(name, "example", 7) == 0)
        text_str(out, say(zh, is_share(problem->field)
                          ? "0.6 or 60%" : "1600 or 0.12"));
    else if (length == 5 && memcmp(name, "limit", 5) == 0)
        put_limit(problem, out);
    else
        put_hint(problem, zh, out);
}

static int fits(const struct words *row, const struct problem *problem)
{
    return strcmp(row->code, problem->code) == 0 &&
           (!*row->field || strcmp(row->field, bare(problem->field)) == 0) &&
           (*problem->limit || !strstr(row->words, "{limit}")) &&
           (*problem->hint || !strstr(row->words, "{hint}"));
}

void problem_words(const struct problem *problem, int zh, struct text *out)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *at = say(zh, table[i].words);
        if (!fits(&table[i], problem))
            continue;
        while (*at) {
            size_t length = strcspn(at, "{");
            text_put(out, at, length);
            at += length;
            if (!*at)
                return;
            length = strcspn(at, "}");
            put_part(problem, at + 1, length - 1, zh, out);
            at += length + 1;
        }
        return;
    }
    key_words(problem->field, zh, out);
    text_str(out, ": ");
    text_str(out, problem->code);
}
