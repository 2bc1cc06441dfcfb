/* tables.c: rows of each table, and the pages around them. */
#include "fcgi/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/equivalent.h"
#include "energy/device.h"
#include "energy/model.h"
#include "energy/zone.h"
#include "fcgi/answer.h"
#include "fcgi/html.h"
#include "fcgi/mathml.h"
#include "fcgi/page.h"
#include "fcgi/readings.h"
#include "fcgi/say.h"
#include "fcgi/table_page.h"
#include "fcgi/table_prices.h"
#include "fcgi/words.h"
#include "pricing/feed.h"
#include "pricing/num.h"
#include "pricing/pricing.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* --- GPUs ---------------------------------------------------------------------------- */

static const struct sheet_column gpu_columns[] = {
    { "name", "GPU model", "", 0 }, { "id", "Id", "", 0 },
    { "vendor", "Vendor", "", 0 }, { "release_date", "Released", "", 0 },
    { "memory_gib", "Memory", "GiB", 1 },
    { "bandwidth_gb_per_s", "Bandwidth", "GB/s", 1 },
    { "bf16_tflops", "BF16", "TFLOPS", 1 },
    { "fp16_tflops", "FP16", "TFLOPS", 1 },
    { "fp8_tflops", "FP8", "TFLOPS", 1 },
    { "gpu_watt", "GPU power", "W", 1 },
    { "gpu_price", "Price of one GPU", "", 1 },
    { "currency", "Currency", "", 0 }, { "price_date", "Prices of", "", 0 },
    { "embodied_gpu_kg", "Making one GPU", "kg CO2e", 1 },
};

static void gpu_row(struct table_call *c, struct sheet *sheet,
                    const struct gpu *gpu, int day)
{
    struct dated_price price = gpu_price_find(gpu->id, day, NULL);
    int known = !isnan(price.fact.value);
    char address[ADDRESS_ROOM];

    table_local(c, address, "/gpus/", gpu->id);
    sheet_row(sheet);
    sheet_text(sheet, gpu->name, address);
    sheet_text(sheet, gpu->id, "");
    sheet_text(sheet, gpu->vendor, "");
    sheet_text(sheet, gpu->release_date, "");
    sheet_number(sheet, gpu->memory_gib.value, 4);
    sheet_number(sheet, gpu->bandwidth_gb_per_s.value, 4);
    sheet_number(sheet, gpu->peak_tflops[PRECISION_BF16].value, 4);
    sheet_number(sheet, gpu->peak_tflops[PRECISION_FP16].value, 4);
    sheet_number(sheet, gpu->peak_tflops[PRECISION_FP8].value, 4);
    sheet_number(sheet, gpu->gpu_watt.value, 4);
    sheet_number(sheet, price.fact.value, 6);
    sheet_text(sheet, known ? price.currency : "", "");
    sheet_text(sheet, known ? price.fact.source.date : "", "");
    sheet_number(sheet, gpu->embodied_gpu_kg.value, 3);
}

static const struct sheet_column fact_columns[] = {
    { "name", "What", "", 0 }, { "value", "Value", "", 1 },
    { "unit", "Unit", "", 0 }, { "estimate", "Kind", "", 0 },
    { "source", "Source", "", 0 }, { "date", "Date", "", 0 },
};

static void fact_row(struct table_call *c, struct sheet *sheet,
                     const char *name, const struct fact *fact,
                     const char *unit)
{
    if (isnan(fact->value))
        return;
    sheet_row(sheet);
    sheet_text(sheet, c->form == SHEET_HTML ? table_tell(c, name) : name, "");
    sheet_number(sheet, fact->value, 6);
    sheet_text(sheet, unit, "");
    sheet_text(sheet, c->form == SHEET_HTML
               ? table_tell(c, fact->estimate ? "estimate" : "published")
               : fact->estimate ? "estimate" : "published", "");
    sheet_text(sheet, c->form == SHEET_HTML ? table_tell(c, fact->source.title)
               : fact->source.title, table_followed(fact->source.address));
    sheet_text(sheet, fact->source.date, "");
}

