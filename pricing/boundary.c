/* boundary.c: regroups the carbon of one option. */
#include "pricing/boundary.h"

#include <math.h>
#include <string.h>

#include "energy/device.h"

static const double gram_per_kg = 1000;

static const char inside[] =
    "The grid factor is a life-cycle one: fuel supply and building of power "
    "plants (3.3) are inside it. Not counted: staff, building, disposal.";
static const char inside_typed[] =
    "The grid factor was typed; what it holds of 3.3 is not known. Not "
    "counted: staff, building, disposal.";

static void put_lines(const struct option *o, const double *step,
                      struct boundary *out)
{
    /* "office", "server_room", "colocation" */
    int colocation = o->kind == KIND_OWN && o->value[F_site] > 1;

    if (o->kind == KIND_OWN) {
        out->line_count = 2;
        out->line[0] = (struct ghg_line){
            colocation ? "2, or 3.8" : "2",
            colocation ? "Electricity; 3.8 if the site controls the power"
                       : "Electricity",
            step[S_operational_kg], step[S_operational_market_kg] };
        out->line[1] = (struct ghg_line){ "3.2", "Making the machines",
                                          step[S_embodied_kg], NAN };
        return;
    }
    out->line_count = 1;
    out->line[0] = (struct ghg_line){
        "3.1", "Service bought: its electricity and machines",
        step[S_total_kg], step[S_operational_market_kg] + step[S_embodied_kg] };
}

/* R is the work, not what was billed for it. */
static void put_sci(const struct option *o, const double *step,
                    struct sci *sci)
{
    sci->e_kwh = step[S_meter_kwh];
    sci->o_kg = step[S_operational_kg];
    sci->i_g_per_kwh = sci->o_kg * gram_per_kg / sci->e_kwh;
    sci->m_kg = step[S_embodied_kg];
    sci->r_gpu_hour = step[S_need_machine_hour_per_month] *
                      o->value[F_gpu_count] * step[S_horizon_month];
    sci->g_per_gpu_hour = sci->r_gpu_hour > 0
        ? (sci->o_kg + sci->m_kg) * gram_per_kg / sci->r_gpu_hour
        : (double)NAN;
}

static void put_band(const struct option *o, const double *step,
                     struct embodied_band *band)
{
    const struct gpu *gpu = gpu_find(o->name[F_gpu]);
    double count = o->value[F_gpu_count], host = o->value[F_embodied_host_kg];
    double one = count * o->value[F_embodied_gpu_kg] + host;

    *band = (struct embodied_band){ NAN, step[S_embodied_kg], NAN, "" };
    if (!gpu || o->typed[F_embodied_gpu_kg] || !(one > 0))
        return;
    band->low_kg = step[S_embodied_kg] / one *
                   (count * gpu->embodied_gpu_kg_low + host);
    band->high_kg = step[S_embodied_kg] / one *
                    (count * gpu->embodied_gpu_kg_high + host);
    band->study = gpu->embodied_gpu_kg.source.title;
}

void boundary_of(const struct option *option, const struct result *result,
                 struct boundary *out)
{
    memset(out, 0, sizeof *out);
    put_lines(option, result->step, out);
    out->note = option->typed[F_grid_g_per_kwh] ? inside_typed : inside;
    put_sci(option, result->step, &out->sci);
    put_band(option, result->step, &out->band);
}
