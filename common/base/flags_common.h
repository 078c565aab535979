/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of flags that several programs have. */
#ifndef JR_BASE_FLAGS_COMMON_H
#define JR_BASE_FLAGS_COMMON_H

#include "common/base/flags.h"
#include "common/base/log.h"

#define JR_HOUR_MS INT64_C(3600000) /* in limits of durations */

/** Into members health and metrics. */
#define JR_LISTENER_FLAGS(config)                                                               \
    { "health-probe-bind-address", JR_FLAG_ADDR, offsetof(config, health), .initial = ":8081",  \
      .help =                                                                                   \
          "Where /healthz, /livez and /readyz are served, by HTTP; 0: off, :0: a free port." }, \
    {                                                                                           \
        "metrics-bind-address", JR_FLAG_ADDR, offsetof(config, metrics),                        \
            .initial = ":8080", .help = "Where /metrics is served; 0: off, :0: a free port."    \
    }
/** Into members log_level and log_format. */
#define JR_LOG_FLAGS(config)                                          \
    { "log-level",                                                    \
      JR_FLAG_ENUM,                                                   \
      offsetof(config, log_level),                                    \
      .initial = "info",                                              \
      .choices = jr_log_levels,                                       \
      .help = "Leaves out log lines below this level." },             \
    {                                                                 \
        "logging-format", JR_FLAG_ENUM, offsetof(config, log_format), \
            .initial = "json", .choices = jr_log_formats,             \
            .help = "How log lines are written, to standard error."   \
    }

#endif
