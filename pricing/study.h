/* study.h: a question and its parts: two to six options, each one flat set
   of fields with their origins; and what can be wrong with it. Plain values
   of fixed size. */
#ifndef GPUTCO_PRICING_STUDY_H
#define GPUTCO_PRICING_STUDY_H

#include "energy/fact.h"
#include "energy/train.h"
#include "pricing/field.h"

enum { OPTION_MAX = 6, LABEL_CHARACTER_MAX = 60, LABEL_BYTE_MAX = 240,
       NAME_BYTE_MAX = 64, PROBLEM_MAX = 64, WARNING_MAX = 48,
       MONTH_MAX = 180 };

enum origin_kind { ORIGIN_USER, ORIGIN_PRESET, ORIGIN_CATALOGUE,
                   ORIGIN_PRICE, ORIGIN_DERIVED };
extern const char *const origin_name[];  /* "user" ... "derived" */

/* Where a value comes from. Strings of `source` are static or live as long
   as the price generation; date may be written into `day` instead. */
struct origin {
    enum origin_kind kind;
    int estimate;           /* a rule or judgement, shown as such */
    struct source source;   /* title "" for user and derived values */
    int day;                /* yyyymmdd of a price or rate, 0: source.date */
    double rate_per_usd;    /* units of the study's currency for one unit of
                               the row's, when converted; else NAN */
};

/* typed: 0 no, 1 by a plain key (all options), 2 by a prefixed key,
   3 by the option's declaration. */
enum typed { TYPED_NO, TYPED_PLAIN, TYPED_PREFIXED, TYPED_DECLARED };

struct option {
    int declared;
    enum kind kind;
    double value[FIELD_COUNT];              /* choices: position */
    char name[FIELD_COUNT][NAME_BYTE_MAX];  /* NAME fields */
    unsigned char typed[FIELD_COUNT];
    struct origin origin[FIELD_COUNT];
    char label[LABEL_BYTE_MAX + 1];         /* "" : made from the option */
    char made_label[LABEL_BYTE_MAX + 1];    /* "4 × RTX 4090" */
    unsigned char term, payment;            /* enum term, enum payment */
};

/* A run whose kind presets the field load; unknown in a plain comparison. */
struct study_load {
    int known, inference;
    enum train_task task;
    double active_param_count;
};

struct study {
    struct option option[OPTION_MAX];
    int option_count;
    char label[LABEL_BYTE_MAX + 1];
    int as_of_day;          /* yyyymmdd */
    char currency[4];
    double currency_per_usd;
    int rate_day;           /* day of the exchange rate used; 0 for USD */
    double work_speed_hour_per_month;
    int zh;                 /* lang=zh */
    struct study_load of_run;
};

/* One mistake of the user. `field` is the key as typed (cut to 32
   characters and "..." when longer); code is from the fixed vocabulary
   (input.h); limit and hint are "" when they do not apply. */
struct problem {
    char field[48];
    const char *code;
    char limit[200];
    char hint[NAME_BYTE_MAX];
};

struct problems {
    struct problem problem[PROBLEM_MAX];
    int count;
    int more;               /* further ones that did not fit */
};

void problem_add(struct problems *problems, const char *field,
                 const char *code, const char *limit, const char *hint);

/* Something to know about a result. option 0: the study, else 'a'...'f'. */
struct warning { const char *code; char option; const char *field; char message[200]; };
struct warnings { struct warning warning[WARNING_MAX]; int count; };

void warning_add(struct warnings *warnings, const char *code, char option,
                 const char *field, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The exact key an option's field was typed or would be typed under:
   "gpu_watt" or "b.gpu_watt". Writes at most `room` bytes. */
void study_key(const struct study *study, int option, int field, char *out,
               size_t room);

#endif
