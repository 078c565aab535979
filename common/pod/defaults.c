#include "common/pod/defaults.h"

#include "common/pod/image.h"
#include "common/rules/dflt.h"
#include "common/rules/quantity.h"

#define MILLI (-3)

/* ---- what is no row of a table ---- */

/** Always for the tag "latest", else IfNotPresent. */
static enum jr_status default_pull_policy(struct jr_node *object, const char *member,
                                          struct jr_str image)
{
    const struct jr_node *have = jr_get(object, member);
    bool empty = jr_node_kind(have) == JR_STRING && jr_node_str(have).n == 0;

    if (!jr_unset(have) && !empty)
        return JR_OK;
    return jr_set_str(object, member,
                      jr_image_is_latest(image) ? JR_S("Always") : JR_S("IfNotPresent"));
}

static enum jr_status default_container_pull(struct jr_node *container)
{
    return default_pull_policy(container, "imagePullPolicy", jr_get_str(container, "image"));
}

static enum jr_status default_volume_pull(struct jr_node *image)
{
    return default_pull_policy(image, "pullPolicy", jr_get_str(image, "reference"));
}

/** A volume without a source. An object that we don't know is taken for one: of a newer API server
 * it is. */
static enum jr_status default_volume_source(struct jr_node *volume)
{
    for (const struct jr_node *m = jr_first(volume); m != NULL; m = jr_next(m)) {
        if (jr_node_kind(m) == JR_OBJECT)
            return JR_OK;
    }
    return jr_set_object(volume, "emptyDir", NULL);
}

/** Makes the node the quantity's canonical text. */
static enum jr_status set_quantity(struct jr_node *node, const struct jr_quantity *q)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_BUF text = { 0 };
    enum jr_status st = jr_doc_new(&doc);

    if (st != JR_OK)
        return st;
    jr_buf_init(&text, 2 * (size_t)JR_QUANTITY_DIGITS);
    st = jr_quantity_write(q, &text);
    if (st == JR_OK)
        st = jr_set_str(jr_doc_root(doc), "v", jr_buf_str(&text));
    return st == JR_OK ? jr_node_assign(node, jr_get(jr_doc_root(doc), "v")) : st;
}

/** Rounds up what is finer than milli. Other spellings stay as they are. */
static enum jr_status round_quantities(struct jr_node *map)
{
    enum jr_status st = JR_OK;

    if (jr_node_kind(map) != JR_OBJECT)
        return JR_OK;
    for (struct jr_node *m = jr_first(map); m != NULL && st == JR_OK; m = jr_next(m)) {
        struct jr_quantity q;

        if (jr_quantity_of(m, &q) == JR_OK && jr_quantity_round_up(&q, MILLI))
            st = set_quantity(m, &q);
    }
    return st;
}

static enum jr_status round_resources(struct jr_node *resources)
{
    enum jr_status st = round_quantities(jr_get(resources, "limits"));

    return st == JR_OK ? round_quantities(jr_get(resources, "requests")) : st;
}

static enum jr_status round_overhead(struct jr_node *spec)
{
    return round_quantities(jr_get(spec, "overhead"));
}

/* ---- volumes ---- */

