/* SPDX-License-Identifier: Apache-2.0 */
/* The API's types as tables: every field that we know of an object, and its Go type. */
#ifndef JR_SCHEMA_SCHEMA_H
#define JR_SCHEMA_SCHEMA_H

#include "common/base/str.h"
#include "common/schema/profile.h"

/** A field's type, as Go has it. */
enum jr_schema_kind {
    JR_SCHEMA_ANY, /* known, not looked into */
    JR_SCHEMA_STRING,
    JR_SCHEMA_INT32,
    JR_SCHEMA_INT64,
    JR_SCHEMA_BOOL,
    JR_SCHEMA_TIME,
    JR_SCHEMA_STRINGS,       /* []string */
    JR_SCHEMA_INT32S,        /* []int32 */
    JR_SCHEMA_INT64S,        /* []int64 */
    JR_SCHEMA_STRING_MAP,    /* map[string]string */
    JR_SCHEMA_QUANTITY,      /* resource.Quantity */
    JR_SCHEMA_QUANTITIES,    /* map[ResourceName]resource.Quantity */
    JR_SCHEMA_INT_OR_STRING, /* intstr.IntOrString */
    JR_SCHEMA_STRUCT,
    JR_SCHEMA_LIST /* of structs */
};

/** How a list is written by several (x-kubernetes-list-type). */
enum jr_schema_list {
    JR_SCHEMA_LIST_ATOMIC,
    JR_SCHEMA_LIST_SET, /* each value once */
    JR_SCHEMA_LIST_MAP  /* by keys */
};

/** What a field is decoded into. */
enum jr_schema_into {
    JR_INTO_NOTHING, /* it isn't kept */
    JR_INTO_STR,     /* struct jr_str; of a field that is not looked into its source text */
    JR_INTO_I32,     /* int32_t */
    JR_INTO_I64,     /* int64_t */
    JR_INTO_BOOL,    /* bool; of a pointer to a struct: whether it is there */
    JR_INTO_OPT_I32, /* struct jr_opt_i32 */
    JR_INTO_OPT_I64,
    JR_INTO_OPT_BOOL,
    JR_INTO_TIME,   /* struct jr_time */
    JR_INTO_LABELS, /* struct jr_labels */
    JR_INTO_STRS,   /* struct jr_strs */
    JR_INTO_I32S,   /* struct jr_i32s */
    JR_INTO_TAPE,   /* struct jr_tape */
    JR_INTO_SAME,   /* of a struct: its fields are members of the C struct around it */
    /* The C struct of a struct's type, whose first member is `bool set` where Go has a pointer; of
     * a list an array of such, { T *v; size_t n; }. */
    JR_INTO_STRUCT
};

struct jr_schema_type;
/** Small, since there are some 1,000: in each process that has the tables they are memory of its
 * own, for their pointers. */
struct jr_schema_field {
    const char *name;                /* the JSON name; NULL ends a table */
    const struct jr_schema_type *of; /* of STRUCT and LIST; else NULL */
    const char *go_type; /* a string's own type, or that of a list's: v1.RestartPolicy; or NULL */
    const char *keys;    /* of a list of structs: what tells elements apart, "a" or "a,b" */
    const struct jr_schema_type *keep; /* the fields of `of` that are kept; NULL: as `of` says */
    enum jr_schema_kind kind : 8;
    enum jr_schema_list list : 8;
    enum jr_schema_into into : 8;
    enum jr_gate_id gate : 8; /* where it is gated: dropped while this gate is off */
    bool gated : 1;
    bool gated_on_create : 1; /* an update may bring it in */
    bool pointer : 1;         /* in Go: zero and absent are two things */
    bool always : 1;          /* Go writes it where it is zero, too: it has no omitempty */
    bool merge : 1;           /* a strategic merge patch merges this list, by the first key, others
                                 it replaces */
    bool bytes : 1;           /* a map of bytes, which JSON has in base64 */
    bool micro : 1;           /* a time with six decimals */
    bool json : 1;            /* bytes that are JSON, in a message of their own */
    bool with_text : 1; /* the C struct's, or each element's, first member is a struct jr_str: the
                       value's source text */
    uint8_t number;     /* in protobuf; 0: it has none that is known */
    uint8_t since;      /* 1.since is the first Kubernetes that knows it, of those from 1.31 on */
    uint8_t until;      /* 1.until the last; 0: all know it, from 1.31 to 1.37 */
    uint16_t offset;    /* in the C struct of the type that has the field */
    uint16_t first;     /* of a list, as many elements are kept; 0: all */
};
/** A Go struct. Fields are in Go's order. */
struct jr_schema_type {
    const char *name;    /* JobSpec */
    const char *go_type; /* v1.JobSpec */
    const struct jr_schema_field *fields;
    const struct jr_schema_type *embedded; /* whose fields it has too; NULL: none */
    uint8_t embedded_number;               /* in protobuf, where they are a message */
    size_t size;                           /* of its C struct; 0: it has none */
    bool as_json;                          /* metav1's: Go's encoder writes it by JSON's names */
    bool once; /* decoding from text, a field that comes twice is an error; of 64 fields at most */
};

