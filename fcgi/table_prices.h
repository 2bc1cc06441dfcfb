/* table_prices.h: prices of rented GPUs as a table, and one offer over time. */
#ifndef GPUTCO_FCGI_TABLE_PRICES_H
#define GPUTCO_FCGI_TABLE_PRICES_H

#include "fcgi/tables.h"

/* As in tables.h: the whole answer, or 0. */
int table_prices(struct table_call *call);
int table_history(struct table_call *call);

/* The form above the prices, as it was filled in: part of a page. */
void table_prices_filter(struct table_call *call);

#endif
