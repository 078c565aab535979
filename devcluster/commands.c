/* SPDX-License-Identifier: Apache-2.0 */
/* Which command is meant. */
#include "devcluster/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/curl/about.h"
#include "common/http/listener.h"
#include "common/json/about.h"
#include "common/schema/kube_version.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "serve", jr_dev_serve },
    { "up", jr_dev_up },
    { "kubelet", jr_dev_kubelet },
    { "certs", jr_dev_certs },
};

void jr_dev_about(struct jr_buf *out)
{
    jr_kube_about(out);
    jr_json_about(out);
    jr_curl_about(out);
    jr_http_about(out);
}

int jr_dev_main(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        return jr_dev_serve(argc, argv);
    for (size_t i = 0; i < JR_ARRAY_SIZE(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    (void)fprintf(stderr,
                  "jobreeve-devcluster: no command '%s': expected serve, up, kubelet or certs\n",
                  argv[1]);
    return 2;
}
