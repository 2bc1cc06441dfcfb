/* shown.c: rounding and grouping of numbers for people. */
#include "fcgi/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pricing/num.h"

#define MINUS "\xE2\x88\x92"
#define DASH "\xE2\x80\x93"

/* Larger ones are written with an exponent. */
#define GROUPED_MAX 1e15

enum { DIGITS_MAX = 15 };

static void put_grouped(struct text *out, const char *digits)
{
    size_t whole = strcspn(digits, ".");

    for (size_t at = 0; at < whole; at++) {
        if (at > 0 && (whole - at) % 3 == 0)
            text_char(out, ',');
        text_char(out, digits[at]);
    }
    text_str(out, digits + whole);
}

static int is_zero(const char *digits)
{
    return strspn(digits, "0.") == strlen(digits);
}

void shown_number(struct text *out, double value, int decimals)
{
    char digits[64];

    if (!isfinite(value)) {
        text_str(out, DASH);
        return;
    }
    snprintf(digits, sizeof digits,
             fabs(value) < GROUPED_MAX ? "%.*f" : "%.*e", decimals,
             fabs(value));
    if (value < 0 && !is_zero(digits))
        text_str(out, MINUS);
    put_grouped(out, digits);
}

/* Decimals that show `digits` significant ones; at least 0. */
static int decimals_for(double value, int digits)
{
    double size = fabs(value);
    int decimals = digits - 1;

    if (!(size > 0))
        return 0;
    decimals -= (int)floor(log10(size));
    return decimals < 0 ? 0 : decimals > DIGITS_MAX ? DIGITS_MAX : decimals;
}

static void cut_zeros(char *digits)
{
    size_t length = strlen(digits);

    if (!strchr(digits, '.') || strchr(digits, 'e'))
        return;
    while (digits[length - 1] == '0')
        digits[--length] = '\0';
    if (digits[length - 1] == '.')
        digits[length - 1] = '\0';
}

void shown_digits(struct text *out, double value, int digits)
{
    char text[64];

    if (!isfinite(value) || fabs(value) >= GROUPED_MAX) {
        shown_number(out, value, 2);
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals_for(value, digits),
             fabs(value));
    cut_zeros(text);
    if (value < 0 && !is_zero(text))
        text_str(out, MINUS);
    put_grouped(out, text);
}

void shown_percent(struct text *out, double frac)
{
    shown_digits(out, frac * 100, 3);
    if (isfinite(frac))
        text_str(out, " %");
}

static void put_currency(struct text *out, const char *currency)
{
    text_str(out, currency);
    text_str(out, *currency ? " " : "");
}

void shown_money(struct text *out, const char *currency, double value)
{
    put_currency(out, currency);
    shown_number(out, value, 0);
}

static double three_digits(double value)
{
    double unit;

    if (!isfinite(value) || fabs(value) < 1)
        return value;
    unit = pow(10, floor(log10(fabs(value))) - 2);
    return floor(value / unit + 0.5) * unit;
}

void shown_rounded(struct text *out, const char *currency, double value)
{
    static const struct { double size; const char *word; } scale[] = {
        { 1e12, " trillion" }, { 1e9, " billion" }, { 1e6, " million" },
    };
    double rounded = three_digits(value);

    put_currency(out, currency);
    for (size_t i = 0; i < sizeof scale / sizeof *scale; i++)
        if (fabs(rounded) >= scale[i].size) {
            shown_digits(out, rounded / scale[i].size, 3);
            text_str(out, scale[i].word);
            return;
        }
    shown_digits(out, rounded, 3);
}

void shown_rounded_digits(struct text *out, const char *currency, double value)
{
    put_currency(out, currency);
    shown_digits(out, three_digits(value), 3);
}

void shown_price(struct text *out, const char *currency, double value)
{
    put_currency(out, currency);
    if (fabs(value) >= 0.1 && fabs(value) < 1e6)
        shown_number(out, value, 2);
    else
        shown_digits(out, value, 4);
}

static int is_share(const struct field *field)
{
    return field->unit == UNIT_FRAC || field->unit == UNIT_FRAC_PER_YEAR;
}

static void put_choice(struct text *out, const struct option *option,
                       int field)
{
    size_t length;
    const char *word = choice_word(field_table[field].choices,
                                   (int)option->value[field], &length);

    text_put(out, word, length);
}

void shown_value(struct text *out, const struct option *option, int field)
{
    const struct field *row = &field_table[field];

    if (row->type == FIELD_NAME)
        text_str(out, option->name[field]);
    else if (row->type == FIELD_CHOICE)
        put_choice(out, option, field);
    else if (is_share(row))
        shown_percent(out, option->value[field]);
    else
        shown_digits(out, option->value[field], 6);
}

void shown_unit(struct text *out, const struct study *study, int field)
{
    const struct field *row = &field_table[field];
    const struct unit_row *unit = &unit_table[row->unit];

    if (row->type == FIELD_NAME || row->type == FIELD_CHOICE)
        return;
    if (field == F_machine_speed && study->option[0].value[F_speed_basis] > 0) {
        text_str(out, "GPUs");
        return;
    }
    if (unit->money)
        text_str(out, study->currency);
    text_str(out, unit->shown);
}

void shown_typed(struct text *out, const struct option *option, int field)
{
    const struct field *row = &field_table[field];
    double value = option->value[field];
    char digits[64];

    if (row->type == FIELD_NAME || row->type == FIELD_CHOICE) {
        shown_value(out, option, field);
        return;
    }
    if (!isfinite(value))
        return;
    value *= is_share(row) ? 100 : 1;
    if (fabs(value) >= GROUPED_MAX) {
        num_print(digits, value);
    } else {
        snprintf(digits, sizeof digits, "%.*f", decimals_for(value, 6), value);
        cut_zeros(digits);
    }
    text_str(out, digits);
    if (is_share(row))
        text_char(out, '%');
}
