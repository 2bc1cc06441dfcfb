/* device.c: look-ups in the tables of accelerators and machines. */
#include "energy/device.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const precision_name[PRECISION_COUNT] = {
    [PRECISION_FP32] = "fp32", [PRECISION_TF32] = "tf32",
    [PRECISION_FP16] = "fp16", [PRECISION_BF16] = "bf16",
    [PRECISION_FP8] = "fp8",   [PRECISION_INT8] = "int8",
};

/* A footprint with its band: three members of struct gpu. */
#define EMBODIED(subject, kg, low, high, boundary, title, address, date, \
                 licence, estimate, note) \
    { kg, { title, address, date, licence }, estimate }, low, high
#include "energy/embodied.inc"

#define FACT(value, title, address, date, licence) \
    { value, { title, address, date, licence }, 0 }

/* Draw at rest: a published reading, or a tenth of the TDP. */
#define IDLE_PUBLISHED(watt, idle_watt, title, address, date, of_watt) \
    FACT(idle_watt, title, address, date, "published facts")
#define IDLE_ESTIMATE(watt, idle_watt, title, address, date, of_watt) \
    { 0.1 * watt, { "Estimate: a tenth of the TDP", "", of_watt, \
                    "own estimate" }, 1 }

static const struct gpu gpus[] = {
#define ROW(id, name, vendor, architecture, segment, form, housing, link, \
            release, memory, bandwidth, fp32, tf32, fp16, fp16_fast, bf16, \
            fp8, int8, watt, idle, idle_watt, idle_title, idle_address, \
            idle_date, embodied, title, address, date, licence, \
            confidence, unverified, note) \
    { id, name, vendor, architecture, segment, form, link, release, note, \
      housing, FACT(memory, title, address, date, licence), \
      FACT(bandwidth, title, address, date, licence), \
      { [PRECISION_FP32] = FACT(fp32, title, address, date, licence), \
        [PRECISION_TF32] = FACT(tf32, title, address, date, licence), \
        [PRECISION_FP16] = FACT(fp16, title, address, date, licence), \
        [PRECISION_BF16] = FACT(bf16, title, address, date, licence), \
        [PRECISION_FP8] = FACT(fp8, title, address, date, licence), \
        [PRECISION_INT8] = FACT(int8, title, address, date, licence) }, \
      FACT(watt, title, address, date, licence), \
      idle(watt, idle_watt, idle_title, idle_address, idle_date, date), \
      embodied },
#include "energy/gpus.inc"
};

static const struct server servers[] = {
#define ROW(id, name, vendor, kind, gpu, gpu_count, host_watt, host_basis, \
            estimate, max_watt, max_basis, load_watt, idle_watt, cooling, \
            title, address, date, licence, confidence, note) \
    { id, name, vendor, kind, gpu, note, (int)gpu_count, \
      { host_watt, { title, address, date, licence }, estimate }, \
      FACT(max_watt, title, address, date, licence), \
      FACT(idle_watt, title, address, date, licence) },
#include "energy/servers.inc"
};

size_t gpu_count_all(void)
{
    return COUNT(gpus);
}

const struct gpu *gpu_at(size_t i)
{
    return &gpus[i];
}

const struct gpu *gpu_find(const char *id)
{
    for (size_t i = 0; i < COUNT(gpus); i++)
        if (strcmp(gpus[i].id, id) == 0)
            return &gpus[i];
    return NULL;
}

size_t server_count_all(void)
{
    return COUNT(servers);
}

const struct server *server_at(size_t i)
{
    return &servers[i];
}

const struct server *server_find(const char *id)
{
    for (size_t i = 0; i < COUNT(servers); i++)
        if (strcmp(servers[i].id, id) == 0)
            return &servers[i];
    return NULL;
}

const struct server *server_of_gpu(const char *gpu, double gpu_count)
{
    for (size_t i = 0; i < COUNT(servers); i++)
        if (strcmp(servers[i].gpu, gpu) == 0 &&
            servers[i].gpu_count == gpu_count &&
            !isnan(servers[i].host_watt.value))
            return &servers[i];
    return NULL;
}

struct fact embodied_host(enum housing housing)
{
#undef EMBODIED
#define EMBODIED(subject, kg, low, high, boundary, title, address, date, \
                 licence, estimate, note) \
    { kg, { title, address, date, licence }, estimate }
    static const struct fact sxm = EMBODIED_HOST_SXM;
    static const struct fact other = EMBODIED_HOST_OTHER;

    return housing == HOUSING_SXM ? sxm : other;
}

/* Letters and digits in lower case: "RTX 4090", "rtx4090" and "rtx-4090" are
   one spelling. Cut off at size - 1. */
static void plain(const char *text, char *out, size_t size)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++)
        if (isalnum((unsigned char)*text))
            out[n++] = (char)tolower((unsigned char)*text);
    out[n] = '\0';
}

enum { PLAIN_MAX = 48 };

/* Edits (insert, delete, replace) that turn a into b, or, one more, into the
   start of b: "h1000sxm5" is nearly the start of "h100sxm580gb". */
static size_t edits(const char *a, const char *b)
{
    size_t row[PLAIN_MAX + 1];
    size_t n = strlen(b);

    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0];

        row[0] = i + 1;
        for (size_t j = 1; j <= n; j++) {
            size_t best = corner + (a[i] != b[j - 1]);

            corner = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    {
        size_t least = row[n];
        for (size_t j = 0; j < n; j++)
            if (row[j] + 1 < least)
                least = row[j] + 1;
        return least;
    }
}

/* How far `text` is from one id: the part of the id it spells out weighs
   most ("h100" is near every H100), then the edits between them. */
static size_t distance(const char *text, const char *id)
{
    char b[PLAIN_MAX];

    plain(id, b, sizeof b);
    if (strstr(b, text) != NULL)
        return strlen(b) - strlen(text);
    return 100 + edits(text, b);
}

const char *gpu_nearest(const char *text)
{
    char a[PLAIN_MAX];
    const char *best = NULL;
    size_t least = 0;

    plain(text, a, sizeof a);
    if (a[0] == '\0')
        return NULL;
    /* half the letters wrong is no likeness */
    for (size_t i = 0; i < COUNT(gpus); i++) {
        size_t by_id = distance(a, gpus[i].id);
        size_t by_name = distance(a, gpus[i].name);
        size_t d = by_id < by_name ? by_id : by_name;

        if (d > 100 + strlen(a) / 2 || (best != NULL && d >= least))
            continue;
        best = gpus[i].id;
        least = d;
    }
    return best;
}
