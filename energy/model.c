/* model.c: look-ups in the table of networks. */
#include "energy/model.h"

#include <math.h>
#include <string.h>

static const struct model models[] = {
#define ROW(id, name, task, param, active, layer, width, head, kv_head, \
            vocabulary, sequence, token, gflop, title, address, date, \
            licence, note) \
    { id, name, note, \
      { task, param, active, layer, width, head, kv_head, vocabulary }, \
      sequence, token, gflop, { title, address, date, licence } },
#include "energy/models.inc"
};

enum { MODEL_COUNT = sizeof models / sizeof *models };

size_t model_count_all(void)
{
    return MODEL_COUNT;
}

const struct model *model_at(size_t i)
{
    return &models[i];
}

const struct model *model_find(const char *id)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (strcmp(models[i].id, id) == 0)
            return &models[i];
    return NULL;
}

/* Length of the part from the start that both share. */
static size_t same_start(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

const char *model_nearest(const char *text)
{
    const char *best = NULL;
    size_t most = 2; /* less in common is no likeness */

    for (size_t i = 0; i < MODEL_COUNT; i++) {
        size_t n = same_start(text, models[i].id);
        if (n > most) {
            most = n;
            best = models[i].id;
        }
    }
    return best;
}
