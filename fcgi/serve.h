/* serve.h: the running service: a parent that keeps workers alive, workers
   whose threads wait on one set of connections. Knows processes, sockets
   and time limits; what a connection says is the business of `answer`. */
#ifndef GPUTCO_FCGI_SERVE_H
#define GPUTCO_FCGI_SERVE_H

#include "pricing/world.h"

enum { SERVE_WORKERS = 2, SERVE_THREADS = 4,
       SERVE_BACKLOG = 4096,
       SERVE_OPEN_MAX = 1024,      /* connections of a worker; more get 503 */
       SERVE_REQUEST_MS_MAX = 5000,/* the watchdog ends a worker past this */
       SERVE_STOP_MS_MAX = 8000,   /* a clean stop takes no longer */
       SERVE_IO_S_MAX = 2 };       /* one read or write on a connection */

/* How a connection is to be treated. */
enum serve_kind { SERVE_ANSWER, SERVE_SHED /* 503, and close */ };

struct serve_setup {
    const char *socket_path; /* made, mode 0660, and removed at the end */
    int listener;            /* or a socket that listens already; else -1 */
    const char *store;
    unsigned workers, threads; /* at most SERVE_WORKERS and SERVE_THREADS */
    int (*today)(void);      /* yyyymmdd, UTC */
    /* Once in every worker before its threads start; 0 is good. */
    int (*begin)(void);
    /* What one thread keeps between requests; NULL: no memory. */
    void *(*open)(void);
    void (*close)(void *kept);
    /* Answers the one request that is ready on `fd`. Returns 1 if the
       connection stays open for another, 0 when it has been closed. `last`:
       do not keep it. */
    int (*answer)(void *kept, int fd, enum serve_kind kind, int last,
                  const struct world *world);
};

/* Serves until SIGTERM or SIGINT. Returns the exit code. */
int serve_run(const struct serve_setup *setup);

/* 1 if the descriptor is a socket that listens. */
int serve_is_listener(int fd);

#endif
