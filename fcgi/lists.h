/* lists.h: the <option>s of selects and datalists, out of the tables. */
#ifndef GPUTCO_FCGI_LISTS_H
#define GPUTCO_FCGI_LISTS_H

#include "fcgi/app.h"
#include "pricing/world.h"

/* One <option>; a label equal to the value or "" is left out. `chosen` may
   be NULL. Returns 1 when it is the chosen one. */
int list_option(struct text *out, const char *value, const char *label,
                const char *chosen);

/* All words of a choice, underscores as blanks. These return 1 when `chosen`
   was among the options. */
int list_choices(struct text *out, int zh, const char *choices,
                 const char *chosen);

/* Opens a group of options; NULL closes it. */
void list_group(struct text *out, const char *label);

/* GPUs and complete systems by whether they have a price on that day. */
int list_gpus(struct text *out, int zh, int day, const char *chosen);
int list_servers(struct text *out, int zh, int day, const char *chosen);
int list_zones(struct text *out, const char *chosen);
int list_currencies(struct text *out, const struct rate_table *rates,
                    const char *chosen);

/* What can be rented on demand, each instance in its cheapest region, as
   declarations "rent/aws/p4d.24xlarge/us-east-1/on_demand"; grouped by
   provider for a select, `title` in front of the provider's name. */
int list_offers(struct text *out, const struct price_table *prices, int day,
                int grouped, const char *title, const char *chosen);

/* What can be bought, as declarations "own/h100-sxm5-80gb/8" and
   "own/dgx-h100". */
int list_machines(struct text *out, int day, const char *chosen);

/* Providers and instances for datalists. */
void list_providers(struct text *out);
void list_instances(struct text *out);

#endif
