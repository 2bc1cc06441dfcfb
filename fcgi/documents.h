/* documents.h: the formats that need large libraries, and which of the two
   programs this is: gputco (documents_none.c) writes none of them,
   gputco-documents (documents.c) writes them all. Everything else is the same
   in both. */
#ifndef GPUTCO_FCGI_DOCUMENTS_H
#define GPUTCO_FCGI_DOCUMENTS_H

#include "fcgi/answer.h"
#include "fcgi/format.h"

enum { DOCUMENT_FORMATS = AS_XLSX | AS_PDF | AS_PNG };

struct documents {
    const char *socket_variable, *socket; /* where it serves, and its preset */
    unsigned workers, threads;            /* of the service */
    unsigned formats;                     /* of DOCUMENT_FORMATS, AS_* ORed */
    /* Writes one of `formats`. 0, or -1 when memory or a file failed: then
       out->failed is set. */
    int (*write)(const struct answer *answer, enum format format,
                 struct text *out);
};
extern const struct documents documents;

#endif
