/* Discovery and the OpenAPI documents. */
#ifndef JR_DEVCLUSTER_APISERVER_DISCOVERY_H
#define JR_DEVCLUSTER_APISERVER_DISCOVERY_H

#include "devcluster/apiserver/op.h"

enum jr_status jr_dev_openapi_v2(struct jr_dev_op *op) JR_MUST_USE;
/** The list of groups. */
enum jr_status jr_dev_openapi_v3(struct jr_dev_op *op) JR_MUST_USE;
/** One group's document. */
enum jr_status jr_dev_openapi_group(struct jr_dev_op *op, const char *group) JR_MUST_USE;

#endif
