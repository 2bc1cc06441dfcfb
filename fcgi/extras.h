/* extras.h: what a study's answer says beyond its options, when it is asked
   for: alternatives, a grid of two uncertain inputs, how a figure came
   about. */
#ifndef GPUTCO_FCGI_EXTRAS_H
#define GPUTCO_FCGI_EXTRAS_H

#include "fcgi/answer.h"

/* Reads the keys limit, only_…, grid and explain of a readable study; adds
   problems to `problems`. Before the study is run. */
void extras_check(struct answer *answer, struct problems *problems);

/* Ranks the alternatives of the study as it is, before a case moves it. */
void extras_rank(struct answer *answer);

/* Runs the rest, after the study and its ranges. */
void extras_run(struct answer *answer);

/* "rent/aws/p5.48xlarge/us-east-1/on_demand": how an alternative is declared
   as an option. */
void extras_declaration(const struct alternative *row, struct text *out);

#endif
