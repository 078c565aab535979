/* SPDX-License-Identifier: Apache-2.0 */
/* PID 1 of the node, and the one process of each Pod's sandbox: reaps what is orphaned to it, ends
 * on SIGINT and SIGTERM. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void)
{
    sigset_t set;
    int sig;

    if (sigemptyset(&set) || sigaddset(&set, SIGINT) || sigaddset(&set, SIGTERM) ||
        sigaddset(&set, SIGCHLD))
        return EXIT_FAILURE;
    if (sigprocmask(SIG_BLOCK, &set, NULL)) /* NOLINT(concurrency-mt-unsafe): one thread */
        return EXIT_FAILURE;
    while (sigwait(&set, &sig) == 0 && sig == SIGCHLD)
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    return EXIT_SUCCESS;
}
