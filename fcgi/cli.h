/* cli.h: the command line. */
#ifndef GPUTCO_FCGI_CLI_H
#define GPUTCO_FCGI_CLI_H

#include "pricing/world.h"

/* Runs every command but `serve`, writing to stdout and stderr. world_of is
   called once, by the commands that need prices. Returns the exit code: 0
   good, 2 bad input or usage, 1 any other fault. */
int cli_main(int argc, char **argv, const struct world *(*world_of)(void),
             const char *base_url);

#endif
