/* power_exporter.h: DCGM's fields as dcgm-exporter serves them, one page after
   another in one file (Prometheus text). */
#ifndef GPUTCO_ENERGY_POWER_EXPORTER_H
#define GPUTCO_ENERGY_POWER_EXPORTER_H

#include "energy/power_log.h"

/* 1 when the line is of that form, "DCGM_FI_…{…} value" or a comment on one.
   Power becomes a reading; other fields are passed over. */
int power_exporter_line(struct power_log *log, struct power_cell line);

#endif
