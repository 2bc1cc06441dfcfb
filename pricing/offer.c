/* offer.c: names of offers, part by part (see offer.h). */
#include "pricing/offer.h"

#include <string.h>
#include <strings.h>

#include "energy/zone.h"
#include "pricing/catalogue.h"
#include "pricing/field.h"

static unsigned near(const struct world *world, const struct offer_name *name)
{
    return price_near(world->prices, name->provider, name->instance,
                      name->region, name->term, name->payment);
}

int provider_known(const struct world *world, const char *provider)
{
    for (size_t i = 0; i < instance_count_all(); i++)
        if (strcmp(instance_at(i)->provider, provider) == 0)
            return 1;
    return (price_near(world->prices, provider, "", "", TERM_ON_DEMAND,
                       PAYMENT_NO_UPFRONT) & PRICE_HAS_PROVIDER) != 0;
}

/* The same id in other letters, or who else has it. */
static const char *instance_hint(const struct offer_name *name)
{
    for (size_t i = 0; i < instance_count_all(); i++)
        if (strcmp(instance_at(i)->provider, name->provider) == 0 &&
            strcasecmp(instance_at(i)->id, name->instance) == 0)
            return instance_at(i)->id;
    for (size_t i = 0; i < instance_count_all(); i++)
        if (strcmp(instance_at(i)->id, name->instance) == 0)
            return instance_at(i)->provider;
    return "";
}

int offer_unknown(const struct world *world, const struct offer_name *name,
                  const char **hint)
{
    const struct region *region;

    *hint = "";
    if (!provider_known(world, name->provider))
        return F_provider;
    if (!instance_find(name->provider, name->instance) &&
        !price_of_instance(world->prices, name->provider, name->instance)) {
        *hint = instance_hint(name);
        return F_instance;
    }
    if (region_find(name->provider, name->region) ||
        (near(world, name) & PRICE_HAS_REGION))
        return -1;
    region = region_nearest(name->provider, name->region);
    *hint = region ? region->id : "";
    return F_region;
}

int offer_unpriced(const struct world *world, const struct offer_name *name)
{
    const unsigned has = near(world, name);

    return has & PRICE_HAS_OFFER ? F_as_of
         : has & PRICE_HAS_PLAN ? F_payment
         : has & PRICE_HAS_REGION ? F_term
         : has & PRICE_HAS_TERM ? F_region : F_term;
}
