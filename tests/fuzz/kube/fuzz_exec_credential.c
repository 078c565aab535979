/* SPDX-License-Identifier: Apache-2.0 */
/* What a credential plugin prints: it is refused in words, or gives something to log in with. */
#include "common/curl/exec_credential.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JR_CLEANUP(jr_exec_credential_done) struct jr_exec_credential c = { 0 };
    struct jr_error err = { 0 };

    if (jr_exec_credential_read(view_of(data, size), "client.authentication.k8s.io/v1", &c, &err) ==
        JR_OK) {
        MUST(c.token != NULL || c.cert_pem != NULL);
        MUST((c.cert_pem == NULL) == (c.key_pem == NULL));
    } else {
        MUST(err.msg[0] != '\0');
        MUST(c.token == NULL && c.cert_pem == NULL && c.key_pem == NULL);
    }
    return 0;
}
