/* csv.h: comma-separated text as it arrives, piece by piece. Knows RFC 4180
   and nothing of prices: rows come out, fields in the order of the file. */
#ifndef GPUTCO_PRICING_CSV_H
#define GPUTCO_PRICING_CSV_H

#include <stddef.h>

enum { CSV_LINE_BYTE = 65536, CSV_FIELD_BYTE = 16384, CSV_FIELD_MAX = 256 };

/* What can be wrong with the file as a whole. */
enum csv_fault { CSV_GOOD, CSV_TOO_LONG, CSV_TOO_MANY_FIELDS, CSV_QUOTE,
                 CSV_ENCODING, CSV_NO_MEMORY, CSV_STOPPED };

/* One row. Fields are unquoted and end with NUL; they live until the call
   returns. control: a field holds a control character other than the line
   breaks and tabs a quoted field may have. */
struct csv_row {
    long line;                  /* of its first character, from 1 */
    size_t count;
    const char *const *field;
    int control;
};

/* Nonzero stops the reading with CSV_STOPPED. */
typedef int csv_use(void *context, const struct csv_row *row);

struct csv;

/* NULL: no memory. `use` is called once a row, the header included; blank
   lines are passed over. A byte order mark of UTF-8 is passed over too. */
struct csv *csv_open(csv_use *use, void *context);

/* Takes the next bytes, in pieces of any size. Line ends are LF or CR LF; a
   quoted field may hold commas, doubled quotes and line breaks. After the
   first fault the rest is ignored and the same fault comes back. */
enum csv_fault csv_bytes(struct csv *csv, const char *bytes, size_t count);

/* Says that the file is over. *whole is 0 when the last line had no end: its
   row was still given. */
enum csv_fault csv_end(struct csv *csv, int *whole);

void csv_close(struct csv *csv); /* accepts NULL */

long csv_line(const struct csv *csv); /* line reached, for messages */
const char *csv_words(enum csv_fault fault);

#endif
