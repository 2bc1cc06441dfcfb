/* range.h: uncertain fields of a study, each with its ends. */
#ifndef GPUTCO_PRICING_RANGE_H
#define GPUTCO_PRICING_RANGE_H

#include "pricing/study.h"

enum { RANGE_PER_OPTION_MAX = 24, RANGE_MAX = OPTION_MAX * RANGE_PER_OPTION_MAX };

/* One quantity that may move. `with` moves by the same factor, -1 none. */
struct range {
    int field, option;   /* option -1: the whole study */
    int with;
    int stream;          /* of the generator: that of the field, for ever */
    double value, low, high;
    int typed;           /* ends given by the user */
};

struct ranges { struct range range[RANGE_MAX]; int count; };

/* Ends that a user typed for a field, in every option that has it. */
struct typed_range { int field; double low, high; };
enum { TYPED_RANGE_MAX = 32 };
struct typed_ranges { struct typed_range range[TYPED_RANGE_MAX]; int count; };

/* All ranges of a resolved study: shared fields, then option by option, in
   table order. Ends keep within the field's limits; preset ones always include
   the value. Fields
   without a value (NAN) have no range. */
void ranges_of(const struct study *study, const struct typed_ranges *typed,
               struct ranges *ranges);

/* The values of every option, for trying others without copying a study. */
struct trial { double value[OPTION_MAX][FIELD_COUNT]; };
void trial_of(const struct study *study, struct trial *trial);

/* Sets a quantity of a trial to a value, with what moves along. The trial
   holds the study's own values of both before the call. */
void range_set(const struct study *study, const struct range *range,
               double value, struct trial *trial);

#endif
