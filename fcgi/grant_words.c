/* grant_words.c: one table of paragraphs in each language, and what stands
   in their gaps. */
#include "fcgi/grant_words.h"

#include <string.h>

#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "pricing/calendar.h"
#include "pricing/num.h"

enum { PIECE_BYTE_MAX = 64 * 1024, GAP_MAX = 16, HOUR_DIGITS = 5 };
enum { ENGLISH, CHINESE, LANGUAGE_COUNT };

static const char *const words[GRANT_SAY_COUNT][LANGUAGE_COUNT] = {
    [GRANT_SAY_WORK] = {
        "The work is set by option a of the study, {a} (machines: {b}): busy "
        "{c} of the hours of a month, it comes to {d} machine-hours a month "
        "at {e} precision. The option requested, {f}, "
        "does the same work at {g} times the speed of one such machine. It "
        "takes {h} of its machine-hours a month, and {i} GPU-hours over {j} "
        "months; {k} of the hours are lost to interruptions and redone.",
        "计算工作量由方案 a（{a}）确定：机器数 {b}，每月工作时间占比 {c}，在 {e} "
        "精度下合每月 {d} 机时。申请方案为{f}，单台速度是前者的 {g} 倍，完成同样的"
        "工作每月需 {h} 机时，{j} 个月共 {i} GPU 小时；因中断重做的时间占 {k}。" },
    [GRANT_SAY_BUY] = {
        "We ask to buy {a} (machines: {g}). One machine costs {b}: its GPUs "
        "({c}) are {d} each, priced as of {f}, and its host is {e}. The hours "
        "above keep them in use {h} of the time, and the outlay is {i}. "
        "Electricity at {j} per kWh with a PUE of {k}, upkeep, "
        "repairs, staff, space and taxes come to {l} over the whole time, "
        "less what the machines sell for at the end.",
        "申请购置{a}。单台价格 {b}：其中 GPU {c} 块，每块 {d}（价格日期 {f}），主机 "
        "{e}。上述机时需机器 {g} 台，使用率 {h}，购置支出 {i}。电价每千瓦时 {j}，"
        "PUE {k}；电费、维护、维修、人员、场地和税费扣除期末残值后合计 {l}。" },
    [GRANT_SAY_HIRE] = {
        "We ask to rent {a} from the provider {b} in its region {c}. The list "
        "price is {d} an hour, as observed on {f}, less a negotiated discount "
        "of {e}. Billed are {g} machine-hours a month over {h} months, so "
        "that computing and what is paid upfront come to {i}. Storage, data "
        "out, support, staff and taxes add {j}. Nothing is bought that would "
        "outlast the project, and no finance charges are part of the price.",
        "申请租用{a}，服务商 {b}，区域 {c}。目录价每小时 {d}（观测日期 {f}），协议折扣 "
        "{e}。每月计费 {g} 机时，共 {h} 个月，计算费与预付费合计 {i}；存储、流量、"
        "技术支持、人员和税费另计 {j}。" },
    [GRANT_SAY_HIRE_UPFRONT] = {
        "We ask to rent {a} from the provider {b} in its region {c}. The list "
        "price, as observed on {f}, is {k} paid upfront for each machine and "
        "term of {l} months and {d} an hour beside it, less a negotiated "
        "discount of {e}. Billed are {g} machine-hours a month over {h} "
        "months, so that computing and what is paid upfront come to {i}. "
        "Storage, data out, support, staff and taxes add {j}. Nothing is "
        "bought that would outlast the project, and no finance charges are "
        "part of the price.",
        "申请租用{a}，服务商 {b}，区域 {c}。目录价（观测日期 {f}）为每台机器每 {l} 个月"
        "预付 {k}，另每小时 {d}，协议折扣 {e}。每月计费 {g} 机时，共 {h} 个月，计算费与"
        "预付费合计 {i}；存储、流量、技术支持、人员和税费另计 {j}。" },
    [GRANT_SAY_COMPARED] = {
        "The options that do the same work ({a} in all) were compared over {b} "
        "months at a discount rate of {c} a year. In present value the option "
        "requested costs {d}, the cheapest one {e}. {f}",
        "对完成同样工作的 {a} 个方案按 {b} 个月、年折现率 {c} 作了比较：申请方案的"
        "现值成本为 {d}，最低者为 {e}。{f}" },
    [GRANT_SAY_SUM] = {
        "The sum requested is {a}: {b} for equipment, {c} for supplies, {d} "
        "for services, {e} for staff, and {f} for overhead at a rate of {g}, "
        "from {i} on (budget periods: {h}). The share of the "
        "use that belongs to the project is {j}. Interest, profit tax, resale "
        "and use by others are not requested. Prices are those of {k}. Every "
        "figure is an estimate that can be computed again from the link at "
        "the end, with its formula, its source and its date; none is a "
        "quotation.",
        "申请金额合计 {a}：设备费 {b}，材料费 {c}，服务费 {d}，人员费 {e}，间接费用 "
        "{f}（费率 {g}），自 {i} 起分 {h} 个预算期执行，项目使用占比 {j}。利息、所得税、"
        "残值及其他用户的使用不在申请之内。价格日期 {k}，各项数字均为可由文末链接重算的"
        "估算，不构成报价。" },
    [GRANT_SAY_ENERGY] = {
        "Over {a} months the machines draw {b} kWh and the site {c} kWh (PUE "
        "{d}). At {e} g CO2e per kWh, location-based ({f}), this is {g} kg "
        "CO2e; making the machines adds {h} kg, in all {i} kg. Contracts for "
        "renewable electricity do not lower this figure. Water on and off "
        "site: {j} L.",
        "{a} 个月内机器用电 {b} kWh，站点用电 {c} kWh（PUE {d}）。按每千瓦时 {e} 克 "
        "CO2e（基于位置，{f}）计算，排放 {g} kg CO2e；设备制造另计 {h} kg，合计 {i} "
        "kg。可再生电力合同不降低该数值。现场与场外用水 {j} L。" },
    [GRANT_SAY_DEPRECIATION] = {
        "Straight line: an outlay of {a} over {b} months, for the months of "
        "each period, times the share of use.",
        "直线折旧：购置支出 {a} 按 {b} 个月分摊，乘以各期月数和使用占比。" },
    [GRANT_SAY_RENT_WITHIN] = {
        "The rent of {a} stays within the depreciation of like equipment, "
        "{b}, for {c} over the same months and share of use.",
        "租金 {a} 未超过同类设备（{c}）同期、同使用占比的折旧额 {b}。" },
    [GRANT_SAY_RENT_ABOVE] = {
        "The rent of {a} exceeds the depreciation of like equipment, {b}, for "
        "{c} over the same months and share of use: only the lower amount may "
        "be eligible.",
        "租金 {a} 超过同类设备（{c}）同期、同使用占比的折旧额 {b}：可能只有较低的金额"
        "符合资助条件。" },
    [GRANT_SAY_RATE] = {
        "Amounts requested are converted at {a} {b} for one {c}, the rate of "
        "{d}.",
        "申请金额按 1 {c} = {a} {b} 折算（汇率日期 {d}）。" },
    [GRANT_SAY_NO_RATE] = {
        "All prices are in {b}; nothing is converted.",
        "所有价格均以 {b} 计，未作汇率折算。" },
    [GRANT_SAY_EQUIPMENT] = {
        "One machine costs {a}, the line for equipment is {b}: it is "
        "equipment.",
        "单台价格 {a}，设备起点 {b}：列入设备费。" },
    [GRANT_SAY_SUPPLY] = {
        "One machine costs {a}, the line for equipment is {b}: it is a "
        "supply.",
        "单台价格 {a}，设备起点 {b}：列入材料费。" },
    [GRANT_SAY_CALCULATOR] = {
        "For the provider's own estimate type the same into its calculator: "
        "{a}, region {b}, {c}, {d} hours a month, {e} months.",
        "请在服务商的价格计算器中输入同样的配置：{a}，区域 {b}，{c}，每月 {d} 小时，"
        "{e} 个月。" },
};

