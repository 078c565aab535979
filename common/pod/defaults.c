/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a Pod template's defaults. */
#include "common/pod/defaults.h"

#include "common/pod/image.h"
#include "common/rules/default_table.h"
#include "common/rules/each.h"
#include "common/schema/quantity.h"

#define MILLI (-3)

/* ---- what is no row of a table ---- */

/** Always for the tag "latest", else IfNotPresent. The row's text is the member that has the image.
 */
static enum jr_status default_pull_policy(struct jr_node *object, const struct jr_default_row *row,
                                          const struct jr_field_path *path,
                                          struct jr_defaulting_log *log)
{
    const struct jr_node *have = jr_get(object, row->name);
    bool empty = jr_node_kind(have) == JR_STRING && jr_node_str(have).n == 0;
    bool latest = jr_image_is_latest(jr_get_str(object, row->text));

    if (!jr_unset(have) && !empty)
        return JR_OK;
    jr_defaulting_note(log, path, row->name, row->id);
    return jr_set_str(object, row->name, latest ? JR_S("Always") : JR_S("IfNotPresent"));
}

/** A volume without a source. An object that we don't know is taken for one: of a newer API server
 * it is. */
static enum jr_status default_volume_source(struct jr_node *volume,
                                            const struct jr_default_row *row,
                                            const struct jr_field_path *path,
                                            struct jr_defaulting_log *log)
{
    if (!jr_unset(jr_get(volume, row->name)))
        return JR_OK; /* of a wrong type: left alone */
    JR_EACH(m, volume) {
        if (jr_node_kind(m) == JR_OBJECT)
            return JR_OK;
    }
    jr_defaulting_note(log, path, row->name, row->id);
    return jr_set_object(volume, row->name, NULL);
}

/** One is the other's name of old. */
static enum jr_status default_account(struct jr_node *spec, const struct jr_default_row *row,
                                      const struct jr_field_path *path,
                                      struct jr_defaulting_log *log)
{
    const struct jr_str name = jr_get_str(spec, "serviceAccountName"),
                        old = jr_get_str(spec, "serviceAccount");
    const bool named = name.n > 0;

    if (jr_str_eq(name, old))
        return JR_OK;
    jr_defaulting_note(log, path, named ? row->name : "serviceAccountName", row->id);
    return named ? jr_set_str(spec, row->name, name) : jr_set_str(spec, "serviceAccountName", old);
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
static enum jr_status round_quantities(struct jr_node *object, const struct jr_default_row *row,
                                       const struct jr_field_path *path,
                                       struct jr_defaulting_log *log)
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
        jr_defaulting_note(log, path, row->name, row->id);
    return st;
}

/* ---- rows that several tables have ---- */

#define FILE_MODE                                                                     \
    {                                                                                 \
        "defaultMode", JR_DEFAULT_INT_UNSET, .number = 420, .id = "default-file-mode" \
    }
#define ROUNDED(name)                                                           \
    {                                                                           \
        name, JR_DEFAULT_CALL, .fn = round_quantities, .id = "round-quantities" \
    }

/* ---- volumes ---- */

