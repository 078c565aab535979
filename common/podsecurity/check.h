/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a check, inside of this folder. */
#ifndef JR_PODSECURITY_CHECK_H
#define JR_PODSECURITY_CHECK_H

#include "common/podsecurity/pod_security.h"

/** A container of a Pod: init containers come first. */
struct jr_checked_container {
    struct jr_str name;
    const struct jr_node *node;
    const struct jr_node *security; /* its securityContext; NULL: it has none */
};

/** Texts that a check has gathered, in its arena. */
struct jr_checked_texts {
    struct jr_str *v;
    size_t n, cap;
};

/** A Pod as all checks see it, and what the one at hand has found. */
struct jr_pod_check_state {
    struct jr_arena *arena; /* for as long as it is checked */
    unsigned minor;
    const struct jr_node *meta;
    const struct jr_node *spec;
    const struct jr_node *security; /* of the Pod */
    bool is_windows;
    bool has_user_namespace; /* hostUsers: false */
    struct jr_checked_container *containers;
    size_t n;
    struct jr_checked_texts names;  /* of containers or volumes that are at fault, in their order */
    struct jr_checked_texts values; /* that they have */
    struct jr_checked_places {
        uint64_t *v;
        size_t n, cap;
    } places;           /* hashes of what is at fault where */
    const char *reason; /* NULL: nothing is found */
    struct jr_buf detail;
    enum jr_status failed;
};

/** A check finds something: it sets reason and detail. */
typedef void jr_pod_security_fn(struct jr_pod_check_state *c);

/* texts.c */
void jr_checked_add(struct jr_pod_check_state *c, struct jr_checked_texts *to, struct jr_str text);
/** Notes what is at fault at a container or a volume; at n = 0: at the Pod. */
void jr_checked_place(struct jr_pod_check_state *c, struct jr_str at, struct jr_str what);
/** Notes the Pod, with all values gathered so far, if it is bad. Returns bad. */
bool jr_checked_pod(struct jr_pod_check_state *c, bool bad);
/** Sorts them, each once. */
void jr_checked_sort(struct jr_checked_texts *t);
/** Appends "a", "b" in quotes. */
void jr_checked_quote(struct jr_pod_check_state *c, const struct jr_checked_texts *t);
/** Appends `container "a"` or `containers "a", "b"`. */
void jr_checked_containers(struct jr_pod_check_state *c);
/** Appends "pod", the containers, or "pod and" them. */
void jr_checked_setters(struct jr_pod_check_state *c, bool pod);
/** Returns one of two words, by whether n is one. */
const char *jr_checked_plural(const char *one, const char *many, size_t n);

/** Whether a container is at fault; adds the values that are to c->values. */
typedef bool jr_checked_fn(struct jr_pod_check_state *c, const struct jr_checked_container *k);
/** Gathers the names of those that are, and notes them. */
void jr_checked_gather(struct jr_pod_check_state *c, jr_checked_fn *is_bad);

/* baseline.c */
jr_pod_security_fn jr_check_app_armor, jr_check_capabilities_baseline, jr_check_host_namespaces,
    jr_check_host_paths, jr_check_host_ports, jr_check_hosts_of_probes, jr_check_privileged,
    jr_check_proc_mount, jr_check_proc_mount_relaxed, jr_check_se_linux, jr_check_seccomp_baseline,
    jr_check_sysctls, jr_check_host_process;
/** Finds seccomp profiles of types that aren't allowed; false: there is none. */
bool jr_checked_seccomp_setters(struct jr_pod_check_state *c);

/* restricted.c */
jr_pod_security_fn jr_check_escalation, jr_check_capabilities_restricted, jr_check_volumes,
    jr_check_non_root, jr_check_user, jr_check_seccomp_restricted;

#endif