static void try_it(struct table_call *c, const char *option,
                   const char *name)
{
    char address[ADDRESS_ROOM];

    snprintf(address, sizeof address, "/compare?a=own/%s%s", name, option);
    table_keep(c, address);
    text_str(c->out, "<p class=\"use\"><a");
    html_attribute(c->out, "href", address);
    text_char(c->out, '>');
    html_text(c->out, table_tell(c, "Compare owning it"));
    text_str(c->out, "</a></p>\n");
}

static int one_gpu(struct table_call *c)
{
    const struct gpu *gpu = gpu_find(c->name);
    struct dated_price price;
    char address[ADDRESS_ROOM];
    struct sheet sheet;
    const int day = gpu ? table_day(c) : 0;

    if (!day)
        return 0;
    snprintf(address, sizeof address, "/gpus/%s", gpu->id);
    table_rows_open(c, &sheet, address, gpu->name, "", fact_columns,
              COUNT(fact_columns));
    fact_row(c, &sheet, "Memory", &gpu->memory_gib, "GiB");
    fact_row(c, &sheet, "Bandwidth", &gpu->bandwidth_gb_per_s, "GB/s");
    for (int i = 0; i < PRECISION_COUNT; i++)
        fact_row(c, &sheet, precision_name[i], &gpu->peak_tflops[i], "TFLOPS");
    fact_row(c, &sheet, "GPU power", &gpu->gpu_watt, "W");
    fact_row(c, &sheet, "GPU power when idle", &gpu->gpu_idle_watt, "W");
    fact_row(c, &sheet, "Making one GPU", &gpu->embodied_gpu_kg, "kg CO2e");
    price = gpu_price_find(gpu->id, day, NULL);
    fact_row(c, &sheet, "Price of one GPU", &price.fact, price.currency);
    sheet_close(&sheet);
    if (c->form == SHEET_JSON)
        text_str(c->out, "}\n");
    if (c->form == SHEET_HTML) {
        if (!isnan(price.fact.value))
            try_it(c, gpu->housing == HOUSING_CONSUMER ? "/4" : "/8", gpu->id);
        snprintf(address, sizeof address, "/prices?gpu=%s", gpu->id);
        table_keep(c, address);
        text_str(c->out, "<p class=\"use\"><a");
        html_attribute(c->out, "href", address);
        text_char(c->out, '>');
        html_text(c->out, table_tell(c, "Offers to rent it"));
        text_str(c->out, "</a></p>\n");
        table_page_close(c);
    }
    return 1;
}

int table_gpus(struct table_call *c)
{
    struct sheet sheet;
    int day;

    if (*c->name)
        return one_gpu(c);
    day = table_day(c);
    if (!day)
        return 0;
    table_rows_open(c, &sheet, "/gpus", "GPUs",
              "Power, peak rates, memory and the newest dated price of each.",
              gpu_columns, COUNT(gpu_columns));
    for (size_t i = gpu_count_all(); i-- > 0; )
        gpu_row(c, &sheet, gpu_at(i), day);
    table_rows_close(c, &sheet, "/gpus");
    return 1;
}

/* --- systems and places ------------------------------------------------------------------ */

static const struct sheet_column server_columns[] = {
    { "name", "Complete system", "", 0 }, { "id", "Id", "", 0 },
    { "vendor", "Vendor", "", 0 }, { "gpu", "GPU model", "", 0 },
    { "gpu_count", "GPUs", "", 1 }, { "host_watt", "Host power", "W", 1 },
    { "max_watt", "Most power", "W", 1 },
    { "list_price", "List price", "", 1 }, { "currency", "Currency", "", 0 },
    { "price_date", "Prices of", "", 0 },
};

