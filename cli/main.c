#include "cli/cli.h"

int main(int argc, char **argv)
{
    return jr_cli_run(argc, argv, &(struct jr_cli_io){ stdin, stdout, stderr });
}
