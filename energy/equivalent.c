/* equivalent.c: the table of equivalents. */
#include "energy/equivalent.h"

#include <math.h>

static const struct equivalent equivalents[] = {
#define ROW(id, label, one_kwh, one_kg, title, address, date, licence, note) \
    { id, label, note, one_kwh, one_kg, { title, address, date, licence } },
#include "energy/equivalents.inc"
};

size_t equivalent_count_all(void)
{
    return sizeof equivalents / sizeof *equivalents;
}

const struct equivalent *equivalent_at(size_t i)
{
    return &equivalents[i];
}

double equivalent_of(const struct equivalent *e, double kwh, double kg)
{
    return isnan(e->one_kwh) ? kg / e->one_kg : kwh / e->one_kwh;
}