int table_servers(struct table_call *c)
{
    struct sheet sheet;
    const int day = table_day(c);

    if (!day)
        return 0;
    table_rows_open(c, &sheet, "/servers", "Complete systems",
              "Machines sold whole, with the power of everything but the GPUs.",
              server_columns, COUNT(server_columns));
    for (size_t i = 0; i < server_count_all(); i++) {
        const struct server *server = server_at(i);
        struct dated_price price = server_price_find(server->id, day,
                                                     NULL);
        int known = !isnan(price.fact.value);
        char address[ADDRESS_ROOM];
        table_local(c, address, "/gpus/", server->gpu);
        sheet_row(&sheet);
        sheet_text(&sheet, server->name, "");
        sheet_text(&sheet, server->id, "");
        sheet_text(&sheet, server->vendor, "");
        sheet_text(&sheet, server->gpu, *server->gpu ? address : "");
        sheet_number(&sheet, server->gpu_count, 4);
        sheet_number(&sheet, server->host_watt.value, 5);
        sheet_number(&sheet, server->max_watt.value, 6);
        sheet_number(&sheet, price.fact.value, 8);
        sheet_text(&sheet, known ? price.currency : "", "");
        sheet_text(&sheet, known ? price.fact.source.date : "", "");
    }
    table_rows_close(c, &sheet, "/servers");
    return 1;
}

static const struct sheet_column model_columns[] = {
    { "name", "Model", "", 0 }, { "id", "Id", "", 0 },
    { "param_count", "Parameters", "", 1 },
    { "active_param_count", "Active parameters", "", 1 },
    { "token_count", "Tokens", "", 1 },
    { "sequence_token", "Sequence length", "", 1 },
    { "layer_count", "Layers", "", 1 }, { "hidden_width", "Width", "", 1 },
    { "head_count", "Attention heads", "", 1 },
    { "kv_head_count", "Key-value heads", "", 1 },
    { "vocabulary_count", "Vocabulary", "", 1 },
    { "forward_gflop_per_sample", "Forward GFLOP a sample", "", 1 },
    { "source", "Source", "", 0 }, { "date", "Date", "", 0 },
};

int table_models(struct table_call *c)
{
    struct sheet sheet;

    table_rows_open(c, &sheet, "/models", "Models",
              "Networks whose training can be asked about by name.",
              model_columns, COUNT(model_columns));
    for (size_t i = 0; i < model_count_all(); i++) {
        const struct model *model = model_at(i);
        char address[ADDRESS_ROOM];
        /* what learns from samples is asked for those of ImageNet-1k:
           1,281,167 to train with (Russakovsky et al., 2015, table 2) */
        snprintf(address, sizeof address, "/train?model_preset=%s%s%s",
                 model->id, model->forward_gflop_per_sample > 0
                 ? "&sample_count=1281167" : "", c->zh ? "&lang=zh" : "");
        sheet_row(&sheet);
        sheet_text(&sheet, model->name, address);
        sheet_text(&sheet, model->id, "");
        sheet_number(&sheet, model->shape.param_count, 4);
        sheet_number(&sheet, model->shape.active_param_count, 4);
        sheet_number(&sheet, model->token_count, 4);
        sheet_number(&sheet, model->sequence_token, 6);
        sheet_number(&sheet, model->shape.layer_count, 4);
        sheet_number(&sheet, model->shape.hidden_width, 6);
        sheet_number(&sheet, model->shape.head_count, 4);
        sheet_number(&sheet, model->shape.kv_head_count, 4);
        sheet_number(&sheet, model->shape.vocabulary_count, 7);
        sheet_number(&sheet, model->forward_gflop_per_sample, 4);
        sheet_text(&sheet, model->source.title, model->source.address);
        sheet_text(&sheet, model->source.date, "");
    }
    table_rows_close(c, &sheet, "/models");
    return 1;
}

