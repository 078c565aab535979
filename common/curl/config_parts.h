/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the configuration share. Not for others, but for their tests. */
#ifndef JR_CURL_CONFIG_PARTS_H
#define JR_CURL_CONFIG_PARTS_H

#include <curl/curl.h>

#include "common/base/buf.h"
#include "common/curl/config.h"

#define JR_CONFIG_FILE_MAX ((size_t)4 << 20)

JR_DEFINE_CLEANUP(char *, curl_free)
JR_DEFINE_CLEANUP(CURLU *, curl_url_cleanup)

/** What is in c, which is empty then. */
static inline struct jr_kube_config jr_config_steal(struct jr_kube_config *c)
{
    struct jr_kube_config all = *c;

    *c = (struct jr_kube_config){ 0 };
    return all;
}

/* config_file.c */
/** Reads the kubeconfig files at paths, in order of precedence; of those that must not all exist
 * the missing ones are passed over. JR_NOTFOUND: there is nothing in any of them. */
enum jr_status jr_config_from_files(const struct jr_str *paths, size_t n, bool must_exist,
                                    const char *context, struct jr_kube_config *ret,
                                    struct jr_error *err) JR_MUST_USE;

/* config_incluster.c */
/** As a Pod finds it: dir has token, ca.crt and namespace. */
enum jr_status jr_config_incluster(const char *dir, const char *host, const char *port,
                                   struct jr_kube_config *ret, struct jr_error *err) JR_MUST_USE;

/* config_check.c */
/** A file's text as an owned string: at most JR_CONFIG_FILE_MAX, no NUL inside. */
enum jr_status jr_config_read_text(const char *path, char **ret, struct jr_error *err) JR_MUST_USE;
/** Checks what has been gathered, and that it fits together. `where` names the file in errors. */
enum jr_status jr_config_check(struct jr_kube_config *c, const char *where,
                               struct jr_error *err) JR_MUST_USE;
/** Whether there are PEM certificates in the text, and nothing but. */
enum jr_status jr_config_check_ca(const char *pem, const char *where,
                                  struct jr_error *err) JR_MUST_USE;
/** Whether these are a certificate and its key. */
enum jr_status jr_config_check_pair(const char *cert_pem, const char *key_pem, const char *where,
                                    struct jr_error *err) JR_MUST_USE;
/** Frees a secret, wiped. */
void jr_config_wipe(char **secret);

#endif
