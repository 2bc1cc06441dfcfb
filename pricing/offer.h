/* offer.h: which part of an offer's name is wrong, told alike wherever an offer
   is named. */
#ifndef GPUTCO_PRICING_OFFER_H
#define GPUTCO_PRICING_OFFER_H

#include "pricing/world.h"

struct offer_name {
    const char *provider, *instance, *region;
    enum term term;
    enum payment payment;
};

/* 1 if the provider has an instance or a price. */
int provider_known(const struct world *world, const char *provider);

/* The first part that names nothing known: F_provider, F_instance (of this
   provider) or F_region (for this instance); -1 when all do. *hint is a near
   name or "", and lives as long as the world. */
int offer_unknown(const struct world *world, const struct offer_name *name,
                  const char **hint);

/* Of known names without a price in force: the part that has none, F_region,
   F_term or F_payment; F_as_of when the offer has a price on a later day. */
int offer_unpriced(const struct world *world, const struct offer_name *name);

#endif
