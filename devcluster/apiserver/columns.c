/* The columns of the small kinds. */
#include "devcluster/apiserver/table.h"

#define COLUMN(name_, cell_)                                             \
    {                                                                    \
        .name = (name_), .type = "string", .format = "", .cell = (cell_) \
    }
#define WIDE(name_, cell_)                                                              \
    {                                                                                   \
        .name = (name_), .type = "string", .format = "", .priority = 1, .cell = (cell_) \
    }
#define VALUE(name_, path_)                                              \
    {                                                                    \
        .name = (name_), .type = "string", .format = "", .path = (path_) \
    }
#define COLUMN_END   \
    {                \
        .name = NULL \
    }

static const struct jr_dev_column plain[] = { JR_DEV_COLUMN_NAME, JR_DEV_COLUMN_AGE, COLUMN_END };
const struct jr_dev_table jr_dev_plain_table = { plain };

/* ---- namespaces ---- */

static const struct jr_dev_column namespaces[] = {
    JR_DEV_COLUMN_NAME,
    VALUE("Status", "status.phase"),
    JR_DEV_COLUMN_AGE,
    COLUMN_END,
};
const struct jr_dev_table jr_dev_namespace_table = { namespaces };

/* ---- config maps, secrets ---- */

static void cell_data(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_w_i64(w,
             (int64_t)(jr_size(jr_get(c->root, "data")) + jr_size(jr_get(c->root, "binaryData")) +
                       jr_size(jr_get(c->root, "stringData"))));
}

static const struct jr_dev_column configmaps[] = {
    JR_DEV_COLUMN_NAME,
    COLUMN("Data", cell_data),
    JR_DEV_COLUMN_AGE,
    COLUMN_END,
};
const struct jr_dev_table jr_dev_configmap_table = { configmaps };

static const struct jr_dev_column secrets[] = {
    JR_DEV_COLUMN_NAME, VALUE("Type", "type"), COLUMN("Data", cell_data), JR_DEV_COLUMN_AGE,
    COLUMN_END,
};
const struct jr_dev_table jr_dev_secret_table = { secrets };

/* ---- leases, webhook configurations ---- */

static const struct jr_dev_column leases[] = {
    JR_DEV_COLUMN_NAME,
    VALUE("Holder", "spec.holderIdentity"),
    JR_DEV_COLUMN_AGE,
    COLUMN_END,
};
const struct jr_dev_table jr_dev_lease_table = { leases };

/* ---- workloads, pod groups ---- */

static const struct jr_dev_column named[] = { JR_DEV_COLUMN_NAME, JR_DEV_COLUMN_AGE, COLUMN_END };
const struct jr_dev_table jr_dev_workload_table = { named };
const struct jr_dev_table jr_dev_pod_group_table = { named };

static void cell_webhooks(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_w_i64(w, (int64_t)jr_size(jr_get(c->root, "webhooks")));
}

static const struct jr_dev_column webhooks[] = {
    JR_DEV_COLUMN_NAME,
    { .name = "Webhooks", .type = "integer", .format = "", .cell = cell_webhooks },
    JR_DEV_COLUMN_AGE,
    COLUMN_END,
};
const struct jr_dev_table jr_dev_webhook_table = { webhooks };

/* ---- nodes ---- */

static void cell_node_status(const struct jr_dev_cell *c, struct jr_writer *w)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, 256);
    for (const struct jr_node *n = jr_first(jr_path(c->root, "status.conditions")); n != NULL;
         n = jr_next(n)) {
        if (jr_str_is(jr_get_str(n, "type"), "Ready"))
            (void)jr_buf_adds(&text,
                              jr_str_is(jr_get_str(n, "status"), "True") ? "Ready" : "NotReady");
    }
    if (text.n == 0)
        (void)jr_buf_adds(&text, "Unknown");
    if (jr_node_bool_or(jr_path(c->root, "spec.unschedulable"), false))
        (void)jr_buf_adds(&text, ",SchedulingDisabled");
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_node_roles(const struct jr_dev_cell *c, struct jr_writer *w)
{
    static const struct jr_str prefix = { "node-role.kubernetes.io/", 24 };
    const struct jr_labels *l = &c->object->meta.labels;
    JR_BUF text = { 0 };

    jr_buf_init(&text, 4096);
    for (size_t i = 0; i < l->n; i++) {
        if (!jr_str_starts(l->v[i].key, prefix))
            continue;
        (void)jr_buf_adds(&text, text.n > 0 ? "," : "");
        (void)jr_buf_add(&text, jr_str_from(l->v[i].key, prefix.n));
    }
    jr_w_str(w, text.n == 0 ? JR_S("<none>") : jr_buf_str(&text));
}

static void node_address(const struct jr_dev_cell *c, const char *type, struct jr_writer *w)
{
    for (const struct jr_node *n = jr_first(jr_path(c->root, "status.addresses")); n != NULL;
         n = jr_next(n)) {
        if (jr_str_is(jr_get_str(n, "type"), type)) {
            jr_w_str(w, jr_get_str(n, "address"));
            return;
        }
    }
    jr_w_str(w, JR_S("<none>"));
}

