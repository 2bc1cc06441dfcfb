/* train.h: a question about a training run: the run's keys on top of a
   study, answered for every option. */
#ifndef GPUTCO_FCGI_TRAIN_H
#define GPUTCO_FCGI_TRAIN_H

#include "energy/model.h"
#include "fcgi/answer.h"
#include "pricing/everywhere.h"

/* Complete only when input->problems is empty. Big, like struct answer. */
struct train_answer {
    struct answer study;
    struct run_spec spec;
    const struct model *model;       /* model_preset, or NULL */
    int tokens_suggested;            /* token_count follows from the size */
    int from_config;                 /* shape out of a config.json */
    struct run_option option[OPTION_MAX];
    struct everywhere everywhere;    /* count 0 when serving */
};

/* Reads keys and study out of `input` (nothing taken yet) and computes. 1
   when complete; 0 when input->problems says what is wrong. */
int train_run_all(struct train_answer *answer, struct input *input,
                  const struct world *world, const char *base_url);

/* 1 when none of the run's keys was typed: a form is wanted. */
int train_is_bare(const struct input *input);

/* The query that gives this answer again, without '?'. */
void train_query(const struct train_answer *answer, struct text *out);

/* The keys of the run, for forms. */
struct run_field { const char *name, *type, *choices, *label, *help; int key; };
extern const struct run_field run_field_table[];
extern const int run_field_count;

#endif
