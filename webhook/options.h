/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of the service and of the keeper; webhook/app/flags.c fills and checks them. */
#ifndef JR_WEBHOOK_OPTIONS_H
#define JR_WEBHOOK_OPTIONS_H

#include "common/base/flags.h"
#include "webhook/api_options.h"
#include "webhook/review/review.h"

struct jr_webhook_options {
    const char *bind_address; /* "" = all, IPv4 and IPv6 */
    int64_t port;
    bool reuse_port;
    const char *cert_file;
    const char *key_file;
    const char *client_ca_file; /* NULL: anybody may call */
    struct jr_flag_list client_names;
    int tls_min_version; /* 0: 1.2, 1: 1.3 */
    struct jr_flag_list tls_cipher_suites;
    const char *tls_secret; /* NULL: the files */
    const char *service_name;
    struct jr_flag_list tls_names; /* beside those of the Service */
    int64_t ca_days;
    int64_t cert_days;
    int64_t tls_poll_ms;
    int64_t tls_propagation_ms;
    const char *webhook_configuration;
    bool keeper;             /* don't serve: keep certificates and webhook configurations */
    const char *tls_ca_file; /* with keeper: what the configurations are to trust; NULL: not ours */
    bool policies;           /* watch JobPolicies */
    struct jr_flag_list policy_files;
    struct jr_flag_list queues;
    struct jr_flag_list trusted_controllers;
    bool metadata_updates;
    struct jr_webhook_api_options api;
    struct jr_flag_addr health;
    struct jr_flag_addr metrics;
    bool metrics_secure;            /* these by TLS */
    int log_level;                  /* enum jr_log_level */
    int log_format;                 /* enum jr_log_format */
    const char *kubernetes_version; /* a version, or JR_VERSION_AUTO */
    struct jr_flag_list feature_gates;
    int64_t max_body_bytes;
    int64_t max_header_bytes;
    int64_t max_request_memory_bytes;
    int64_t max_connections;
    int64_t address_share; /* percent of these that one peer address may have */
    int64_t header_timeout_ms;
    int64_t request_timeout_ms;
    int64_t idle_timeout_ms;
    int64_t shutdown_delay_ms;
    int64_t threads; /* as given; 0 becomes the number of CPUs in the check */
    const char *controller_name;

    /* Made by the check. */
    struct jr_review_settings review; /* without profiles, which change */
    struct jr_profiles profiles;      /* what kubernetes_version and feature_gates say */
    bool version_auto;                /* that is to be found out: till then any known one */
};

#endif
