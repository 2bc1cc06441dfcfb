/* calendar.h: months of a comparison as months of the calendar. Pure. Days
   are yyyymmdd. */
#ifndef GPUTCO_PRICING_CALENDAR_H
#define GPUTCO_PRICING_CALENDAR_H

/* The first day of the month that is so many months after that of `day`. */
int calendar_month(int day, int months);

/* When a comparison starts that does not say so: the first day of a month, on
   or after `day`. */
int calendar_start(int day);

#endif