static const struct sheet_column zone_columns[] = {
    { "name", "Country or state", "", 0 }, { "id", "Id", "", 0 },
    { "grid_g_per_kwh", "Grid factor", "g CO2e/kWh", 1 },
    { "grid_date", "Year", "", 0 }, { "grid_basis", "Basis", "", 0 },
    { "grid_water_l_per_kwh", "Water off site", "L/kWh", 1 },
    { "household_price_per_kwh", "Household tariff", "/kWh", 1 },
    { "commercial_price_per_kwh", "Commercial tariff", "/kWh", 1 },
    { "industrial_price_per_kwh", "Industrial tariff", "/kWh", 1 },
    { "currency", "Currency", "", 0 },
};

/* Programs find what feeds say now in the row of the place, people in a table
   of its own: few places have any of it. */
static int all_zone_columns(enum sheet_form form, struct sheet_column
                            out[COUNT(zone_columns) + LIVE_COLUMN_COUNT])
{
    memcpy(out, zone_columns, sizeof zone_columns);
    memcpy(out + COUNT(zone_columns), live_columns, sizeof live_columns);
    return COUNT(zone_columns) + (form == SHEET_HTML ? 0 : LIVE_COLUMN_COUNT);
}

static void zones_open(struct table_call *c, struct sheet *sheet,
                       const struct sheet_column *column, int count)
{
    if (c->form == SHEET_HTML) {
        table_page_open(c, "/zones", "Places",
                  "Carbon and water of the grid, and tariffs by class.");
        readings_put(c, READINGS_LIVE);
    }
    if (c->form == SHEET_JSON)
        text_str(c->out, "{\"rows\":");
    sheet_open(sheet, c->out, c->form, c->zh, column, count, "Places");
}

int table_zones(struct table_call *c)
{
    struct sheet_column column[COUNT(zone_columns) + LIVE_COLUMN_COUNT];
    int count = all_zone_columns(c->form, column);
    struct sheet sheet;

    zones_open(c, &sheet, column, count);
    for (size_t i = 0; i < zone_count_all(); i++) {
        const struct zone *zone = zone_at(i);
        const char *currency = "";
        sheet_row(&sheet);
        sheet_text(&sheet, zone->name, "");
        sheet_text(&sheet, zone->id, "");
        sheet_number(&sheet, zone->grid_g_per_kwh.value, 4);
        sheet_text(&sheet, zone->grid_g_per_kwh.source.date, "");
        sheet_text(&sheet, c->form == SHEET_HTML ? table_tell(c, zone->grid_basis)
                                                 : zone->grid_basis, "");
        sheet_number(&sheet, zone->grid_water_l_per_kwh.value, 3);
        for (int k = 0; k < TARIFF_CLASS_COUNT; k++) {
            enum tariff_class used;
            struct dated_price tariff = tariff_find(zone->tariff_zone,
                                                    (enum tariff_class)k,
                                                    &used);
            int own = !isnan(tariff.fact.value) && (int)used == k;
            if (own)
                currency = tariff.currency;
            sheet_number(&sheet, own ? tariff.fact.value : (double)NAN, 3);
        }
        sheet_text(&sheet, currency, "");
        if (c->form != SHEET_HTML)
            live_cells(c, &sheet, zone);
    }
    sheet_close(&sheet);
    if (c->form == SHEET_JSON)
        text_str(c->out, ",\"readings\":");
    if (c->form != SHEET_CSV)
        readings_put(c, c->form == SHEET_HTML ? READINGS_OTHER
                     : READINGS_LIVE | READINGS_OTHER);
    table_rows_after(c, "/zones");
    return 1;
}

/* --- sources --------------------------------------------------------------------------------- */

enum { LISTED_MAX = 600 };
struct listed { const struct source *source[LISTED_MAX]; int count; };

static void list_source(struct listed *listed, const struct source *source)
{
    if (!*source->title || listed->count == LISTED_MAX)
        return;
    for (int i = 0; i < listed->count; i++)
        if (strcmp(listed->source[i]->title, source->title) == 0 &&
            strcmp(listed->source[i]->address, source->address) == 0)
            return;
    listed->source[listed->count++] = source;
}

