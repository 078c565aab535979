/* SPDX-License-Identifier: Apache-2.0 */
/* The Secret of the webhook's certificates: what is read from it, what is refused by its key, and
 * what a write leaves of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/base64.h"
#include "common/base/memory.h"
#include "tests/support/doc.h"
#include "webhook/certs/cert_secret.h"

#define VALUE_MAX ((size_t)1 << 20)

/** Reads a Secret with these data; the caller ends *ret. */
static enum jr_status read_data(const char *data, struct jr_certs *ret, struct jr_error *err)
{
    JR_FREE char *text = jr_xasprintf("{\"data\":%s}", data);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_of(jr_str(text));

    return jr_cert_secret_read(jr_doc_root(doc), ret, err);
}

static void test_wrong_values(void **state)
{
    static const struct {
        const char *data, *key; /* NULL: it is read */
    } rows[] = {
        { "{}", NULL },
        { "null", NULL },
        { "{\"tls.crt\":\"\",\"tls.key\":\"\"}", NULL },
        { "{\"ca.crt\":\"YQ==\"}", NULL },
        { "{\"ca.crt\":\"!\"}", "ca.crt" },
        { "{\"ca.key\":\"YQ\"}", "ca.key" },
        { "{\"tls.key\":\"YQBi\"}", "tls.key" }, /* a, NUL, b */
        { "{\"tls.crt\":\"AA==\"}", "tls.crt" }, /* NUL */
        { "{\"old-ca.crt\":\"YQ==\",\"next-ca.key\":\"*\"}", "next-ca.key" },
        { "{\"old-ca-until\":\"YQ==\"}", "old-ca-until" },
        { "{\"old-ca-until\":\"*\"}", "old-ca-until" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
        struct jr_error err = { .status = JR_OK };
        const enum jr_status st = read_data(rows[i].data, &c, &err);

        if (st != (rows[i].key == NULL ? JR_OK : JR_INVALID))
            fail_msg("%s: %s", rows[i].data, jr_status_text(st));
        if (st != JR_OK)
            assert_string_equal(err.path, rows[i].key);
    }
}

/** A Secret whose tls.crt has n bytes. */
static enum jr_status read_long(size_t n, struct jr_error *err)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    JR_FREE char *data = NULL;
    JR_BUF text = { 0 }, b64 = { 0 };
    enum jr_status st;

    jr_buf_init(&text, n);
    jr_buf_init(&b64, 2 * n);
    for (size_t i = 0; i < n; i++)
        (void)jr_buf_addc(&text, 'x');
    assert_int_equal(jr_base64_encode(jr_buf_str(&text), &b64), JR_OK);
    data = jr_xasprintf("{\"tls.crt\":\"%s\"}", b64.p);
    st = read_data(data, &c, err);
    if (st == JR_OK)
        assert_int_equal(strlen(c.serving.cert_pem), n);
    return st;
}

static void test_long_values(void **state)
{
    struct jr_error err = { .status = JR_OK };

    (void)state;
    assert_int_equal(read_long(VALUE_MAX - 1, &err), JR_OK);
    assert_int_equal(read_long(VALUE_MAX + 1, &err), JR_INVALID);
    assert_string_equal(err.path, "tls.crt");
}

/* A written Secret is read again; data of others stay; a key without a value goes, but for the two
 * that a Secret of this type must have. */
static void test_round_trip(void **state)
{
    static const char before[] = "{\"data\":{\"other\":\"YQ==\",\"next-ca.crt\":\"YQ==\","
                                 "\"old-ca-until\":\"YQ==\",\"tls.key\":\"YQ==\"}}";
    char ca[] = "the ca", old[] = "the old ca", cert[] = "a pair's";
    const struct jr_certs written = { .ca.cert_pem = ca,
                                      .old_ca_pem = old,
                                      .serving.cert_pem = cert,
                                      .old_until = jr_time_s(1772366400) };
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_of(jr_str(before));
    const struct jr_node *data;

    (void)state;
    assert_int_equal(jr_cert_secret_write(&written, jr_doc_root(doc)), JR_OK);
    data = jr_get(jr_doc_root(doc), "data");
    assert_int_equal(jr_size(data), 6);
    assert_true(jr_str_is(jr_get_str(data, "other"), "YQ=="));
    assert_int_equal(jr_get_str(data, "tls.key").n, 0);
    assert_non_null(jr_get(data, "tls.key"));

    assert_int_equal(jr_cert_secret_read(jr_doc_root(doc), &c, NULL), JR_OK);
    assert_string_equal(c.ca.cert_pem, ca);
    assert_string_equal(c.old_ca_pem, old);
    assert_string_equal(c.serving.cert_pem, cert);
    assert_null(c.serving.key_pem);
    assert_null(c.next_ca.cert_pem);
    assert_true(jr_time_cmp(c.old_until, written.old_until) == 0);
}

/* Data that is no object is nothing that could be written to. */
static void test_no_object(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_of(JR_S("{\"data\":[]}"));
    const struct jr_certs none = { .old_ca_pem = NULL };

    (void)state;
    assert_int_equal(jr_cert_secret_write(&none, jr_doc_root(doc)), JR_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_object),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
