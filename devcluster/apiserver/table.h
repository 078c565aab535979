/* SPDX-License-Identifier: Apache-2.0 */
/* meta.k8s.io Table: what kubectl get shows. */
#ifndef JR_DEVCLUSTER_APISERVER_TABLE_H
#define JR_DEVCLUSTER_APISERVER_TABLE_H

#include "common/json/write.h"
#include "devcluster/apiserver/object.h"

/** The object that a row is about. */
struct jr_dev_cell {
    const struct jr_dev_object *object;
    const struct jr_node *root;
    struct jr_time now;
};

/** A column; a table of them ends with one that has no name. */
struct jr_dev_column {
    const char *name;
    const char *type; /* NULL: string */
    bool wide;        /* with -o wide only */
    /* Writes the value. NULL: what is at the path `arg`, or <none>. */
    void (*cell)(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w);
    const char *arg;
};

extern const struct jr_dev_column jr_dev_plain_columns[];
extern const struct jr_dev_column jr_dev_namespace_columns[];
extern const struct jr_dev_column jr_dev_pod_columns[];
extern const struct jr_dev_column jr_dev_node_columns[];
extern const struct jr_dev_column jr_dev_event_columns[];
extern const struct jr_dev_column jr_dev_configmap_columns[];
extern const struct jr_dev_column jr_dev_secret_columns[];
extern const struct jr_dev_column jr_dev_job_columns[];
extern const struct jr_dev_column jr_dev_cronjob_columns[];
extern const struct jr_dev_column jr_dev_lease_columns[];
extern const struct jr_dev_column jr_dev_webhook_columns[];
extern const struct jr_dev_column jr_dev_definition_columns[];
extern const struct jr_dev_column jr_dev_job_policy_columns[];

/** A Table up to its metadata, which follows. */
#define JR_DEV_TABLE_HEAD "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"
/** Appends what comes behind the metadata, up to and with "rows":[. Without columns (later frames
 * of a watch) the definitions are left out. Failures of these functions stick to out. */
void jr_dev_table_columns(const struct jr_dev_resource *res, bool columns, struct jr_buf *out);
/** A whole beginning, with this resourceVersion (0: none). */
void jr_dev_table_begin(const struct jr_dev_resource *res, uint64_t version, bool columns,
                        struct jr_buf *out);
/** Appends a row; include: Metadata (or empty), Object, None; revision: another than the object's,
 * if not 0. */
void jr_dev_table_row(const struct jr_dev_object *o, uint64_t revision, struct jr_str include,
                      struct jr_time now, struct jr_buf *out);

/* Cells that several tables have. */
void jr_dev_cell_name(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w);
/** The time since the one at a path as kubectl writes it: 5s, 3m10s, 2d; "<unknown>" if unset. */
void jr_dev_cell_since(const struct jr_dev_cell *c, const char *path, struct jr_writer *w);
/** How many there are at a path. */
void jr_dev_cell_count(const struct jr_dev_cell *c, const char *path, struct jr_writer *w);
/** The text at a path, "<none>" if there is none, or it is empty. */
void jr_dev_cell_text(const struct jr_dev_cell *c, const char *path, struct jr_writer *w);
void jr_dev_write_since(struct jr_time t, struct jr_time now, struct jr_writer *w);
/** A duration in kubectl's words, into out. */
#define JR_DEV_DURATION_MAX 32
const char *jr_dev_duration(int64_t ns, char out[JR_DEV_DURATION_MAX]);
/** The value of a time member, unset if absent. */
struct jr_time jr_dev_time_of(const struct jr_node *n);
/** The element of a list whose "type" is that; NULL: there is none. */
const struct jr_node *jr_dev_of_type(const struct jr_node *list, const char *type);

#define JR_DEV_COLUMN_NAME                       \
    {                                            \
        .name = "Name", .cell = jr_dev_cell_name \
    }
#define JR_DEV_COLUMN_AGE                                                             \
    {                                                                                 \
        .name = "Age", .cell = jr_dev_cell_since, .arg = "metadata.creationTimestamp" \
    }
#define JR_DEV_COLUMN_END \
    {                     \
        .name = NULL      \
    }

#endif
