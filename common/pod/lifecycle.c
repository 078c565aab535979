/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a container's lifecycle, with its stop signal. */
#include "common/pod/parts.h"

/* Sorted by bytes, as the error lists them. */
static const char *const linux_signals[] = {
    "SIGABRT",     "SIGALRM",     "SIGBUS",      "SIGCHLD",     "SIGCLD",      "SIGCONT",
    "SIGFPE",      "SIGHUP",      "SIGILL",      "SIGINT",      "SIGIO",       "SIGIOT",
    "SIGKILL",     "SIGPIPE",     "SIGPOLL",     "SIGPROF",     "SIGPWR",      "SIGQUIT",
    "SIGRTMAX",    "SIGRTMAX-1",  "SIGRTMAX-10", "SIGRTMAX-11", "SIGRTMAX-12", "SIGRTMAX-13",
    "SIGRTMAX-14", "SIGRTMAX-2",  "SIGRTMAX-3",  "SIGRTMAX-4",  "SIGRTMAX-5",  "SIGRTMAX-6",
    "SIGRTMAX-7",  "SIGRTMAX-8",  "SIGRTMAX-9",  "SIGRTMIN",    "SIGRTMIN+1",  "SIGRTMIN+10",
    "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2",
    "SIGRTMIN+3",  "SIGRTMIN+4",  "SIGRTMIN+5",  "SIGRTMIN+6",  "SIGRTMIN+7",  "SIGRTMIN+8",
    "SIGRTMIN+9",  "SIGSEGV",     "SIGSTKFLT",   "SIGSTOP",     "SIGSYS",      "SIGTERM",
    "SIGTRAP",     "SIGTSTP",     "SIGTTIN",     "SIGTTOU",     "SIGURG",      "SIGUSR1",
    "SIGUSR2",     "SIGVTALRM",   "SIGWINCH",    "SIGXCPU",     "SIGXFSZ",     NULL,
};
static const char *const windows_signals[] = { "SIGKILL", "SIGTERM", NULL };

/** The signal, NULL if there is none. */
static const struct jr_node *stop_signal(const struct jr_pod_check *p,
                                         const struct jr_node *lifecycle)
{
    const struct jr_node *signal = jr_get(lifecycle, "stopSignal");

    return p->opts->stop_signals && !jr_unset(signal) ? signal : NULL;
}

bool jr_pod_has_lifecycle(const struct jr_pod_check *p, const struct jr_node *container)
{
    const struct jr_node *lifecycle = jr_get(container, "lifecycle");

    /* with nothing left beside a signal that is dropped, the lifecycle is dropped too */
    return !jr_unset(lifecycle) &&
           (jr_unset(jr_get(lifecycle, "stopSignal")) || stop_signal(p, lifecycle) != NULL ||
            !jr_unset(jr_get(lifecycle, "postStart")) || !jr_unset(jr_get(lifecycle, "preStop")));
}

static void check_stop_signal(struct jr_pod_check *p, const struct jr_node *signal,
                              const struct jr_field_path *path)
{
    const struct jr_node *os = jr_get(p->spec, "os");

    if (jr_unset(os))
        jr_violation(p->errs, JR_RULE_STOP_SIGNAL_OS, path);
    else if (jr_str_is(jr_get_str(os, "name"), "windows"))
        jr_validate_choice(JR_RULE_STOP_SIGNAL, windows_signals, jr_node_str(signal), path,
                           p->errs);
    else if (jr_str_is(jr_get_str(os, "name"), "linux"))
        jr_validate_choice(JR_RULE_STOP_SIGNAL, linux_signals, jr_node_str(signal), path, p->errs);
}

void jr_pod_check_lifecycle(struct jr_pod_check *p, const struct jr_node *container,
                            const struct jr_field_path *path)
{
    static const char *const hooks[] = { "postStart", "preStop" };
    const struct jr_field_path at = JR_FIELD(path, "lifecycle");
    const struct jr_node *lifecycle = jr_get(container, "lifecycle");
    const struct jr_node *signal = stop_signal(p, lifecycle);

    for (size_t i = 0; i < JR_ARRAY_SIZE(hooks); i++) {
        const struct jr_node *hook = jr_get(lifecycle, hooks[i]);

        if (!jr_unset(hook))
            jr_pod_check_handler(p, hook, JR_POD_HOOK, &JR_FIELD(&at, hooks[i]));
    }
    if (signal != NULL)
        check_stop_signal(p, signal, &JR_FIELD(&at, "stopSignal"));
}
