/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve __complete WORD...: what shells ask as somebody presses Tab, and kubectl of its plugins.
 * It isn't listed among the commands. */
#include <stdio.h>

#include "cli/cluster.h"
#include "cli/complete.h"
#include "common/base/memory.h"
#include "common/json/doc.h"
#include "common/kube/framing.h"
#include "common/kube/requester.h"

/* Whoever presses Tab waits. */
#define ASK_MS 3000
#define NAMES "?limit=500"
#define LINES_MAX ((size_t)1 << 20)

struct completing {
    struct jr_completion want;
    struct jr_cluster cluster;
    struct jr_requester requester;
    struct jr_timer *end;
    struct jr_buf *out;
};

static void take_name(void *ctx, struct jr_str text)
{
    struct completing *c = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

    /* An object that can't be read has no name to offer. */
    if (jr_doc_parse(text, &JR_READER_LENIENT, &doc, NULL) == JR_OK)
        jr_complete_name(&c->want, jr_get_str(jr_get(jr_doc_root(doc), "metadata"), "name"),
                         c->out);
}

static void on_names(void *ctx, const struct jr_kube_result *r)
{
    struct completing *c = ctx;
    struct jr_list_page page;

    if (r->kind == JR_RESULT_OK && jr_list_read(r->body, take_name, c, &page, NULL) != JR_OK)
        jr_buf_reset(c->out);
    jr_loop_stop(c->cluster.loop);
}

static void on_end(void *ctx)
{
    struct completing *c = ctx;

    c->end = NULL;
    jr_loop_stop(c->cluster.loop);
}

static void ask(struct completing *c)
{
    static const struct {
        const char *api, *resource;
    } paths[] = { [JR_COMPLETE_JOBS] = { "/apis/batch/v1", "jobs" },
                  [JR_COMPLETE_CRONJOBS] = { "/apis/batch/v1", "cronjobs" },
                  [JR_COMPLETE_PODS] = { "/api/v1", "pods" },
                  [JR_COMPLETE_NAMESPACES] = { "/api/v1", "namespaces" } };
    const struct jr_cluster_flags flags = { .kubeconfig = c->want.kubeconfig,
                                            .context = c->want.context };
    struct jr_http_request http = { .method = "GET",
                                    .accept = JR_ACCEPT_METADATA("PartialObjectMetadataList"),
                                    .timeout_ms = ASK_MS };
    struct jr_str namespace = { NULL, 0 };
    struct jr_error err = { .status = JR_OK };
    JR_BUF path = { 0 };

    if (jr_cluster_open(&c->cluster, &flags, "jobreeve", &err) != JR_OK)
        return;
    if (c->want.names != JR_COMPLETE_NAMESPACES)
    namespace = jr_str(jr_cluster_namespace(&c->cluster, c->want.namespace));
    jr_buf_init(&path, JR_BUF_BY_INPUT);
    jr_resource_path(paths[c->want.names].api, namespace, paths[c->want.names].resource, &path);
    (void)jr_buf_adds(&path, NAMES);
    jr_must(path.failed);
    http.path = path.p;
    c->requester.env = c->cluster.env;
    c->requester.ctx = c;
    jr_requester_send(&c->requester, &http, on_names);
    jr_xloop_after(c->cluster.loop, (int64_t)ASK_MS * JR_MSEC, on_end, c, &c->end);
    /* Without an answer there is nothing to offer, and nobody to tell. */
    (void)jr_need(jr_cluster_run(&c->cluster, &err));
    jr_timer_cancel(c->cluster.loop, &c->end);
    jr_requester_done(&c->requester);
}

int jr_cli_complete(int argc, char **argv)
{
    struct completing c = { .end = NULL };
    JR_BUF out = { 0 };

    jr_buf_init(&out, LINES_MAX);
    c.out = &out;
    c.want = jr_complete(jr_cli_commands, argc - 1, argv + 1, &out);
    if (c.want.names != JR_COMPLETE_NONE)
        ask(&c);
    jr_cluster_close(&c.cluster);
    (void)jr_buf_addf(&out, ":%d\n", (int)c.want.directive);
    return out.failed != JR_OK || !jr_buf_print(&out, stdout) ? 2 : 0;
}
