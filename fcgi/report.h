/* report.h: study and results as rows of name, label, unit and one value an
   option, for everything that shows them to people. */
#ifndef GPUTCO_FCGI_REPORT_H
#define GPUTCO_FCGI_REPORT_H

#include "fcgi/answer.h"

/* How a value is written. */
enum shown_as { AS_NUMBER, AS_PERCENT, AS_MONEY, AS_PRICE, AS_MONTH, AS_LETTER };

enum section { SECTION_MACHINES, SECTION_ITEMS, SECTION_COST, SECTION_ENERGY,
               SECTION_CARBON, SECTION_COUNT };
extern const char *const section_title[SECTION_COUNT];

/* `none` says what a missing value means. */
struct report_row {
    const char *name, *label, *unit, *none;
    enum section section;
    enum shown_as as;
    double value[OPTION_MAX];
    unsigned char applies[OPTION_MAX]; /* 0: has no meaning for this option */
};

enum { REPORT_ROW_MAX = 64 };
struct report {
    struct report_row row[REPORT_ROW_MAX];
    int count;
};

/* Rows of the options. Items that are 0 for all options are left out. */
void report_options(const struct answer *answer, struct report *report);

/* Rows of the pairs; value[i] is that of verdict.pair[i]. */
void report_pairs(const struct answer *answer, struct report *report);

/* 1 when there is a number, which a unit may stand behind. */
int report_has(const struct report_row *row, int column);

/* One value in words: number with currency, a dash where it does not apply,
   row->none where there is none. The unit is left to the caller. */
void report_value(const struct answer *answer, const struct report_row *row,
                  int column, struct text *out);

/* The warnings that say more than the rows do; 1 if this one does. */
int report_warns(const struct warning *warning);

/* A warning in the reader's language. */
void report_warning(int zh, const struct warning *warning, struct text *out);

#endif
