/* power_form.h: one line of a power log, by the form it is written in. */
#ifndef GPUTCO_ENERGY_POWER_FORM_H
#define GPUTCO_ENERGY_POWER_FORM_H

#include "energy/power_log.h"

/* Takes one line without its end: finds out the form when it is not known,
   reads a header, or gives a reading to its device. */
void power_form_line(struct power_log *log, struct power_cell line);

/* Forgets the columns: the next line is a header or shows what it is. */
void power_form_reset(struct power_log *log);

#endif
