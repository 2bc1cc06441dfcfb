/* documents.c: the program that writes workbooks, reports and pictures. One
   request at a time in each worker: a document keeps a core busy. */
#include "fcgi/documents.h"

#include "fcgi/out_pdf.h"
#include "fcgi/out_png.h"
#include "fcgi/out_xlsx.h"

static int write_document(const struct answer *answer, enum format format,
                          struct text *out)
{
    int failed = -1;

    if (format == FORMAT_XLSX)
        failed = out_xlsx(answer, out);
    else if (format == FORMAT_PDF)
        failed = out_pdf(answer, out);
    else if (format == FORMAT_PNG)
        failed = out_png(answer, out);
    if (failed)
        out->failed = 1;
    return failed;
}

const struct documents documents = {
    "GPUTCO_DOCUMENTS_SOCKET", "run/gputco-documents.sock", 2, 1,
    DOCUMENT_FORMATS, write_document
};
