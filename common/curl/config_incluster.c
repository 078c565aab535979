/* The configuration that a Pod finds. */
#include <stdio.h>

#include "common/curl/config_parts.h"

static bool join(char **ret, const char *dir, const char *name)
{
    return asprintf(ret, "%s/%s", dir, name) >= 0 || (*ret = NULL, false);
}

static enum jr_status read_in(const char *dir, const char *name, char **ret, struct jr_error *err)
{
    JR_FREE char *path = NULL;

    if (!join(&path, dir, name))
        return jr_fail(err, JR_NOMEM, dir, "in-cluster configuration");
    return jr_config_read_text(path, ret, err);
}

/** The address; IPv6 hosts are put in brackets. */
static bool set_server(struct jr_kube_config *c, const char *host, const char *port)
{
    const bool v6 = strchr(host, ':') != NULL && host[0] != '[';

    return asprintf(&c->server, "https://%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port) >=
               0 ||
           (c->server = NULL, false);
}

static void config_done(struct jr_kube_config *c)
{
    jr_kube_config_done(c);
}

enum jr_status jr_config_incluster(const char *dir, const char *host, const char *port,
                                   struct jr_kube_config *ret, struct jr_error *err)
{
    JR_CLEANUP(config_done) struct jr_kube_config c = { 0 };
    JR_FREE char *namespace = NULL;
    enum jr_status st;

    if (port == NULL || port[0] == '\0')
        return jr_fail(err, JR_INVALID, "in-cluster", "KUBERNETES_SERVICE_PORT: not set");
    if (!set_server(&c, host, port) || !join(&c.token_file, dir, "token") ||
        !join(&c.ca_file, dir, "ca.crt") || (c.source = jr_str_dup(JR_S("in-cluster"))) == NULL)
        return jr_fail(err, JR_NOMEM, "in-cluster", "configuration");
    st = read_in(dir, "ca.crt", &c.ca_pem, err);
    if (st == JR_OK)
        st = read_in(dir, "namespace", &namespace, err);
    if (st == JR_OK) {
        c.namespace = jr_str_dup(jr_str_trim(jr_str(namespace)));
        if (c.namespace == NULL)
            st = jr_fail(err, JR_NOMEM, "in-cluster", "configuration");
    }
    if (st == JR_OK)
        st = jr_config_check(&c, "in-cluster", err);
    if (st == JR_OK) {
        *ret = c;
        c = (struct jr_kube_config){ 0 };
    }
    return st;
}
