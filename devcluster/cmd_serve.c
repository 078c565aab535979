/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-devcluster: the embedded API server, with the simulated kubelet beside it. */
#include <stdio.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/http/service.h"
#include "devcluster/cluster.h"
#include "devcluster/commands.h"
#include "devcluster/data_dir.h"

struct config {
    struct jr_devcluster_flags cluster;
    int log_level;
};

static const struct jr_flag table[] = {
    JR_DEVCLUSTER_FLAG_ROWS(struct config, cluster),
    { .name = "log-level",
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, log_level),
      .initial = "info",
      .choices = jr_log_levels,
      .help = "What is logged." },
    { .name = NULL },
};
const struct jr_flags jr_dev_serve_flags = {
    .program = "jobreeve-devcluster",
    .summary = "An API server in memory with a simulated kubelet, for trials and tests.\n"
               "Commands: serve (this, also without its name), up (with webhook and controller), "
               "kubelet,\n"
               "certs; each has its --help.",
    .table = table,
    .about = jr_dev_about,
};

/** All that runs; torn down in the reverse order. */
struct serving {
    struct jr_service s;
    struct jr_devcluster cluster;
    int dir; /* the folder is taken */
};

static void serving_done(struct serving *d)
{
    jr_devcluster_done(&d->cluster);
    jr_service_done(&d->s);
    if (d->dir >= 0)
        (void)close(d->dir);
}

/* The kubeconfig is written last: where it is, the server answers. */
static enum jr_status run_devcluster(struct serving *d, const struct jr_devcluster_flags *flags,
                                     const struct jr_profile *profile, struct jr_log *log,
                                     struct jr_error *err)
{
    JR_FREE char *kubeconfig = jr_xasprintf("%s/kubeconfig", flags->data_dir);
    enum jr_status st = jr_dev_dir_take(flags->data_dir, &d->dir, err);

    if (st == JR_OK)
        (void)unlink(kubeconfig); /* who waits for the file waits for ours */
    if (st == JR_OK)
        st = jr_service_open(&d->s, log, NULL, NULL, err);
    if (st == JR_OK)
        st = jr_devcluster_start(&d->cluster, d->s.loop, flags, profile, log, err);
    if (st == JR_OK)
        st = jr_devcluster_publish(&d->cluster, flags->data_dir, "kubeconfig", err);
    if (st != JR_OK)
        return st;
    jr_info(d->s.log, "serving", JR_CSTR("listener", "api"),
            JR_CSTR("address", jr_dev_server_address(d->cluster.server)),
            JR_CSTR("data", flags->data_dir));
    return jr_loop_run(d->s.loop, err);
}

int jr_dev_serve(int argc, char **argv)
{
    JR_CLEANUP(jr_log_freep) struct jr_log *log = NULL;
    JR_CLEANUP(serving_done) struct serving d = { .dir = -1 };
    struct config config;
    struct jr_profile profile;
    struct jr_error err = { 0 };
    int code = jr_flags_start(&jr_dev_serve_flags, argc, argv, &config, NULL);

    if (code >= 0)
        return code;
    if (jr_devcluster_profile(&config.cluster, &profile, &err) != JR_OK) {
        (void)fprintf(stderr, "jobreeve-devcluster: %s: %s\n", err.path, err.msg);
        return 2;
    }
    log = jr_service_log(config.log_level, JR_LOG_JSON, "devcluster");
    if (run_devcluster(&d, &config.cluster, &profile, log, &err) != JR_OK) {
        jr_err(log, "stopped", JR_ERR(&err));
        return 1;
    }
    return 0;
}
