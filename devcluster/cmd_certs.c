/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-devcluster certs: a CA and a serving certificate for a trial on this machine. */
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/flags.h"
#include "devcluster/commands.h"
#include "devcluster/data_dir.h"

#define DAYS 30

struct config {
    const char *dir;
    struct jr_flag_list names;
};

static const struct jr_flag table[] = {
    { .name = "dir",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, dir),
      .initial = ".",
      .help = "Where ca.crt, tls.crt and tls.key are written." },
    { .name = "names",
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, names),
      .initial = "127.0.0.1,localhost",
      .help = "DNS names and addresses that the certificate is for." },
    { .name = NULL },
};
const struct jr_flags jr_dev_certs_flags = {
    .program = "jobreeve-devcluster certs",
    .summary = "Makes a CA and a serving certificate, both good for 30 days.",
    .table = table,
    .about = jr_dev_about,
};

static enum jr_status make(const struct config *config, struct jr_error *err)
{
    JR_CLEANUP(jr_cert_done) struct jr_cert ca = { NULL, NULL };
    JR_CLEANUP(jr_cert_done) struct jr_cert leaf = { NULL, NULL };
    struct jr_time now = jr_clock_system.wall(jr_clock_system.self);
    char names[JR_FLAG_LIST_MAX][256];
    const char *list[JR_FLAG_LIST_MAX];

    for (size_t i = 0; i < config->names.n; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%.*s", JR_P(config->names.v[i]));
        list[i] = names[i];
    }
    enum jr_status st = jr_dev_dir_make(config->dir, err);
    if (st == JR_OK)
        st = jr_cert_make_ca("jobreeve trial CA", now, DAYS, &ca, err);
    if (st == JR_OK)
        st = jr_cert_make_serving(&ca, list, config->names.n, now, DAYS, &leaf, err);
    if (st == JR_OK)
        st = jr_dev_file_write(config->dir, "ca.crt", jr_str(ca.cert_pem), 0644, err);
    if (st == JR_OK)
        st = jr_dev_file_write(config->dir, "tls.crt", jr_str(leaf.cert_pem), 0644, err);
    if (st == JR_OK)
        st = jr_dev_file_write(config->dir, "tls.key", jr_str(leaf.key_pem), 0600, err);
    return st;
}

int jr_dev_certs(int argc, char **argv)
{
    struct config config;
    struct jr_error err;
    char text[800];
    int code = jr_flags_start(&jr_dev_certs_flags, argc, argv, &config, NULL);

    if (code >= 0)
        return code;
    if (make(&config, &err) != JR_OK) {
        (void)fprintf(stderr, "jobreeve-devcluster certs: %s\n",
                      jr_error_text(&err, text, sizeof(text)));
        return 1;
    }
    return 0;
}
