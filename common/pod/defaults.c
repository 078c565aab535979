#include "common/pod/defaults.h"

#include "common/pod/image.h"
#include "common/rules/dflt.h"
#include "common/rules/each.h"
#include "common/schema/quantity.h"

#define MILLI (-3)

/* ---- what is no row of a table ---- */

/** Always for the tag "latest", else IfNotPresent. The row's text is the member that has the image.
 */
static enum jr_status default_pull_policy(struct jr_node *object, const struct jr_dflt *row,
                                          const struct jr_field_path *path, struct jr_dflt_log *log)
{
    const struct jr_node *have = jr_get(object, row->name);
    bool empty = jr_node_kind(have) == JR_STRING && jr_node_str(have).n == 0;
    bool latest = jr_image_is_latest(jr_get_str(object, row->text));

    if (!jr_unset(have) && !empty)
        return JR_OK;
    jr_dflt_note(log, path, row->name, row->id);
    return jr_set_str(object, row->name, latest ? JR_S("Always") : JR_S("IfNotPresent"));
}

/** A volume without a source. An object that we don't know is taken for one: of a newer API server
 * it is. */
static enum jr_status default_volume_source(struct jr_node *volume, const struct jr_dflt *row,
                                            const struct jr_field_path *path,
                                            struct jr_dflt_log *log)
{
    if (!jr_unset(jr_get(volume, row->name)))
        return JR_OK; /* of a wrong type: left alone */
    JR_EACH(m, volume) {
        if (jr_node_kind(m) == JR_OBJECT)
            return JR_OK;
    }
    jr_dflt_note(log, path, row->name, row->id);
    return jr_set_object(volume, row->name, NULL);
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
static enum jr_status round_quantities(struct jr_node *object, const struct jr_dflt *row,
                                       const struct jr_field_path *path, struct jr_dflt_log *log)
{
    struct jr_node *map = jr_get(object, row->name);
    enum jr_status st = JR_OK;
    bool changed = false;

    if (jr_node_kind(map) != JR_OBJECT)
        return JR_OK;
    for (struct jr_node *m = jr_first(map); m != NULL && st == JR_OK; m = jr_next(m)) {
        struct jr_quantity q;

        if (jr_quantity_of(m, &q) == JR_OK && jr_quantity_round_up(&q, MILLI)) {
            st = set_quantity(m, &q);
            changed = true;
        }
    }
    if (changed)
        jr_dflt_note(log, path, row->name, row->id);
    return st;
}

/* ---- rows that several tables have ---- */

#define FILE_MODE                                                                  \
    {                                                                              \
        "defaultMode", JR_DFLT_INT_UNSET, .number = 420, .id = "default-file-mode" \
    }
#define ROUNDED(name)                                                        \
    {                                                                        \
        name, JR_DFLT_CALL, .fn = round_quantities, .id = "round-quantities" \
    }

/* ---- volumes ---- */

static const struct jr_dflt field_ref[] = {
    { "apiVersion", JR_DFLT_TEXT, .text = "v1", .id = "default-field-ref-version" },
    JR_DFLT_END,
};
static const struct jr_dflt downward_item[] = {
    { "fieldRef", JR_DFLT_IN, .table = field_ref },
    JR_DFLT_END,
};
static const struct jr_dflt host_path[] = {
    { "type", JR_DFLT_TEXT_UNSET, .text = "", .id = "default-host-path-type" },
    JR_DFLT_END,
};
static const struct jr_dflt default_mode[] = {
    FILE_MODE,
    JR_DFLT_END,
};
static const struct jr_dflt iscsi[] = {
    { "iscsiInterface", JR_DFLT_TEXT, .text = "default", .id = "default-iscsi-interface" },
    JR_DFLT_END,
};
static const struct jr_dflt rbd[] = {
    { "pool", JR_DFLT_TEXT, .text = "rbd", .id = "default-rbd-pool" },
    { "user", JR_DFLT_TEXT, .text = "admin", .id = "default-rbd-user" },
    { "keyring", JR_DFLT_TEXT, .text = "/etc/ceph/keyring", .id = "default-rbd-keyring" },
    JR_DFLT_END,
};
static const struct jr_dflt downward_api[] = {
    FILE_MODE,
    { "items", JR_DFLT_EACH, .table = downward_item },
    JR_DFLT_END,
};
static const struct jr_dflt azure_disk[] = {
    { "cachingMode", JR_DFLT_TEXT_UNSET, .text = "ReadWrite",
      .id = "default-azure-disk-caching-mode" },
    { "fsType", JR_DFLT_TEXT_UNSET, .text = "ext4", .id = "default-azure-disk-fs-type" },
    { "readOnly", .how = JR_DFLT_FALSE, .id = "default-azure-disk-read-only" },
    { "kind", JR_DFLT_TEXT_UNSET, .text = "Shared", .id = "default-azure-disk-kind" },
    JR_DFLT_END,
};
static const struct jr_dflt projected_downward_api[] = {
    { "items", JR_DFLT_EACH, .table = downward_item },
    JR_DFLT_END,
};
static const struct jr_dflt service_account_token[] = {
    { "expirationSeconds", JR_DFLT_INT_UNSET, .number = 3600, .id = "default-token-expiration" },
    JR_DFLT_END,
};
static const struct jr_dflt projected_source[] = {
    { "downwardAPI", JR_DFLT_IN, .table = projected_downward_api },
    { "serviceAccountToken", JR_DFLT_IN, .table = service_account_token },
    JR_DFLT_END,
};
static const struct jr_dflt projected[] = {
    FILE_MODE,
    { "sources", JR_DFLT_EACH, .table = projected_source },
    JR_DFLT_END,
};
static const struct jr_dflt scale_io[] = {
    { "storageMode", JR_DFLT_TEXT, .text = "ThinProvisioned",
      .id = "default-scale-io-storage-mode" },
    { "fsType", JR_DFLT_TEXT, .text = "xfs", .id = "default-scale-io-fs-type" },
    JR_DFLT_END,
};
static const struct jr_dflt rounded_resources[] = {
    ROUNDED("limits"),
    ROUNDED("requests"),
    JR_DFLT_END,
};
static const struct jr_dflt claim_spec[] = {
    { "volumeMode", JR_DFLT_TEXT_UNSET, .text = "Filesystem", .id = "default-volume-mode" },
    { "resources", JR_DFLT_IN, .table = rounded_resources },
    JR_DFLT_END,
};
static const struct jr_dflt claim_template[] = {
    { "spec", .how = JR_DFLT_OBJECT },
    { "spec", JR_DFLT_IN, .table = claim_spec },
    JR_DFLT_END,
};
static const struct jr_dflt ephemeral[] = {
    { "volumeClaimTemplate", JR_DFLT_IN, .table = claim_template },
    JR_DFLT_END,
};
static const struct jr_dflt image_volume[] = {
    { "pullPolicy", JR_DFLT_CALL, .fn = default_pull_policy, .text = "reference",
      .id = "default-image-volume-pull-policy" },
    JR_DFLT_END,
};
static const struct jr_dflt volume[] = {
    { "emptyDir", JR_DFLT_CALL, .fn = default_volume_source, .id = "default-volume-source" },
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
    { "protocol", JR_DFLT_TEXT, .text = "TCP", .id = "default-port-protocol" },
    JR_DFLT_END,
};
static const struct jr_dflt file_key_ref[] = {
    { "optional", .how = JR_DFLT_FALSE, .id = "default-file-key-optional" },
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
    { "path", JR_DFLT_TEXT, .text = "/", .id = "default-http-get-path" },
    { "scheme", JR_DFLT_TEXT, .text = "HTTP", .id = "default-http-get-scheme" },
    JR_DFLT_END,
};
static const struct jr_dflt grpc[] = {
    { "service", JR_DFLT_TEXT_UNSET, .text = "", .id = "default-grpc-service" },
    JR_DFLT_END,
};
static const struct jr_dflt probe[] = {
    { "timeoutSeconds", JR_DFLT_INT, .number = 1, .id = "default-probe-timeout" },
    { "periodSeconds", JR_DFLT_INT, .number = 10, .id = "default-probe-period" },
    { "successThreshold", JR_DFLT_INT, .number = 1, .id = "default-probe-success-threshold" },
    { "failureThreshold", JR_DFLT_INT, .number = 3, .id = "default-probe-failure-threshold" },
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
    { "imagePullPolicy", JR_DFLT_CALL, .fn = default_pull_policy, .text = "image",
      .id = "default-image-pull-policy" },
    { "terminationMessagePath", JR_DFLT_TEXT, .text = "/dev/termination-log",
      .id = "default-termination-message-path" },
    { "terminationMessagePolicy", JR_DFLT_TEXT, .text = "File",
      .id = "default-termination-message-policy" },
    { "ports", JR_DFLT_EACH, .table = port },
    { "env", JR_DFLT_EACH, .table = env },
    { "resources", .how = JR_DFLT_OBJECT, .id = "default-container-resources" },
    { "resources", JR_DFLT_IN, .table = rounded_resources },
    { "livenessProbe", JR_DFLT_IN, .table = probe },
    { "readinessProbe", JR_DFLT_IN, .table = probe },
    { "startupProbe", JR_DFLT_IN, .table = probe },
    { "lifecycle", JR_DFLT_IN, .table = lifecycle },
    JR_DFLT_END,
};

static const struct jr_dflt pod_spec[] = {
    { "dnsPolicy", JR_DFLT_TEXT, .text = "ClusterFirst", .id = "default-dns-policy" },
    { "restartPolicy", JR_DFLT_TEXT, .text = "Always", .id = "default-restart-policy" },
    { "securityContext", .how = JR_DFLT_OBJECT, .id = "default-security-context" },
    { "terminationGracePeriodSeconds", JR_DFLT_INT_UNSET, .number = 30,
      .id = "default-termination-grace-period" },
    { "schedulerName", JR_DFLT_TEXT, .text = "default-scheduler", .id = "default-scheduler-name" },
    { "volumes", JR_DFLT_EACH, .table = volume },
    { "initContainers", JR_DFLT_EACH, .table = container },
    { "containers", JR_DFLT_EACH, .table = container },
    { "ephemeralContainers", JR_DFLT_EACH, .table = container },
    ROUNDED("overhead"),
    { "resources", JR_DFLT_IN, .table = rounded_resources },
    JR_DFLT_END,
};

enum jr_status jr_pod_spec_default(struct jr_node *spec, const struct jr_field_path *path,
                                   struct jr_dflt_log *log)
{
    return jr_dflt_apply(pod_spec, spec, path, log);
}
