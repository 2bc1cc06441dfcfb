/* resolve.h: turns names (gpu, server, instance, zone) into numbers, each
   with its origin, and checks the study as a whole. */
#ifndef GPUTCO_PRICING_RESOLVE_H
#define GPUTCO_PRICING_RESOLVE_H

#include "pricing/study.h"
#include "pricing/world.h"

/* A study as nobody has typed it: a owns, b rents, nothing filled in. */
void study_init(struct study *study);

/* Before values are checked against limits: reads as_of and currency (option
   0 holds shared fields), finds the exchange rate. On a mistake adds a
   problem and goes on with today, or USD. */
void resolve_frame(struct study *study, const struct world *world,
                   struct problems *problems, struct warnings *warnings);

/* Fills every field that nobody typed, of the declared options, from tables
   and prices as of study->as_of_day; work, labels. Never invents: what has
   no figure is a problem (no_price, no_value), except water and carbon
   factors, which stay NAN with a warning. Afterwards, if there is no
   problem, the study is complete and the model may run. */
void resolve_study(struct study *study, const struct world *world,
                   struct problems *problems, struct warnings *warnings);

/* The same for one option of a study whose option a is resolved; 0 when it
   has no complete figures. */
int resolve_more(struct study *study, const struct world *world, int option,
                 struct warnings *warnings);

/* For trying many machines in one resolved option: fills in anew what follows
   from gpu, gpu_count and server, or from provider and instance, and no more;
   0 when that is not complete. The other one: what follows from provider and
   region. */
int resolve_machine(struct study *study, const struct world *world, int option);
void resolve_region(struct study *study, const struct world *world, int option);

/* 1 if the field has a value in that option (machine_count of a rented
   option other than `a` has none, say). */
int option_has(int option, enum kind kind, int field);

#endif
