/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the small kinds. */
#include <stdio.h>

#include "devcluster/apiserver/table.h"

const struct jr_dev_column jr_dev_plain_columns[] = {
    JR_DEV_COLUMN_NAME,
    JR_DEV_COLUMN_AGE,
    JR_DEV_COLUMN_END,
};

const struct jr_dev_column jr_dev_namespace_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Status", .arg = "status.phase" },
    JR_DEV_COLUMN_AGE,
    JR_DEV_COLUMN_END,
};

/* ---- config maps, secrets ---- */

static void cell_data(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    (void)arg;
    jr_w_i64(w,
             (int64_t)(jr_size(jr_get(c->root, "data")) + jr_size(jr_get(c->root, "binaryData")) +
                       jr_size(jr_get(c->root, "stringData"))));
}

const struct jr_dev_column jr_dev_configmap_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Data", .cell = cell_data },
    JR_DEV_COLUMN_AGE,
    JR_DEV_COLUMN_END,
};

const struct jr_dev_column jr_dev_secret_columns[] = {
    JR_DEV_COLUMN_NAME, { "Type", .arg = "type" }, { "Data", .cell = cell_data },
    JR_DEV_COLUMN_AGE,  JR_DEV_COLUMN_END,
};

/* ---- leases, webhook configurations ---- */

const struct jr_dev_column jr_dev_lease_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Holder", .arg = "spec.holderIdentity" },
    JR_DEV_COLUMN_AGE,
    JR_DEV_COLUMN_END,
};

const struct jr_dev_column jr_dev_webhook_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Webhooks", "integer", .cell = jr_dev_cell_count, .arg = "webhooks" },
    JR_DEV_COLUMN_AGE,
    JR_DEV_COLUMN_END,
};

/* ---- CustomResourceDefinitions, JobPolicies ---- */

const struct jr_dev_column jr_dev_definition_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Created At", "date", .arg = "metadata.creationTimestamp" },
    JR_DEV_COLUMN_END,
};

static void cell_actions(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (const struct jr_node *n = jr_first(jr_path(c->root, path)); n != NULL; n = jr_next(n))
        (void)jr_buf_addf(&text, "%s%.*s", text.n > 0 ? "," : "", JR_P(jr_node_str(n)));
    jr_must(text.failed);
    jr_w_str(w, text.n == 0 ? JR_S("Deny") : jr_buf_str(&text));
}

/* The status of a condition. */
static void cell_condition(const struct jr_dev_cell *c, const char *type, struct jr_writer *w)
{
    jr_w_str(w, jr_get_str(jr_dev_of_type(jr_path(c->root, "status.conditions"), type), "status"));
}

const struct jr_dev_column jr_dev_job_policy_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Actions", .cell = cell_actions, .arg = "spec.validationActions" },
    { "Accepted", .cell = cell_condition, .arg = "Accepted" },
    JR_DEV_COLUMN_AGE,
    JR_DEV_COLUMN_END,
};

/* ---- nodes ---- */

static void cell_node_status(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    const struct jr_node *ready = jr_dev_of_type(jr_path(c->root, "status.conditions"), "Ready");
    bool off = jr_node_bool_or(jr_path(c->root, "spec.unschedulable"), false);
    char text[64];

    (void)arg;
    (void)snprintf(text, sizeof(text), "%s%s",
                   ready == NULL                                    ? "Unknown"
                   : jr_str_is(jr_get_str(ready, "status"), "True") ? "Ready"
                                                                    : "NotReady",
                   off ? ",SchedulingDisabled" : "");
    jr_w_str(w, jr_str(text));
}

static void cell_node_roles(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    static const struct jr_str prefix = { "node-role.kubernetes.io/", 24 };
    const struct jr_labels *l = &c->object->meta.labels;
    JR_BUF text = { 0 };

    (void)arg;
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < l->n; i++) {
        if (jr_str_starts(l->v[i].key, prefix))
            (void)jr_buf_addf(&text, "%s%.*s", text.n > 0 ? "," : "",
                              JR_P(jr_str_from(l->v[i].key, prefix.n)));
    }
    jr_must(text.failed);
    jr_w_str(w, text.n == 0 ? JR_S("<none>") : jr_buf_str(&text));
}

