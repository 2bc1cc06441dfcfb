/* csv2c: turns one table of facts into C, at build time.

   usage: csv2c TABLE.csv > TABLE.inc

   Every line becomes ROW(a, b, c, ...) in the order of the header, so that a
   C file defines ROW as the initialiser it wants and includes the table. How
   a cell is written follows from the name of its column:

   - a name that ends in a unit of units.def, or in one of the physical units
     below, holds a number: written as a double, NAN when the cell is empty;
   - a name that ends in _day holds a whole number (a day as yyyymmdd, or an
     age in days): written as an int, 0 when empty, which price.h takes for
     "no day";
   - a flag (list below) is 0 or 1, 0 when empty;
   - a word (list below) names one of a fixed set: written as an identifier
     with the column's name in front, TERM_ON_DEMAND for on_demand in the
     column term, TERM_NONE when empty. A word that does not exist is
     therefore an error of the compiler;
   - everything else is text: a string literal, "" when empty.

   A table whose first column is a word can be joined to: before its rows it
   is written once more as "#define EMBER_DE EMBER(second, third, ...)", and
   a table with a column ember then holds that row's initialiser wherever the
   C file gives EMBER its shape. The join is done by the compiler, and a key
   without a row does not compile.

   The form is RFC 4180 with LF line ends. A ragged row, a bad number, a
   control character or text that is not UTF-8 ends the run with status 1. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_MAX = 64, NAME_MAX_LENGTH = 64, FILE_MAX = 8 * 1024 * 1024 };

enum kind { KIND_TEXT, KIND_NUMBER, KIND_WHOLE, KIND_FLAG, KIND_WORD };

/* units.def lists the units of money, energy and time that the model's names
   end in; hardware and rates bring these. */
static const char *const number_suffix[] = {
#define UNIT(id, suffix, dimension, shown, money) suffix,
#include "energy/units.def"
    "_gib", "_tflops", "_gb_per_s", "_per_eur", "_token", "_minute",
     "_width", "_per_sample",
};
static const char *const flag_name[] = { "estimate", "grid_of_parent" };
static const char *const word_name[] = {
    "term", "payment", "tariff", "housing", "feed",
    "ember", "electricity_maps", "water", "pue", "embodied", "idle", "task",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct table {
    const char *path;
    const unsigned char *at, *end;
    size_t line;                       /* of the cell being read */
    size_t column_count;
    char name[COLUMN_MAX][NAME_MAX_LENGTH];
    enum kind kind[COLUMN_MAX];
    char *cell[COLUMN_MAX];            /* into `text` */
    char *text;                        /* as large as the file */
};

static _Noreturn void fail(const struct table *t, const char *why,
                           const char *what)
{
    fprintf(stderr, "%s:%zu: %s%s%s\n", t->path, t->line, why,
            *what ? ": " : "", what);
    exit(1);
}

static int ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), s = strlen(suffix);

    return s > 0 && n >= s && strcmp(name + n - s, suffix) == 0;
}

