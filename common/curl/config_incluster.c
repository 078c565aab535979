/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration that a Pod finds. */
#include "common/base/memory.h"
#include "common/curl/config_parts.h"

static enum jr_status read_in(const char *dir, const char *name, char **ret, struct jr_error *err)
{
    JR_FREE char *path = jr_xasprintf("%s/%s", dir, name);

    return jr_config_read_text(path, ret, err);
}

/** The address; IPv6 hosts are put in brackets. */
static char *server_of(const char *host, const char *port)
{
    const bool v6 = strchr(host, ':') != NULL && host[0] != '[';

    return jr_xasprintf("https://%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

enum jr_status jr_config_incluster(const char *dir, const char *host, const char *port,
                                   struct jr_kube_config *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_kube_config_done) struct jr_kube_config c = { 0 };
    JR_FREE char *namespace = NULL;
    enum jr_status st;

    if (port == NULL || port[0] == '\0')
        return jr_fail(err, JR_INVALID, "in-cluster", "KUBERNETES_SERVICE_PORT: not set");
    c.server = server_of(host, port);
    c.token_file = jr_xasprintf("%s/token", dir);
    c.ca_file = jr_xasprintf("%s/ca.crt", dir);
    c.source = jr_xstrdup("in-cluster");
    st = read_in(dir, "ca.crt", &c.ca_pem, err);
    if (st == JR_OK)
        st = read_in(dir, "namespace", &namespace, err);
    if (st == JR_OK)
        c.namespace = jr_xstrndup(jr_str_trim(jr_str(namespace)));
    if (st == JR_OK)
        st = jr_config_check(&c, "in-cluster", err);
    if (st == JR_OK)
        *ret = jr_config_steal(&c);
    return st;
}
