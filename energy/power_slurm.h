/* power_slurm.h: energy by job as Slurm's sacct prints it: whole nodes, one
   figure a job. */
#ifndef GPUTCO_ENERGY_POWER_SLURM_H
#define GPUTCO_ENERGY_POWER_SLURM_H

#include "energy/power_log.h"

/* 1 when the line is a header of sacct (-P, -p or in columns). */
int power_slurm_header(struct power_log *log, struct power_cell line);

/* The line under it, or a job or step. */
void power_slurm_line(struct power_log *log, struct power_cell line);

/* The last job is over. */
void power_slurm_end(struct power_log *log);

#endif
