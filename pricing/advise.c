/* advise.c: tiers, builds, drivers and corrections out of their tables. */
#include "pricing/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tier tiers[] = {
#define ROW(id, name, budget_low, budget_high, sample_low, sample_high, \
            param_low, param_high, title, address, date, licence, note) \
    { id, name, note, budget_low, budget_high, sample_low, sample_high, \
      param_low, param_high, { title, address, date, licence } },
#include "pricing/tiers.inc"
};

static const struct tier_build builds[] = {
#define ROW(tier, gpu, gpu_count, reason) { tier, gpu, reason, gpu_count },
#include "pricing/tier_builds.inc"
};

static const struct correction corrections[] = {
#define ROW(id, claim, correction, gpu, title, address, date, licence) \
    { id, claim, correction, gpu, { title, address, date, licence } },
#include "pricing/corrections.inc"
};

size_t tier_count_all(void)
{
    return COUNT(tiers);
}

const struct tier *tier_at(size_t i)
{
    return &tiers[i];
}

int tier_of_budget(double budget_cny)
{
    int found = -1;

    for (size_t i = 0; i < COUNT(tiers); i++)
        if (tiers[i].budget_low <= budget_cny)
            found = (int)i;
    return found;
}

int tier_of_size(double param_count, double sample_count)
{
    for (size_t i = 0; i + 1 < COUNT(tiers); i++)
        if (!(param_count > tiers[i].param_high) &&
            !(sample_count > tiers[i].sample_high))
            return (int)i;
    return (int)COUNT(tiers) - 1;
}

size_t tier_build_count_all(void)
{
    return COUNT(builds);
}

const struct tier_build *tier_build_at(size_t i)
{
    return &builds[i];
}

size_t correction_count_all(void)
{
    return COUNT(corrections);
}

const struct correction *correction_at(size_t i)
{
    return &corrections[i];
}

/* --- drivers ----------------------------------------------------------------- */

static const struct { const char *kind, *name, *driver; } drivers[] = {
#define ROW(kind, name, driver, since, source, address, date, licence) \
    { kind, name, driver },
#include "energy/drivers.inc"
};

/* Length of "570.133.20" at the start of text, 0 when it is no version. */
static size_t version_length(const char *text)
{
    size_t n = strspn(text, "0123456789."), dots = 0;

    for (size_t i = 0; i < n; i++)
        dots += text[i] == '.';
    while (n > 0 && text[n - 1] == '.')
        n--;
    return n >= 3 && n < DRIVER_TEXT_BYTE && dots >= 1 && text[0] != '.'
         ? n : 0;
}

int driver_read(const char *text, char version[DRIVER_TEXT_BYTE])
{
    const char *at = strstr(text, "Driver Version:");
    size_t n;

    at = at ? at + strlen("Driver Version:") : text;
    at += strspn(at, " \t\r\n");
    n = version_length(at);
    if (n == 0)
        return 0;
    memcpy(version, at, n);
    version[n] = '\0';
    return 1;
}

int driver_compare(const char *a, const char *b)
{
    while (*a || *b) {
        char *a_end, *b_end;
        unsigned long x = *a ? strtoul(a, &a_end, 10) : 0;
        unsigned long y = *b ? strtoul(b, &b_end, 10) : 0;
        if (x != y)
            return x < y ? -1 : 1;
        a = *a ? a_end + (*a_end == '.') : a;
        b = *b ? b_end + (*b_end == '.') : b;
    }
    return 0;
}

const char *driver_cuda(const char *version)
{
    const char *newest = NULL;

    for (size_t i = 0; i < COUNT(drivers); i++)
        if (strcmp(drivers[i].kind, "cuda") == 0 &&
            driver_compare(drivers[i].driver, version) <= 0)
            newest = drivers[i].name;
    return newest;
}

const char *driver_of_architecture(const char *architecture)
{
    for (size_t i = 0; i < COUNT(drivers); i++)
        if (strcmp(drivers[i].kind, "architecture") == 0 &&
            strncmp(architecture, drivers[i].name,
                    strlen(drivers[i].name)) == 0)
            return drivers[i].driver;
    return NULL;
}

const char *driver_of_cuda(const char *major)
{
    for (size_t i = 0; i < COUNT(drivers); i++)
        if (strcmp(drivers[i].kind, "family") == 0 &&
            strcmp(drivers[i].name, major) == 0)
            return drivers[i].driver;
    return NULL;
}