static void list_all(struct listed *listed)
{
    for (size_t i = 0; i < gpu_count_all(); i++) {
        const struct gpu *gpu = gpu_at(i);
        list_source(listed, &gpu->gpu_watt.source);
        list_source(listed, &gpu->gpu_idle_watt.source);
        list_source(listed, &gpu->embodied_gpu_kg.source);
    }
    for (size_t i = 0; i < server_count_all(); i++)
        list_source(listed, &server_at(i)->host_watt.source);
    for (size_t i = 0; i < zone_count_all(); i++) {
        list_source(listed, &zone_at(i)->grid_g_per_kwh.source);
        list_source(listed, &zone_at(i)->grid_alternative.source);
        list_source(listed, &zone_at(i)->grid_water_l_per_kwh.source);
    }
    for (size_t i = 0; i < region_count_all(); i++) {
        list_source(listed, &region_at(i)->pue_ratio.source);
        list_source(listed, &region_at(i)->wue_l_per_kwh.source);
    }
    for (size_t i = 0; i < instance_count_all(); i++)
        list_source(listed, &instance_at(i)->source);
    for (size_t i = 0; i < equivalent_count_all(); i++)
        list_source(listed, &equivalent_at(i)->source);
}

static const struct sheet_column source_columns[] = {
    { "title", "Source", "", 0 }, { "date", "Date", "", 0 },
    { "age_day", "Age", "days", 1 }, { "stale_day", "Old after", "days", 1 },
    { "state", "State", "", 0 },
    { "licence", "Licence", "", 0 }, { "address", "Address", "", 0 },
};

/* Days since a list of prices was read, and the limit it has; NAN for what is
   no list. */
struct age { double age_day, stale_day; int failing, never; };

static int is_known(const struct price_table *prices, const char *id)
{
    for (size_t i = 0; i < prices->feed_count; i++)
        if (strcmp(prices->feed[i].id, id) == 0)
            return 1;
    return 0;
}

static struct age age_of(const struct table_call *c,
                         const struct price_feed *feed)
{
    if (!feed->fetched_day || feed->stale_day <= 0)
        return (struct age){ NAN, NAN, feed->failure_count > 0, 0 };
    return (struct age){ day_difference(c->world->today, feed->fetched_day),
                         feed->stale_day, feed->failure_count > 0, 0 };
}

static void source_row(struct table_call *c, struct sheet *sheet,
                       const char *title, const char *date, struct age age,
                       const char *licence, const char *address)
{
    const char *state = age.failing ? "failing" : age.never ? "never asked"
                      : isnan(age.age_day) ? ""
                      : age.age_day > age.stale_day ? "old" : "fresh";

    sheet_row(sheet);
    sheet_text(sheet, c->form == SHEET_HTML ? table_tell(c, title) : title,
               table_followed(address));
    sheet_text(sheet, date, "");
    sheet_number(sheet, age.age_day, 4);
    sheet_number(sheet, age.stale_day, 4);
    sheet_text(sheet, c->form == SHEET_HTML ? table_tell(c, state) : state, "");
    sheet_text(sheet, c->form == SHEET_HTML ? table_tell(c, licence) : licence, "");
    sheet_text(sheet, address, "");
}

