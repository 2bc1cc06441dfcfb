/* answer.h: one study answered: what every renderer works from. */
#ifndef GPUTCO_FCGI_ANSWER_H
#define GPUTCO_FCGI_ANSWER_H

#include "fcgi/input.h"
#include "pricing/alternatives.h"
#include "pricing/explain.h"
#include "pricing/grid.h"
#include "pricing/sensitivity.h"
#include "pricing/uncertainty.h"

enum { SOURCE_MAX = 160 };

/* A source as it is listed: id is its place, from 1. */
struct cited { const struct source *source; int day; };

/* Every range at the end that is worst for option a, as it is, and best. */
enum { CASE_LOW, CASE_BASE, CASE_HIGH, CASE_COUNT };
struct case_row {
    double npv_cost[OPTION_MAX], total_kg[OPTION_MAX]; /* NAN: short */
};

/* What key grid or explain names. */
struct named { int field, option; }; /* option -1: not said */

/* Complete only when input->problems is empty; else only `study` as far as
   it could be read, and `input` to show what was typed. Big: one a thread. */
struct answer {
    const struct input *input;
    const struct world *world;
    const char *base_url;        /* in front of absolute links, "" relative */
    int is_saved;                /* written to be kept: nothing in it leads to
                                    what would be computed anew */
    struct study study;
    int start_day;               /* yyyymmdd of the first month, see key start */
    struct warnings warnings;
    struct result result[OPTION_MAX];
    struct verdict verdict;
    struct ranges ranges;
    struct sensitivity sensitivity;    /* of the first pair, or key pair */
    struct uncertainty uncertainty;    /* samples 0: not asked for */
    int range_straddles_zero[OPTION_MAX - 1]; /* as verdict.pair; -1 unknown */
    struct case_row cases[CASE_COUNT];
    struct alternatives alternatives;  /* ranked_count -1: not asked for */
    struct named grid_of[2];
    int has_grid;
    struct grid grid;
    int has_explanation;
    struct explanation explanation;
    struct cited cited[SOURCE_MAX];
    int cited_count;
    unsigned char source_of[OPTION_MAX][FIELD_COUNT]; /* 0 none */
    unsigned char source_of_alternative[ALTERNATIVE_MAX +
                                        ALTERNATIVE_FRONT_MAX];
};

/* Reads the study out of `input` (keys already taken), runs the model and
   the verdict and collects sources. 1 when the answer is complete, 0 when
   input->problems says what is wrong. */
int answer_run(struct answer *answer, struct input *input,
               const struct world *world, const char *base_url);

/* The shortest query that gives this study again, in table order, presets
   left out, with as_of; percent-encoded. */
void answer_query(const struct answer *answer, struct text *out);

/* The same without the key that asks for an explanation. */
void answer_query_unexplained(const struct answer *answer, struct text *out);

/* The query of the study made of these options, in this order, under new
   letters. */
void answer_query_of(const struct answer *answer, const int *order, int count,
                     struct text *out);

/* The query of option a against an alternative as b. */
void answer_query_against(const struct answer *answer,
                          const struct alternative *row, struct text *out);

/* The pair that key `pair` names, else the first one. 0 when there is none. */
int answer_pair(const struct answer *answer, int *a, int *b);

/* The label of an option: typed, or made from what it is. */
const char *answer_label(const struct answer *answer, int option);

/* A label made from an offer ends in its term, in English: says it. */
void answer_say_term(int zh, int term, char *label, size_t room);

/* Percent-encodes everything but unreserved characters. */
void url_arg(struct text *out, const char *text);

/* The date of a cited source: the price's or rate's day, else as published. */
const char *cited_date(const struct cited *cited, char day[11]);

#endif