static const struct jr_default_row field_ref[] = {
    { "apiVersion", JR_DEFAULT_TEXT, .text = "v1", .id = "default-field-ref-version" },
    JR_DEFAULT_END,
};
static const struct jr_default_row downward_item[] = {
    { "fieldRef", JR_DEFAULT_IN, .table = field_ref },
    JR_DEFAULT_END,
};
static const struct jr_default_row host_path[] = {
    { "type", JR_DEFAULT_TEXT_UNSET, .text = "", .id = "default-host-path-type" },
    JR_DEFAULT_END,
};
static const struct jr_default_row default_mode[] = {
    FILE_MODE,
    JR_DEFAULT_END,
};
static const struct jr_default_row iscsi[] = {
    { "iscsiInterface", JR_DEFAULT_TEXT, .text = "default", .id = "default-iscsi-interface" },
    JR_DEFAULT_END,
};
static const struct jr_default_row rbd[] = {
    { "pool", JR_DEFAULT_TEXT, .text = "rbd", .id = "default-rbd-pool" },
    { "user", JR_DEFAULT_TEXT, .text = "admin", .id = "default-rbd-user" },
    { "keyring", JR_DEFAULT_TEXT, .text = "/etc/ceph/keyring", .id = "default-rbd-keyring" },
    JR_DEFAULT_END,
};
static const struct jr_default_row downward_api[] = {
    FILE_MODE,
    { "items", JR_DEFAULT_EACH, .table = downward_item },
    JR_DEFAULT_END,
};
static const struct jr_default_row azure_disk[] = {
    { "cachingMode", JR_DEFAULT_TEXT_UNSET, .text = "ReadWrite",
      .id = "default-azure-disk-caching-mode" },
    { "fsType", JR_DEFAULT_TEXT_UNSET, .text = "ext4", .id = "default-azure-disk-fs-type" },
    { "readOnly", .how = JR_DEFAULT_FALSE, .id = "default-azure-disk-read-only" },
    { "kind", JR_DEFAULT_TEXT_UNSET, .text = "Shared", .id = "default-azure-disk-kind" },
    JR_DEFAULT_END,
};
static const struct jr_default_row projected_downward_api[] = {
    { "items", JR_DEFAULT_EACH, .table = downward_item },
    JR_DEFAULT_END,
};
static const struct jr_default_row service_account_token[] = {
    { "expirationSeconds", JR_DEFAULT_INT_UNSET, .number = 3600, .id = "default-token-expiration" },
    JR_DEFAULT_END,
};
static const struct jr_default_row projected_source[] = {
    { "downwardAPI", JR_DEFAULT_IN, .table = projected_downward_api },
    { "serviceAccountToken", JR_DEFAULT_IN, .table = service_account_token },
    JR_DEFAULT_END,
};
static const struct jr_default_row projected[] = {
    FILE_MODE,
    { "sources", JR_DEFAULT_EACH, .table = projected_source },
    JR_DEFAULT_END,
};
static const struct jr_default_row scale_io[] = {
    { "storageMode", JR_DEFAULT_TEXT, .text = "ThinProvisioned",
      .id = "default-scale-io-storage-mode" },
    { "fsType", JR_DEFAULT_TEXT, .text = "xfs", .id = "default-scale-io-fs-type" },
    JR_DEFAULT_END,
};
static const struct jr_default_row rounded_resources[] = {
    ROUNDED("limits"),
    ROUNDED("requests"),
    JR_DEFAULT_END,
};
static const struct jr_default_row claim_spec[] = {
    { "volumeMode", JR_DEFAULT_TEXT_UNSET, .text = "Filesystem", .id = "default-volume-mode" },
    { "resources", JR_DEFAULT_IN, .table = rounded_resources },
    JR_DEFAULT_END,
};
static const struct jr_default_row claim_template[] = {
    { "spec", .how = JR_DEFAULT_OBJECT },
    { "spec", JR_DEFAULT_IN, .table = claim_spec },
    JR_DEFAULT_END,
};
static const struct jr_default_row ephemeral[] = {
    { "volumeClaimTemplate", JR_DEFAULT_IN, .table = claim_template },
    JR_DEFAULT_END,
};
static const struct jr_default_row image_volume[] = {
    { "pullPolicy", JR_DEFAULT_CALL, .fn = default_pull_policy, .text = "reference",
      .id = "default-image-volume-pull-policy" },
    JR_DEFAULT_END,
};
static const struct jr_default_row volume[] = {
    { "emptyDir", JR_DEFAULT_CALL, .fn = default_volume_source, .id = "default-volume-source" },
    { "image", JR_DEFAULT_IN, .table = image_volume, JR_DEFAULT_BEHIND(ImageVolume) },
    { "hostPath", JR_DEFAULT_IN, .table = host_path },
    { "secret", JR_DEFAULT_IN, .table = default_mode },
    { "iscsi", JR_DEFAULT_IN, .table = iscsi },
    { "rbd", JR_DEFAULT_IN, .table = rbd },
    { "downwardAPI", JR_DEFAULT_IN, .table = downward_api },
    { "configMap", JR_DEFAULT_IN, .table = default_mode },
    { "azureDisk", JR_DEFAULT_IN, .table = azure_disk },
    { "projected", JR_DEFAULT_IN, .table = projected },
    { "scaleIO", JR_DEFAULT_IN, .table = scale_io },
    { "ephemeral", JR_DEFAULT_IN, .table = ephemeral },
    JR_DEFAULT_END,
};

/* ---- containers of all three kinds ---- */

