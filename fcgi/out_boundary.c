/* out_boundary.c: three forms of pricing/boundary.h. */
#include "fcgi/out_boundary.h"

#include <math.h>

#include "fcgi/extras_text.h"
#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "pricing/boundary.h"

static void put_kg(struct text *out, double kg)
{
    if (isfinite(kg))
        shown_number(out, kg, 0);
    else
        text_str(out, "\xE2\x80\x93");
}

static void put_line(const struct answer *answer, int option,
                     const struct ghg_line *line, struct text *out)
{
    text_str(out, "<tr><th scope=\"row\"><b>");
    text_char(out, (char)('a' + option));
    text_str(out, "</b> ");
    html_text(out, say(answer->study.zh, line->label));
    text_str(out, "</th><td>");
    html_text(out, line->scope);
    text_str(out, "</td><td>");
    put_kg(out, line->location_kg);
    text_str(out, "</td><td>");
    put_kg(out, line->market_kg);
    text_str(out, "</td></tr>\n");
}

static void put_scopes(const struct answer *answer, struct text *out)
{
    int zh = answer->study.zh;
    static const char *const head[] = { "GHG Protocol scope",
                                        "By place, kg CO2e",
                                        "By contract, kg CO2e" };

    text_str(out, "<div class=\"scroll\"><table class=\"many\"><caption>");
    html_text(out, say(zh, "By scope, over the whole comparison"));
    text_str(out, "</caption>\n<thead><tr><td></td>");
    for (int i = 0; i < 3; i++) {
        text_str(out, "<th scope=\"col\">");
        html_text(out, say(zh, head[i]));
        text_str(out, "</th>");
    }
    text_str(out, "</tr></thead>\n<tbody>\n");
    for (int k = 0; k < answer->study.option_count; k++) {
        struct boundary b;
        boundary_of(&answer->study.option[k], &answer->result[k], &b);
        for (int i = 0; i < b.line_count; i++)
            put_line(answer, k, &b.line[i], out);
    }
    text_str(out, "</tbody></table></div>\n");
}

static void put_intensity(const struct answer *answer, struct text *out)
{
    int zh = answer->study.zh;

    text_str(out, "<ul>\n");
    for (int k = 0; k < answer->study.option_count; k++) {
        struct boundary b;
        boundary_of(&answer->study.option[k], &answer->result[k], &b);
        text_str(out, "<li><b>");
        text_char(out, (char)('a' + k));
        text_str(out, "</b> SCI (O + M) / R = (");
        put_kg(out, b.sci.o_kg);
        text_str(out, " + ");
        put_kg(out, b.sci.m_kg);
        text_str(out, ") kg / ");
        put_kg(out, b.sci.r_gpu_hour);
        text_str(out, " GPU-h = ");
        shown_digits(out, b.sci.g_per_gpu_hour, 4);
        text_str(out, " g/GPU-h");
        if (isfinite(b.band.low_kg) && isfinite(b.band.high_kg)) {
            text_str(out, "; ");
            html_text(out, say(zh, "making the machines, lowest to highest "
                                   "study:"));
            text_char(out, ' ');
            put_kg(out, b.band.low_kg);
            text_str(out, " \xE2\x80\x93 ");
            put_kg(out, b.band.high_kg);
            text_str(out, " kg");
        }
        text_str(out, ". ");
        html_text(out, say(zh, b.note));
        text_str(out, "</li>\n");
    }
    text_str(out, "</ul>\n");
}

void out_boundary_html(const struct answer *answer, struct text *out)
{
    text_str(out, "<details id=\"scopes\">\n<summary><h2>");
    html_text(out, say(answer->study.zh, "Carbon for a report"));
    text_str(out, "</h2></summary>\n");
    put_scopes(answer, out);
    put_intensity(answer, out);
    text_str(out, "</details>\n");
}

void out_boundary_text(const struct answer *answer, struct text *out)
{
    const int zh = answer->study.zh;

    text_title(zh, "Carbon for a report, kg CO2e by place (by contract)", out);
    for (int k = 0; k < answer->study.option_count; k++) {
        struct boundary b;
        boundary_of(&answer->study.option[k], &answer->result[k], &b);
        for (int i = 0; i < b.line_count; i++) {
            text_str(out, "  ");
            text_char(out, (char)('a' + k));
            text_str(out, say(zh, " scope "));
            text_str(out, b.line[i].scope);
            text_str(out, ": ");
            put_kg(out, b.line[i].location_kg);
            if (!isnan(b.line[i].market_kg)) {
                text_str(out, " (");
                put_kg(out, b.line[i].market_kg);
                text_char(out, ')');
            }
            text_char(out, '\n');
        }
    }
}

static void put_sci(const struct sci *sci, struct text *out)
{
    json_name(out, "sci");
    text_char(out, '{');
    json_pair_number(out, "e_kwh", sci->e_kwh);
    json_pair_number(out, "i_g_per_kwh", sci->i_g_per_kwh);
    json_pair_number(out, "o_kg", sci->o_kg);
    json_pair_number(out, "m_kg", sci->m_kg);
    json_pair_number(out, "r_gpu_hour", sci->r_gpu_hour);
    json_pair_number(out, "g_per_gpu_hour", sci->g_per_gpu_hour);
    text_char(out, '}');
}

void out_boundary_json(const struct answer *answer, int option,
                       struct text *out)
{
    struct boundary b;

    boundary_of(&answer->study.option[option], &answer->result[option], &b);
    json_name(out, "scopes");
    text_char(out, '[');
    for (int i = 0; i < b.line_count; i++) {
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "ghg_scope", b.line[i].scope);
        json_pair_string(out, "label", b.line[i].label);
        json_pair_number(out, "location_kg", b.line[i].location_kg);
        json_pair_number(out, "market_kg", b.line[i].market_kg);
        text_char(out, '}');
    }
    text_char(out, ']');
    json_pair_string(out, "boundary", b.note);
    put_sci(&b.sci, out);
    json_name(out, "embodied_band");
    text_char(out, '{');
    json_pair_number(out, "low_kg", b.band.low_kg);
    json_pair_number(out, "value_kg", b.band.value_kg);
    json_pair_number(out, "high_kg", b.band.high_kg);
    json_pair_string(out, "study", b.band.study);
    text_char(out, '}');
}
