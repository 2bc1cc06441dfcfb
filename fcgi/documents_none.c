/* documents_none.c: the light program, which links none of the large
   libraries. */
#include "fcgi/documents.h"

#include "fcgi/serve.h"

static int write_none(const struct answer *answer, enum format format,
                      struct text *out)
{
    (void)answer;
    (void)format;
    out->failed = 1;
    return -1;
}

const struct documents documents = {
    "GPUTCO_SOCKET", "run/gputco.sock", SERVE_WORKERS, SERVE_THREADS, 0,
    write_none
};
