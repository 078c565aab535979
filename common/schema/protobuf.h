/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as clients send them by protobuf (application/vnd.kubernetes.protobuf), turned into JSON
 * by the tables' field numbers. Pure. Sources: k8s.io/apimachinery runtime/serializer/protobuf, and
 * the .proto files of k8s.io/api. */
#ifndef JR_SCHEMA_PROTOBUF_H
#define JR_SCHEMA_PROTOBUF_H

#include "common/base/buf.h"
#include "common/schema/schema.h"

/** Appends the object of that type as JSON. A field that the tables don't know, or of which they
 * have no number, is an error, and never left out. Errors: JR_SYNTAX, JR_UNSUPPORTED (err->path is
 * the message and the field's number), those of the buffer. */
enum jr_status jr_protobuf_read(struct jr_str text, const struct jr_schema_type *type,
                                struct jr_buf *out, struct jr_error *err) JR_MUST_USE;

#endif
