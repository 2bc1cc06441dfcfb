/* then_now.h: a saved study beside the same question of today, and what the
   difference comes from. */
#ifndef GPUTCO_FCGI_THEN_NOW_H
#define GPUTCO_FCGI_THEN_NOW_H

#include "fcgi/saved.h"

/* Figures that are set side by side. */
enum quantity { QUANTITY_TOTAL, QUANTITY_NPV, QUANTITY_KWH, QUANTITY_KG,
                QUANTITY_COUNT };
extern const struct quantity_row { const char *name, *label; int money; }
    quantity_table[QUANTITY_COUNT];

/* Causes, in the order in which they are let in one after the other: another
   formula on the saved inputs, then today's prices at the saved exchange
   rates, then today's rates, then everything else (factors: power, speed,
   grid, water ...). */
enum cause { CAUSE_FORMULA, CAUSE_PRICE, CAUSE_RATE, CAUSE_FACTOR,
             CAUSE_COUNT };
extern const char *const cause_name[CAUSE_COUNT];  /* "formula" ... */

/* An input that is another today. Texts of names and choices, else numbers. */
struct changed_input {
    int option, field;
    enum cause cause;
    double then, now;
    char then_text[NAME_BYTE_MAX], now_text[NAME_BYTE_MAX];
};
enum { CHANGED_MAX = OPTION_MAX * 120 };

struct then_now {
    struct answer answer;       /* today's; complete only when has_now */
    struct input input;
    int has_now;
    int option_count;
    /* as saved, and what each cause adds up to today; NAN unknown */
    double then[OPTION_MAX][QUANTITY_COUNT];
    double effect[OPTION_MAX][QUANTITY_COUNT][CAUSE_COUNT];
    double now[OPTION_MAX][QUANTITY_COUNT];
    struct changed_input changed[CHANGED_MAX];
    int changed_count;
};

/* saved->document is its JSON. 1, or 0 when that cannot be read. When today
   has no answer (an offer is gone, say) has_now is 0 and input.problems says
   why. Big: allocate it. */
int then_now_run(struct then_now *both, const struct saved *saved, int zh,
                 const struct world *world, const char *base_url);

#endif
