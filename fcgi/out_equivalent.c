/* out_equivalent.c: of the energy at the meter and of the CO2e in all, over
   the whole comparison. */
#include "fcgi/out_equivalent.h"

#include <math.h>

#include "energy/equivalent.h"
#include "fcgi/extras_text.h"
#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"

static double value_of(const struct answer *answer, const struct equivalent *e,
                       int option)
{
    const double *step = answer->result[option].step;

    return equivalent_of(e, step[S_meter_kwh], step[S_total_kg]);
}

/* Two digits: more would say that it is known so well. */
static void put_value(const struct answer *answer, const struct equivalent *e,
                      int option, struct text *out)
{
    double value = value_of(answer, e, option), unit = 1;

    while (value / unit >= 100)
        unit *= 10;
    shown_digits(out, value >= 100 ? round(value / unit) * unit : value, 2);
}

static const char title[] = "The same in everyday terms";
static const char reserve[] =
    "Only to give an idea: of the energy at the meter and of the CO2e in all, "
    "rounded to two digits. The figures above are what counts.";

void out_equivalent_html(const struct answer *answer, struct text *out)
{
    int zh = answer->study.zh;

    text_str(out, "<h3 id=\"equivalents\">");
    html_text(out, say(zh, title));
    text_str(out, "</h3>\n");
    html_element(out, "p", "hint", say(zh, reserve));
    text_str(out, "\n<ul class=\"equivalents\">\n");
    for (size_t i = 0; i < equivalent_count_all(); i++) {
        const struct equivalent *e = equivalent_at(i);
        text_str(out, "<li>");
        for (int k = 0; k < answer->study.option_count; k++) {
            text_str(out, k ? ", <b>" : "<b>");
            text_char(out, (char)('a' + k));
            text_str(out, "</b> ");
            put_value(answer, e, k, out);
        }
        text_char(out, ' ');
        html_text(out, say(zh, e->label));
        text_str(out, " <small><a");
        html_attribute(out, "href", e->source.address);
        text_char(out, '>');
        html_text(out, e->source.title);
        text_str(out, "</a>, ");
        html_text(out, e->source.date);
        text_str(out, "</small></li>\n");
    }
    text_str(out, "</ul>\n");
}

void out_equivalent_text(const struct answer *answer, struct text *out)
{
    text_title(answer->study.zh, "The same in everyday terms, roughly", out);
    for (size_t i = 0; i < equivalent_count_all(); i++) {
        const struct equivalent *e = equivalent_at(i);
        text_str(out, "  ");
        for (int k = 0; k < answer->study.option_count; k++) {
            text_str(out, k ? ", " : "");
            text_char(out, (char)('a' + k));
            text_char(out, ' ');
            put_value(answer, e, k, out);
        }
        text_char(out, ' ');
        text_str(out, say(answer->study.zh, e->label));
        text_char(out, '\n');
    }
}

void out_equivalent_json(const struct answer *answer, struct text *out)
{
    json_name(out, "equivalents");
    text_char(out, '[');
    for (size_t i = 0; i < equivalent_count_all(); i++) {
        const struct equivalent *e = equivalent_at(i);
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "id", e->id);
        json_pair_string(out, "label", e->label);
        json_pair_string(out, "of", isnan(e->one_kwh) ? "total_kg"
                                                      : "meter_kwh");
        json_pair_number(out, "one_kwh", e->one_kwh);
        json_pair_number(out, "one_kg", e->one_kg);
        json_name(out, "options");
        text_char(out, '{');
        for (int k = 0; k < answer->study.option_count; k++) {
            char letter[2] = { (char)('a' + k), '\0' };
            json_pair_number(out, letter, value_of(answer, e, k));
        }
        text_char(out, '}');
        json_name(out, "source");
        text_char(out, '{');
        json_pair_string(out, "title", e->source.title);
        json_pair_string(out, "address", e->source.address);
        json_pair_string(out, "date", e->source.date);
        json_pair_string(out, "licence", e->source.licence);
        text_str(out, "}}");
    }
    text_char(out, ']');
}
