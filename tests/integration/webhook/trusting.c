/* SPDX-License-Identifier: Apache-2.0 */
/* A caller like an API server: looks whom the webhook configuration trusts, connects to the webhook
 * trusting nobody else, and asks; again and again, with a new connection each time.
 *   trusting KUBECONFIG URL REVIEW STOP MILLISECONDS
 * Until the file STOP is there; then "GOOD FAILED LATE". LATE is a failure by what was trusted,
 * after so many milliseconds since the look, where the configuration says something else meanwhile:
 * what was read was out of date. Any other failure is one, however slow. */
#include <stdio.h>
#include <stdlib.h>

#include "common/api/admission_review.h"
#include "common/base/base64.h"
#include "common/base/file.h"
#include "common/curl/curl.h"
#include "common/json/doc.h"
#include "common/kube/request.h"

#define CONFIGURATION "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/jobreeve"
#define PATH "/validate-batch-v1-job"
#define BODY_MAX ((size_t)1 << 20)
#define TIMEOUT_MS 30000

struct caller {
    struct jr_loop *loop;
    struct jr_env api;
    struct jr_buf pem;
    bool over; /* the request under way is answered */
    bool good;
    struct jr_error err;
};

static void on_configuration(void *ctx, const struct jr_kube_result *r)
{
    struct caller *c = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *first;

    c->err = r->error;
    c->good = false;
    jr_buf_reset(&c->pem);
    if (r->kind == JR_RESULT_OK &&
        jr_doc_parse(r->body, &JR_READER_LENIENT, &doc, &c->err) == JR_OK) {
        first = jr_at(jr_get(jr_doc_root_const(doc), "webhooks"), 0);
        c->good = jr_base64_decode(jr_get_str(jr_get(first, "clientConfig"), "caBundle"),
                                   &c->pem) == JR_OK &&
                  jr_buf_addc(&c->pem, '\n') == JR_OK;
    }
    c->over = true;
}

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    static const char allowed[] = "\"allowed\":true";
    struct caller *c = ctx;

    c->err = r->error;
    c->good = r->kind == JR_RESULT_OK &&
              memmem(r->body.p, r->body.n, allowed, sizeof(allowed) - 1) != NULL;
    c->over = true;
}

static bool send(struct caller *c, const struct jr_env *env, const char *path, struct jr_str body,
                 void (*on_done)(void *ctx, const struct jr_kube_result *r))
{
    const struct jr_kube_request req = { .http = { .method = body.n == 0 ? "GET" : "POST",
                                                   .path = path,
                                                   .body = body,
                                                   .timeout_ms = TIMEOUT_MS } };

    bool idle;

    c->good = false;
    c->over = false;
    (void)jr_kube_send(env, &req, on_done, c);
    while (!c->over) {
        if (jr_loop_turn(c->loop, JR_SEC, &idle, &c->err) != JR_OK)
            return false;
    }
    return c->good;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a config owns its texts */
static bool call(struct caller *c, char *url, struct jr_str review)
{
    JR_CLEANUP(jr_curl_freep) struct jr_curl *curl = NULL;
    struct jr_kube_config config = { .server = url };
    struct jr_env env = { .loop = c->loop, .rand = jr_rand_system };

    if (!send(c, &c->api, CONFIGURATION, (struct jr_str){ NULL, 0 }, on_configuration))
        return false;
    config.ca_pem = c->pem.p;
    if (jr_curl_new(c->loop, &config, "trusting", &curl, &c->err) != JR_OK)
        return false;
    env.transport = jr_curl_transport(curl);
    return send(c, &env, PATH, review, on_answer);
}

/** Whether the call failed since whom it trusted was out of date. Looks again. */
static bool was_stale(struct caller *c)
{
    JR_BUF used = { 0 };

    jr_buf_init(&used, BODY_MAX);
    return strstr(c->err.msg, "not trusted by the certificate-authority") != NULL &&
           jr_buf_add(&used, jr_buf_str(&c->pem)) == JR_OK &&
           send(c, &c->api, CONFIGURATION, (struct jr_str){ NULL, 0 }, on_configuration) &&
           !jr_str_eq(jr_buf_str(&used), jr_buf_str(&c->pem));
}

static int run(struct caller *c, char **argv, struct jr_str review, int64_t fresh_ns)
{
    size_t good = 0, failed = 0, late = 0;
    char text[sizeof(c->err.path) + sizeof(c->err.msg) + 8];

    while (access(argv[4], F_OK) != 0) {
        const int64_t began = jr_clock_system.mono(jr_clock_system.self).ns;
        bool right = call(c, argv[2], review);
        int64_t took = jr_clock_system.mono(jr_clock_system.self).ns - began;

        (void)jr_error_text(&c->err, text, sizeof(text));
        if (right) {
            good++;
        } else if (took >= fresh_ns && was_stale(c)) {
            late++;
        } else {
            failed++;
            (void)fprintf(stderr, "trusting: after %lld ms: %s\n", (long long)(took / JR_MSEC),
                          text);
        }
        (void)usleep(20000); /* it need not be all that the machine does */
    }
    (void)printf("%zu %zu %zu\n", good, failed, late);
    return 0;
}

int main(int argc, char **argv)
{
    struct caller c = { .loop = NULL };
    struct jr_kube_config config = { .server = NULL };
    struct jr_curl *curl = NULL;
    struct jr_buf review = { 0 };
    int64_t ms;
    int code = 1;

    if (argc != 6 || jr_parse_i64(jr_str(argv[5]), 1, 60000, &ms) != JR_OK)
        return 2;
    jr_buf_init(&review, BODY_MAX);
    jr_buf_init(&c.pem, BODY_MAX);
    if (jr_loop_new(&jr_clock_system, &c.loop, &c.err) == JR_OK &&
        jr_file_read(argv[3], &review, &c.err) == JR_OK &&
        jr_kube_config_load(argv[1], NULL, JR_CONFIG_SERVER, &config, &c.err) == JR_OK &&
        jr_curl_new(c.loop, &config, "trusting", &curl, &c.err) == JR_OK) {
        c.api = (struct jr_env){ c.loop, jr_rand_system, jr_curl_transport(curl) };
        code = run(&c, argv, jr_buf_str(&review), ms * JR_MSEC);
    }
    if (code != 0)
        (void)fprintf(stderr, "trusting: %s\n", c.err.msg);
    jr_curl_free(curl);
    jr_kube_config_done(&config);
    jr_loop_free(c.loop);
    jr_buf_done(&review);
    jr_buf_done(&c.pem);
    return code;
}
