/* gcp_sold.c: see gcp_sold.h. */
#include "pricing/gcp_sold.h"

#include <stddef.h>
#include <string.h>

static const struct { const char *instance, *sold_as; } machines[] = {
#define ROW(instance, sold_as, source, address, date) { instance, sold_as },
#include "pricing/gcp_sold.inc"
};

int gcp_is_sold(const char *instance, enum term term)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (!strcmp(machines[i].instance, instance))
            return strstr(machines[i].sold_as, term_name[term]) != NULL;
    return 1;
}
