/* cli.h: the command line. */
#ifndef GPUTCO_FCGI_CLI_H
#define GPUTCO_FCGI_CLI_H

/* Runs every command but `serve`. Returns the exit code. */
int cli_main(int argc, char **argv);

#endif
