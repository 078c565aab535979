/* meta.k8s.io Table: what kubectl get shows. */
#ifndef JR_DEVCLUSTER_APISERVER_TABLE_H
#define JR_DEVCLUSTER_APISERVER_TABLE_H

#include "common/json/write.h"
#include "devcluster/apiserver/object.h"

/** A cell is written by the column's function. */
struct jr_dev_cell {
    const struct jr_dev_object *object;
    const struct jr_node *root;
    struct jr_time now;
};

struct jr_dev_column {
    const char *name;
    const char *type;   /* string, integer, date */
    const char *format; /* name, or "" */
    int priority;       /* 1: with -o wide only */
    void (*cell)(const struct jr_dev_cell *c, struct jr_writer *w);
    const char *path; /* without a function: this value of the object */
};
struct jr_dev_table {
    const struct jr_dev_column *columns; /* ended by NULL */
};

extern const struct jr_dev_table jr_dev_plain_table;
extern const struct jr_dev_table jr_dev_namespace_table;
extern const struct jr_dev_table jr_dev_pod_table;
extern const struct jr_dev_table jr_dev_node_table;
extern const struct jr_dev_table jr_dev_event_table;
extern const struct jr_dev_table jr_dev_configmap_table;
extern const struct jr_dev_table jr_dev_secret_table;
extern const struct jr_dev_table jr_dev_job_table;
extern const struct jr_dev_table jr_dev_cronjob_table;
extern const struct jr_dev_table jr_dev_lease_table;
extern const struct jr_dev_table jr_dev_workload_table;
extern const struct jr_dev_table jr_dev_pod_group_table;
extern const struct jr_dev_table jr_dev_webhook_table;

/** Appends a Table up to and with "rows":[; meta is the list's metadata as JSON. Without columns
 * (later frames of a watch) the definitions are left out. */
enum jr_status jr_dev_table_head(const struct jr_dev_resource *res, struct jr_str meta,
                                 bool columns, struct jr_buf *out) JR_MUST_USE;
/** The same with a resourceVersion for metadata. */
enum jr_status jr_dev_table_begin(const struct jr_dev_resource *res, struct jr_str resource_version,
                                  bool columns, struct jr_buf *out) JR_MUST_USE;
/** Appends a row; include: Metadata (or empty), Object, None; revision: another than the object's,
 * if not 0. */
enum jr_status jr_dev_table_row(const struct jr_dev_object *o, uint64_t revision,
                                struct jr_str include, struct jr_time now,
                                struct jr_buf *out) JR_MUST_USE;

/* Cells that several tables have. */
void jr_dev_cell_name(const struct jr_dev_cell *c, struct jr_writer *w);
void jr_dev_cell_age(const struct jr_dev_cell *c, struct jr_writer *w);
/** The time since t as kubectl writes it: 5s, 3m10s, 2d; "<unknown>" if unset. */
void jr_dev_cell_since(struct jr_time t, struct jr_time now, struct jr_writer *w);
/** A duration in those words, into out. */
#define JR_DEV_DURATION_MAX 32
const char *jr_dev_duration(int64_t ns, char out[JR_DEV_DURATION_MAX]);
/** The value of a time member, unset if absent. */
struct jr_time jr_dev_time_of(const struct jr_node *n);
/** Names or images of containers, with commas. */
void jr_dev_cell_containers(const struct jr_node *pod_spec, const char *member,
                            struct jr_writer *w);

#define JR_DEV_COLUMN_NAME                                                           \
    {                                                                                \
        .name = "Name", .type = "string", .format = "name", .cell = jr_dev_cell_name \
    }
#define JR_DEV_COLUMN_AGE                                                      \
    {                                                                          \
        .name = "Age", .type = "string", .format = "", .cell = jr_dev_cell_age \
    }

#endif
