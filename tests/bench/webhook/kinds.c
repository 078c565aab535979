/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/webhook/kinds.h"

#define HEADER_MS 10000
#define REQUEST_MS 30000
#define IDLE_MS 30000 /* not the default, which is longer than this lasts: run.sh */
/* Those that last till their deadline are most of what stands at any time. */
#define LASTING 4

#define ASK_NOTHING "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
#define ASK_READY "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
#define ASK_ONCE "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
#define ASK_METRICS "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

#define HEAD                                   \
    "POST /validate-batch-v1-job HTTP/1.1\r\n" \
    "Host: 127.0.0.1\r\n"                      \
    "Content-Type: application/json\r\n"

const struct kind kinds[] = {
    { .name = "silent", .share = LASTING, .deadline_ms = HEADER_MS },
    { .name = "dripping-handshake",
      .share = LASTING,
      .head = "\x16\x03\x01\x02\x02\x01\x01\x01\xfc\x03\x03",
      .drip = "x",
      .deadline_ms = HEADER_MS },
    { .name = "garbage",
      .share = 1,
      .head = "GET / HTTP/1.1\r\n",
      .burst = 2048,
      .deadline_ms = HEADER_MS },
    { .name = "silent-after-handshake", .share = LASTING, .tls = true, .deadline_ms = IDLE_MS },
    { .name = "dripping-headers",
      .share = LASTING,
      .tls = true,
      .head = HEAD "X-Filler: ",
      .drip = "x",
      .deadline_ms = HEADER_MS },
    { .name = "huge-headers",
      .share = 1,
      .tls = true,
      .head = HEAD "X-Filler: ",
      .burst = 131072,
      .drip = "x",
      .deadline_ms = HEADER_MS },
    { .name = "slow-body",
      .share = LASTING,
      .tls = true,
      .head = HEAD "Content-Length: 100000\r\n\r\n",
      .drip = " ",
      .deadline_ms = REQUEST_MS },
    { .name = "stalled-body",
      .share = 2,
      .tls = true,
      .head = HEAD "Content-Length: 1000000\r\n\r\n",
      .burst = 600000,
      .drip = " ",
      .deadline_ms = REQUEST_MS },
    { .name = "dripping-chunks",
      .share = LASTING,
      .tls = true,
      .head = HEAD "Transfer-Encoding: chunked\r\n\r\n",
      .drip = "8\r\n        \r\n",
      .deadline_ms = REQUEST_MS },
    { .name = "oversized",
      .share = 1,
      .tls = true,
      .head = HEAD "Content-Length: 1000000000\r\n\r\n",
      .burst = 65536,
      .drip = " ",
      .deadline_ms = REQUEST_MS },
    { .name = "half-closed",
      .share = 1,
      .tls = true,
      .head = HEAD "Content-Length: 100000\r\n\r\n",
      .half_closed = true,
      .deadline_ms = REQUEST_MS },
    { .name = "half-closed-headers",
      .share = 1,
      .tls = true,
      .head = HEAD,
      .half_closed = true,
      .deadline_ms = HEADER_MS },
    { .name = "hello", .share = LASTING, .hello = true, .deadline_ms = HEADER_MS },
    { .name = "half-closed-hello",
      .share = 1,
      .hello = true,
      .half_closed = true,
      .deadline_ms = HEADER_MS },
    /* It is never late: each answer gives it time anew. */
    { .name = "refreshed",
      .share = LASTING,
      .tls = true,
      .head = ASK_NOTHING,
      .drip = ASK_NOTHING },
    /* As an API server does, by somebody who is none. */
    { .name = "reviews", .tls = true, .review = true },

    /* For the ports of probes and metrics. */
    { .name = "http-dripping", .head = "GET /readyz HTTP/1.1\r\nX-Filler: ", .drip = "x" },
    { .name = "http-idle", .head = ASK_READY },
    { .name = "http-refreshed", .head = ASK_READY, .drip = ASK_READY },
    { .name = "http-half-closed", .head = "GET /readyz HTTP/1.1\r\n", .half_closed = true },
    { .name = "http-body",
      .head = "POST /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n",
      .drip = " " },
    { .name = "http-deaf", .head = ASK_METRICS, .drip = ASK_METRICS, .deaf = true },
    { .name = "http-once", .head = ASK_ONCE },
    /* The same by TLS, where only the metrics have an answer that is worth not being read. */
    { .name = "deaf", .tls = true, .head = ASK_METRICS, .drip = ASK_METRICS, .deaf = true },
    { .name = "once", .tls = true, .head = ASK_ONCE },
};

const size_t n_kinds = JR_ARRAY_SIZE(kinds);
