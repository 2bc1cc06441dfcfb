/* cross.h: what the prices of one fetch say of each other. Pure. Nothing is
   refused for it: a remark stands in the tally and is told. */
#ifndef GPUTCO_PRICING_CROSS_H
#define GPUTCO_PRICING_CROSS_H

#include "pricing/accept.h"

/* Looks at the prices that will be in force on `day` after the changes, which
   are in the order of accept_compare, and counts in *tally: spot or a
   commitment above on demand, a machine that costs less than one of its kind
   with fewer GPUs (names alike but for digits, same GPU), and regions of which
   every offer has gone. 0: no memory. */
int cross_check(const struct change *change, size_t count, int day,
                struct tally *tally);

/* 1 if the region can be believed: listed, part of one that is (a Local Zone),
   or of a provider whose regions are not all listed. first: nothing is kept
   of the feed yet; then any code passes, but no display name. */
int cross_region(const char *provider, const char *region, int first);

/* What an hour of a machine costs, its upfront price spread over the term. */
double cross_cost_per_hour(const struct feed_row *row);

/* Counts one remark; the first row of a kind becomes its example. */
void cross_note(struct tally *tally, enum refusal why,
                const struct feed_row *row);

#endif
