/* field.h: the field table: everything a user can type about a study, with
   unit, preset, limits and words, out of the fields.def files. */
#ifndef GPUTCO_PRICING_FIELD_H
#define GPUTCO_PRICING_FIELD_H

#include <stddef.h>

#include "energy/energy.h"

enum unit {
#define UNIT(id, ...) UNIT_##id,
#include "energy/units.def"
    UNIT_COUNT_ALL
};

struct unit_row { const char *suffix, *dimension, *shown; int money; };
extern const struct unit_row unit_table[UNIT_COUNT_ALL];

/* Goes on where enum energy_field ends. */
enum pricing_field {
    PRICING_FIELD_FIRST = ENERGY_FIELD_COUNT - 1,
#define FIELD(name, ...) F_##name,
#define CHOICE(name, ...) F_##name,
#define NAME(name, ...) F_##name,
#include "pricing/fields.def"
    FIELD_COUNT
};

enum field_type { FIELD_NUMBER, FIELD_WHOLE, FIELD_CHOICE, FIELD_NAME };
enum applies { APPLIES_SHARED, APPLIES_BOTH, APPLIES_OWN, APPLIES_RENT };
enum group { GROUP_WORK, GROUP_MACHINE, GROUP_POWER, GROUP_PLACE,
             GROUP_CARBON, GROUP_MONEY, GROUP_BUY, GROUP_RUNNING,
             GROUP_RENTAL, GROUP_COUNT };

/* preset: NAN when derived from tables or other fields. Numbers keep within
   min..max (money in USD). choices: words separated by one blank; a choice's
   value is the position of its word. text: preset of choices and names, ""
   when derived. */
struct field {
    const char *name;
    enum field_type type;
    enum unit unit;
    double preset, min, max;
    enum applies applies;
    enum group group;
    const char *choices, *text, *label, *help;
};

extern const struct field field_table[FIELD_COUNT];

/* Index of the field of that exact name, or -1. */
int field_find(const char *name, size_t length);

/* 1 if the field has a meaning for an option of that kind. */
int field_applies(int field, enum kind kind);

/* Position of a word among a choice's words, or -1; and the word at a
   position (static text, not terminated: length in *length). */
int choice_find(const char *choices, const char *word, size_t length);
const char *choice_word(const char *choices, int position, size_t *length);

/* Closest known name for a mistyped one, for a hint; NULL when none is near. */
const char *field_nearest(const char *name, size_t length);

/* Number of single-character edits between two texts, at most `limit`. */
size_t edit_distance(const char *a, size_t a_length, const char *b,
                     size_t b_length, size_t limit);

#endif
