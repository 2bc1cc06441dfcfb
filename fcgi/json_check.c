/* json_check.c: a checker of one pass with a stack of bits. */
#include "fcgi/json_check.h"

#include <string.h>

enum { STACK_DEPTH = 64 };

struct scan {
    const char *text;
    size_t byte, at;
    int depth, depth_max;
    char open[STACK_DEPTH];         /* '{' or '[' */
    struct json_number *number;
    size_t number_count, number_max;
};

static int peek(const struct scan *s)
{
    return s->at < s->byte ? (unsigned char)s->text[s->at] : -1;
}

static void skip_blank(struct scan *s)
{
    while (s->at < s->byte && strchr(" \t\r\n", s->text[s->at]) &&
           s->text[s->at])
        s->at++;
}

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int digits(struct scan *s)
{
    size_t start = s->at;

    while (is_digit(peek(s)))
        s->at++;
    return s->at > start;
}

static int scan_number(struct scan *s)
{
    size_t start = s->at;

    if (peek(s) == '-')
        s->at++;
    if (peek(s) == '0')
        s->at++;
    else if (!digits(s))
        return 0;
    if (peek(s) == '.') {
        s->at++;
        if (!digits(s))
            return 0;
    }
    if (peek(s) == 'e' || peek(s) == 'E') {
        s->at++;
        if (peek(s) == '+' || peek(s) == '-')
            s->at++;
        if (!digits(s))
            return 0;
    }
    if (s->number_count < s->number_max) {
        s->number[s->number_count].at = start;
        s->number[s->number_count].length = s->at - start;
    }
    s->number_count++;
    return 1;
}

static int hex4(const struct scan *s, size_t at, unsigned *out)
{
    unsigned value = 0;

    if (s->byte - at < 4)
        return 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = s->text[i];
        unsigned digit = is_digit(c) ? (unsigned)(c - '0')
                       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
        if (digit > 15)
            return 0;
        value = value * 16 + digit;
    }
    *out = value;
    return 1;
}

/* At the u of an escape; a high surrogate must be followed by its low one. */
static int scan_unicode(struct scan *s)
{
    unsigned first, second;

    s->at++;
    if (!hex4(s, s->at, &first))
        return 0;
    s->at += 4;
    if (first < 0xD800 || first > 0xDFFF)
        return 1;
    if (first > 0xDBFF || s->byte - s->at < 6 || s->text[s->at] != '\\' ||
        s->text[s->at + 1] != 'u' || !hex4(s, s->at + 2, &second) ||
        second < 0xDC00 || second > 0xDFFF)
        return 0;
    s->at += 6;
    return 1;
}

static int scan_string(struct scan *s)
{
    s->at++;
    for (;;) {
        int c = peek(s);
        if (c < 0x20)
            return 0;
        if (c == '"') {
            s->at++;
            return 1;
        }
        s->at++;
        if (c != '\\')
            continue;
        c = peek(s);
        if (c == 'u') {
            if (!scan_unicode(s))
                return 0;
        } else if (c > 0 && strchr("\"\\/bfnrt", c)) {
            s->at++;
        } else {
            return 0;
        }
    }
}

static int scan_word(struct scan *s, const char *word)
{
    size_t length = strlen(word);

    if (s->byte - s->at < length || memcmp(s->text + s->at, word, length) != 0)
        return 0;
    s->at += length;
    return 1;
}

static int scan_scalar(struct scan *s)
{
    switch (peek(s)) {
    case '"': return scan_string(s);
    case 't': return scan_word(s, "true");
    case 'f': return scan_word(s, "false");
    case 'n': return scan_word(s, "null");
    default: return scan_number(s);
    }
}

/* The name and colon in front of a member's value. */
static int scan_name(struct scan *s)
{
    skip_blank(s);
    if (peek(s) != '"' || !scan_string(s))
        return 0;
    skip_blank(s);
    if (peek(s) != ':')
        return 0;
    s->at++;
    return 1;
}

/* After a value: closes what ends, or moves to the next value. 1 go on with
   a value, 0 fault, 2 the document is complete. */
static int after_value(struct scan *s)
{
    for (;;) {
        int c, open;
        skip_blank(s);
        if (s->depth == 0)
            return s->at == s->byte ? 2 : 0;
        c = peek(s);
        open = s->open[s->depth - 1];
        if (c == ',') {
            s->at++;
            return open == '[' || scan_name(s) ? 1 : 0;
        }
        if (c != (open == '{' ? '}' : ']'))
            return 0;
        s->at++;
        s->depth--;
    }
}

/* Opens a bracket. 1 a value follows, 2 it closed at once, 0 fault. */
static int open_bracket(struct scan *s, int c)
{
    s->open[s->depth++] = (char)c;
    s->at++;
    skip_blank(s);
    if (peek(s) == (c == '{' ? '}' : ']')) {
        s->at++;
        s->depth--;
        return 2;
    }
    return c == '[' || scan_name(s) ? 1 : 0;
}

static enum json_fault scan_document(struct scan *s)
{
    for (;;) {
        int c, state;
        skip_blank(s);
        c = peek(s);
        if (c == '{' || c == '[') {
            if (s->depth == s->depth_max)
                return JSON_TOO_DEEP;
            state = open_bracket(s, c);
            if (state == 0)
                return JSON_BAD;
            if (state == 1)
                continue;
        } else if (!scan_scalar(s)) {
            return JSON_BAD;
        }
        state = after_value(s);
        if (state != 1)
            return state == 2 ? JSON_GOOD : JSON_BAD;
    }
}

enum json_fault json_check(const char *text, size_t byte, int depth_max,
                           struct json_number *number, size_t number_max,
                           size_t *fault_at)
{
    struct scan s = { text, byte, 0, 0, depth_max, { 0 }, number, 0,
                      number_max };
    enum json_fault fault;

    if (depth_max > STACK_DEPTH)
        s.depth_max = STACK_DEPTH;
    fault = scan_document(&s);
    *fault_at = s.at;
    if (fault == JSON_GOOD && s.number_count > number_max)
        fault = JSON_TOO_MANY;
    return fault;
}
