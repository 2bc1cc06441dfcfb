/* out_bib.c: entries of the kind "misc", which every style knows. */
#include "fcgi/out_bib.h"

#include <stdio.h>
#include <string.h>

#include "pricing/hash.h"
#include "fcgi/tex.h"
#include "pricing/num.h"

enum { PIECE_BYTE_MAX = 64 * 1024 };

/* 64 bits folded into eight digits. */
static unsigned short_hash(const char *text)
{
    uint64_t hash = hash_text(HASH_START, text);

    return (unsigned)((hash ^ hash >> 32) & 0xFFFFFFFF);
}

static void put_field(struct text *out, const char *name, const char *text)
{
    if (!*text)
        return;
    text_str(out, ",\n  ");
    text_str(out, name);
    text_str(out, " = {");
    tex_text(out, text);
    text_char(out, '}');
}

/* An address stands as it is, but for what would end the field. */
static void put_url(struct text *out, const char *address)
{
    static const char hex[] = "0123456789ABCDEF";

    if (!*address)
        return;
    text_str(out, ",\n  url = {");
    for (; *address; address++) {
        unsigned char c = (unsigned char)*address;
        if (c > ' ' && c < 127 && !strchr("{}\\\"", c)) {
            text_char(out, (char)c);
            continue;
        }
        text_char(out, '%');
        text_char(out, hex[c >> 4]);
        text_char(out, hex[c & 15]);
    }
    text_char(out, '}');
}

/* "2026-11-30" as year and month. What is no such date is left to the note. */
static void put_date(struct text *out, const char *date)
{
    static const char *const month[] = { "jan", "feb", "mar", "apr", "may",
        "jun", "jul", "aug", "sep", "oct", "nov", "dec" };
    size_t length = strlen(date);
    char year[5] = "";
    int m;

    if (length < 4 || strspn(date, "0123456789") != 4)
        return;
    memcpy(year, date, 4);
    put_field(out, "year", year);
    if (length < 7 || date[4] != '-')
        return;
    m = (date[5] - '0') * 10 + date[6] - '0';
    if (m < 1 || m > 12)
        return;
    text_str(out, ",\n  month = ");
    text_str(out, month[m - 1]);
}

static void put_study(const struct answer *answer, struct text *out)
{
    struct text address;
    char line[160], day[11];

    text_init(&address, PIECE_BYTE_MAX);
    text_str(&address, answer->base_url);
    text_str(&address, "/compare?");
    answer_query(answer, &address);
    day_print(day, answer->study.as_of_day);
    snprintf(line, sizeof line, "@misc{gputco-%d-%08x",
             answer->study.as_of_day,
             address.at ? short_hash(strchr(address.at, '?')) : 0);
    text_str(out, line);
    put_field(out, "title", *answer->study.label ? answer->study.label
              : "Own the GPUs or rent them? Cost, energy and carbon compared");
    text_str(out, ",\n  author = {{gputco}}");
    put_date(out, day);
    put_field(out, "howpublished", "gputco, model version " MODEL_VERSION);
    put_url(out, address.at ? address.at : "");
    snprintf(line, sizeof line, "Prices of %s, money in %s; an estimate, not "
             "a quotation", day, answer->study.currency);
    put_field(out, "note", line);
    text_str(out, "\n}\n");
    out->failed |= address.failed;
    text_free(&address);
}

static void put_source(const struct cited *cited, struct text *out)
{
    const struct source *source = cited->source;
    char day[11], key[48];
    const char *date = cited_date(cited, day);
    const char *part[] = { source->title, source->address, date };
    struct text note;

    text_init(&note, PIECE_BYTE_MAX);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        text_str(&note, part[i]);
        text_char(&note, '\n');
    }
    snprintf(key, sizeof key, "\n@misc{gputco-source-%08x",
             short_hash(note.at ? note.at : ""));
    text_str(out, key);
    put_field(out, "title", source->title);
    put_date(out, date);
    put_url(out, source->address);
    text_reset(&note);
    text_str(&note, *date ? "As of " : "");
    text_str(&note, date);
    text_str(&note, *date && *source->licence ? "; " : "");
    text_str(&note, source->licence);
    put_field(out, "note", note.at ? note.at : "");
    text_str(out, "\n}\n");
    text_free(&note);
}

void out_bib(const struct answer *answer, struct text *out)
{
    put_study(answer, out);
    for (int i = 0; i < answer->cited_count; i++)
        put_source(&answer->cited[i], out);
}
