/* power_words.c: figures, mistakes and devices as people read them. */
#include "fcgi/power_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/say.h"
#include "fcgi/shown.h"

const struct power_figure power_figure_table[] = {
#define FIGURE(name, unit, digits, label) \
    { #name, unit, label, digits, offsetof(struct power_figures, name) },
#include "fcgi/power_figures.def"
};

const int power_figure_count = sizeof power_figure_table /
                               sizeof *power_figure_table;

double power_figure_of(const struct power_figures *of, int figure)
{
    double value;

    memcpy(&value, (const char *)of + power_figure_table[figure].at,
           sizeof value);
    return value;
}

const char *power_scope_words(const struct power_log *log)
{
    return log->form == FORM_SLURM
        ? "Slurm's energy is that of whole nodes: GPUs, host and fans, without "
          "cooling of the building."
        : "The sensors see the GPU boards only: host, fans, power supplies "
          "and cooling come on top and are the study's. On A100 and H100 they "
          "see about a quarter of the run (arXiv 2312.02741).";
}

int power_has_energy(const struct power_answer *answer)
{
    return answer->total.kwh >= 0;
}

void power_put_figure(const struct power_figure *figure, double value,
                      struct text *out)
{
    int share = *figure->unit == '%';

    shown_digits(out, share ? value * 100 : value, figure->digits);
    if (*figure->unit && !isnan(value)) {
        text_char(out, ' ');
        text_str(out, figure->unit);
    }
}

int power_figure_is_dull(int figure, double value)
{
    return isnan(value) || (value == 0 &&
           (strcmp(power_figure_table[figure].name, "missing_count") == 0 ||
            strcmp(power_figure_table[figure].name, "again_count") == 0));
}

/* Notes about a device name it where others name a column. */
static int names_device(enum power_code code)
{
    return code == POWER_MISSING_READING || code == POWER_SAME_INSTANT ||
           code == POWER_CLOCK_BACK || code == POWER_COPY ||
           code == POWER_MANY_GAPS;
}

void power_put_problem(const struct power_problem *p, int files, int zh,
                       struct text *out)
{
    char line[64];

    if (files && p->line) {
        snprintf(line, sizeof line, "%s %d, ", say(zh, "file"), p->part);
        text_str(out, line);
    }
    if (p->line) {
        snprintf(line, sizeof line, "%s %ld: ", say(zh, "line"), p->line);
        text_str(out, line);
    }
    text_str(out, say(zh, power_code_words(p->code)));
    if (*p->field || *p->limit) {
        text_str(out, names_device(p->code) ? " (GPU " : " (");
        text_str(out, p->field);
        text_str(out, *p->field && *p->limit ? ": " : "");
        text_str(out, p->limit);
        text_char(out, ')');
    }
}

void power_put_what(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    int zh = answer->zh;

    if (log->form == FORM_SLURM) {
        shown_number(out, (double)log->jobs.job_count, 0);
        text_str(out, say(zh, log->jobs.job_count == 1 ? " job" : " jobs"));
        return;
    }
    shown_number(out, log->gpu_count, 0);
    text_str(out, " \xC3\x97 ");
    text_str(out, answer->gpu ? answer->gpu->name
                  : log->gpu[0].name[0] ? log->gpu[0].name
                  : say(zh, "GPU that is not named"));
    if (*answer->driver) {
        text_str(out, say(zh, ", driver "));
        text_str(out, answer->driver);
        text_str(out, answer->cuda ? " (CUDA " : "");
        text_str(out, answer->cuda ? answer->cuda : "");
        text_str(out, answer->cuda ? ")" : "");
    }
}

void power_put_amount(const struct power_answer *answer,
                      const struct power_row *row, double value,
                      struct text *out)
{
    if (row->is_money) {
        shown_money(out, answer->currency, value);
        return;
    }
    shown_digits(out, value, 4);
    if (!isnan(value)) {
        text_char(out, ' ');
        text_str(out, say(answer->zh, row->unit));
    }
}
