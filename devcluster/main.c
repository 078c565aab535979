/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-devcluster. */
#include "devcluster/commands.h"

int main(int argc, char **argv)
{
    return jr_dev_main(argc, argv);
}
