/* field.c: the field table and look-ups in it. */
#include "pricing/field.h"

#include <math.h>
#include <string.h>

#define DERIVED ((double)NAN)

const struct unit_row unit_table[UNIT_COUNT_ALL] = {
#define UNIT(id, suffix, dimension, shown, money) \
    { suffix, dimension, shown, money },
#include "energy/units.def"
};

#define FIELD(name, unit, preset, min, max, applies, group, label, help)   \
    { #name, FIELD_NUMBER, UNIT_##unit, preset, min, max,                  \
      APPLIES_##applies, GROUP_##group, "", "", label, help },
#define WHOLE(name, unit, preset, min, max, applies, group, label, help)   \
    { #name, FIELD_WHOLE, UNIT_##unit, preset, min, max,                   \
      APPLIES_##applies, GROUP_##group, "", "", label, help },
#define CHOICE(name, preset, choices, applies, group, label, help)         \
    { #name, FIELD_CHOICE, UNIT_NUMBER, DERIVED, 0, 0,                     \
      APPLIES_##applies, GROUP_##group, choices, preset, label, help },
#define NAME(name, preset, applies, group, label, help)                    \
    { #name, FIELD_NAME, UNIT_NUMBER, DERIVED, 0, 0,                       \
      APPLIES_##applies, GROUP_##group, "", preset, label, help },
const struct field field_table[FIELD_COUNT] = {
#include "energy/fields.def"
#define FIELD(name, unit, preset, min, max, applies, group, label, help)   \
    { #name, FIELD_NUMBER, UNIT_##unit, preset, min, max,                  \
      APPLIES_##applies, GROUP_##group, "", "", label, help },
#define CHOICE(name, preset, choices, applies, group, label, help)         \
    { #name, FIELD_CHOICE, UNIT_NUMBER, DERIVED, 0, 0,                     \
      APPLIES_##applies, GROUP_##group, choices, preset, label, help },
#define NAME(name, preset, applies, group, label, help)                    \
    { #name, FIELD_NAME, UNIT_NUMBER, DERIVED, 0, 0,                       \
      APPLIES_##applies, GROUP_##group, "", preset, label, help },
#include "pricing/fields.def"
};

int field_find(const char *name, size_t length)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (strlen(field_table[i].name) == length &&
            memcmp(field_table[i].name, name, length) == 0)
            return i;
    return -1;
}

int field_applies(int field, enum kind kind)
{
    switch (field_table[field].applies) {
    case APPLIES_OWN: return kind == KIND_OWN;
    case APPLIES_RENT: return kind == KIND_RENT;
    case APPLIES_SHARED:
    case APPLIES_BOTH: break;
    }
    return 1;
}

const char *choice_word(const char *choices, int position, size_t *length)
{
    const char *at = choices;

    for (int i = 0; i < position; i++) {
        at += strcspn(at, " ");
        if (*at == ' ')
            at++;
    }
    *length = strcspn(at, " ");
    return at;
}

int choice_find(const char *choices, const char *word, size_t length)
{
    size_t each = 0;

    for (int i = 0; ; i++) {
        const char *at = choice_word(choices, i, &each);
        if (each == 0)
            return -1;
        if (each == length && memcmp(at, word, each) == 0)
            return i;
    }
}

enum { DISTANCE_LENGTH_MAX = 64 };

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

size_t edit_distance(const char *a, size_t a_length, const char *b,
                     size_t b_length, size_t limit)
{
    size_t row[DISTANCE_LENGTH_MAX + 1];

    if (a_length > DISTANCE_LENGTH_MAX || b_length > DISTANCE_LENGTH_MAX ||
        a_length > b_length + limit || b_length > a_length + limit)
        return limit + 1;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t best = corner + (lower(a[i - 1]) != lower(b[j - 1]));
            corner = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[b_length] <= limit ? row[b_length] : limit + 1;
}

const char *field_nearest(const char *name, size_t length)
{
    const char *best = NULL;
    size_t best_distance = length < 4 ? 1 : 3;

    for (int i = 0; i < FIELD_COUNT; i++) {
        const char *each = field_table[i].name;
        size_t d = edit_distance(name, length, each, strlen(each),
                                 best_distance);
        if (d < best_distance) {
            best = each;
            best_distance = d;
        }
    }
    return best;
}