int table_sources(struct table_call *c)
{
    struct listed *listed = calloc(1, sizeof *listed);
    const struct price_table *prices = c->world->prices;
    const struct rate_table *rates = c->world->rates;
    const struct age none = { NAN, NAN, 0, 0 };
    struct sheet sheet;
    char day[11];

    if (!listed) {
        c->out->failed = 1;
        return 1;
    }
    list_all(listed);
    table_rows_open(c, &sheet, "/sources", "Sources",
              "Where prices, rates and facts come from.", source_columns,
              COUNT(source_columns));
    for (size_t i = 0; i < prices->feed_count; i++) {
        const struct price_feed *feed = &prices->feed[i];
        day[0] = '\0';
        if (feed->fetched_day)
            day_print(day, feed->fetched_day);
        source_row(c, &sheet, feed->title, day, age_of(c, feed), feed->licence,
                   feed->address);
    }
    source_row(c, &sheet, rates->title, "", none, rates->licence,
               rates->address);
    for (int i = 0; i < listed->count; i++) {
        const struct source *source = listed->source[i];
        source_row(c, &sheet, source->title, source->date, none,
                   source->licence, source->address);
    }
    /* what could be read and never was; people are not told of what is read
       only when named */
    for (size_t i = 0; i < feed_count_all(); i++) {
        const struct feed *feed = feed_at(i);
        if (!is_known(prices, feed->id) && (c->form != SHEET_HTML
                                    || !(feed->flags & FEED_ON_REQUEST)))
            source_row(c, &sheet, feed->title, "",
                       (struct age){ NAN, feed->stale_day, 0, 1 },
                       feed->licence, feed->address);
    }
    table_rows_close(c, &sheet, "/sources");
    free(listed);
    return 1;
}

/* --- methods -------------------------------------------------------------------------------------- */

static const char *const part_title[] = {
    "Hours, power, energy, carbon", "Once an option", "Month by month",
    "Cost lines of a month", "Taxes, resale, flow", "Totals"
};

static const char *kind_words(const struct formula *formula)
{
    return strcmp(formula->kind, "OWN") == 0 ? "own" :
           strcmp(formula->kind, "RENT") == 0 ? "rent" : "own and rent";
}

enum { LONG_FORMULA_BYTE = 90 };

static void put_formula(struct table_call *c, const struct formula *formula)
{
    struct text *out = c->out;
    char unit[64];

    say_unit(c->zh, unit_table[formula->unit].shown, unit, sizeof unit);
    /* a long one scrolls sideways, by keyboard too */
    text_str(out, strlen(formula->text) > LONG_FORMULA_BYTE
                  ? "<li tabindex=\"0\"><p>" : "<li><p>");
    html_element(out, "b", NULL, table_tell(c, formula->label));
    text_char(out, ' ');
    html_element(out, "span", "unit", unit);
    text_str(out, " <span class=\"from\">");
    html_text(out, table_tell(c, kind_words(formula)));
    text_str(out, "</span></p>\n");
    if (!mathml(formula->name, formula->text, out)) {
        text_str(out, "<code>");
        html_text(out, formula->name);
        text_str(out, " = ");
        html_text(out, formula->text);
        text_str(out, "</code>");
    }
    text_str(out, "</li>\n");
}

static const struct { const char *name, *dimension, *source; double value; }
constants[] = {
#define CONST(name, dimension, value, source) { #name, dimension, source, value },
#include "energy/consts.def"
};

static const struct sheet_column constant_columns[] = {
    { "name", "Constant", "", 0 }, { "value", "Value", "", 1 },
    { "dimension", "Dimension", "", 0 }, { "source", "Source", "", 0 },
};

