/* doctor.h: `gputco doctor`: how the store and each feed stand. */
#ifndef GPUTCO_FCGI_DOCTOR_H
#define GPUTCO_FCGI_DOCTOR_H

#include "fcgi/app.h"

/* Writes what is found as text or JSON; 1 when all is well: the store can be
   read, no feed that was read before is failing or older than its limit. A
   feed that nobody ever asked is told and no fault. */
int doctor_run(const struct world *world, int as_json, struct text *out);

#endif
