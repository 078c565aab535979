/* SPDX-License-Identifier: Apache-2.0 */
/* The selector and the labels of the Pod template that an API server generates for a Job without
 * manualSelector. Without the uid only the labels of the name are generated. */
#include "common/job/generate.h"

#include "common/api/job.h"
#include "common/json/doc.h"

/** Who the Job is; n = 0: not known (yet). */
struct identity {
    struct jr_str name;
    struct jr_str uid;
    bool force; /* write what is not known as "", as the strategy does */
};

static enum jr_status add_absent(struct jr_node *map, const struct jr_field_path *path,
                                 const struct jr_label *label, const char *id,
                                 struct jr_defaulting_log *log)
{
    if (jr_getn(map, label->key) != NULL)
        return JR_OK;
    jr_defaulting_note(log, &JR_FIELD_KEY(path, label->key), NULL, id);
    return jr_set_strn(map, label->key, label->value);
}

static enum jr_status generate_labels(struct jr_node *spec, const struct identity *who,
                                      struct jr_defaulting_log *log)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec.template.metadata.labels");
    const struct jr_label of_name[] = { { JR_S(JR_LABEL_JOB_NAME_LEGACY), who->name },
                                        { JR_S(JR_LABEL_JOB_NAME), who->name } };
    const struct jr_label of_uid[] = { { JR_S(JR_LABEL_CONTROLLER_UID_LEGACY), who->uid },
                                       { JR_S(JR_LABEL_CONTROLLER_UID), who->uid } };
    struct jr_node *at;
    enum jr_status st = jr_ensure_object(spec, "template", &at);

    if (st == JR_OK)
        st = jr_ensure_object(at, "metadata", &at);
    if (st == JR_OK)
        st = jr_ensure_object(at, "labels", &at);
    for (size_t i = 0; i < 2 && st == JR_OK && (who->name.n > 0 || who->force); i++)
        st = add_absent(at, &path, &of_name[i], "generate-job-name-label", log);
    for (size_t i = 0; i < 2 && st == JR_OK && (who->uid.n > 0 || who->force); i++)
        st = add_absent(at, &path, &of_uid[i], "generate-controller-uid-label", log);
    return st;
}

static enum jr_status generate_selector(struct jr_node *spec, const struct identity *who,
                                        struct jr_defaulting_log *log)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec.selector.matchLabels");
    const struct jr_label of_uid = { JR_S(JR_LABEL_CONTROLLER_UID), who->uid };
    struct jr_node *at;
    enum jr_status st;

    if (who->uid.n == 0 && !who->force)
        return JR_OK;
    st = jr_ensure_object(spec, "selector", &at);
    if (st == JR_OK)
        st = jr_ensure_object(at, "matchLabels", &at);
    return st == JR_OK ? add_absent(at, &path, &of_uid, "generate-selector", log) : st;
}

static enum jr_status generate_as(struct jr_node *job, bool force, struct jr_defaulting_log *log)
{
    const struct identity who = {
        .name = jr_get_str(jr_get(job, "metadata"), "name"),
        .uid = jr_get_str(jr_get(job, "metadata"), "uid"),
        .force = force,
    };
    struct jr_node *spec = jr_get(job, "spec");
    enum jr_status st;

    if (jr_node_kind(spec) != JR_OBJECT || jr_node_bool_or(jr_get(spec, "manualSelector"), false))
        return JR_OK;
    if (who.name.n == 0 && who.uid.n == 0 && !force)
        return JR_OK;
    st = generate_labels(spec, &who, log);
    if (st == JR_OK)
        st = generate_selector(spec, &who, log);
    return st == JR_TYPE ? JR_OK : st; /* the decoder reports wrong types */
}

enum jr_status jr_job_generate(struct jr_node *job, struct jr_defaulting_log *log)
{
    return generate_as(job, false, log);
}

enum jr_status jr_job_generate_as_strategy(struct jr_node *job)
{
    return generate_as(job, true, NULL);
}
