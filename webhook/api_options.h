/* SPDX-License-Identifier: Apache-2.0 */
/* Where the API server is, as flags say it. */
#ifndef JR_WEBHOOK_API_OPTIONS_H
#define JR_WEBHOOK_API_OPTIONS_H

/** A member `api` of what each command line is read into. */
struct jr_webhook_api_options {
    const char *kubeconfig; /* NULL: kubectl's rules */
    const char *context;    /* NULL: the kubeconfig's current one */
    const char *namespace;  /* of our own objects; NULL: see jr_webhook_api */
};

/** Rows of the one-shot commands, into that member's kubeconfig and context. */
#define JR_WEBHOOK_API_FLAGS(config)                                                             \
    { "kubeconfig", JR_FLAG_STR, offsetof(config, api.kubeconfig),                               \
      .help = "The `file` that says where the API server is; default: by kubectl's rules, in a " \
              "Pod its service account." },                                                      \
    {                                                                                            \
        "context", JR_FLAG_STR, offsetof(config, api.context),                                   \
            .help = "The `name` of the kubeconfig's context; default: the current one."          \
    }

#endif
