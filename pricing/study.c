/* study.c: small helpers around the plain structs of a study. */
#include "pricing/study.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const origin_name[] = { "user", "preset", "catalogue", "price",
                                    "derived" };

static void copy_cut(char *to, size_t room, const char *from)
{
    size_t length = strlen(from);

    if (length >= room)
        length = room - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

void problem_add(struct problems *problems, const char *field,
                 const char *code, const char *limit, const char *hint)
{
    struct problem *problem;

    if (problems->count == PROBLEM_MAX) {
        problems->more++;
        return;
    }
    problem = &problems->problem[problems->count++];
    copy_cut(problem->field, sizeof problem->field, field);
    problem->code = code;
    copy_cut(problem->limit, sizeof problem->limit, limit);
    copy_cut(problem->hint, sizeof problem->hint, hint);
}

void warning_add(struct warnings *warnings, const char *code, char option,
                 const char *field, const char *format, ...)
{
    struct warning *warning;
    va_list args;

    if (warnings->count == WARNING_MAX)
        return;
    warning = &warnings->warning[warnings->count++];
    warning->code = code;
    warning->option = option;
    warning->field = field;
    va_start(args, format);
    vsnprintf(warning->message, sizeof warning->message, format, args);
    va_end(args);
}

void study_key(const struct study *study, int option, int field, char *out,
               size_t room)
{
    const struct option *o = &study->option[option];

    if (field_table[field].applies == APPLIES_SHARED ||
        o->typed[field] == TYPED_PLAIN)
        snprintf(out, room, "%s", field_table[field].name);
    else
        snprintf(out, room, "%c.%s", 'a' + option, field_table[field].name);
}
