/* format.h: numbers of the formats, and sets of them. */
#ifndef GPUTCO_FCGI_FORMAT_H
#define GPUTCO_FCGI_FORMAT_H

enum format {
#define FORMAT(id, suffix, media) FORMAT_##id,
#include "fcgi/formats.def"
    FORMAT_COUNT
};
enum {
#define FORMAT(id, suffix, media) AS_##id = 1 << FORMAT_##id,
#include "fcgi/formats.def"
    AS_NONE = 0
};

#endif
