/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfigs: whatever stands in one is refused by its name and the field's, or can be used. */
#include <sys/mman.h>
#include <unistd.h>

#include "common/curl/config.h"
#include "tests/fuzz/fuzz.h"

static void must_be_usable(const struct jr_kube_config *c)
{
    MUST(c->server != NULL && c->source != NULL && c->context != NULL);
    MUST((c->client_cert_pem == NULL) == (c->client_key_pem == NULL));
    if (c->exec != NULL)
        MUST(c->exec->command != NULL && c->exec->api_version != NULL);
    for (size_t i = 0; i < c->n_impersonate; i++)
        MUST(strpbrk(c->impersonate[i], "\r\n") == NULL);
}

/** The first byte says who loads it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const enum jr_config_user user =
        size > 0 && data[0] == '#' ? JR_CONFIG_SERVER : JR_CONFIG_PERSON;
    JR_CLEANUP(jr_kube_config_done) struct jr_kube_config c = { 0 };
    JR_CLOSE int fd = memfd_create("kubeconfig", MFD_CLOEXEC);
    struct jr_error err = { 0 };
    char path[32];

    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (jr_kube_config_load(path, NULL, user, &c, &err) == JR_OK) {
        must_be_usable(&c);
        MUST(user == JR_CONFIG_PERSON || c.exec == NULL);
    } else {
        MUST(strncmp(err.path, path, strlen(path)) == 0 && err.msg[0] != '\0');
    }
    return 0;
}
