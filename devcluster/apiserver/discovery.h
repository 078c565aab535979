/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery and the OpenAPI documents. */
#ifndef JR_DEVCLUSTER_APISERVER_DISCOVERY_H
#define JR_DEVCLUSTER_APISERVER_DISCOVERY_H

#include "devcluster/apiserver/op.h"

/** The next resource that is served, behind r (NULL: the first); group NULL: of any. NULL: there
 * are no more. */
const struct jr_dev_resource *jr_dev_next_resource(const struct jr_dev_op *op, const char *group,
                                                   const struct jr_dev_resource *r);
/** The next one that is the first of its group, in the table's order. */
const struct jr_dev_resource *jr_dev_next_group(const struct jr_dev_op *op,
                                                const struct jr_dev_resource *r);

/* They answer. */
/** In protobuf, and in JSON. */
void jr_dev_openapi_v2(struct jr_dev_op *op);
void jr_dev_openapi_v2_json(struct jr_dev_op *op);
/** The list of groups. */
void jr_dev_openapi_v3(struct jr_dev_op *op);
/** One group's document. */
void jr_dev_openapi_group(struct jr_dev_op *op, const char *group);

#endif
