/* po2c: turns one catalogue of translations into C, at build time.

   usage: po2c LANGUAGE.po > LANGUAGE.inc

   Each pair of msgid and msgstr becomes SAID("english", "other"), sorted by
   the English text so that it can be searched by halves. Escapes are left as
   they stand: PO and C write them alike. Entries marked fuzzy, obsolete ones
   (#~) and those without msgstr are left out; so is the header. Plural forms
   and contexts are refused: nothing here needs them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTE = 4096, TEXT_BYTE = 4096, ENTRY_COUNT_MAX = 4096 };

struct said { char *english, *other; };

struct reader {
    const char *path;
    long line;
    struct said said[ENTRY_COUNT_MAX];
    size_t count;
    char english[TEXT_BYTE], other[TEXT_BYTE];
    char *into;               /* the one that a bare "..." goes on with */
    int open, fuzzy, next_fuzzy;
};

static _Noreturn void fail(const struct reader *r, const char *why)
{
    fprintf(stderr, "%s:%ld: %s\n", r->path, r->line, why);
    exit(1);
}

static char *copy(const struct reader *r, const char *text)
{
    size_t byte = strlen(text) + 1;
    char *to = malloc(byte);

    if (!to)
        fail(r, "out of memory");
    memcpy(to, text, byte);
    return to;
}

static void close_entry(struct reader *r)
{
    if (r->open && *r->english && *r->other && !r->fuzzy) {
        if (r->count == ENTRY_COUNT_MAX)
            fail(r, "too many entries");
        r->said[r->count].english = copy(r, r->english);
        r->said[r->count++].other = copy(r, r->other);
    }
    r->open = 0;
    r->english[0] = r->other[0] = '\0';
    r->into = NULL;
}

/* Appends what stands between the quotes of a line. */
static void take_quoted(struct reader *r, const char *line)
{
    const char *from = strchr(line, '"');
    const char *to = from ? strrchr(line, '"') : NULL;
    size_t used;

    if (!r->into || !from || to == from)
        fail(r, "a quoted text is expected");
    used = strlen(r->into);
    if (used + (size_t)(to - from) >= TEXT_BYTE)
        fail(r, "the text is too long");
    memcpy(r->into + used, from + 1, (size_t)(to - from - 1));
    r->into[used + (size_t)(to - from - 1)] = '\0';
}

static int starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static void take_line(struct reader *r, const char *line)
{
    if (starts(line, "#,")) {
        r->next_fuzzy = strstr(line, "fuzzy") != NULL;
    } else if (line[0] == '#' || line[0] == '\n') {
        return;
    } else if (starts(line, "msgid ")) {
        close_entry(r);
        r->open = 1;
        r->fuzzy = r->next_fuzzy;
        r->next_fuzzy = 0;
        r->into = r->english;
        take_quoted(r, line);
    } else if (starts(line, "msgstr ")) {
        r->into = r->other;
        take_quoted(r, line);
    } else if (line[0] == '"') {
        take_quoted(r, line);
    } else {
        fail(r, "neither msgid, msgstr nor a comment");
    }
}

static int by_english(const void *a, const void *b)
{
    return strcmp(((const struct said *)a)->english,
                  ((const struct said *)b)->english);
}

int main(int argc, char **argv)
{
    static struct reader reader;
    struct reader *r = &reader;
    char line[LINE_BYTE];
    FILE *from;

    if (argc != 2 || !(from = fopen(argv[1], "rb"))) {
        fprintf(stderr, "usage: po2c LANGUAGE.po > LANGUAGE.inc\n");
        return 1;
    }
    r->path = argv[1];
    while (fgets(line, sizeof line, from)) {
        r->line++;
        take_line(r, line);
    }
    close_entry(r);
    qsort(r->said, r->count, sizeof *r->said, by_english);
    for (size_t i = 0; i < r->count; i++) {
        if (i && strcmp(r->said[i].english, r->said[i - 1].english) == 0)
            fail(r, r->said[i].english);
        printf("SAID(\"%s\", \"%s\")\n", r->said[i].english,
               r->said[i].other);
    }
    puts("#undef SAID");
    fclose(from);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
