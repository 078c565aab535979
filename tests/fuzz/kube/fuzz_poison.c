/* SPDX-License-Identifier: Apache-2.0 */
/* A poisoned item among good ones: whatever an object holds that an API server can serve, those
 * beside it are delivered, in streams and in lists, and it is itself, named and decoded. The input
 * says what the object is made of; it is written here, without the product's help. */
#include <stdint.h>

#include "common/api/job.h"
#include "common/api/pod.h"
#include "common/kube/framing.h"
#include "common/kube/object_id.h"

#define MUST(cond)            \
    do {                      \
        if (!(cond))          \
            __builtin_trap(); \
    } while (0)
#define DEPTH_MAX 4096
#define GOOD_1 "{\"metadata\":{\"name\":\"g1\"}}"
#define GOOD_2 "{\"metadata\":{\"name\":\"g2\"}}"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct maker {
    const uint8_t *p, *end;
    struct jr_buf *out;
    char open[DEPTH_MAX]; /* the closing brackets that are due */
    size_t depth;
};

static uint8_t take(struct maker *m)
{
    return m->p < m->end ? *m->p++ : 0;
}

/** A string of the next bytes: any that JSON lets stand raw, UTF-8 or not; the others escaped. */
static void put_string(struct maker *m)
{
    size_t n = take(m) % 16;

    (void)jr_buf_addc(m->out, '"');
    for (; n > 0 && m->p < m->end; n--) {
        uint8_t c = take(m);

        if (c < 0x20)
            (void)jr_buf_addf(m->out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            (void)jr_buf_addf(m->out, "\\%c", c);
        else
            (void)jr_buf_addc(m->out, (char)c);
    }
    (void)jr_buf_addc(m->out, '"');
}

/** A value; false: a container was opened, and its members follow. */
static bool put_value(struct maker *m)
{
    static const char *const plain[] = { "0",    "-1.5e300", "18446744073709551616",
                                         "true", "false",    "null" };
    uint8_t c = take(m);

    if (c % 4 < 2 && m->depth < DEPTH_MAX) {
        (void)jr_buf_addc(m->out, c % 4 == 0 ? '{' : '[');
        m->open[m->depth++] = c % 4 == 0 ? '}' : ']';
        return false;
    }
    if (c % 4 == 2)
        put_string(m);
    else
        (void)jr_buf_adds(m->out, plain[c / 4 % JR_ARRAY_SIZE(plain)]);
    return true;
}

/** One value made of the input, of any depth: the stack is in the maker. */
static void put_any(struct maker *m)
{
    bool first = !put_value(m);

    while (m->depth > 0) {
        const char close = m->open[m->depth - 1];

        if (m->p >= m->end || take(m) % 8 == 0) {
            (void)jr_buf_addc(m->out, close);
            m->depth--;
            first = false;
            continue;
        }
        if (!first)
            (void)jr_buf_addc(m->out, ',');
        if (close == '}') {
            put_string(m);
            (void)jr_buf_addc(m->out, ':');
        }
        first = !put_value(m);
    }
}

static void keep(void *ctx, struct jr_str item)
{
    (void)jr_buf_add(ctx, item);
    (void)jr_buf_addc(ctx, '\n');
}

static enum jr_status on_event(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    (void)err;
    MUST(type == JR_EV_ADDED);
    keep(ctx, object);
    return JR_OK;
}

static void check_stream(struct jr_str object, size_t step, struct jr_str want)
{
    struct jr_watch_frames f;
    JR_BUF in = { 0 };
    JR_BUF out = { 0 };

    jr_buf_init(&in, SIZE_MAX);
    jr_buf_init(&out, SIZE_MAX);
    (void)jr_buf_adds(&in, "{\"type\":\"ADDED\",\"object\":" GOOD_1
                           "}\n{\"type\":\"ADDED\",\"object\":");
    (void)jr_buf_add(&in, object);
    (void)jr_buf_adds(&in, "}\n{\"object\":" GOOD_2 ",\"type\":\"ADDED\"}\n");
    jr_watch_frames_init(&f);
    for (struct jr_str rest = jr_buf_str(&in); rest.n > 0; rest = jr_str_from(rest, step))
        MUST(jr_watch_frames_feed(&f, jr_str_head(rest, step), on_event, &out, NULL) == JR_OK);
    jr_watch_frames_done(&f);
    MUST(jr_str_eq(jr_buf_str(&out), want));
}

static void check_list(struct jr_str object, struct jr_str want)
{
    struct jr_list_page page;
    JR_BUF in = { 0 };
    JR_BUF out = { 0 };

    jr_buf_init(&in, SIZE_MAX);
    jr_buf_init(&out, SIZE_MAX);
    (void)jr_buf_adds(&in, "{\"items\":[" GOOD_1 ",");
    (void)jr_buf_add(&in, object);
    (void)jr_buf_adds(&in, "," GOOD_2 "],\"metadata\":{\"resourceVersion\":\"7\"}}");
    MUST(jr_list_read(jr_buf_str(&in), keep, &out, &page, NULL) == JR_OK);
    MUST(jr_str_eq(jr_buf_str(&out), want));
    MUST(jr_str_is(page.resource_version, "7"));
}

/** The poisoned one itself is read, as far as it is one that is asked for. */
static void check_object(struct jr_str object)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
    struct jr_object_id id = jr_object_identify(object);
    JR_BUF out = { 0 };
    struct jr_str rv;

    MUST(jr_str_is(id.name, "p") && jr_str_is(id.resource_version, "5"));
    MUST(jr_object_version(object, &rv, NULL, NULL) == JR_OK && jr_str_is(rv, "5"));
    MUST(jr_pod_decode(object, &pod, NULL) == JR_OK && jr_str_is(pod->name, "p"));
    MUST(jr_job_decode(object, &job, NULL) == JR_OK && jr_str_is(job->meta.name, "p"));
    jr_buf_init(&out, SIZE_MAX);
    MUST(jr_job_write_with_status(job, &job->status, JR_S("6"), &out) == JR_OK);
    id = jr_object_identify(jr_buf_str(&out));
    MUST(jr_str_is(id.name, "p") && jr_str_is(id.resource_version, "6"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct maker m = { .p = data, .end = data + size };
    JR_BUF poison = { 0 };
    JR_BUF object = { 0 };
    JR_BUF want = { 0 };
    size_t step;

    jr_buf_init(&poison, SIZE_MAX);
    jr_buf_init(&object, SIZE_MAX);
    jr_buf_init(&want, SIZE_MAX);
    m.out = &poison;
    step = (size_t)take(&m) + 1;
    put_any(&m);
    (void)jr_buf_adds(&object, "{\"x\":");
    (void)jr_buf_add(&object, jr_buf_str(&poison));
    (void)jr_buf_adds(&object, ",\"metadata\":{\"name\":\"p\",\"managedFields\":[{\"fieldsV1\":");
    (void)jr_buf_add(&object, jr_buf_str(&poison));
    (void)jr_buf_adds(&object, "}],\"resourceVersion\":\"5\"},\"status\":{\"x\":");
    (void)jr_buf_add(&object, jr_buf_str(&poison));
    (void)jr_buf_adds(&object, "}}");
    (void)jr_buf_addf(&want, GOOD_1 "\n%.*s\n" GOOD_2 "\n", JR_P(jr_buf_str(&object)));
    check_stream(jr_buf_str(&object), step, jr_buf_str(&want));
    check_list(jr_buf_str(&object), jr_buf_str(&want));
    check_object(jr_buf_str(&object));
    return 0;
}
