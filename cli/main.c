/* The program. */
#include "cli/commands.h"

int main(int argc, char **argv)
{
    return jr_cli_main(argc, argv);
}
