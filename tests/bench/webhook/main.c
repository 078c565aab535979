/* SPDX-License-Identifier: Apache-2.0 */
/* The clients of `./dev bench webhook` that no ready-made tool has: see load.h. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "tests/bench/webhook/conn.h"
#include "tests/bench/webhook/load.h"

#define AT(member) offsetof(struct load_options, member)

static const struct jr_flag table[] = {
    { "ca", JR_FLAG_STR, AT(ca_file), .help = "The server's certificate, a PEM `file`. Required." },
    { "port", JR_FLAG_INT, AT(port), .initial = "9443", .min = 1, .max = 65535,
      .help = "The server's `port`, at 127.0.0.1." },
    { "duration", JR_FLAG_DURATION, AT(duration_ms), .initial = "10s", .min = 1, .max = 3600000,
      .help = "For how much `time`." },
    { "connections", JR_FLAG_INT, AT(connections), .initial = "16", .min = 1, .max = 10000,
      .help = "So many `connections` at once." },
    { "cert", JR_FLAG_STR, AT(cert_file), .help = "A client's certificate, a PEM `file`." },
    { "key", JR_FLAG_STR, AT(key_file), .help = "Its key, a PEM `file`." },
    { "kinds", JR_FLAG_LIST, AT(kinds), .initial = "",
      .help = "hostile: the `kinds` of connections; none: all that the benchmark has." },
    { "addresses", JR_FLAG_INT, AT(addresses), .initial = "0", .min = 0, .max = 250,
      .help = "hostile: so many client `addresses`, 127.0.1.1 and on; 0: the kernel's choice." },
    { "again", JR_FLAG_DURATION, AT(again_ms), .initial = "1s", .max = 60000,
      .help = "hostile: the `time` from a connection's end to the next one." },
    { "drain", JR_FLAG_DURATION, AT(drain_ms), .initial = "40s", .max = 600000,
      .help = "hostile: for how much `time` the last ones are left to be ended by the server." },
    { "mutate", JR_FLAG_STR, AT(mutate_file),
      .help = "valid: a review, a JSON `file`, that a patch answers. Required." },
    { "validate", JR_FLAG_STR, AT(validate_file),
      .help = "valid: a recorded review, a JSON `file`, that is allowed. Required." },
    { "rate", JR_FLAG_INT, AT(rate), .initial = "100", .min = 1, .max = 100000,
      .help = "valid: `requests` a second." },
    { "renew", JR_FLAG_INT, AT(renew), .initial = "100", .min = 1, .max = 1000000,
      .help = "valid: a connection is given up after so many `requests`." },
    { .name = NULL },
};

static const struct jr_flags flags = {
    .program = "bench-webhook",
    .summary = "A client for benchmarks: valid (a fixed rate of reviews, every answer checked) or "
               "hostile (connections that never come to an end by themselves).",
    .args = "valid|hostile",
    .table = table,
};

/** A descriptor for each connection. */
static bool raise_fd_limit(int64_t connections)
{
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) != 0)
        return false;
    lim.rlim_cur = lim.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur > (rlim_t)connections + 64;
}

static int run(const char *what, const struct load_options *o)
{
    bool valid = strcmp(what, "valid") == 0;
    SSL_CTX *ctx;
    int code;

    if ((!valid && strcmp(what, "hostile") != 0) || o->ca_file == NULL ||
        (valid && (o->mutate_file == NULL || o->validate_file == NULL))) {
        (void)fprintf(stderr,
                      "bench-webhook: expected valid or hostile and its files, see --help\n");
        return 2;
    }
    if (!raise_fd_limit(o->connections)) {
        (void)fprintf(stderr, "bench-webhook: --connections: so many files can't be opened\n");
        return 2;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* OpenSSL writes without MSG_NOSIGNAL */
    ctx = conn_context(o->ca_file, o->cert_file, o->key_file);
    if (ctx == NULL)
        return 2;
    if (!valid) /* who attacks asks nobody's name; it would only cost the machine that both share */
        SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);
    code = valid ? load_valid(o, ctx) : load_hostile(o, ctx);
    SSL_CTX_free(ctx);
    return code;
}

int main(int argc, char **argv)
{
    struct load_options o;
    int n_args = 0;
    int code = jr_flags_start(&flags, argc, argv, &o, &n_args);

    if (code >= 0)
        return code;
    return run(n_args == 1 ? argv[1] : "", &o);
}