/* Kinds. */
extern const struct jr_schema_type jr_schema_job;
extern const struct jr_schema_type jr_schema_cron_job;
extern const struct jr_schema_type jr_schema_pod;
extern const struct jr_schema_type jr_schema_namespace;
extern const struct jr_schema_type jr_schema_node;
extern const struct jr_schema_type jr_schema_event;
extern const struct jr_schema_type jr_schema_config_map;
extern const struct jr_schema_type jr_schema_secret;
extern const struct jr_schema_type jr_schema_service_account;
extern const struct jr_schema_type jr_schema_resource_quota;
extern const struct jr_schema_type jr_schema_lease;
extern const struct jr_schema_type jr_schema_mutating_webhook_configuration;
extern const struct jr_schema_type jr_schema_validating_webhook_configuration;
extern const struct jr_schema_type jr_schema_workload;
extern const struct jr_schema_type jr_schema_pod_group;
extern const struct jr_schema_type jr_schema_workload_v1beta1;
extern const struct jr_schema_type jr_schema_pod_group_v1beta1;

/* A kind of our own, which no Kubernetes knows; not among those below. */
extern const struct jr_schema_type jr_schema_job_policy;
/* Kubernetes', but not of the packages that tests/schema compares; neither among those below. */

/** Those of k8s.io/api, ended by NULL. */
extern const struct jr_schema_type *const jr_schema_kinds[];

/* Types that are asked for by themselves, or that several kinds have. */
extern const struct jr_schema_type jr_schema_object_meta;
extern const struct jr_schema_type jr_schema_owner_reference;
extern const struct jr_schema_type jr_schema_label_selector;
extern const struct jr_schema_type jr_schema_label_selector_requirement;
extern const struct jr_schema_type jr_schema_local_object_reference;
extern const struct jr_schema_type jr_schema_object_reference;
extern const struct jr_schema_type jr_schema_object_field_selector;
extern const struct jr_schema_type jr_schema_resource_field_selector;
extern const struct jr_schema_type jr_schema_volume;
extern const struct jr_schema_type jr_schema_volume_projection;
extern const struct jr_schema_type jr_schema_container;
extern const struct jr_schema_type jr_schema_security_context;
extern const struct jr_schema_type jr_schema_job_spec;
extern const struct jr_schema_type jr_schema_job_scheduling;
extern const struct jr_schema_type jr_schema_job_status;
extern const struct jr_schema_type jr_schema_job_template_spec;
extern const struct jr_schema_type jr_schema_cron_job_spec;
extern const struct jr_schema_type jr_schema_pod_spec;
extern const struct jr_schema_type jr_schema_pod_status;
extern const struct jr_schema_type jr_schema_pod_template_spec;

/** The field of that JSON name, NULL if the type has none. *ret_via (may be NULL) is the embedded
 * type that has the field, NULL where it is the type's own. */
const struct jr_schema_field *jr_schema_find(const struct jr_schema_type *type, struct jr_str name,
                                             const struct jr_schema_type **ret_via);
/** The same among the type's own fields, looking on from *at, which is 0 at first, and once around:
 * members that come in the table's order are found at once. */
const struct jr_schema_field *jr_schema_find_next(const struct jr_schema_type *type,
                                                  struct jr_str name, size_t *at);

/** Whether Kubernetes 1.minor knows the field. */
static inline bool jr_schema_known(const struct jr_schema_field *f, unsigned minor)
{
    return minor >= f->since && (f->until == 0 || minor <= f->until);
}
/** The key that tells a merged list's elements apart in a patch; n = 0: none, they are values. */
static inline struct jr_str jr_schema_merge_key(const struct jr_schema_field *f)
{
    struct jr_str keys = jr_str(f->keys == NULL ? "" : f->keys), key = { NULL, 0 };

    (void)jr_str_cut(&keys, ',', &key);
    return key;
}
/** The type that says what is kept of a field that is a struct or a list of such. */
static inline const struct jr_schema_type *jr_schema_kept(const struct jr_schema_field *f)
{
    return f->keep != NULL ? f->keep : f->of;
}

#endif
