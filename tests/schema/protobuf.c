/* SPDX-License-Identifier: Apache-2.0 */
/* schema-protobuf: reads lines "KIND BASE64", an object that an API server has written as protobuf,
 * and prints each as a line of JSON. Ends with 1 at the first that can't be read, which it names.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/base64.h"
#include "common/schema/protobuf.h"

static const struct jr_schema_type *type_of(struct jr_str kind)
{
    for (size_t i = 0; jr_schema_kinds[i] != NULL; i++) {
        if (jr_str_is(kind, jr_schema_kinds[i]->name))
            return jr_schema_kinds[i];
    }
    return NULL;
}

static enum jr_status print(struct jr_str line, struct jr_error *err)
{
    struct jr_str kind = { NULL, 0 };
    const struct jr_schema_type *type;
    JR_BUF bytes = { 0 }, json = { 0 };
    enum jr_status st;

    (void)jr_str_cut(&line, ' ', &kind);
    type = type_of(kind);
    jr_buf_init(&bytes, JR_BUF_BY_INPUT);
    jr_buf_init(&json, JR_BUF_BY_INPUT);
    if (type == NULL)
        return jr_fail(err, JR_INVALID, "KIND", "'%.*s' is none", JR_P(kind));
    st = jr_base64_decode(line, &bytes);
    if (st == JR_OK)
        st = jr_protobuf_read(jr_buf_str(&bytes), type, &json, err);
    if (st == JR_OK)
        printf("%.*s\n", (int)json.n, json.p);
    return st;
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0, at = 0;
    ssize_t n;
    int code = 0;

    while (code == 0 && (n = getline(&line, &cap, stdin)) > 0) {
        struct jr_error err = { .status = JR_OK };

        at++;
        if (print((struct jr_str){ line, (size_t)(line[n - 1] == '\n' ? n - 1 : n) }, &err) !=
            JR_OK) {
            (void)fprintf(stderr, "line %zu: %s: %s\n", at, err.path, err.msg);
            code = 1;
        }
    }
    free(line);
    return fflush(stdout) == 0 ? code : 1;
}
