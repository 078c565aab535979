/* SPDX-License-Identifier: Apache-2.0 */
/* Pods as the simulated kubelet keeps them. */
#include "devcluster/kubelet/pod.h"

#include "common/base/memory.h"
#include "common/json/decode.h"
#include "common/json/write.h"

#define POD_BYTES_MAX ((size_t)32 << 20)

/* What is left out of which member. */
static const struct {
    const char *member, *less;
} left_out[] = {
    { "metadata", "managedFields" },
    { "spec", "volumes" },
};

static const char *less_of(struct jr_str member)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(left_out); i++) {
        if (jr_str_is(member, left_out[i].member))
            return left_out[i].less;
    }
    return NULL;
}

/* Copies the object ahead without its member `less`; NULL: the Pod, without what is left out. */
static enum jr_status copy_object(struct jr_decoder *d, struct jr_writer *w, const char *less,
                                  struct jr_error *err)
{
    bool more;
    enum jr_status st = jr_decode_object_begin(d, &more, err);

    jr_w_object(w);
    while (st == JR_OK && more) {
        struct jr_str key, value;
        const char *inner;

        st = jr_decode_object_next(d, &key, &more, err);
        if (st != JR_OK || !more)
            break;
        inner = less == NULL ? less_of(key) : NULL;
        if (inner != NULL) {
            jr_w_keyn(w, key);
            st = copy_object(d, w, inner, err);
            continue;
        }
        st = jr_reader_skip(&d->reader, &value, err);
        if (st == JR_OK && (less == NULL || !jr_str_is(key, less))) {
            jr_w_keyn(w, key);
            jr_w_raw(w, value);
        }
    }
    jr_w_object_end(w);
    return st;
}

static enum jr_status parse(struct jr_str object, struct jr_doc **ret, struct jr_error *err)
{
    struct jr_reader_opts opts = JR_READER_LENIENT;
    JR_ARENA arena = { 0 };
    JR_BUF text = { 0 };
    struct jr_writer w = jr_writer_on(&text);
    struct jr_decoder d;
    enum jr_status st;

    jr_arena_init(&arena, 0);
    jr_buf_init(&text, POD_BYTES_MAX);
    jr_decoder_init(&d, object, &arena, false);
    d.reader.lenient = true;
    opts.max_bytes = 0;
    st = copy_object(&d, &w, NULL, err);
    if (st == JR_OK && text.failed != JR_OK)
        st = jr_fail(err, text.failed, NULL, "Pod");
    return st == JR_OK ? jr_doc_parse(jr_buf_str(&text), &opts, ret, err) : st;
}

struct jr_doc *jr_dev_kubelet_pod_parse(struct jr_str object, struct jr_log *log)
{
    struct jr_doc *doc = NULL;
    struct jr_error why = { 0 };

    if (jr_need(parse(object, &doc, &why)) == JR_OK)
        return doc;
    jr_warn(log, "pod not understood", JR_ERR(&why));
    return NULL;
}