static const struct jr_default_row port[] = {
    { "protocol", JR_DEFAULT_TEXT, .text = "TCP", .id = "default-port-protocol" },
    JR_DEFAULT_END,
};
static const struct jr_default_row file_key_ref[] = {
    { "optional", .how = JR_DEFAULT_FALSE, .id = "default-file-key-optional" },
    JR_DEFAULT_END,
};
static const struct jr_default_row value_from[] = {
    { "fieldRef", JR_DEFAULT_IN, .table = field_ref },
    { "fileKeyRef", JR_DEFAULT_IN, .table = file_key_ref },
    JR_DEFAULT_END,
};
static const struct jr_default_row env[] = {
    { "valueFrom", JR_DEFAULT_IN, .table = value_from },
    JR_DEFAULT_END,
};
static const struct jr_default_row http_get[] = {
    { "path", JR_DEFAULT_TEXT, .text = "/", .id = "default-http-get-path" },
    { "scheme", JR_DEFAULT_TEXT, .text = "HTTP", .id = "default-http-get-scheme" },
    JR_DEFAULT_END,
};
static const struct jr_default_row grpc[] = {
    { "service", JR_DEFAULT_TEXT_UNSET, .text = "", .id = "default-grpc-service" },
    JR_DEFAULT_END,
};
static const struct jr_default_row probe[] = {
    { "timeoutSeconds", JR_DEFAULT_INT, .number = 1, .id = "default-probe-timeout" },
    { "periodSeconds", JR_DEFAULT_INT, .number = 10, .id = "default-probe-period" },
    { "successThreshold", JR_DEFAULT_INT, .number = 1, .id = "default-probe-success-threshold" },
    { "failureThreshold", JR_DEFAULT_INT, .number = 3, .id = "default-probe-failure-threshold" },
    { "httpGet", JR_DEFAULT_IN, .table = http_get },
    { "grpc", JR_DEFAULT_IN, .table = grpc },
    JR_DEFAULT_END,
};
static const struct jr_default_row handler[] = {
    { "httpGet", JR_DEFAULT_IN, .table = http_get },
    JR_DEFAULT_END,
};
static const struct jr_default_row lifecycle[] = {
    { "postStart", JR_DEFAULT_IN, .table = handler },
    { "preStop", JR_DEFAULT_IN, .table = handler },
    JR_DEFAULT_END,
};
static const struct jr_default_row container[] = {
    { "imagePullPolicy", JR_DEFAULT_CALL, .fn = default_pull_policy, .text = "image",
      .id = "default-image-pull-policy" },
    { "terminationMessagePath", JR_DEFAULT_TEXT, .text = "/dev/termination-log",
      .id = "default-termination-message-path" },
    { "terminationMessagePolicy", JR_DEFAULT_TEXT, .text = "File",
      .id = "default-termination-message-policy" },
    { "ports", JR_DEFAULT_EACH, .table = port },
    { "env", JR_DEFAULT_EACH, .table = env },
    { "resources", .how = JR_DEFAULT_OBJECT, .id = "default-container-resources" },
    { "resources", JR_DEFAULT_IN, .table = rounded_resources },
    { "livenessProbe", JR_DEFAULT_IN, .table = probe },
    { "readinessProbe", JR_DEFAULT_IN, .table = probe },
    { "startupProbe", JR_DEFAULT_IN, .table = probe },
    { "lifecycle", JR_DEFAULT_IN, .table = lifecycle },
    JR_DEFAULT_END,
};

static const struct jr_default_row pod_spec[] = {
    { "serviceAccount", JR_DEFAULT_CALL, .fn = default_account, .id = "default-service-account",
      JR_DEFAULT_SINCE(SERVICE_ACCOUNT_DEFAULTED) },
    { "dnsPolicy", JR_DEFAULT_TEXT, .text = "ClusterFirst", .id = "default-dns-policy" },
    { "restartPolicy", JR_DEFAULT_TEXT, .text = "Always", .id = "default-restart-policy" },
    { "securityContext", .how = JR_DEFAULT_OBJECT, .id = "default-security-context" },
    { "terminationGracePeriodSeconds", JR_DEFAULT_INT_UNSET, .number = JR_DEFAULT_GRACE_S,
      .id = "default-termination-grace-period" },
    { "schedulerName", JR_DEFAULT_TEXT, .text = "default-scheduler",
      .id = "default-scheduler-name" },
    { "volumes", JR_DEFAULT_EACH, .table = volume },
    { "initContainers", JR_DEFAULT_EACH, .table = container },
    { "containers", JR_DEFAULT_EACH, .table = container },
    { "ephemeralContainers", JR_DEFAULT_EACH, .table = container },
    ROUNDED("overhead"),
    { "resources", JR_DEFAULT_IN, .table = rounded_resources },
    JR_DEFAULT_END,
};

enum jr_status jr_pod_spec_default(struct jr_node *spec, const struct jr_profile *profile,
                                   const struct jr_field_path *path, struct jr_defaulting_log *log)
{
    return jr_defaults_apply(pod_spec, spec, profile, path, log);
}