static const struct jr_dflt field_ref[] = {
    { "apiVersion", JR_DFLT_TEXT, .text = "v1" },
    JR_DFLT_END,
};
static const struct jr_dflt downward_item[] = {
    { "fieldRef", JR_DFLT_IN, .table = field_ref },
    JR_DFLT_END,
};
static const struct jr_dflt host_path[] = {
    { "type", JR_DFLT_TEXT_UNSET, .text = "" },
    JR_DFLT_END,
};
static const struct jr_dflt default_mode[] = {
    { "defaultMode", JR_DFLT_INT_UNSET, .number = 420 },
    JR_DFLT_END,
};
static const struct jr_dflt iscsi[] = {
    { "iscsiInterface", JR_DFLT_TEXT, .text = "default" },
    JR_DFLT_END,
};
static const struct jr_dflt rbd[] = {
    { "pool", JR_DFLT_TEXT, .text = "rbd" },
    { "user", JR_DFLT_TEXT, .text = "admin" },
    { "keyring", JR_DFLT_TEXT, .text = "/etc/ceph/keyring" },
    JR_DFLT_END,
};
static const struct jr_dflt downward_api[] = {
    { "defaultMode", JR_DFLT_INT_UNSET, .number = 420 },
    { "items", JR_DFLT_EACH, .table = downward_item },
    JR_DFLT_END,
};
static const struct jr_dflt azure_disk[] = {
    { "cachingMode", JR_DFLT_TEXT_UNSET, .text = "ReadWrite" },
    { "fsType", JR_DFLT_TEXT_UNSET, .text = "ext4" },
    { "readOnly", .how = JR_DFLT_FALSE },
    { "kind", JR_DFLT_TEXT_UNSET, .text = "Shared" },
    JR_DFLT_END,
};
static const struct jr_dflt projected_downward_api[] = {
    { "items", JR_DFLT_EACH, .table = downward_item },
    JR_DFLT_END,
};
static const struct jr_dflt service_account_token[] = {
    { "expirationSeconds", JR_DFLT_INT_UNSET, .number = 3600 },
    JR_DFLT_END,
};
static const struct jr_dflt projected_source[] = {
    { "downwardAPI", JR_DFLT_IN, .table = projected_downward_api },
    { "serviceAccountToken", JR_DFLT_IN, .table = service_account_token },
    JR_DFLT_END,
};
static const struct jr_dflt projected[] = {
    { "defaultMode", JR_DFLT_INT_UNSET, .number = 420 },
    { "sources", JR_DFLT_EACH, .table = projected_source },
    JR_DFLT_END,
};
static const struct jr_dflt scale_io[] = {
    { "storageMode", JR_DFLT_TEXT, .text = "ThinProvisioned" },
    { "fsType", JR_DFLT_TEXT, .text = "xfs" },
    JR_DFLT_END,
};
static const struct jr_dflt rounded_resources[] = {
    { NULL, JR_DFLT_CALL, .fn = round_resources },
    JR_DFLT_END,
};
static const struct jr_dflt claim_spec[] = {
    { "volumeMode", JR_DFLT_TEXT_UNSET, .text = "Filesystem" },
    { "resources", JR_DFLT_IN, .table = rounded_resources },
    JR_DFLT_END,
};
static const struct jr_dflt claim_template[] = {
    { "spec", JR_DFLT_IN, .table = claim_spec },
    JR_DFLT_END,
};
static const struct jr_dflt ephemeral[] = {
    { "volumeClaimTemplate", JR_DFLT_IN, .table = claim_template },
    JR_DFLT_END,
};
static const struct jr_dflt image_volume[] = {
    { NULL, JR_DFLT_CALL, .fn = default_volume_pull },
    JR_DFLT_END,
};
static const struct jr_dflt volume[] = {
    { NULL, JR_DFLT_CALL, .fn = default_volume_source },
    { "image", JR_DFLT_IN, .table = image_volume },
    { "hostPath", JR_DFLT_IN, .table = host_path },
    { "secret", JR_DFLT_IN, .table = default_mode },
    { "iscsi", JR_DFLT_IN, .table = iscsi },
    { "rbd", JR_DFLT_IN, .table = rbd },
    { "downwardAPI", JR_DFLT_IN, .table = downward_api },
    { "configMap", JR_DFLT_IN, .table = default_mode },
    { "azureDisk", JR_DFLT_IN, .table = azure_disk },
    { "projected", JR_DFLT_IN, .table = projected },
    { "scaleIO", JR_DFLT_IN, .table = scale_io },
    { "ephemeral", JR_DFLT_IN, .table = ephemeral },
    JR_DFLT_END,
};

