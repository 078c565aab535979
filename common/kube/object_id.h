/* SPDX-License-Identifier: Apache-2.0 */
/* What an object is called, for where no more of it can be read: the log, the relist's sweep. Pure.
 */
#ifndef JR_KUBE_OBJECT_ID_H
#define JR_KUBE_OBJECT_ID_H

#include "common/base/str.h"

/** What an object is called, as far as that can be read: also where the rest can't, or is cut off.
 * Borrowed from the text; {NULL, 0}: not known. */
struct jr_object_id {
    struct jr_str namespace, name, uid, resource_version;
    struct jr_str controller_name, controller_uid; /* of the owner reference that says controller */
};
/** object: its source text, or its beginning. Whatever the text is, nothing but names comes out. */
struct jr_object_id jr_object_identify(struct jr_str object);
/** The same of the object in a watch event's line. */
struct jr_object_id jr_event_identify(struct jr_str line);

#endif
