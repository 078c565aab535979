/* Create, update or status update: which of a kind's functions is asked. */
#include "common/admission/admission.h"

enum jr_status jr_admission_prepare(const struct jr_admission_kind *kind,
                                    enum jr_admission_operation operation, struct jr_node *object,
                                    const struct jr_node *old, const struct jr_profile *profile)
{
    switch (operation) {
    case JR_ADMISSION_CREATE:
        return kind->prepare_create(object, profile);
    case JR_ADMISSION_UPDATE:
        return kind->prepare_update(object, old, profile);
    case JR_ADMISSION_STATUS:
        break;
    }
    return kind->prepare_status(object, old);
}

bool jr_admission_shares_labels(const struct jr_admission_kind *kind, const struct jr_node *object)
{
    const struct jr_node *meta = jr_get(object, "metadata");

    return kind == &jr_admission_job && jr_size(jr_get(meta, "labels")) == 0 &&
           jr_get_str(meta, "name").n > 0 &&
           jr_size(jr_path(object, "spec.template.metadata.labels")) > 0;
}

enum jr_status jr_admission_share_labels(struct jr_node *object)
{
    return jr_set_copy(jr_get(object, "metadata"), JR_S("labels"),
                       jr_path(object, "spec.template.metadata.labels"), NULL);
}

void jr_admission_validate(const struct jr_admission_kind *kind,
                           enum jr_admission_operation operation, const struct jr_object *object,
                           const struct jr_object *old, const struct jr_profile *profile,
                           struct jr_errlist *errs)
{
    switch (operation) {
    case JR_ADMISSION_CREATE:
        kind->validate_create(object, profile, errs);
        break;
    case JR_ADMISSION_UPDATE:
        kind->validate_update(object, old, profile, errs);
        break;
    case JR_ADMISSION_STATUS:
        if (kind->validate_status != NULL)
            kind->validate_status(object, old, profile, errs);
        break;
    }
}

enum jr_status jr_admission_warnings(const struct jr_admission_kind *kind,
                                     enum jr_admission_operation operation,
                                     const struct jr_object *object, const struct jr_object *old,
                                     struct jr_arena *arena, struct jr_strs *ret)
{
    *ret = (struct jr_strs){ NULL, 0 };
    if (operation == JR_ADMISSION_STATUS)
        return JR_OK;
    return kind->warnings(object, operation == JR_ADMISSION_CREATE ? NULL : old, arena, ret);
}
