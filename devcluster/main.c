#include "devcluster/commands.h"

int main(int argc, char **argv)
{
    return jr_devcluster_main(argc, argv);
}