static void cell_address(const struct jr_dev_cell *c, const char *type, struct jr_writer *w)
{
    const struct jr_node *n = jr_dev_of_type(jr_path(c->root, "status.addresses"), type);

    jr_w_str(w, n == NULL ? JR_S("<none>") : jr_get_str(n, "address"));
}

static void cell_node_info(const struct jr_dev_cell *c, const char *member, struct jr_writer *w)
{
    struct jr_str v = jr_get_str(jr_path(c->root, "status.nodeInfo"), member);

    jr_w_str(w, v.n == 0 ? JR_S("<unknown>") : v);
}

static void cell_string(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    jr_w_str(w, jr_node_str(jr_path(c->root, path)));
}

const struct jr_dev_column jr_dev_node_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Status", .cell = cell_node_status },
    { "Roles", .cell = cell_node_roles },
    JR_DEV_COLUMN_AGE,
    { "Version", .cell = cell_string, .arg = "status.nodeInfo.kubeletVersion" },
    { "Internal-IP", .wide = true, .cell = cell_address, .arg = "InternalIP" },
    { "External-IP", .wide = true, .cell = cell_address, .arg = "ExternalIP" },
    { "OS-Image", .wide = true, .cell = cell_node_info, .arg = "osImage" },
    { "Kernel-Version", .wide = true, .cell = cell_node_info, .arg = "kernelVersion" },
    { "Container-Runtime", .wide = true, .cell = cell_node_info, .arg = "containerRuntimeVersion" },
    JR_DEV_COLUMN_END,
};

/* ---- events ---- */

/* The first of some times that is set, by their paths with blanks between. */
static void cell_first_time(const struct jr_dev_cell *c, const char *paths, struct jr_writer *w)
{
    struct jr_str rest = jr_str(paths), path;
    struct jr_time t = { 0 };
    char one[64];

    while (!jr_time_set(t) && jr_str_cut(&rest, ' ', &path)) {
        (void)snprintf(one, sizeof(one), "%.*s", JR_P(path));
        t = jr_dev_time_of(jr_path(c->root, one));
    }
    jr_dev_write_since(t, c->now, w);
}

static void cell_involved(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    const struct jr_node *involved = jr_get(c->root, "involvedObject");
    struct jr_str kind = jr_get_str(involved, "kind");
    struct jr_str name = jr_get_str(involved, "name");
    JR_BUF text = { 0 };

    (void)arg;
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < kind.n; i++) {
        char k = kind.p[i];

        if (k >= 'A' && k <= 'Z')
            k = (char)(k - 'A' + 'a');
        (void)jr_buf_addc(&text, k);
    }
    if (name.n > 0)
        (void)jr_buf_addf(&text, "/%.*s", JR_P(name));
    jr_must(text.failed);
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_source(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    struct jr_str component = jr_get_str(jr_get(c->root, "source"), "component");
    struct jr_str host = jr_get_str(jr_get(c->root, "source"), "host");
    JR_BUF text = { 0 };

    (void)arg;
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_buf_addf(&text, "%.*s%s%.*s", JR_P(component), host.n > 0 ? ", " : "", JR_P(host)));
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_message(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    (void)arg;
    jr_w_str(w, jr_str_trim(jr_get_str(c->root, "message")));
}

static void cell_times(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    int64_t n = jr_node_i64_or(jr_get(c->root, "count"), 0);

    (void)arg;
    jr_w_i64(w, n == 0 ? 1 : n);
}

const struct jr_dev_column jr_dev_event_columns[] = {
    { "Last Seen", .cell = cell_first_time,
      .arg = "series.lastObservedTime lastTimestamp firstTimestamp eventTime" },
    { "Type", .arg = "type" },
    { "Reason", .arg = "reason" },
    { "Object", .cell = cell_involved },
    { "Subobject", .wide = true, .cell = cell_string, .arg = "involvedObject.fieldPath" },
    { "Source", .wide = true, .cell = cell_source },
    { "Message", .cell = cell_message },
    { "First Seen", .wide = true, .cell = cell_first_time, .arg = "firstTimestamp eventTime" },
    { "Count", .wide = true, .cell = cell_times },
    { "Name", .wide = true, .cell = jr_dev_cell_name },
    JR_DEV_COLUMN_END,
};
