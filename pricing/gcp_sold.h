/* gcp_sold.h: how Google sells machines that have a price for every way. */
#ifndef GPUTCO_PRICING_GCP_SOLD_H
#define GPUTCO_PRICING_GCP_SOLD_H

#include "pricing/price.h"

/* 0 for the machines and terms that gcp_sold.csv rules out: what only runs as
   a spot machine can be committed to no more than bought on demand. */
int gcp_is_sold(const char *instance, enum term term);

#endif
