/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of jobreeve-controller. */
#ifndef JR_CONTROLLER_APP_OPTIONS_H
#define JR_CONTROLLER_APP_OPTIONS_H

#include "common/base/flags.h"
#include "common/job/controller_name.h"
#include "common/schema/meta.h"
#include "common/schema/profiles.h"
#include "controller/reconcile/options.h"

/** Which Jobs get a gang. */
enum jr_gang_scheduling { JR_GANGS_ALL, JR_GANGS_ASKED };

struct jr_controller_config {
    const char *config;     /* a file with more of these settings; NULL: none */
    const char *kubeconfig; /* NULL: kubectl's rules */
    const char *context;
    struct jr_flag_list namespaces; /* none: all */
    const char *controller_name;
    struct jr_flag_list trusted_controllers;
    bool replace_builtin;
    bool leader_elect;
    int64_t lease_duration_ms;
    int64_t renew_deadline_ms;
    int64_t retry_period_ms;
    const char *lease_name;
    const char *lease_namespace; /* NULL: where the process runs, or jobreeve-system */
    int64_t concurrent_syncs;
    int64_t max_inflight;
    int64_t job_cache_bytes;
    double api_qps;    /* 0 or less: no limit */
    int64_t api_burst; /* 0: as many as api_qps, at least one */
    bool ttl_after_finished;
    bool policies; /* write the status of JobPolicies, and audit */
    int64_t audit_interval_ms;
    const char *webhook_configuration;
    bool debug_jobs;
    const char *kubernetes_version; /* a version, or JR_VERSION_AUTO */
    struct jr_flag_list feature_gates;
    int gang_scheduling; /* enum jr_gang_scheduling */
    struct jr_flag_addr health;
    struct jr_flag_addr metrics;
    const char *metrics_cert_file; /* NULL: metrics go by plain HTTP */
    const char *metrics_key_file;  /* of the certificate */
    int log_level;                 /* enum jr_log_level */
    int log_format;                /* enum jr_log_format */

    /* Of the command decommission: no service, but the last accounting, and all finalizers off. */
    bool decommission;
    const char *deployment;            /* to scale down first; NULL: none */
    const char *deployment_namespace;  /* NULL: the Lease's */
    const char *deployment_annotation; /* that it must have to be scaled down; NULL: none */
    int64_t decommission_timeout_ms;

    /* Made by the check. */
    struct jr_reconcile_options reconcile;
    struct jr_strs trusted;      /* controllers */
    struct jr_profiles profiles; /* what kubernetes_version and feature_gates say */
    bool version_auto;           /* that is to be found out: till then any known one */
    char finalizer[JR_CONTROLLER_NAME_MAX + sizeof("/job-tracking")];
};

extern const struct jr_flags jr_controller_flags; /* its commands, too */
extern const struct jr_flags jr_controller_decommission_flags;
/** Those that the config was read by. */
const struct jr_flags *jr_controller_flags_of(const struct jr_controller_config *c);
/** The name of the flag that sets `config`. */
#define JR_CONTROLLER_CONFIG_FLAG "config"

/** Checks what single flags can't show wrong, and works out what reconciliation is to be. The
 * config stays where it is from then on: its own texts are pointed at. Errors: JR_USAGE, err->path
 * names the flag. */
enum jr_status jr_controller_config_check(struct jr_controller_config *c,
                                          struct jr_error *err) JR_MUST_USE;
/** Sets the gates of *ret as a profile says. */
void jr_controller_gates(const struct jr_controller_config *c, const struct jr_profile *profile,
                         struct jr_reconcile_options *ret);

#endif
