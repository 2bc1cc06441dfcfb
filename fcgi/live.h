/* live.h: the world a running service answers from: the newest price
   generation and the date, exchanged as a whole while threads read. One
   thread calls live_open, live_tick and live_close; readers only pin. */
#ifndef GPUTCO_FCGI_LIVE_H
#define GPUTCO_FCGI_LIVE_H

#include <stdio.h>

#include "pricing/world.h"

enum { LIVE_READER_MAX = 16 };

struct live;

/* Loads the store `where`, or the built-in prices when it cannot be read
   (then the world says that it is degraded and why). Failures of the store
   are told to `log`, once each, unless it is NULL. NULL: no memory. */
struct live *live_open(const char *where, int today, FILE *log);

/* Looks whether store or date moved and publishes a new world if so. Frees
   older ones that no reader holds. Call about once a second. */
void live_tick(struct live *live, int today);

/* The current world; stays whole until the same reader unpins it. Each
   reader number (below LIVE_READER_MAX) belongs to one thread and holds at
   most one world. Never NULL, never waits. */
const struct world *live_pin(struct live *live, unsigned reader);
void live_unpin(struct live *live, unsigned reader);

/* Frees all; no reader may hold a world. Accepts NULL. */
void live_close(struct live *live);

#endif
