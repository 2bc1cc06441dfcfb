/* doctor.h: `gputco doctor`: how the store and each feed stand. */
#ifndef GPUTCO_FCGI_DOCTOR_H
#define GPUTCO_FCGI_DOCTOR_H

#include "fcgi/app.h"

/* Writes what is found as text or JSON; 1 when all is well: the store can be
   read, no feed that was read before is failing or older than its limit. A
   feed that nobody ever asked is told and no fault. */
int doctor_run(const struct world *world, int as_json, struct text *out);

/* One feed: the same of it, its last runs, newest first, and the prices that
   wait to be seen again or taken by hand. 1 when it and the store are well, as
   above; -1 and nothing written: there is no feed of that name. */
int doctor_feed(const struct world *world, const char *id, int as_json,
                struct text *out);

#endif
