/* SPDX-License-Identifier: Apache-2.0 */
/* Writes core/v1 Events, new ones and their repetitions. */
#include "common/api/event.h"

#include "common/base/utf8.h"
#include "common/json/write.h"

#define MESSAGE_MAX 1024

enum jr_status jr_event_write(const struct jr_event *e, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("Event"));
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    jr_w_kstr(&w, "name", e->name);
    jr_w_opt_kstr(&w, "namespace", e->namespace);
    jr_w_object_end(&w);
    jr_w_key(&w, "involvedObject");
    jr_w_object(&w);
    jr_w_opt_kstr(&w, "kind", e->involved.kind);
    jr_w_opt_kstr(&w, "namespace", e->involved.namespace);
    jr_w_opt_kstr(&w, "name", e->involved.name);
    jr_w_opt_kstr(&w, "uid", e->involved.uid);
    jr_w_opt_kstr(&w, "apiVersion", e->involved.api_version);
    jr_w_opt_kstr(&w, "resourceVersion", e->involved.resource_version);
    jr_w_object_end(&w);
    jr_w_opt_kstr(&w, "reason", e->reason);
    jr_w_opt_kstr(&w, "message", jr_utf8_head(e->message, MESSAGE_MAX));
    jr_w_key(&w, "source");
    jr_w_object(&w);
    jr_w_opt_kstr(&w, "component", e->component);
    jr_w_object_end(&w);
    jr_w_opt_ktime(&w, "firstTimestamp", e->first_timestamp);
    jr_w_opt_ktime(&w, "lastTimestamp", e->last_timestamp);
    jr_w_ki64(&w, "count", e->count);
    jr_w_opt_kstr(&w, "type", e->type);
    jr_w_kstr(&w, "reportingComponent", e->component);
    jr_w_kstr(&w, "reportingInstance", JR_S(""));
    jr_w_object_end(&w);
    return out->failed;
}

enum jr_status jr_event_write_repeat(const struct jr_event *e, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_ki64(&w, "count", e->count);
    jr_w_opt_ktime(&w, "lastTimestamp", e->last_timestamp);
    jr_w_kstr(&w, "message", jr_utf8_head(e->message, MESSAGE_MAX));
    jr_w_object_end(&w);
    return out->failed;
}
