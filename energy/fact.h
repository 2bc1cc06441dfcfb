/* fact.h: a number from the world with where it comes from. */
#ifndef GPUTCO_ENERGY_FACT_H
#define GPUTCO_ENERGY_FACT_H

/* Strings are never NULL; "" means not known. date is as published:
   "2026-02-14", "2026-02", "2026", "2024-S2", "2025-Q2". */
struct source { const char *title, *address, *date, *licence; };

/* value is NAN when the table has none. estimate: a rule or a judgement
   rather than a published figure; shown as such. */
struct fact {
    double value;
    struct source source;
    int estimate;
};

/* First day a date of that form can mean, as yyyymmdd: "2026" is 20260101,
   "2024-S2" 20240701, "2025-Q2" 20250401; 0 when it is none of them. */
int fact_day(const char *date);

#endif
