/* shared.h: files of the folder that GPUTCO_SHARED names, for tests that skip
   what is not there. */
#ifndef GPUTCO_TESTS_SHARED_H
#define GPUTCO_TESTS_SHARED_H

#include <stdio.h>
#include <stdlib.h>

/* The whole file as a text (the caller frees it), of at most 4 MiB; *byte (may
   be NULL) its length. NULL: it is not here. */
static inline char *shared_text(const char *name, size_t *byte)
{
    enum { ROOM = 4 << 20 };
    const char *shared = getenv("GPUTCO_SHARED");
    char path[400], *text = calloc(1, ROOM);
    size_t count = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", shared ? shared : "", name);
    file = shared && text ? fopen(path, "r") : NULL;
    if (file) {
        count = fread(text, 1, ROOM - 1, file);
        fclose(file);
    }
    if (byte)
        *byte = count;
    if (count)
        return text;
    free(text);
    return NULL;
}

#endif
