/* input.h: text of outsiders into a study: query, form, JSON body or command
   line. One grammar, one range table; every mistake is collected. */
#ifndef GPUTCO_FCGI_INPUT_H
#define GPUTCO_FCGI_INPUT_H

#include "fcgi/app.h"
#include "pricing/range.h"

/* Codes of problems. Each is a word a program can rely on. */
#define CODE_UNKNOWN_KEY "unknown_key"

enum { ENTRY_MAX = 512, ARENA_BYTE_MAX = 2 * APP_BODY_BYTE_MAX,
       JSON_DEPTH_MAX = 32 };

/* What stood behind a key. JSON tells types apart; everything else is TEXT. */
enum entry_type { ENTRY_TEXT, ENTRY_NUMBER, ENTRY_WRONG_TYPE };

/* Where an entry came from: an empty value means "not typed" in a query or a
   form only. */
enum surface { SURFACE_QUERY, SURFACE_FORM, SURFACE_JSON, SURFACE_CLI };

struct entry {
    const char *key, *value;     /* decoded, NUL terminated */
    size_t key_length, value_length;
    enum surface surface;
    enum entry_type type;
    const char *code;            /* a mistake found while decoding, or NULL */
    int used;
};

/* Bits of addresses, for keys that only some of them take. */
enum { ON_COMPARE = 1, ON_TRAIN = 2, ON_ADVISE = 4, ON_PRICES = 8,
       ON_TABLES = 16, ON_HISTORY = 32, ON_POWER = 64,
       ON_SAVED = 128, ON_OEMBED = 256, ON_CARD = 512,
       ON_DATED = 1024, ON_ALL = 2047 };

enum key {
#define KEY(name, ...) K_##name,
#define KEY_AS(id, name, ...) K_##id,
#include "fcgi/keys.def"
    KEY_COUNT
};

/* A request's keys and values. Big: one a thread or a request, not copied. */
struct input {
    struct entry entry[ENTRY_MAX];
    int entry_count;
    struct problems problems;
    char arena[ARENA_BYTE_MAX];
    size_t arena_used;
    double key_value[KEY_COUNT]; /* numbers; choices: position */
    const char *key_text[KEY_COUNT];
    unsigned char key_typed[KEY_COUNT];
    unsigned also;               /* ON_* whose keys input_keys takes as well;
                                    set behind input_init, which clears it */
    struct typed_ranges ranges;  /* range.NAME=low,high */
    struct study_load of_run;    /* for input_study; unknown unless set */
};

void input_init(struct input *input);

/* Split and decode. Mistakes go to input->problems or to the entry. */
void input_query(struct input *input, const char *text, enum surface surface);
void input_json(struct input *input, const char *body, size_t byte);
/* One pair that is decoded already; both texts are copied. */
void input_pair(struct input *input, const char *key, const char *value,
                enum surface surface);
/* arguments: key=value, --key value, --key=value; dashes in names count as
   underscores. */
void input_arguments(struct input *input, int argc, char **argv);

/* Reads the keys of keys.def that `where` takes; call before input_study. */
void input_keys(struct input *input, unsigned where);

/* Reads all else into a study and fills it in from the world. When
   input->problems is empty afterwards the study is complete. */
void input_study(struct input *input, const struct world *world,
                 struct study *study, struct warnings *warnings);

/* Every entry that nothing has taken is an unknown key. For addresses
   without a study. */
void input_finish(struct input *input);

/* What was typed for a key, or NULL; for showing a form again. */
const char *input_typed(const struct input *input, const char *key);

/* A key as it may be echoed: printable ASCII, other characters as '?', at
   most 32 characters and "...". */
void input_echo(char out[48], const char *key, size_t length);

#endif
