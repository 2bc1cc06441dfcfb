/* power_words.h: a power log's answer in words, for text and page alike. */
#ifndef GPUTCO_FCGI_POWER_WORDS_H
#define GPUTCO_FCGI_POWER_WORDS_H

#include "fcgi/power.h"

/* The rows of power_figures.def. */
struct power_figure {
    const char *name, *unit, *label;
    int digits;
    size_t at;                   /* in struct power_figures */
};
extern const struct power_figure power_figure_table[];
extern const int power_figure_count;

double power_figure_of(const struct power_figures *of, int figure);

/* Nothing to tell: not known, or none of something that may be absent. */
int power_figure_is_dull(int figure, double value);

/* Rounded, with its unit. */
void power_put_figure(const struct power_figure *figure, double value,
                      struct text *out);

/* Either side of a row that sets measured and modelled side by side. */
void power_put_amount(const struct power_answer *answer,
                      const struct power_row *row, double value,
                      struct text *out);

/* "line 12: …", with the file's number when there are several. */
void power_put_problem(const struct power_problem *p, int files, int zh,
                       struct text *out);

/* "8 × H100 SXM5 80GB, driver 550.54.14 (CUDA 12.4)". */
void power_put_what(const struct power_answer *answer, struct text *out);

/* What the sensors see, and what comes on top. English, to be said. */
const char *power_scope_words(const struct power_log *log);

/* Whether anything was measured over time. */
int power_has_energy(const struct power_answer *answer);

#endif
