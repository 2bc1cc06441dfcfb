/* mathml.c: reads the grammar of formulas (names, numbers, + - * /,
   comparisons, functions) and writes MathML. */
#include "fcgi/mathml.h"

#include <ctype.h>
#include <string.h>

#include "fcgi/html.h"

enum { DEPTH_MAX = 24, NAME_ROOM = 64, MATH_BYTE_MAX = 64 * 1024 };

struct reader { const char *at; int depth, failed; };

static void sum(struct reader *r, struct text *out);

static void blanks(struct reader *r)
{
    r->at += strspn(r->at, " \n\t");
}

static int take(struct reader *r, const char *token)
{
    size_t length = strlen(token);

    blanks(r);
    if (strncmp(r->at, token, length) != 0)
        return 0;
    r->at += length;
    return 1;
}

static void expect(struct reader *r, const char *token)
{
    if (!take(r, token))
        r->failed = 1;
}

static void operator(struct text *out, const char *sign)
{
    html_element(out, "mo", NULL, sign);
}

/* A comparison, or a sum alone. */
static void condition(struct reader *r, struct text *out)
{
    static const char *const signs[][2] = {
        { ">=", "\xE2\x89\xA5" }, { "<=", "\xE2\x89\xA4" }, { ">", ">" },
        { "<", "<" }, { "==", "=" },
    };

    sum(r, out);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (take(r, signs[i][0])) {
            operator(out, signs[i][1]);
            sum(r, out);
            return;
        }
}

/* IF(condition, then, otherwise), further IFs in `otherwise` as more lines. */
static void cases(struct reader *r, struct text *out)
{
    int rows = 0;

    text_str(out, "<mrow><mo>{</mo><mtable>");
    do {
        struct text when;
        text_init(&when, MATH_BYTE_MAX);
        condition(r, &when);
        expect(r, ",");
        text_str(out, "<mtr><mtd>");
        sum(r, out);
        text_str(out, "</mtd><mtd>");
        text_put(out, when.at ? when.at : "", when.byte);
        text_str(out, "</mtd></mtr>");
        text_free(&when);
        expect(r, ",");
        rows++;
    } while (!r->failed && take(r, "IF("));
    text_str(out, "<mtr><mtd>");
    sum(r, out);
    text_str(out, "</mtd><mtd><mtext>else</mtext></mtd></mtr></mtable></mrow>");
    while (rows--)
        expect(r, ")");
}

static const struct { const char *name, *open, *close; } brackets[] = {
    { "ROUNDUP", "\xE2\x8C\x88", "\xE2\x8C\x89" },
    { "ROUNDDOWN", "\xE2\x8C\x8A", "\xE2\x8C\x8B" },
};

static void call(struct reader *r, const char *name, struct text *out)
{
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
        if (strcmp(name, brackets[i].name) == 0) {
            text_str(out, "<mrow>");
            operator(out, brackets[i].open);
            sum(r, out);
            operator(out, brackets[i].close);
            text_str(out, "</mrow>");
            expect(r, ")");
            return;
        }
    if (strcmp(name, "IF") == 0) {
        cases(r, out);
        return;
    }
    if (strcmp(name, "POWER") == 0) {
        text_str(out, "<msup><mrow><mo>(</mo>");
        sum(r, out);
        text_str(out, "<mo>)</mo></mrow><mrow>");
        expect(r, ",");
        sum(r, out);
        text_str(out, "</mrow></msup>");
        expect(r, ")");
        return;
    }
    text_str(out, "<mrow>");
    html_element(out, "mi", NULL, strcmp(name, "PREV") == 0 ? "previous" :
                 strcmp(name, "MIN") == 0 ? "min" :
                 strcmp(name, "MAX") == 0 ? "max" : name);
    operator(out, "(");
    if (!take(r, ")")) {
        do {
            sum(r, out);
            if (!take(r, ","))
                break;
            operator(out, ",");
        } while (!r->failed);
        expect(r, ")");
    }
    operator(out, ")");
    text_str(out, "</mrow>");
}

static void value(struct reader *r, struct text *out)
{
    char name[NAME_ROOM];
    size_t length = 0;

    blanks(r);
    if (++r->depth > DEPTH_MAX)
        r->failed = 1;
    if (r->failed)
        return;
    if (take(r, "(")) {
        text_str(out, "<mrow><mo>(</mo>");
        sum(r, out);
        text_str(out, "<mo>)</mo></mrow>");
        expect(r, ")");
        r->depth--;
        return;
    }
    while (length < NAME_ROOM - 1 &&
           (isalnum((unsigned char)r->at[length]) || r->at[length] == '_' ||
            r->at[length] == '.' ||
            (length && r->at[length] == '-' && r->at[length - 1] == 'e' &&
             isdigit((unsigned char)r->at[0])))) {
        name[length] = r->at[length];
        length++;
    }
    name[length] = '\0';
    r->at += length;
    if (!length)
        r->failed = 1;
    else if (take(r, "("))
        call(r, name, out);
    else
        html_element(out, isdigit((unsigned char)name[0]) ? "mn" : "mi", NULL,
                     name);
    r->depth--;
}

/* Factors; what stands behind a division sign goes under a fraction bar. */
static void product(struct reader *r, struct text *out)
{
    struct text above;

    text_init(&above, MATH_BYTE_MAX);
    value(r, &above);
    while (!r->failed) {
        if (take(r, "*")) {
            operator(&above, "\xC2\xB7");
            value(r, &above);
        } else if (take(r, "/")) {
            struct text below;
            struct text whole;
            text_init(&below, MATH_BYTE_MAX);
            text_init(&whole, MATH_BYTE_MAX);
            value(r, &below);
            while (take(r, "/")) {
                operator(&below, "\xC2\xB7");
                value(r, &below);
            }
            text_str(&whole, "<mfrac><mrow>");
            text_put(&whole, above.at ? above.at : "", above.byte);
            text_str(&whole, "</mrow><mrow>");
            text_put(&whole, below.at ? below.at : "", below.byte);
            text_str(&whole, "</mrow></mfrac>");
            text_free(&below);
            text_free(&above);
            above = whole;
        } else {
            break;
        }
    }
    text_put(out, above.at ? above.at : "", above.byte);
    text_free(&above);
}

static void sum(struct reader *r, struct text *out)
{
    if (++r->depth > DEPTH_MAX) {
        r->failed = 1;
        return;
    }
    if (take(r, "-"))
        operator(out, "\xE2\x88\x92");
    product(r, out);
    while (!r->failed) {
        if (take(r, "+"))
            operator(out, "+");
        else if (take(r, "-"))
            operator(out, "\xE2\x88\x92");
        else
            break;
        product(r, out);
    }
    r->depth--;
}

int mathml(const char *name, const char *formula, struct text *out)
{
    struct reader r = { formula, 0, 0 };
    struct text set;
    int good;

    text_init(&set, MATH_BYTE_MAX);
    sum(&r, &set);
    blanks(&r);
    good = !r.failed && !*r.at && !set.failed;
    if (good) {
        text_str(out, "<math displaystyle=\"true\"><mrow>");
        html_element(out, "mi", NULL, name);
        operator(out, "=");
        text_put(out, set.at ? set.at : "", set.byte);
        text_str(out, "</mrow></math>");
    }
    text_free(&set);
    return good;
}
