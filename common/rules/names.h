/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax of names, labels and keys, with the words that the API server has for each fault. */
#ifndef JR_RULES_NAMES_H
#define JR_RULES_NAMES_H

#include "common/base/error.h"
#include "common/base/str.h"

/** What is wrong with a text, in upstream's order; n = 0: nothing. */
struct jr_name_errors {
    const char *v[5];
    size_t n;
};

/** The words, which may be any, as Kubernetes 1.minor has them. */
struct jr_str jr_name_words(struct jr_str words, unsigned minor);

/** RFC 1123 subdomain: names of most objects. */
struct jr_name_errors jr_name_subdomain(struct jr_str s);
/** The same with '_' at the front of a label and inside: what DNS is asked for. */
struct jr_name_errors jr_name_subdomain_underscore(struct jr_str s);
/** RFC 1123 label: namespaces, containers, hostnames. */
struct jr_name_errors jr_name_dns_label(struct jr_str s);
/** Label value. */
struct jr_name_errors jr_name_label_value(struct jr_str s);
/** Label key, annotation key (in lower case), finalizer, condition type: [PREFIX/]NAME. */
struct jr_name_errors jr_name_key(struct jr_str s);
/** Name of a port: IANA_SVC_NAME. */
struct jr_name_errors jr_name_port(struct jr_str s);
/** Environment variable. */
struct jr_name_errors jr_name_env(struct jr_str s);
/** The same without the gate RelaxedEnvironmentVariableValidation. */
struct jr_name_errors jr_name_env_narrow(struct jr_str s);
/** Key of a ConfigMap or Secret. */
struct jr_name_errors jr_name_config_key(struct jr_str s);
struct jr_name_errors jr_name_http_header(struct jr_str s);
/** A path below something: relative, without "..". */
struct jr_name_errors jr_name_descending_path(struct jr_str s);
/** Whether an element of the path is "..". */
bool jr_name_steps_back(struct jr_str path);
/** Whether it begins or ends with white space, Unicode's included. */
bool jr_name_is_padded(struct jr_str s);
/** A part of a URL's path, and what begins one. */
struct jr_name_errors jr_name_segment(struct jr_str s);
struct jr_name_errors jr_name_segment_prefix(struct jr_str s);
/** The path half of a domain-prefixed path: one or more of RFC 3986's path characters. */
bool jr_name_is_http_path(struct jr_str s);

/** What a program is told to call an object (a subdomain) or a namespace: JR_USAGE, with err->path
 * the flag or file that says so, where it is no such name. */
enum jr_status jr_name_check_object(const char *flag, struct jr_str name,
                                    struct jr_error *err) JR_MUST_USE;
enum jr_status jr_name_check_namespace(const char *flag, struct jr_str name,
                                       struct jr_error *err) JR_MUST_USE;

#endif
