/* own.c: own prices first, then the catalogue's. */
#include "pricing/own.h"

#include <string.h>

const char *const own_kind_name[OWN_KIND_COUNT] = { "gpu", "server",
                                                    "tariff" };

/* The newest on or before the day, or NULL; *later: there is one after it. */
static const struct own_price *newest(const struct own_table *own,
                                      enum own_kind kind, const char *id,
                                      int tariff, int day, int *later)
{
    const struct own_price *best = NULL;

    for (size_t i = 0; own && i < own->count; i++) {
        const struct own_price *row = &own->row[i];
        if (row->kind != kind || strcmp(row->id, id) != 0 ||
            (kind == OWN_TARIFF && (int)row->tariff != tariff))
            continue;
        if (row->day > day)
            *later = 1;
        else if (!best || row->day > best->day)
            best = row;
    }
    return best;
}

static struct dated_price priced(const struct own_price *row)
{
    return (struct dated_price){
        { row->price, { row->title, "", row->date, "private" }, 0 },
        row->currency, "own" };
}

struct dated_price own_gpu_price(const struct own_table *own, const char *gpu,
                                 int day, int *later)
{
    int after = 0;
    const struct own_price *row = newest(own, OWN_GPU, gpu, 0, day, &after);
    struct dated_price price = row ? priced(row)
                                   : gpu_price_find(gpu, day, later);

    if (later && !row)
        *later |= after;
    return price;
}

struct dated_price own_server_price(const struct own_table *own,
                                    const char *server, int day, int *later)
{
    int after = 0;
    const struct own_price *row = newest(own, OWN_SERVER, server, 0, day,
                                         &after);
    struct dated_price price = row ? priced(row)
                                   : server_price_find(server, day, later);

    if (later && !row)
        *later |= after;
    return price;
}

struct dated_price own_tariff(const struct own_table *own, const char *zone,
                              enum tariff_class want, int day,
                              enum tariff_class *used)
{
    int after = 0;
    const struct own_price *row = newest(own, OWN_TARIFF, zone, (int)want, day,
                                         &after);

    if (!row)
        return tariff_find(zone, want, used);
    *used = want;
    return priced(row);
}
