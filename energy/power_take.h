/* power_take.h: what the forms of power logs share: devices, their readings,
   and what is said about a line. Used by power_form.c and power_log.c. */
#ifndef GPUTCO_ENERGY_POWER_TAKE_H
#define GPUTCO_ENERGY_POWER_TAKE_H

#include "energy/power_log.h"

/* Notes something about the line being read. field and limit may be "". */
void power_say(struct power_log *log, enum power_code code, const char *field,
               const char *limit);

/* The device of that id, new when it was not there; NULL when there are too
   many. serial: the id names it among all machines. */
struct power_gpu *power_device(struct power_log *log, struct power_cell id,
                               int serial);

/* One reading, as far as its line tells. */
struct power_reading_of {
    struct power_cell id, name, driver; /* byte 0: not told */
    int serial, has_time, has_watt;
    int64_t us;                  /* when has_time */
    double watt, busy, limit_watt, memory_gib; /* NAN: not told */
};

/* Gives the reading to its device's meter. A missing one (has_watt 0) is
   counted and leaves the time between its neighbours to them. */
void power_take(struct power_log *log, const struct power_reading_of *r);

/* Closes the round in which every device has its turn. */
void power_round(struct power_log *log);

void power_copy(char out[POWER_NAME_BYTE], struct power_cell from);

#endif