static void cell_internal_ip(const struct jr_dev_cell *c, struct jr_writer *w)
{
    node_address(c, "InternalIP", w);
}

static void cell_external_ip(const struct jr_dev_cell *c, struct jr_writer *w)
{
    node_address(c, "ExternalIP", w);
}

static void node_info(const struct jr_dev_cell *c, const char *member, struct jr_writer *w)
{
    struct jr_str v = jr_get_str(jr_path(c->root, "status.nodeInfo"), member);

    jr_w_str(w, v.n == 0 ? JR_S("<unknown>") : v);
}

static void cell_os_image(const struct jr_dev_cell *c, struct jr_writer *w)
{
    node_info(c, "osImage", w);
}

static void cell_kernel(const struct jr_dev_cell *c, struct jr_writer *w)
{
    node_info(c, "kernelVersion", w);
}

static void cell_runtime(const struct jr_dev_cell *c, struct jr_writer *w)
{
    node_info(c, "containerRuntimeVersion", w);
}

static void cell_kubelet(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_w_str(w, jr_get_str(jr_path(c->root, "status.nodeInfo"), "kubeletVersion"));
}

static const struct jr_dev_column nodes[] = {
    JR_DEV_COLUMN_NAME,
    COLUMN("Status", cell_node_status),
    COLUMN("Roles", cell_node_roles),
    JR_DEV_COLUMN_AGE,
    COLUMN("Version", cell_kubelet),
    WIDE("Internal-IP", cell_internal_ip),
    WIDE("External-IP", cell_external_ip),
    WIDE("OS-Image", cell_os_image),
    WIDE("Kernel-Version", cell_kernel),
    WIDE("Container-Runtime", cell_runtime),
    COLUMN_END,
};
const struct jr_dev_table jr_dev_node_table = { nodes };

/* ---- events ---- */

/* The first of some times that is set. */
static struct jr_time first_time(const struct jr_node *root, const char *const *paths, size_t n)
{
    struct jr_time t = { 0 };

    for (size_t i = 0; i < n && !jr_time_set(t); i++)
        t = jr_dev_time_of(jr_path(root, paths[i]));
    return t;
}

static void cell_last_seen(const struct jr_dev_cell *c, struct jr_writer *w)
{
    static const char *const paths[] = { "series.lastObservedTime", "lastTimestamp",
                                         "firstTimestamp", "eventTime" };

    jr_dev_cell_since(first_time(c->root, paths, JR_ARRAY_SIZE(paths)), c->now, w);
}

static void cell_first_seen(const struct jr_dev_cell *c, struct jr_writer *w)
{
    static const char *const paths[] = { "firstTimestamp", "eventTime" };

    jr_dev_cell_since(first_time(c->root, paths, JR_ARRAY_SIZE(paths)), c->now, w);
}

static void cell_involved(const struct jr_dev_cell *c, struct jr_writer *w)
{
    const struct jr_node *involved = jr_get(c->root, "involvedObject");
    struct jr_str kind = jr_get_str(involved, "kind");
    struct jr_str name = jr_get_str(involved, "name");
    JR_BUF text = { 0 };

    jr_buf_init(&text, 4096);
    for (size_t i = 0; i < kind.n; i++) {
        char k = kind.p[i];

        if (k >= 'A' && k <= 'Z')
            k = (char)(k - 'A' + 'a');
        (void)jr_buf_addc(&text, k);
    }
    if (name.n > 0)
        (void)jr_buf_addf(&text, "/%.*s", JR_P(name));
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_subobject(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_w_str(w, jr_get_str(jr_get(c->root, "involvedObject"), "fieldPath"));
}

static void cell_source(const struct jr_dev_cell *c, struct jr_writer *w)
{
    struct jr_str component = jr_get_str(jr_get(c->root, "source"), "component");
    struct jr_str host = jr_get_str(jr_get(c->root, "source"), "host");
    JR_BUF text = { 0 };

    jr_buf_init(&text, 4096);
    (void)jr_buf_addf(&text, "%.*s%s%.*s", JR_P(component), host.n > 0 ? ", " : "", JR_P(host));
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_message(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_w_str(w, jr_str_trim(jr_get_str(c->root, "message")));
}

static void cell_count(const struct jr_dev_cell *c, struct jr_writer *w)
{
    int64_t n = jr_node_i64_or(jr_get(c->root, "count"), 0);

    jr_w_i64(w, n == 0 ? 1 : n);
}

static const struct jr_dev_column events[] = {
    COLUMN("Last Seen", cell_last_seen),
    VALUE("Type", "type"),
    VALUE("Reason", "reason"),
    COLUMN("Object", cell_involved),
    WIDE("Subobject", cell_subobject),
    WIDE("Source", cell_source),
    COLUMN("Message", cell_message),
    WIDE("First Seen", cell_first_seen),
    WIDE("Count", cell_count),
    { .name = "Name", .type = "string", .format = "name", .priority = 1, .cell = jr_dev_cell_name },
    COLUMN_END,
};
const struct jr_dev_table jr_dev_event_table = { events };
