/* cells.c: walks over formula text token by token. The operators, brackets
   and functions of the tables are those of a spreadsheet, so only names,
   numbers and three functions change. */
#include "fcgi/cells.h"

#include <stdio.h>
#include <string.h>

#include "pricing/num.h"

enum { BRACKET_MAX = 64 };

/* What an opened bracket means for its end. */
enum bracket { BRACKET_PLAIN, BRACKET_ROUND, BRACKET_BEFORE };

struct walk {
    const struct cells *cells;
    struct text *out;
    enum bracket open[BRACKET_MAX];
    int depth, before;
};

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t name_length(const char *at)
{
    size_t length = 0;

    while (is_letter(at[length]) || is_digit(at[length]))
        length++;
    return length;
}

/* Length of a number: digits, a point, an exponent with its sign. */
static size_t number_length(const char *at)
{
    size_t length = strspn(at, "0123456789.");

    if (at[length] == 'e') {
        length++;
        length += at[length] == '-' || at[length] == '+';
        length += strspn(at + length, "0123456789");
    }
    return length;
}

static int is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static int open_bracket(struct walk *walk, enum bracket kind)
{
    if (walk->depth == BRACKET_MAX)
        return 0;
    walk->open[walk->depth++] = kind;
    walk->before += kind == BRACKET_BEFORE;
    if (kind != BRACKET_BEFORE)
        text_char(walk->out, '(');
    return 1;
}

static int close_bracket(struct walk *walk)
{
    enum bracket kind;

    if (walk->depth == 0)
        return 0;
    kind = walk->open[--walk->depth];
    walk->before -= kind == BRACKET_BEFORE;
    if (kind == BRACKET_ROUND)
        text_str(walk->out, ",0");
    if (kind != BRACKET_BEFORE)
        text_char(walk->out, ')');
    return 1;
}

/* A function with its opening bracket, or a name. Moves *at past it. */
static int take_word(struct walk *walk, const char **at)
{
    const char *word = *at;
    size_t length = name_length(word);

    *at += length;
    if (**at != '(')
        return walk->cells->name(walk->cells->from, word, length,
                                 walk->before > 0, walk->out);
    ++*at;
    if (is_word(word, length, "PREV"))
        return open_bracket(walk, BRACKET_BEFORE);
    text_put(walk->out, word, length);
    return open_bracket(walk, is_word(word, length, "ROUNDUP") ||
                              is_word(word, length, "ROUNDDOWN")
                              ? BRACKET_ROUND : BRACKET_PLAIN);
}

/* The number at `at` when it is to stand in a cell of its own. */
static int wants_cell(const char *at, size_t length, double *number)
{
    if (length == 1 && (*at == '0' || *at == '1'))
        return 0;
    return num_read(at, length, 0, number) == NUM_GOOD;
}

static int take_number(struct walk *walk, const char **at)
{
    size_t length = number_length(*at);
    const char *digits = *at;
    double number;

    *at += length;
    if (wants_cell(digits, length, &number))
        return walk->cells->number(walk->cells->from, number, walk->out);
    text_put(walk->out, digits, length);
    return length == 1;
}

int cells_formula(const char *text, const struct cells *cells,
                  struct text *out)
{
    struct walk walk = { .cells = cells, .out = out };

    while (*text) {
        int good = 1;
        if (is_letter(*text)) {
            good = take_word(&walk, &text);
        } else if (is_digit(*text)) {
            good = take_number(&walk, &text);
        } else {
            if (*text == '(')
                good = open_bracket(&walk, BRACKET_PLAIN);
            else if (*text == ')')
                good = close_bracket(&walk);
            else if (*text != ' ')
                text_char(out, *text);
            text++;
        }
        if (!good)
            return 0;
    }
    return walk.depth == 0;
}

void cells_numbers(const char *text, void (*found)(void *to, double number),
                   void *to)
{
    while (*text) {
        double number;
        size_t length = name_length(text);
        if (is_digit(*text)) {
            length = number_length(text);
            if (wants_cell(text, length, &number))
                found(to, number);
        }
        text += length > 0 ? length : 1;
    }
}

void cells_at(int row, int column, int fixed, struct text *out)
{
    char letters[4], line[16];
    int at = (int)sizeof letters - 1;

    letters[at] = '\0';
    for (column++; column > 0 && at > 0; column = (column - 1) / 26)
        letters[--at] = (char)('A' + (column - 1) % 26);
    snprintf(line, sizeof line, "%d", row + 1);
    text_str(out, fixed ? "$" : "");
    text_str(out, letters + at);
    text_str(out, fixed ? "$" : "");
    text_str(out, line);
}
