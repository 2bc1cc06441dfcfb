/* link_id.c: random bytes as a short word for addresses. */
#define _DEFAULT_SOURCE /* getrandom */
#include "fcgi/link_id.h"

#include <string.h>
#include <sys/random.h>

enum { ID_BYTE = 16 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                             "uvwxyz0123456789-_";

int link_id_new(char id[STUDY_ID_LENGTH + 1])
{
    unsigned char byte[ID_BYTE + 2] = { 0 }; /* whole groups of three */

    if (getrandom(byte, ID_BYTE, 0) != ID_BYTE)
        return 0;
    for (int i = 0; i < STUDY_ID_LENGTH; i++) {
        const unsigned char *group = byte + i / 4 * 3;
        unsigned bits = (unsigned)group[0] << 16 | (unsigned)group[1] << 8 |
                        group[2];
        id[i] = digits[bits >> (18 - i % 4 * 6) & 63];
    }
    id[STUDY_ID_LENGTH] = '\0';
    return 1;
}

int link_id_is(const char *id)
{
    return strspn(id, digits) == STUDY_ID_LENGTH &&
           id[STUDY_ID_LENGTH] == '\0' &&
           strchr("AQgw", id[STUDY_ID_LENGTH - 1]) != NULL;
}
