/* own.h: prices of hardware and power from somebody's own price book, before
   those of the catalogue. Pure. */
#ifndef GPUTCO_PRICING_OWN_H
#define GPUTCO_PRICING_OWN_H

#include "pricing/catalogue.h"

enum own_kind { OWN_GPU, OWN_SERVER, OWN_TARIFF, OWN_KIND_COUNT };
extern const char *const own_kind_name[OWN_KIND_COUNT]; /* "gpu" ... */

/* id: of the device, servers or zone table. title says whose price it is. */
struct own_price {
    enum own_kind kind;
    enum tariff_class tariff;   /* of a tariff */
    int day;                    /* from which it holds, yyyymmdd */
    double price;               /* of one, or a kWh */
    const char *id, *currency, *title;
    char date[11];              /* the day as a source shows it */
};

struct own_table { const struct own_price *row; size_t count; };

/* As the functions of catalogue.h: the newest own price on or before `day`,
   and without one the catalogue's. own may be NULL. */
struct dated_price own_gpu_price(const struct own_table *own, const char *gpu,
                                 int day, int *later);
struct dated_price own_server_price(const struct own_table *own,
                                    const char *server, int day, int *later);

/* An own tariff of exactly the class wanted goes before any other. */
struct dated_price own_tariff(const struct own_table *own, const char *zone,
                              enum tariff_class want, int day,
                              enum tariff_class *used);

#endif
