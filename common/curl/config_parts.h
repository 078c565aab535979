/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the configuration share. Not for others, but for their tests. */
#ifndef JR_CURL_CONFIG_PARTS_H
#define JR_CURL_CONFIG_PARTS_H

#include <curl/curl.h>

#include "common/base/buf.h"
#include "common/curl/config.h"
#include "common/json/doc.h"

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

/** Which kubeconfig files, in order of precedence, and what of them. */
struct jr_config_query {
    const struct jr_str *paths;
    size_t n;
    bool must_exist;     /* else the missing ones are passed over */
    const char *context; /* NULL: the current one */
    enum jr_config_user user;
};

/** An entry of clusters, users or contexts, and where it stands. */
struct jr_config_entry {
    const char *path;           /* of the file; NULL: there is no such entry */
    const struct jr_node *node; /* NULL: it is empty */
    char where[256];            /* file: users[admin].user */
};

/* config_file.c */
/** Reads the kubeconfig files. JR_NOTFOUND: there is nothing in any of them. */
enum jr_status jr_config_from_files(const struct jr_config_query *query, struct jr_kube_config *ret,
                                    struct jr_error *err) JR_MUST_USE;

/* config_user.c */
/** Takes the credentials of an entry of users. cluster says what a credential plugin may be told.
 */
enum jr_status jr_config_take_user(const struct jr_config_entry *user,
                                   const struct jr_config_entry *cluster, enum jr_config_user of,
                                   struct jr_kube_config *c, struct jr_error *err) JR_MUST_USE;

/* config_values.c */
/** A text member; absent and null are {NULL, 0}. */
enum jr_status jr_config_text_of(const struct jr_node *obj, const char *key, const char *where,
                                 struct jr_str *ret, struct jr_error *err) JR_MUST_USE;
/** Copies a text member that is not empty. */
enum jr_status jr_config_take_text(const struct jr_config_entry *e, const char *key, char **ret,
                                   struct jr_error *err) JR_MUST_USE;
/** Takes a member that is true or false; false where it is absent. */
enum jr_status jr_config_take_bool(const struct jr_config_entry *e, const char *key, bool *ret,
                                   struct jr_error *err) JR_MUST_USE;
/** Copies a path; relative ones start at the file's folder. */
enum jr_status jr_config_take_path(const struct jr_config_entry *e, const char *key, char **ret,
                                   struct jr_error *err) JR_MUST_USE;
/** Takes PEM from `key` (a file, which is named in *ret_file) or `key_data` (base64). */
enum jr_status jr_config_take_pem(const struct jr_config_entry *e, const char *key,
                                  const char *key_data, char **ret, char **ret_file,
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
/** Whether it has nothing but visible characters of ASCII. */
bool jr_config_is_token(const char *s);
/** Frees a secret, wiped. */
void jr_config_wipe(char **secret);

#endif
