/* run.c: what a run takes and costs on one option. */
#include "pricing/run.h"

#include <math.h>
#include <string.h>

#include "energy/power.h"

static const double token_per_million = 1e6, flop_per_pflop_day = 8.64e19,
                    second_per_hour = 3600, watt_per_kw = 1000,
                    gram_per_kg = 1000, hour_per_month = 730;

/* Exponent of MLPerf Training v4.0 and v5.1, time to target against GPUs,
   same submitter: from 0.75 (Llama 3.1 8B) to 0.93 (405B); 0.86 is off by 5 % in the median
   from 8 to 64 GPUs. */
static const double scaling_exponent = 0.86;

double run_scaled_hour(double hour, double n0, double n)
{
    return hour * pow(n0 / n, scaling_exponent);
}

double run_rework(double checkpoint_hour, double interruption_hour,
                  double machine_count)
{
    const double restart_hour = 0.25; /* estimate: new machine, load, warm */
    double lost = (checkpoint_hour / 2 + restart_hour) * machine_count /
                  interruption_hour;

    return fmin(0.95, lost / (1 + lost));
}

/* GPUs that finish in time: the smallest whole number; NAN past a million. */
static double deadline_count(double wall_hour, double n0, double deadline_hour)
{
    double n;

    if (isnan(deadline_hour) || isnan(wall_hour))
        return NAN;
    if (wall_hour <= deadline_hour) /* fewer do: without loss, at the worst */
        return fmax(1, ceil(n0 * wall_hour / deadline_hour - 1e-9));
    n = ceil(n0 * pow(wall_hour / deadline_hour, 1 / scaling_exponent) - 1e-9);
    return n <= 1e6 ? n : NAN;
}

static enum precision precision_of(const struct option *option)
{
    return (enum precision)(int)option->value[F_precision];
}

static void settle_count(const struct run_spec *wanted,
                         const struct option *option,
                         const struct result *result, struct run_option *out)
{
    double machines = option->kind == KIND_OWN
                    ? result->step[S_machine_used_count] : 1;

    out->run_gpu_count = isnan(wanted->run_gpu_count)
                       ? option->value[F_gpu_count] * machines
                       : wanted->run_gpu_count;
    out->train.run_gpu_count = out->run_gpu_count;
}

static void settle_memory(const struct run_spec *wanted,
                          struct run_option *out)
{
    double room = out->gpu->memory_gib.value;
    struct train_run train = out->train;
    int vision = !isnan(train.sample_count) ||
                 train.shape.task == TASK_VISION;

    if (!vision)
        train_guess_shape(&train.shape);
    if (isnan(train.sequence_token))
        train.sequence_token = 2048;
    train_choose(&train, room, wanted->recompute_given, wanted->stage_given);
    train_memory_of(&train, &out->memory);
    out->fits = train_fits_in(&out->memory, room);
    if (vision && out->fits != FITS_NOT) /* activations are not known */
        out->fits = FITS_UNKNOWN;
    out->train.recompute = train.recompute;
    out->train.shard_stage = train.shard_stage;
    if (out->fits == FITS_NOT)
        train_advise(&train, room, &out->advice);
}

static int attention_counted(const struct train_run *train)
{
    return !isnan(train->shape.layer_count * train->shape.hidden_width *
                  train->sequence_token);
}

/* What the fit is asked. Nobody typed how many GPUs: a run that would take
   its machine longer than a month is not thought of as one on few GPUs, which
   use themselves best. */
static struct mfu predict(const struct run_spec *wanted,
                          enum precision precision,
                          const struct run_option *out)
{
    const double month_hour = 720;
    const struct train_shape *shape = &out->train.shape;
    struct mfu_case c = {
        out->gpu, precision, shape->active_param_count, shape->param_count,
        out->train.sequence_token, out->run_gpu_count, shape->task,
        attention_counted(&out->train) || isnan(shape->active_param_count),
        out->run_gpu_count > 1 && out->gpu->housing != HOUSING_SXM
    };
    struct mfu mfu;
    double hour;

    if (isnan(out->train.token_count) && !isnan(out->train.sample_count))
        c.task = TASK_VISION;
    mfu = mfu_predict(&c);
    if (!isnan(wanted->run_gpu_count))
        return mfu;
    hour = train_gpu_hour(isnan(wanted->flop_count) ? train_flop(&out->train)
                                                    : wanted->flop_count,
                          out->gpu->peak_tflops[precision].value,
                          mfu.mfu_frac, mfu.goodput_frac);
    if (hour / month_hour > c.run_gpu_count) {
        c.run_gpu_count = hour / month_hour;
        mfu = mfu_predict(&c);
    }
    return mfu;
}

