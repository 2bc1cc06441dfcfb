/* lists.c: what can be chosen in the form. */
#include "fcgi/lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "energy/device.h"
#include "energy/zone.h"
#include "fcgi/html.h"
#include "fcgi/say.h"
#include "pricing/catalogue.h"
#include "pricing/field.h"
#include "pricing/num.h"

enum { LABEL_ROOM = 240 };

int list_option(struct text *out, const char *value, const char *label,
                const char *chosen)
{
    int is_chosen = chosen && strcmp(value, chosen) == 0;

    text_str(out, "<option");
    html_attribute(out, "value", value);
    if (is_chosen)
        text_str(out, " selected");
    text_char(out, '>');
    html_text(out, *label ? label : value);
    text_str(out, "</option>\n");
    return is_chosen;
}

void list_group(struct text *out, const char *label)
{
    text_str(out, label ? "<optgroup" : "</optgroup");
    if (label)
        html_attribute(out, "label", label);
    text_str(out, ">\n");
}

int list_choices(struct text *out, int zh, const char *choices,
                 const char *chosen)
{
    int found = 0;
    size_t length;

    for (int i = 0; ; i++) {
        const char *word = choice_word(choices, i, &length);
        char value[NUM_LENGTH_MAX], label[NUM_LENGTH_MAX];
        if (length == 0)
            return found;
        snprintf(value, sizeof value, "%.*s", (int)length, word);
        memcpy(label, value, sizeof label);
        for (char *at = label; *at; at++)
            if (*at == '_')
                *at = ' ';
        found |= list_option(out, value, say(zh, label), chosen);
    }
}

static const char *const priced_title[] = { "Type the price yourself",
                                            "With a dated price" };

static int has_price(const struct gpu *gpu, int day)
{
    return !isnan(gpu_price_find(gpu->id, day, NULL).fact.value);
}

int list_gpus(struct text *out, int zh, int day, const char *chosen)
{
    int found = 0;

    for (int priced = 1; priced >= 0; priced--) {
        list_group(out, say(zh, priced_title[priced]));
        for (size_t i = gpu_count_all(); i-- > 0; ) {
            const struct gpu *gpu = gpu_at(i);
            if (has_price(gpu, day) == priced && !isnan(gpu->gpu_watt.value))
                found |= list_option(out, gpu->id, gpu->name, chosen);
        }
        list_group(out, NULL);
    }
    return found;
}

static int has_list_price(const struct server *server, int day)
{
    return !isnan(server_price_find(server->id, day, NULL).fact.value);
}

int list_servers(struct text *out, int zh, int day, const char *chosen)
{
    int found = 0;

    for (int priced = 1; priced >= 0; priced--) {
        list_group(out, say(zh, priced_title[priced]));
        for (size_t i = 0; i < server_count_all(); i++) {
            const struct server *server = server_at(i);
            if (has_list_price(server, day) == priced)
                found |= list_option(out, server->id, server->name, chosen);
        }
        list_group(out, NULL);
    }
    return found;
}

int list_zones(struct text *out, const char *chosen)
{
    int found = 0;

    for (size_t i = 0; i < zone_count_all(); i++) {
        const struct zone *zone = zone_at(i);
        char label[LABEL_ROOM];
        if (!*zone->tariff_zone || isnan(zone->grid_g_per_kwh.value))
            continue;
        snprintf(label, sizeof label, "%s (%s)", zone->name, zone->id);
        found |= list_option(out, zone->id, label, chosen);
    }
    return found;
}

int list_currencies(struct text *out, const struct rate_table *rates,
                    const char *chosen)
{
    const char *before = "";
    int found = 0;

    found |= list_option(out, "EUR", "", chosen);
    for (size_t i = 0; i < rates->count; i++) {
        const char *each = rates->rate[i].currency;
        if (strcmp(each, before) == 0)
            continue;
        before = each;
        found |= list_option(out, each, "", chosen);
    }
    return found;
}

/* --- offers ---------------------------------------------------------------- */

static const char *gpu_name_of(const struct price *price, double *count)
{
    const struct instance *instance = instance_find(price->provider,
                                                    price->instance);
    const struct gpu *gpu = gpu_find(instance ? instance->gpu : price->gpu);

    *count = instance ? instance->gpu_count : price->gpu_count;
    return gpu && !isnan(*count) ? gpu->name : NULL;
}

