/* power_body.h: the body of POST /power-log into the log's reader, piece by
   piece: as it is, or a form with a file or a box of text. */
#ifndef GPUTCO_FCGI_POWER_BODY_H
#define GPUTCO_FCGI_POWER_BODY_H

#include "fcgi/app.h"
#include "fcgi/input.h"
#include "energy/power_log.h"

enum { POWER_BODY_BYTE_MAX = 16 * 1024 * 1024 };

/* What can be wrong with the body as such. */
enum power_body { POWER_BODY_GOOD, POWER_BODY_TYPE, POWER_BODY_TOO_LONG,
                  POWER_BODY_FORM };

/* Reads the body to its end or to its mistake. The form's other parts become
   entries of `input`; they stand in front of the log. Does not end the log. */
enum power_body power_body_read(const struct request *request,
                                struct input *input, struct power_log *log);

/* interval_second as typed so far, NAN when it is none within its limits. */
double power_body_interval(const struct input *input);

#endif