static void settle_rate(const struct run_spec *wanted, enum precision precision,
                        struct run_option *out)
{
    struct mfu mfu = predict(wanted, precision, out);

    out->mfu_typed = !isnan(wanted->mfu_frac);
    out->mfu_frac = out->mfu_typed ? wanted->mfu_frac : mfu.mfu_frac;
    out->goodput_frac = isnan(wanted->goodput_frac) ? mfu.goodput_frac
                                                    : wanted->goodput_frac;
    /* the interval moves with what is typed */
    out->gpu_hour_low = mfu.mfu_frac * mfu.goodput_frac / mfu.high_frac;
    out->gpu_hour_high = mfu.mfu_frac * mfu.goodput_frac / mfu.low_frac;
    if (out->mfu_typed) {
        /* eleven runs that report both: whole run over stepping 0.83 to 1 */
        out->gpu_hour_low = isnan(wanted->goodput_frac)
                          ? out->goodput_frac : 1;
        out->gpu_hour_high = isnan(wanted->goodput_frac)
                           ? out->goodput_frac / 0.8 : 1;
    }
}

static void settle_hours(const struct run_spec *wanted,
                         enum precision precision,
                         const struct run_option *reference,
                         struct run_option *out)
{
    double peak = out->gpu->peak_tflops[precision].value;

    out->flop = isnan(wanted->flop_count) ? train_flop(&out->train)
                                          : wanted->flop_count;
    out->hardware_flop = isnan(wanted->flop_count)
                       ? train_hardware_flop(&out->train)
                       : wanted->flop_count;
    if (isnan(wanted->gpu_hour)) {
        out->gpu_hour = train_gpu_hour(out->flop, peak, out->mfu_frac,
                                       out->goodput_frac);
    } else if (reference == NULL || reference->gpu == out->gpu) {
        out->gpu_hour = wanted->gpu_hour;
        out->gpu_hour_low = out->gpu_hour_high = 1;
    } else {
        /* typed for the GPU of option a: others by what they get done */
        double rate = reference->gpu->peak_tflops[precision].value *
                      reference->mfu_frac;
        out->gpu_hour = wanted->gpu_hour * rate / (peak * out->mfu_frac);
    }
    out->gpu_hour_low *= out->gpu_hour;
    out->gpu_hour_high *= out->gpu_hour;
    out->wall_hour = out->gpu_hour / out->run_gpu_count;
}

/* --- money ----------------------------------------------------------------- */

/* Price of an hour of one machine at the current terms, upfront included. */
static double rent_per_hour(const struct option *option)
{
    const double *v = option->value;
    int term_month = term_month_of((int)v[F_term]);
    double price = v[F_rent_price_per_hour];

    if (term_month > 0)
        price += v[F_rent_upfront_price] / (term_month * hour_per_month);
    else
        price *= 1 + v[F_billing_overhead_frac];
    return price * (1 - v[F_rent_discount_frac]) * (1 + v[F_support_frac]) *
           (1 + v[F_service_tax_frac]);
}

static void price_own(const struct option *option, const struct result *result,
                      struct run_option *out)
{
    const double *v = option->value;
    double need = result->step[S_need_machine_hour_per_month];

    out->cost_full = need > 0 ? result->step[S_monthly_equivalent_cost] /
                                need * out->machine_hour : NAN;
    out->cost_marginal = out->kwh * v[F_energy_price_per_kwh] *
                         (1 + v[F_service_tax_frac]);
}

/* Data kept and sent while the run lasts. */
static double storage_cost(const double *v, double wall_hour)
{
    return (v[F_storage_gb] * v[F_storage_price_per_gb_month] +
            v[F_egress_gb_per_month] * v[F_egress_price_per_gb]) *
           wall_hour / hour_per_month *
           (1 + v[F_service_tax_frac]);
}