static int is_one_of(const char *name, const char *const list[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return 1;
    return 0;
}

static enum kind kind_of(const char *name)
{
    if (is_one_of(name, flag_name, COUNT(flag_name)))
        return KIND_FLAG;
    if (is_one_of(name, word_name, COUNT(word_name)))
        return KIND_WORD;
    if (ends_with(name, "_day"))
        return KIND_WHOLE;
    for (size_t i = 0; i < COUNT(number_suffix); i++)
        if (ends_with(name, number_suffix[i]))
            return KIND_NUMBER;
    return KIND_TEXT;
}

/* Length of the UTF-8 sequence at s, 0 if it is none: no overlong forms, no
   surrogates, nothing past U+10FFFF. */
static size_t utf8_length(const unsigned char *s, const unsigned char *end)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
             : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
             : s[0] >= 0xF0 && s[0] < 0xF5 ? 4 : 0;

    if (n == 0 || (size_t)(end - s) < n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return n;
}

static void check_text(struct table *t)
{
    size_t n;

    for (const unsigned char *s = t->at; s < t->end; s += n) {
        n = utf8_length(s, t->end);
        if (n == 0)
            fail(t, "not UTF-8", "");
        if (*s == '\n')
            t->line++;
        else if (*s < ' ' || *s == 0x7F)
            fail(t, "control character", "");
    }
    if (t->at == t->end || t->end[-1] != '\n')
        fail(t, "the last line does not end", "");
    t->line = 1;
}

/* One cell to *out; returns the character that ended it, ',' or '\n'. */
static int read_cell(struct table *t, char **out)
{
    const int quoted = *t->at == '"';

    t->at += quoted;
    for (;; t->at++) {
        if (t->at == t->end)
            fail(t, "quote is not closed", "");
        if (quoted && *t->at == '"') {
            if (t->at[1] != '"') {
                t->at++;
                break;
            }
            t->at++;
        } else if (!quoted && (*t->at == ',' || *t->at == '\n')) {
            break;
        } else if (!quoted && *t->at == '"') {
            fail(t, "quote inside a plain cell", "");
        } else if (*t->at == '\n') {
            fail(t, "line break inside a cell", "");
        }
        *(*out)++ = (char)*t->at;
    }
    *(*out)++ = '\0';
    if (*t->at != ',' && *t->at != '\n')
        fail(t, "text after a closing quote", "");
    return *t->at++;
}

/* Fills t->cell; returns how many cells the line has. */
static size_t read_line(struct table *t)
{
    char *out = t->text;
    size_t count = 0;
    int stop;

    do {
        if (count == COLUMN_MAX)
            fail(t, "too many columns", "");
        t->cell[count++] = out;
        stop = read_cell(t, &out);
    } while (stop == ',');
    return count;
}

static void read_header(struct table *t)
{
    t->column_count = read_line(t);
    for (size_t i = 0; i < t->column_count; i++) {
        const char *name = t->cell[i];

        if (strlen(name) >= NAME_MAX_LENGTH || name[0] < 'a' ||
            name[0] > 'z' ||
            name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
            fail(t, "not a column name", name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(name, t->name[j]) == 0)
                fail(t, "column twice", name);
        memcpy(t->name[i], name, strlen(name) + 1);
        t->kind[i] = kind_of(name);
    }
    t->line++;
}

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* Decimal with an optional sign, fraction and exponent, and nothing else. */
static int is_number(const char *s, int *is_double)
{
    size_t whole, fraction = 0;

    *is_double = 0;
    s += *s == '-';
    whole = digits(s);
    s += whole;
    if (*s == '.') {
        *is_double = 1;
        fraction = digits(++s);
        s += fraction;
        if (fraction == 0)
            return 0;
    }
    if (whole == 0)
        return 0;
    if (*s == 'e') {
        *is_double = 1;
        s++;
        s += *s == '-' || *s == '+';
        if (digits(s) == 0)
            return 0;
        s += digits(s);
    }
    return *s == '\0';
}

static void print_number(const struct table *t, const char *s)
{
    int is_double;

    if (*s == '\0') {
        fputs("NAN", stdout);
        return;
    }
    if (!is_number(s, &is_double))
        fail(t, "not a number", s);
    /* without the point C would calculate with integers */
    printf("%s%s", s, is_double ? "" : ".0");
}

static void print_whole(const struct table *t, const char *s)
{
    if (*s == '\0')
        s = "0";
    /* a leading zero would be octal to C */
    if (s[digits(s)] || strlen(s) > 9 || (s[0] == '0' && s[1]))
        fail(t, "not a whole number", s);
    fputs(s, stdout);
}

static void print_flag(const struct table *t, const char *s)
{
    if (*s && strcmp(s, "0") != 0 && strcmp(s, "1") != 0)
        fail(t, "neither 0 nor 1", s);
    fputs(*s ? s : "0", stdout);
}

static void print_word(const struct table *t, const char *name, const char *s)
{
    for (const char *p = name; *p; p++)
        putchar(toupper((unsigned char)*p));
    putchar('_');
    if (*s == '\0')
        s = "none";
    for (; *s; s++) {
        if (!isalnum((unsigned char)*s) && !strchr("_-.", *s))
            fail(t, "not a word", s);
        putchar(isalnum((unsigned char)*s) ? toupper((unsigned char)*s)
                                           : '_');
    }
}

static void print_text(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\' || c == '?') /* ? could be a trigraph */
            printf("\\%c", c);
        else if (c < 0x80)
            putchar(c);
        else
            printf("\\%03o", (unsigned)c);
    }
    putchar('"');
}

static void print_cells(const struct table *t, size_t from)
{
    putchar('(');
    for (size_t i = from; i < t->column_count; i++) {
        if (i > from)
            fputs(", ", stdout);
        switch (t->kind[i]) {
        case KIND_NUMBER: print_number(t, t->cell[i]); break;
        case KIND_WHOLE:  print_whole(t, t->cell[i]); break;
        case KIND_FLAG:   print_flag(t, t->cell[i]); break;
        case KIND_WORD:   print_word(t, t->name[i], t->cell[i]); break;
        case KIND_TEXT:   print_text(t->cell[i]); break;
        }
    }
    fputs(")\n", stdout);
}

static void print_key(const struct table *t)
{
    if (t->cell[0][0] == '\0')
        fail(t, "row without a key", "");
    fputs("#define ", stdout);
    print_word(t, t->name[0], t->cell[0]);
    putchar(' ');
    for (const char *p = t->name[0]; *p; p++)
        putchar(toupper((unsigned char)*p));
    print_cells(t, 1);
}

static void print_rows(struct table *t)
{
    while (t->at < t->end) {
        if (read_line(t) != t->column_count)
            fail(t, "row of another length than the header", "");
        if (t->kind[0] == KIND_WORD)
            print_key(t);
        fputs("ROW", stdout);
        print_cells(t, 0);
        t->line++;
    }
}

static unsigned char *read_file(const char *path, size_t *length)
{
    unsigned char *bytes = malloc(FILE_MAX);
    FILE *in = fopen(path, "rb");

    if (in == NULL || bytes == NULL) {
        perror(path);
        exit(1);
    }
    *length = fread(bytes, 1, FILE_MAX, in);
    if (ferror(in) || *length == FILE_MAX) {
        fprintf(stderr, "%s: cannot be read whole\n", path);
        exit(1);
    }
    fclose(in);
    return bytes;
}

int main(int argc, char **argv)
{
    static struct table t;
    unsigned char *bytes;
    size_t length;

    if (argc != 2) {
        fputs("usage: csv2c TABLE.csv > TABLE.inc\n", stderr);
        return 2;
    }
    bytes = read_file(argv[1], &length);
    t = (struct table){ .path = argv[1], .at = bytes, .end = bytes + length,
                        .line = 1, .text = malloc(length + COLUMN_MAX) };
    if (t.text == NULL) {
        perror(argv[1]);
        return 1;
    }
    check_text(&t);
    read_header(&t);
    fputs("#ifndef ROW\n#define ROW(...)\n#endif\n", stdout);
    print_rows(&t);
    fputs("#undef ROW\n", stdout);
    free(t.text);
    free(bytes);
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