int table_methods(struct table_call *c)
{
    struct sheet sheet;
    int part = -1;

    table_page_open(c, "/methods", "Methods",
              "Every formula as it is compiled. The same text makes the "
              "result, the workings and the workbook.");
    for (int i = 0; i < formula_count; i++) {
        if ((int)formula_table[i].part != part) {
            text_str(c->out, part < 0 ? "" : "</ul>\n");
            part = (int)formula_table[i].part;
            html_element(c->out, "h2", NULL, table_tell(c, part_title[part]));
            text_str(c->out, "\n<ul class=\"formulas\">\n");
        }
        put_formula(c, &formula_table[i]);
    }
    text_str(c->out, "</ul>\n");
    html_element(c->out, "h2", NULL, table_tell(c, "Constants"));
    sheet_open(&sheet, c->out, SHEET_HTML, c->zh, constant_columns,
               COUNT(constant_columns), "Constants");
    for (int i = 0; i < COUNT(constants); i++) {
        sheet_row(&sheet);
        sheet_text(&sheet, constants[i].name, "");
        sheet_number(&sheet, constants[i].value, 6);
        sheet_text(&sheet, constants[i].dimension, "");
        sheet_text(&sheet, constants[i].source, "");
    }
    sheet_close(&sheet);
    text_str(c->out, "<p class=\"hint\">");
    html_text(c->out, table_tell(c, "Model version"));
    text_str(c->out, " " MODEL_VERSION "</p>\n");
    table_page_close(c);
    return 1;
}

/* --- about ----------------------------------------------------------------------------------------- */

static const char *const about[][2] = {
    { "What it is", "A calculator for one question: what does the same GPU "
      "computing cost when you own the machines, and what when you rent "
      "them? It counts money, energy, carbon and water, and says how sure it "
      "is." },
    { "Who pays", "Nobody who sells GPUs or clouds. Prices come from public "
      "lists; each is shown with its source, day and licence." },
    { "Privacy", "No cookies, no storage in your browser, no scripts or "
      "pictures of others. Your inputs are in the address and nowhere else." },
    { "Access", "The page works by keyboard, with screen readers, at 320 "
      "pixels, in print and without script. What does not is a mistake; "
      "please report it." },
    { "Licence", "The program is free software; data keep the licences of "
      "their sources." },
};

int table_about(struct table_call *c)
{
    static const char *const tables[][2] = {
        { "/prices", "Prices" }, { "/gpus", "GPUs" },
        { "/servers", "Complete systems" }, { "/zones", "Places" },
        { "/sources", "Sources" }, { "/methods", "Methods" },
    };

    table_page_open(c, "/about", "About", "");
    for (int i = 0; i < COUNT(about); i++) {
        html_element(c->out, "h2", NULL, table_tell(c, about[i][0]));
        html_element(c->out, "p", "prose", table_tell(c, about[i][1]));
    }
    html_element(c->out, "h2", NULL, table_tell(c, "What it knows"));
    text_str(c->out, "\n<p class=\"use\">");
    for (int i = 0; i < COUNT(tables); i++) {
        char address[ADDRESS_ROOM];
        table_local(c, address, tables[i][0], "");
        text_str(c->out, "<a");
        html_attribute(c->out, "href", address);
        text_char(c->out, '>');
        html_text(c->out, table_tell(c, tables[i][1]));
        text_str(c->out, "</a> ");
    }
    text_str(c->out, "</p>\n");
    table_page_close(c);
    return 1;
}

/* --- refusals ------------------------------------------------------------------------------------------ */

void table_refusal(const struct problems *problems, int zh,
                   struct table_call *prices, struct text *out)
{
    char title[200];

    snprintf(title, sizeof title, "%s \xE2\x80\x93 gputco",
             say(zh, "Error: There is a problem"));
    page_head(out, zh, title, "table broken", "/", "/zh/");
    text_str(out, "<section class=\"say\" id=\"answer\">\n"
                  "<div class=\"summary\" tabindex=\"-1\" autofocus>\n"
                  "<div role=\"alert\">\n");
    html_element(out, "h1", NULL, say(zh, "There is a problem"));
    text_str(out, "\n<ul>\n");
    for (int i = 0; i < problems->count; i++) {
        struct text words;
        text_init(&words, WORDS_BYTE_MAX);
        problem_words(&problems->problem[i], zh, &words);
        text_str(out, "<li>");
        html_text_of(out, &words);
        text_str(out, "</li>\n");
        text_free(&words);
    }
    text_str(out, "</ul>\n</div>\n</div>\n</section>\n");
    if (prices)
        table_prices_filter(prices);
    page_foot(out, zh);
}