/* --- gaps ----------------------------------------------------------- */

/* What stands in the gaps, one after the other, each with its NUL. */
struct gaps {
    const struct answer *answer;
    const struct grant_pack *pack;
    struct text text;
    int count;
};

static void gap_end(struct gaps *g)
{
    text_put(&g->text, "", 1);
    g->count++;
}

static void gap_text(struct gaps *g, const char *text)
{
    text_str(&g->text, text);
    gap_end(g);
}

static void gap_number(struct gaps *g, double value, int digits)
{
    shown_digits(&g->text, value, digits);
    gap_end(g);
}

static void gap_percent(struct gaps *g, double frac)
{
    shown_percent(&g->text, frac);
    gap_end(g);
}

static void gap_day(struct gaps *g, int day)
{
    char digits[11] = "\xE2\x80\x93";

    if (day)
        day_print(digits, day);
    gap_text(g, digits);
}

/* Money of the study; a price shows four digits. */
static void gap_money(struct gaps *g, double value)
{
    shown_money(&g->text, g->answer->study.currency, value);
    gap_end(g);
}

static void gap_price(struct gaps *g, double value)
{
    shown_price(&g->text, g->answer->study.currency, value);
    gap_end(g);
}

/* Money of the funder. */
static void gap_amount(struct gaps *g, double value)
{
    shown_money(&g->text, g->pack->currency, value);
    gap_end(g);
}

