/* SPDX-License-Identifier: Apache-2.0 */
/* The program. */
#include "cli/commands.h"
#ifdef JR_STATIC
#include "common/curl/static.h"
#endif

int main(int argc, char **argv)
{
#ifdef JR_STATIC
    jr_static_init();
#endif
    return jr_cli_main(argc, argv);
}
