/* tables.h: what the program knows, as tables for people and programs:
   prices, GPUs, systems, places, sources, methods. */
#ifndef GPUTCO_FCGI_TABLES_H
#define GPUTCO_FCGI_TABLES_H

#include "fcgi/input.h"
#include "fcgi/sheet.h"
#include "pricing/world.h"

/* One table asked for. name: what stands behind the address ("" the whole
   table). Keys have been read into input. */
struct table_call {
    const struct world *world;
    struct input *input;
    enum sheet_form form;
    int zh;
    const char *name, *base_url;
    struct text *out;
};

/* Each writes the whole answer. 0: there is no such thing (404), or
   input->problems says what is wrong; nothing was written. Those of prices
   are in table_prices.h. */
int table_gpus(struct table_call *call);
int table_servers(struct table_call *call);
int table_models(struct table_call *call);
int table_zones(struct table_call *call);
int table_sources(struct table_call *call);
int table_methods(struct table_call *call);
int table_about(struct table_call *call);

/* A page that says what is wrong with an address or its keys; with `prices`
   their form below, as it was filled in. */
void table_refusal(const struct problems *problems, int zh,
                   struct table_call *prices, struct text *out);

#endif
