/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `./dev bench controller` that no ready-made tool has: see bench.h. */
#include "tests/bench/controller/bench.h"

#include <signal.h>
#include <stdio.h>

#define AT(member) offsetof(struct bench_options, member)

static const struct jr_flag table[] = {
    { "kubeconfig", JR_FLAG_STR, AT(kubeconfig),
      .help = "load: where the API server is, a `file`." },
    { "namespace", JR_FLAG_STR, AT(namespace), .initial = "default",
      .help = "load: the `namespace` of the Jobs." },
    { "pod", JR_FLAG_STR, AT(pod_file), .help = "cache, serve: a Pod's text, a `file`." },
    { "job", JR_FLAG_STR, AT(job_file), .help = "cache, serve: a Job's text, a `file`." },
    { "cert", JR_FLAG_STR, AT(cert_file), .help = "serve: the certificate, a PEM `file`." },
    { "key", JR_FLAG_STR, AT(key_file), .help = "serve: its key, a PEM `file`." },
    { "port", JR_FLAG_INT, AT(port), .initial = "8443", .min = 1, .max = 65535,
      .help = "serve: the `port`, at 127.0.0.1." },
    { "jobs", JR_FLAG_INT, AT(jobs), .initial = "1", .min = 1, .max = 1000000,
      .help = "So many `Jobs`." },
    { "pods-each", JR_FLAG_INT, AT(pods_each), .initial = "1", .min = 1, .max = 1000000,
      .help = "So many `Pods` of each." },
    { "events", JR_FLAG_INT, AT(events), .initial = "100000", .min = 0, .max = 100000000,
      .help = "cache: so many `events` after the list." },
    { "template-bytes", JR_FLAG_BYTES, AT(template_bytes), .initial = "0",
      .help = "serve: as many running, suspended and foreign Jobs instead, with templates of this "
              "`size`." },
    { "paged", JR_FLAG_BOOL, AT(paged), .initial = "false",
      .help = "serve: those come in pages, not as a stream." },
    { "timeout", JR_FLAG_DURATION, AT(timeout_ms), .initial = "10m", .min = 1, .max = 3600000,
      .help = "load: gives up after so much `time`." },
    { .name = NULL },
};

static const struct jr_flags flags = {
    .program = "bench-controller",
    .summary = "Benchmarks of the Job controller: cache (its memory and what an event costs, in "
               "this process), serve (a large cluster, served to a controller), load (Jobs on a "
               "real API server, run to their ends).",
    .args = "cache|serve|load",
    .table = table,
};

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct bench_options *o);
    } commands[] = { { "cache", bench_cache }, { "serve", bench_serve }, { "load", bench_load } };
    struct bench_options o;
    int n_args = 0;
    int code = jr_flags_start(&flags, argc, argv, &o, &n_args);

    if (code >= 0)
        return code;
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; n_args == 1 && i < JR_ARRAY_SIZE(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(&o);
    }
    (void)fprintf(stderr, "bench-controller: expected cache, serve or load, see --help\n");
    return 2;
}