static const struct option *asked(const struct gaps *g)
{
    return &g->answer->study.option[g->pack->option];
}

static const struct result *result_of(const struct gaps *g)
{
    return &g->answer->result[g->pack->option];
}

static void gap_choice(struct gaps *g, int field)
{
    shown_value(&g->text, asked(g), field);
    gap_end(g);
}

/* The date of a field's source; a dash when it was typed. */
static void gap_date_of(struct gaps *g, int field)
{
    int source = g->answer->source_of[g->pack->option][field];
    char day[11];

    gap_text(g, source ? cited_date(&g->answer->cited[source - 1], day)
                       : "\xE2\x80\x93");
}

/* --- paragraphs ------------------------------------------------------- */

static void fill_work(struct gaps *g)
{
    const struct option *a = &g->answer->study.option[0], *o = asked(g);
    const struct result *r = result_of(g);
    double machines = g->answer->result[0].step[S_machine_used_count];
    double need = r->step[S_need_machine_hour_per_month];

    gap_text(g, answer_label(g->answer, 0));
    gap_number(g, machines, HOUR_DIGITS);
    gap_percent(g, a->value[F_busy_frac]);
    gap_number(g, work_of(a->value).machine_hour_per_month, HOUR_DIGITS);
    gap_choice(g, F_precision);
    gap_text(g, answer_label(g->answer, g->pack->option));
    gap_number(g, o->value[F_machine_speed] / a->value[F_machine_speed],
               HOUR_DIGITS);
    gap_number(g, need, HOUR_DIGITS);
    gap_number(g, need * o->value[F_gpu_count] * r->month_count, HOUR_DIGITS);
    gap_number(g, r->month_count, HOUR_DIGITS);
    gap_percent(g, o->value[F_rework_frac]);
}

static void fill_buy(struct gaps *g)
{
    const double *v = asked(g)->value;
    const struct result *r = result_of(g);

    gap_text(g, answer_label(g->answer, g->pack->option));
    gap_money(g, v[F_gpu_count] * v[F_gpu_price] + v[F_host_price]);
    gap_number(g, v[F_gpu_count], HOUR_DIGITS);
    gap_money(g, v[F_gpu_price]);
    gap_money(g, v[F_host_price]);
    gap_date_of(g, F_gpu_price);
    gap_number(g, r->step[S_machine_used_count], HOUR_DIGITS);
    gap_percent(g, r->step[S_use_frac]);
    gap_money(g, r->step[S_capex_cost]);
    gap_price(g, v[F_energy_price_per_kwh]);
    gap_number(g, v[F_pue_ratio], 3);
    gap_money(g, r->total_cost - r->step[S_capex_cost]);
}

static void fill_hire(struct gaps *g)
{
    const struct option *o = asked(g);
    const struct result *r = result_of(g);
    double computing = r->item[I_compute] + r->item[I_upfront];

    gap_text(g, answer_label(g->answer, g->pack->option));
    gap_text(g, o->name[F_provider]);
    gap_text(g, o->name[F_region]);
    gap_price(g, o->value[F_rent_price_per_hour]);
    gap_percent(g, o->value[F_rent_discount_frac]);
    gap_date_of(g, F_rent_price_per_hour);
    gap_number(g, r->step[S_billed_machine_hour_per_month], HOUR_DIGITS);
    gap_number(g, r->month_count, HOUR_DIGITS);
    gap_money(g, computing);
    gap_money(g, r->total_cost - computing);
    gap_money(g, o->value[F_rent_upfront_price]);
    gap_number(g, term_month_of((int)o->value[F_term]), HOUR_DIGITS);
}

static void fill_compared(struct gaps *g)
{
    double least = result_of(g)->npv_cost;
    struct text verdict;

    for (int i = 0; i < g->answer->study.option_count; i++)
        if (g->answer->result[i].rank == 1)
            least = g->answer->result[i].npv_cost;
    gap_number(g, g->answer->study.option_count, HOUR_DIGITS);
    gap_number(g, result_of(g)->month_count, HOUR_DIGITS);
    gap_percent(g, asked(g)->value[F_discount_frac]);
    gap_money(g, result_of(g)->npv_cost);
    gap_money(g, least);
    text_init(&verdict, PIECE_BYTE_MAX);
    sentence_verdict(g->answer, &verdict);
    gap_text(g, verdict.at ? verdict.at : "");
    text_free(&verdict);
}

static void fill_sum(struct gaps *g)
{
    const struct grant *grant = &g->pack->grant;

    gap_amount(g, grant->sum.total);
    for (int k = 0; k < GRANT_CLASS_COUNT; k++)
        gap_amount(g, grant->sum.cost[k]);
    gap_amount(g, grant->sum.overhead);
    gap_percent(g, g->pack->terms.overhead_frac);
    gap_number(g, grant->count, HOUR_DIGITS);
    gap_day(g, g->answer->start_day);
    gap_percent(g, g->pack->terms.use_frac);
    gap_day(g, g->answer->study.as_of_day);
}