static void price_rent(const struct option *option, struct run_option *out)
{
    int committed = term_month_of((int)option->value[F_term]) > 0;
    double data = storage_cost(option->value, out->wall_hour);

    out->cost_full = rent_per_hour(option) * out->machine_hour + data;
    out->cost_marginal = committed ? data : out->cost_full;
}

/* Three scopes. Where the load is fitted, a short run on many machines draws
   less, and switches draw too. */
static void draw_energy(const struct option *option,
                        const struct result *result, double machine_count,
                        struct run_option *out)
{
    const double *v = option->value;
    double kilo_hour = out->machine_hour / watt_per_kw, network = 0;

    if (v[F_load] > LOAD_TDP && v[F_load] < LOAD_INFERENCE) {
        kilo_hour *= power_short_ratio(machine_count, out->wall_hour);
        network = power_network_ratio(machine_count);
    }
    out->gpu_kwh = kilo_hour * v[F_gpu_count] * v[F_gpu_watt] *
                   v[F_gpu_load_frac];
    out->node_kwh = kilo_hour * result->step[S_busy_watt];
    out->kwh = out->node_kwh * (1 + network) * v[F_pue_ratio];
}

static void price_run(const struct run_spec *wanted,
                      const struct option *option, const struct result *result,
                      struct run_option *out)
{
    const double *v = option->value;
    double machines = out->run_gpu_count / v[F_gpu_count];

    if (option->kind == KIND_RENT) /* rented whole */
        machines = ceil(machines - 1e-9);
    out->rework_frac = isnan(wanted->interruption_hour) ? v[F_rework_frac]
                     : run_rework(wanted->checkpoint_hour,
                                  wanted->interruption_hour,
                                  ceil(machines - 1e-9));
    out->machine_hour = out->wall_hour * machines * wanted->project_factor /
                        (1 - out->rework_frac);
    draw_energy(option, result, ceil(machines - 1e-9), out);
    out->kg = out->kwh * v[F_grid_g_per_kwh] / gram_per_kg;
    if (option->kind == KIND_OWN)
        price_own(option, result, out);
    else
        price_rent(option, out);
    out->cost_per_million_tokens =
        out->cost_full / (out->train.token_count / token_per_million);
    out->cost_per_pflop_day = out->cost_full /
                              (out->flop / flop_per_pflop_day);
}

static void price_inference(const struct option *option,
                            const struct result *result,
                            struct run_option *out)
{
    const struct train_run *train = &out->train;
    double sequence = isnan(train->sequence_token) ? 2048
                                                   : train->sequence_token;
    double need = result->step[S_need_machine_hour_per_month];
    double per_hour, machines = out->run_gpu_count / option->value[F_gpu_count];

    struct train_shape shape = train->shape;

    train_guess_shape(&shape);
    inference_run(&shape, out->gpu, precision_of(option),
                  out->run_gpu_count, train->micro_batch, sequence,
                  &out->inference);
    {
        struct train_memory memory = {
            .total_gib = out->inference.total_gib_per_gpu };
        out->fits = train_fits_in(&memory, out->gpu->memory_gib.value);
    }
    if (option->kind == KIND_OWN)
        per_hour = need > 0 ? result->step[S_monthly_equivalent_cost] / need
                            : NAN;
    else
        per_hour = rent_per_hour(option);
    if (option->kind == KIND_RENT)
        machines = ceil(machines - 1e-9);
    out->inference_cost_per_million_tokens =
        per_hour * machines /
        (out->inference.tokens_per_s * second_per_hour / token_per_million);
}

void run_option_of(const struct run_spec *wanted, const struct option *option,
                   const struct result *result,
                   const struct run_option *reference, struct run_option *out)
{
    enum precision precision = precision_of(option);

    memset(out, 0, sizeof *out);
    out->train = wanted->train;
    out->gpu = gpu_find(option->name[F_gpu]);
    if (out->gpu == NULL)
        return;
    settle_count(wanted, option, result, out);
    if (wanted->inference) {
        price_inference(option, result, out);
        return;
    }
    settle_memory(wanted, out);
    settle_rate(wanted, precision, out);
    settle_hours(wanted, precision, reference, out);
    price_run(wanted, option, result, out);
    out->deadline_gpu_count = deadline_count(out->wall_hour,
                                             out->run_gpu_count,
                                             wanted->deadline_hour);
}