/* ---- containers of all three kinds ---- */

static const struct jr_dflt port[] = {
    { "protocol", JR_DFLT_TEXT, .text = "TCP" },
    JR_DFLT_END,
};
static const struct jr_dflt file_key_ref[] = {
    { "optional", .how = JR_DFLT_FALSE },
    JR_DFLT_END,
};
static const struct jr_dflt value_from[] = {
    { "fieldRef", JR_DFLT_IN, .table = field_ref },
    { "fileKeyRef", JR_DFLT_IN, .table = file_key_ref },
    JR_DFLT_END,
};
static const struct jr_dflt env[] = {
    { "valueFrom", JR_DFLT_IN, .table = value_from },
    JR_DFLT_END,
};
static const struct jr_dflt http_get[] = {
    { "path", JR_DFLT_TEXT, .text = "/" },
    { "scheme", JR_DFLT_TEXT, .text = "HTTP" },
    JR_DFLT_END,
};
static const struct jr_dflt grpc[] = {
    { "service", JR_DFLT_TEXT_UNSET, .text = "" },
    JR_DFLT_END,
};
static const struct jr_dflt probe[] = {
    { "timeoutSeconds", JR_DFLT_INT, .number = 1 },
    { "periodSeconds", JR_DFLT_INT, .number = 10 },
    { "successThreshold", JR_DFLT_INT, .number = 1 },
    { "failureThreshold", JR_DFLT_INT, .number = 3 },
    { "httpGet", JR_DFLT_IN, .table = http_get },
    { "grpc", JR_DFLT_IN, .table = grpc },
    JR_DFLT_END,
};
static const struct jr_dflt handler[] = {
    { "httpGet", JR_DFLT_IN, .table = http_get },
    JR_DFLT_END,
};
static const struct jr_dflt lifecycle[] = {
    { "postStart", JR_DFLT_IN, .table = handler },
    { "preStop", JR_DFLT_IN, .table = handler },
    JR_DFLT_END,
};
static const struct jr_dflt container[] = {
    { NULL, JR_DFLT_CALL, .fn = default_container_pull },
    { "terminationMessagePath", JR_DFLT_TEXT, .text = "/dev/termination-log" },
    { "terminationMessagePolicy", JR_DFLT_TEXT, .text = "File" },
    { "ports", JR_DFLT_EACH, .table = port },
    { "env", JR_DFLT_EACH, .table = env },
    { "resources", .how = JR_DFLT_OBJECT },
    { "resources", JR_DFLT_IN, .table = rounded_resources },
    { "livenessProbe", JR_DFLT_IN, .table = probe },
    { "readinessProbe", JR_DFLT_IN, .table = probe },
    { "startupProbe", JR_DFLT_IN, .table = probe },
    { "lifecycle", JR_DFLT_IN, .table = lifecycle },
    JR_DFLT_END,
};

static const struct jr_dflt pod_spec[] = {
    { "dnsPolicy", JR_DFLT_TEXT, .text = "ClusterFirst" },
    { "restartPolicy", JR_DFLT_TEXT, .text = "Always" },
    { "securityContext", .how = JR_DFLT_OBJECT },
    { "terminationGracePeriodSeconds", JR_DFLT_INT_UNSET, .number = 30 },
    { "schedulerName", JR_DFLT_TEXT, .text = "default-scheduler" },
    { "volumes", JR_DFLT_EACH, .table = volume },
    { "initContainers", JR_DFLT_EACH, .table = container },
    { "containers", JR_DFLT_EACH, .table = container },
    { "ephemeralContainers", JR_DFLT_EACH, .table = container },
    { NULL, JR_DFLT_CALL, .fn = round_overhead },
    { "resources", JR_DFLT_IN, .table = rounded_resources },
    JR_DFLT_END,
};

enum jr_status jr_pod_spec_default(struct jr_node *spec)
{
    return jr_dflt_apply(pod_spec, spec);
}