static void fill_energy(struct gaps *g)
{
    const double *step = result_of(g)->step, *v = asked(g)->value;

    gap_number(g, result_of(g)->month_count, HOUR_DIGITS);
    gap_number(g, step[S_it_kwh], 3);
    gap_number(g, step[S_meter_kwh], 3);
    gap_number(g, v[F_pue_ratio], 3);
    gap_number(g, v[F_grid_g_per_kwh], 4);
    gap_date_of(g, F_grid_g_per_kwh);
    gap_number(g, step[S_operational_kg], 3);
    gap_number(g, step[S_embodied_kg], 3);
    gap_number(g, step[S_total_kg], 3);
    gap_number(g, step[S_water_l], 3);
}

static void fill_depreciation(struct gaps *g)
{
    gap_money(g, g->pack->grant.outlay);
    gap_number(g, g->pack->grant.depreciation_month, HOUR_DIGITS);
}

static void fill_rent(struct gaps *g)
{
    gap_amount(g, g->pack->cap.rent);
    gap_amount(g, g->pack->cap.cap);
    gap_text(g, answer_label(g->answer, g->pack->like));
}

static void fill_rate(struct gaps *g)
{
    gap_number(g, g->pack->terms.rate, 6);
    gap_text(g, g->pack->currency);
    gap_text(g, g->answer->study.currency);
    gap_day(g, g->pack->rate_day);
}

static void fill_line(struct gaps *g)
{
    gap_amount(g, g->pack->grant.unit_price);
    gap_amount(g, g->pack->terms.equipment_line);
}

static void fill_calculator(struct gaps *g)
{
    const struct result *r = result_of(g);

    gap_text(g, asked(g)->name[F_instance]);
    gap_text(g, asked(g)->name[F_region]);
    gap_choice(g, F_term);
    gap_number(g, r->step[S_billed_machine_hour_per_month], HOUR_DIGITS);
    gap_number(g, r->month_count, HOUR_DIGITS);
}

static void (*const fill[GRANT_SAY_COUNT])(struct gaps *g) = {
    [GRANT_SAY_WORK] = fill_work, [GRANT_SAY_BUY] = fill_buy,
    [GRANT_SAY_HIRE] = fill_hire, [GRANT_SAY_HIRE_UPFRONT] = fill_hire,
    [GRANT_SAY_COMPARED] = fill_compared,
    [GRANT_SAY_SUM] = fill_sum, [GRANT_SAY_ENERGY] = fill_energy,
    [GRANT_SAY_DEPRECIATION] = fill_depreciation,
    [GRANT_SAY_RENT_WITHIN] = fill_rent, [GRANT_SAY_RENT_ABOVE] = fill_rent,
    [GRANT_SAY_RATE] = fill_rate, [GRANT_SAY_NO_RATE] = fill_rate,
    [GRANT_SAY_EQUIPMENT] = fill_line, [GRANT_SAY_SUPPLY] = fill_line,
    [GRANT_SAY_CALCULATOR] = fill_calculator,
};

void grant_say(const struct answer *answer, const struct grant_pack *pack,
               enum grant_say say, struct paper *paper)
{
    struct gaps gaps = { .answer = answer, .pack = pack };
    const char *word[GAP_MAX] = { NULL }, *at;
    struct text line;

    text_init(&gaps.text, PIECE_BYTE_MAX);
    text_init(&line, PIECE_BYTE_MAX);
    fill[say](&gaps);
    at = gaps.text.at;
    for (int i = 0; at && i < gaps.count && i < GAP_MAX; i++) {
        word[i] = at;
        at += strlen(at) + 1;
    }
    if (!gaps.text.failed)
        paper_fill(&line, words[say][answer->study.zh ? CHINESE : ENGLISH],
                   word, gaps.count);
    paper_paragraph(paper, line.at ? line.at : "");
    text_free(&line);
    text_free(&gaps.text);
}

void grant_justify(const struct answer *answer, const struct grant_pack *pack,
                   struct paper *paper)
{
    const struct option *o = &answer->study.option[pack->option];
    int upfront = o->value[F_rent_upfront_price] > 0 &&
                  term_month_of((int)o->value[F_term]) > 0;

    grant_say(answer, pack, GRANT_SAY_WORK, paper);
    grant_say(answer, pack, o->kind == KIND_OWN ? GRANT_SAY_BUY
              : upfront ? GRANT_SAY_HIRE_UPFRONT : GRANT_SAY_HIRE, paper);
    grant_say(answer, pack, GRANT_SAY_COMPARED, paper);
    grant_say(answer, pack, GRANT_SAY_SUM, paper);
}
