/* text.c: growing texts with a ceiling and the answer built from two of
   them. Writers need not look at each call: a text that could not grow is
   marked failed and stays as it was. */
#include "fcgi/app.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTE = 4096, KEPT_BYTE_MAX = 1024 * 1024,
       HEADER_BYTE_MAX = 16 * 1024, ANSWER_BYTE_MAX = 32 * 1024 * 1024 };

void text_init(struct text *text, size_t ceiling)
{
    *text = (struct text){ .ceiling = ceiling };
}

/* A rare huge answer does not stay in memory for ever. */
void text_reset(struct text *text)
{
    if (text->room > KEPT_BYTE_MAX)
        text_free(text);
    text->byte = 0;
    text->failed = 0;
    if (text->at)
        text->at[0] = '\0';
}

/* Room for `byte` more and a closing NUL. */
static int grow(struct text *text, size_t byte)
{
    size_t need, room = text->room ? text->room : FIRST_BYTE;
    char *at;

    if (text->failed)
        return 0;
    if (byte > text->ceiling || text->byte > text->ceiling - byte) {
        text->failed = 1;
        return 0;
    }
    need = text->byte + byte + 1;
    if (need <= text->room)
        return 1;
    while (room < need)
        room = room > need / 2 ? room * 2 : need;
    at = realloc(text->at, room);
    if (!at) {
        text->failed = 1;
        return 0;
    }
    text->at = at;
    text->room = room;
    return 1;
}

void text_put(struct text *text, const char *from, size_t byte)
{
    if (byte == 0 || !grow(text, byte))
        return;
    memcpy(text->at + text->byte, from, byte);
    text->byte += byte;
    text->at[text->byte] = '\0';
}

void text_str(struct text *text, const char *from)
{
    text_put(text, from, strlen(from));
}

void text_char(struct text *text, char c)
{
    text_put(text, &c, 1);
}

void text_free(struct text *text)
{
    free(text->at);
    *text = (struct text){ .ceiling = text->ceiling };
}

void response_init(struct response *response)
{
    response->status = 200;
    response->content_type = "text/plain; charset=utf-8";
    text_init(&response->header, HEADER_BYTE_MAX);
    text_init(&response->body, ANSWER_BYTE_MAX);
}

void response_reset(struct response *response)
{
    response->status = 200;
    response->content_type = "text/plain; charset=utf-8";
    text_reset(&response->header);
    text_reset(&response->body);
}

void response_free(struct response *response)
{
    text_free(&response->header);
    text_free(&response->body);
}