static int usable(const struct price *price, int day)
{
    double count;

    return price->term == TERM_ON_DEMAND &&
           price->payment == PAYMENT_NO_UPFRONT && price_day(price) <= day &&
           !(price->gone_day && price->gone_day <= day) &&
           gpu_name_of(price, &count) && !strchr(price->instance, '/') &&
           !strchr(price->region, '/') && !strchr(price->provider, '/');
}

static const struct price *cheaper(const struct price *a,
                                   const struct price *b)
{
    if (!a || !b)
        return a ? a : b;
    return strcmp(a->currency, b->currency) == 0 &&
           b->price_per_hour < a->price_per_hour ? b : a;
}

/* The offer of the instance that starts at *at; moves *at to the next one. */
static const struct price *instance_offer(const struct price_table *prices,
                                          int day, size_t *at)
{
    const struct price *first = &prices->price[*at], *best = NULL,
                       *newest = NULL;

    for (; *at < prices->count; (*at)++) {
        const struct price *each = &prices->price[*at];
        if (strcmp(each->provider, first->provider) != 0 ||
            strcmp(each->instance, first->instance) != 0)
            break;
        if (newest && strcmp(each->region, newest->region) != 0) {
            best = cheaper(best, newest);
            newest = NULL;
        }
        if (usable(each, day))
            newest = each;
    }
    return cheaper(best, newest);
}

static int put_offer(struct text *out, const struct price *price,
                     int with_provider, const char *chosen)
{
    char value[LABEL_ROOM], label[LABEL_ROOM], count_text[NUM_TEXT_BYTE];
    double count;
    const char *gpu = gpu_name_of(price, &count);

    num_print(count_text, count);
    snprintf(value, sizeof value, "rent/%s/%s/%s/on_demand", price->provider,
             price->instance, price->region);
    snprintf(label, sizeof label, "%s%s%s \xC3\x97 %s, %s, %s",
             with_provider ? provider_name(price->provider) : "", with_provider ? ", " : "",
             count_text, gpu, price->instance, price->region);
    return list_option(out, value, label, chosen);
}

int list_offers(struct text *out, const struct price_table *prices, int day,
                int grouped, const char *title, const char *chosen)
{
    const char *provider = "";
    char group[LABEL_ROOM];
    int found = 0;

    for (size_t at = 0; at < prices->count; ) {
        const struct price *offer = instance_offer(prices, day, &at);
        if (!offer)
            continue;
        if (grouped && strcmp(provider, offer->provider) != 0) {
            if (*provider)
                list_group(out, NULL);
            snprintf(group, sizeof group, "%s: %s", title,
                     provider_name(offer->provider));
            list_group(out, group);
            provider = offer->provider;
        }
        found |= put_offer(out, offer, !grouped, chosen);
    }
    if (*provider)
        list_group(out, NULL);
    return found;
}

int list_machines(struct text *out, int day, const char *chosen)
{
    char value[LABEL_ROOM], label[LABEL_ROOM];
    int found = 0;

    for (size_t i = gpu_count_all(); i-- > 0; ) {
        const struct gpu *gpu = gpu_at(i);
        int count = gpu->housing == HOUSING_CONSUMER ? 4 : 8;
        if (!has_price(gpu, day))
            continue;
        snprintf(value, sizeof value, "own/%s/%d", gpu->id, count);
        snprintf(label, sizeof label, "%d \xC3\x97 %s", count, gpu->name);
        found |= list_option(out, value, label, chosen);
    }
    for (size_t i = 0; i < server_count_all(); i++) {
        const struct server *server = server_at(i);
        if (!has_list_price(server, day))
            continue;
        snprintf(value, sizeof value, "own/%s", server->id);
        found |= list_option(out, value, server->name, chosen);
    }
    return found;
}

void list_providers(struct text *out)
{
    const char *before = "";

    for (size_t i = 0; i < instance_count_all(); i++) {
        const char *each = instance_at(i)->provider;
        if (strcmp(each, before) != 0)
            list_option(out, each, provider_name(each), NULL);
        before = each;
    }
}

void list_instances(struct text *out)
{
    for (size_t i = 0; i < instance_count_all(); i++)
        if (*instance_at(i)->gpu)
            list_option(out, instance_at(i)->id, "", NULL);
}
