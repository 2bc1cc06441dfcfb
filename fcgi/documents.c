/* documents.c: the program that writes workbooks, reports and pictures. One
   request at a time in each worker: a document keeps a core busy. */
#include "fcgi/documents.h"

#include "fcgi/out_xlsx.h"

static int write_document(const struct answer *answer, enum format format,
                          struct text *out)
{
    int failed = format == FORMAT_XLSX ? out_xlsx(answer, out) : -1;

    if (failed)
        out->failed = 1;
    return failed;
}

const struct documents documents = {
    "GPUTCO_DOCUMENTS_SOCKET", "run/gputco-documents.sock", 2, 1, AS_XLSX,
    write_document
};
