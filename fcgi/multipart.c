/* multipart.c: looks for the boundary. It begins with CR, which cannot occur
   again inside of it: after a false start only the byte at hand can begin
   another. */
#include "fcgi/multipart.h"

#include <string.h>
#include <strings.h>

enum { IN_BODY, /* of a part, or in front of the first one */
       BEHIND_MARK, BEHIND_DASH, BEHIND_CR, IN_HEADER, AT_END, BROKEN };

int multipart_begin(struct multipart *form, const char *content_type,
                    const struct multipart_use *use)
{
    const char *at = strstr(content_type, "boundary=");
    size_t byte;

    if (!at)
        return 0;
    at += strlen("boundary=");
    at += *at == '"';
    byte = strcspn(at, "\"; \t");
    if (byte == 0 || byte > MULTIPART_BOUNDARY_MAX ||
        strcspn(at, "\r\n") < byte)
        return 0;
    memcpy(form->mark, "\r\n--", 4);
    memcpy(form->mark + 4, at, byte);
    form->mark_byte = byte + 4;
    form->matched = 2; /* the first one may stand at the very beginning */
    form->state = IN_BODY;
    form->header_byte = 0;
    form->header[0] = '\0';
    form->use = *use;
    return 1;
}

/* name="log" in the part's header, into out; "" when it has none. */
static void name_of(const char *header, char out[MULTIPART_NAME_BYTE])
{
    const char *at = header;
    size_t byte;

    out[0] = '\0';
    do {
        at = strstr(at, "name=\"");
        if (!at)
            return;
        at += strlen("name=\"");
    } while (at - header > 6 + 4 && strncasecmp(at - 6 - 4, "file", 4) == 0);
    byte = strcspn(at, "\"\r\n");
    if (byte >= MULTIPART_NAME_BYTE)
        byte = MULTIPART_NAME_BYTE - 1;
    memcpy(out, at, byte);
    out[byte] = '\0';
}

static void take_header(struct multipart *form, char c)
{
    char name[MULTIPART_NAME_BYTE];

    if (form->header_byte + 1 >= sizeof form->header || c == '\0') {
        form->state = BROKEN;
        return;
    }
    form->header[form->header_byte++] = c;
    form->header[form->header_byte] = '\0';
    if (form->header_byte < 4 ||
        memcmp(form->header + form->header_byte - 4, "\r\n\r\n", 4) != 0)
        return;
    name_of(form->header, name);
    form->use.part(form->use.context, name);
    form->state = IN_BODY;
    form->matched = 0;
}

/* Bytes of a part from `at` on, up to where something else begins. Nothing
   is in a part before the first header. Returns how many were taken. */
static size_t take_body(struct multipart *form, const char *at, size_t byte)
{
    int in_part = form->header_byte > 0;
    size_t i = 0;

    if (form->matched == 0) {
        const char *cr = memchr(at, '\r', byte);
        i = cr ? (size_t)(cr - at) : byte;
        if (i > 0 && in_part)
            form->use.bytes(form->use.context, at, i);
        if (!cr)
            return byte;
    }
    for (; i < byte; i++) {
        if (at[i] == form->mark[form->matched]) {
            if (++form->matched == form->mark_byte) {
                form->state = BEHIND_MARK;
                return i + 1;
            }
        } else { /* a false start: it was the part's own */
            if (form->matched > 0 && in_part)
                form->use.bytes(form->use.context, form->mark, form->matched);
            form->matched = 0;
            return i;
        }
    }
    return byte;
}

static void take_behind(struct multipart *form, char c)
{
    switch (form->state) {
    case BEHIND_MARK:
        form->state = c == '-' ? BEHIND_DASH : c == '\r' ? BEHIND_CR
                    : c == ' ' || c == '\t' ? BEHIND_MARK : BROKEN;
        break;
    case BEHIND_DASH:
        form->state = c == '-' ? AT_END : BROKEN;
        break;
    default:
        form->state = c == '\n' ? IN_HEADER : BROKEN;
        memcpy(form->header, "\r\n", 3); /* a part may have no header */
        form->header_byte = 2;
    }
}

int multipart_bytes(struct multipart *form, const char *bytes, size_t count)
{
    size_t i = 0;

    while (i < count && form->state != AT_END && form->state != BROKEN) {
        if (form->state == IN_BODY)
            i += take_body(form, bytes + i, count - i);
        else if (form->state == IN_HEADER)
            take_header(form, bytes[i++]);
        else
            take_behind(form, bytes[i++]);
    }
    return form->state != BROKEN;
}

int multipart_end(const struct multipart *form)
{
    return form->state == AT_END;
}
