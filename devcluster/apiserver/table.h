/* SPDX-License-Identifier: Apache-2.0 */
/* meta.k8s.io Table: what kubectl get shows. */
#ifndef JR_DEVCLUSTER_APISERVER_TABLE_H
#define JR_DEVCLUSTER_APISERVER_TABLE_H

#include "devcluster/apiserver/object.h"

/** A Table up to its metadata, which follows. */
#define JR_DEV_TABLE_HEAD "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"
/** Appends what comes behind the metadata, up to and with "rows":[. Unless headed (later frames
 * of a watch) the definitions are left out. Failures of these functions stick to out. */
void jr_dev_table_columns(const struct jr_dev_resource *res, bool headed, struct jr_buf *out);
/** Appends a row; include: Metadata (or empty), Object, None; revision: another than the object's,
 * if not 0. */
void jr_dev_table_row(const struct jr_dev_object *o, uint64_t revision, struct jr_str include,
                      struct jr_time now, struct jr_buf *out);
/** Appends a duration in kubectl's words: 5s, 3m10s, 2d. */
void jr_dev_duration(int64_t ns, struct jr_buf *out);

#endif
