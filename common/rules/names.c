/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax of names. */
#include "common/rules/names.h"

#define LABEL_RE "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN                                                                                 \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "  \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " \
    "for validation is '" LABEL_RE "(\\." LABEL_RE ")*')"
#define UNDERSCORE_RE "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
#define UNDERSCORE_WORDS                                                                           \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' " \
    "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "    \
    "used for validation is '"
#define SUBDOMAIN_UNDERSCORE UNDERSCORE_WORDS UNDERSCORE_RE "(\\." UNDERSCORE_RE ")*')"
#define DNS_LABEL                                                                                \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and " \
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "   \
    "used for validation is '" LABEL_RE "')"
#define KEY_RE "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define KEY                                                                                     \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "      \
    "validation is '" KEY_RE "')"
#define VALUE                                                                                   \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or " \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "          \
    "'my_value',  or '12345', regex used for validation is '(" KEY_RE ")?')"

#define VALUE_LONG "must be no more than 63 bytes"
#define SUBDOMAIN_LONG "must be no more than 253 characters"
#define NAME_LONG "name part must be no more than 63 bytes"
#define PREFIX_LONG "prefix part must be no more than 253 bytes"
#define KEY_WITH_PREFIX \
    " " KEY " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
#define KEY_SLASHES "a valid label key" KEY_WITH_PREFIX

#define SUBDOMAIN_MAX 253
#define LABEL_MAX 63
#define PORT_NAME_MAX 15

struct jr_str jr_name_words(struct jr_str words, unsigned minor)
{
    static const struct {
        const char *words;
        unsigned until; /* 1.until says: */
        const char *older;
    } rows[] = {
        { VALUE_LONG, 34, "must be no more than 63 characters" },
        { NAME_LONG, 34, "name part must be no more than 63 characters" },
        { PREFIX_LONG, 34, "prefix part must be no more than 253 characters" },
        { SUBDOMAIN_UNDERSCORE, 33, UNDERSCORE_WORDS LABEL_RE "(\\." LABEL_RE ")*')" },
        { KEY_SLASHES, 34, "a qualified name" KEY_WITH_PREFIX },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (minor <= rows[i].until && jr_str_is(words, rows[i].words))
            return jr_str(rows[i].older);
    }
    return words;
}

static void add_fault(struct jr_name_errors *f, const char *words)
{
    f->v[f->n++] = words;
}

/** Those of the two that aren't NULL. */
static struct jr_name_errors errors_of(const char *one, const char *other)
{
    struct jr_name_errors f = { .n = 0 };

    if (one != NULL)
        add_fault(&f, one);
    if (other != NULL)
        add_fault(&f, other);
    return f;
}

static bool is_lower_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

/** Lower case letters, digits and '-', the first and the last no '-'. */
static bool is_dns_label(struct jr_str s)
{
    if (s.n == 0 || !is_lower_alnum(s.p[0]) || !is_lower_alnum(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_lower_alnum(s.p[i]) && s.p[i] != '-')
            return false;
    }
    return true;
}

/** Labels with dots between them. */
static bool is_subdomain(struct jr_str s)
{
    size_t start = 0;

    if (s.n == 0)
        return false;
    for (size_t i = 0; i <= s.n; i++) {
        if (i < s.n && s.p[i] != '.')
            continue;
        if (!is_dns_label((struct jr_str){ s.p + start, i - start }))
            return false;
        start = i + 1;
    }
    return true;
}

/** Letters, digits, '-', '_' and '.', the first and the last a letter or digit. */
static bool is_key_name(struct jr_str s)
{
    if (s.n == 0 || !is_alnum(s.p[0]) || !is_alnum(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_' && s.p[i] != '.')
            return false;
    }
    return true;
}

struct jr_name_errors jr_name_subdomain(struct jr_str s)
{
    return errors_of(s.n > SUBDOMAIN_MAX ? SUBDOMAIN_LONG : NULL,
                     is_subdomain(s) ? NULL : SUBDOMAIN);
}

/** A DNS label in which '_' is like '-', and may be in front. */
static bool is_underscore_label(struct jr_str s)
{
    if (s.n > 0 && s.p[0] == '_')
        s = jr_str_from(s, 1);
    if (s.n == 0 || !is_lower_alnum(s.p[0]) || !is_lower_alnum(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_lower_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
            return false;
    }
    return true;
}

struct jr_name_errors jr_name_subdomain_underscore(struct jr_str s)
{
    struct jr_str rest = s, label;
    bool ok = s.n > 0 && s.p[s.n - 1] != '.';

    while (ok && jr_str_cut(&rest, '.', &label))
        ok = is_underscore_label(label);
    return errors_of(s.n > SUBDOMAIN_MAX ? SUBDOMAIN_LONG : NULL, ok ? NULL : SUBDOMAIN_UNDERSCORE);
}

struct jr_name_errors jr_name_dns_label(struct jr_str s)
{
    return errors_of(s.n > LABEL_MAX ? "must be no more than 63 characters" : NULL,
                     is_dns_label(s)   ? NULL
                     : is_subdomain(s) ? "must not contain dots"
                                       : DNS_LABEL);
}

struct jr_name_errors jr_name_label_value(struct jr_str s)
{
    return errors_of(s.n > LABEL_MAX ? VALUE_LONG : NULL,
                     s.n > 0 && !is_key_name(s) ? VALUE : NULL);
}

static void check_prefix(struct jr_str prefix, struct jr_name_errors *f)
{
    if (prefix.n == 0) {
        add_fault(f, "prefix part must be non-empty");
        return;
    }
    if (prefix.n > SUBDOMAIN_MAX)
        add_fault(f, PREFIX_LONG);
    if (!is_subdomain(prefix))
        add_fault(f, "prefix part " SUBDOMAIN);
}

struct jr_name_errors jr_name_key(struct jr_str s)
{
    struct jr_name_errors f = { .n = 0 };
    ptrdiff_t slash = jr_str_find(s, '/');
    struct jr_str name = s;

    if (slash >= 0) {
        name = jr_str_from(s, (size_t)slash + 1);
        if (jr_str_find(name, '/') >= 0) {
            add_fault(&f, KEY_SLASHES);
            return f;
        }
        check_prefix(jr_str_head(s, (size_t)slash), &f);
    }
    if (name.n == 0)
        add_fault(&f, "name part must be non-empty");
    else if (name.n > LABEL_MAX)
        add_fault(&f, NAME_LONG);
    if (!is_key_name(name))
        add_fault(&f, "name part " KEY);
    return f;
}

/** What the characters of a port's name are. */
struct port_chars {
    bool foreign; /* something but [-a-z0-9] */
    bool letter;
    bool double_dash;
};

static struct port_chars look_at_port(struct jr_str s)
{
    struct port_chars c = { 0 };

    for (size_t i = 0; i < s.n; i++) {
        c.foreign = c.foreign || (!is_lower_alnum(s.p[i]) && s.p[i] != '-');
        c.letter = c.letter || (s.p[i] >= 'a' && s.p[i] <= 'z');
        c.double_dash = c.double_dash || (i > 0 && s.p[i] == '-' && s.p[i - 1] == '-');
    }
    return c;
}

struct jr_name_errors jr_name_port(struct jr_str s)
{
    const struct port_chars c = look_at_port(s);
    struct jr_name_errors f = { .n = 0 };

    if (s.n > PORT_NAME_MAX)
        add_fault(&f, "must be no more than 15 characters");
    if (c.foreign || s.n == 0)
        add_fault(&f, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (!c.letter)
        add_fault(&f, "must contain at least one letter (a-z)");
    if (c.double_dash)
        add_fault(&f, "must not contain consecutive hyphens");
    if (s.n > 0 && (s.p[0] == '-' || s.p[s.n - 1] == '-'))
        add_fault(&f, "must not begin or end with a hyphen");
    return f;
}

struct jr_name_errors jr_name_env(struct jr_str s)
{
    bool ok = s.n > 0;

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < ' ' || s.p[i] > '~' || s.p[i] == '=')
            ok = false;
    }
    return errors_of(NULL, ok ? NULL
                              : "a valid environment variable name must consist only of "
                                "printable ASCII characters other than '='");
}

/** Whether all are letters, digits or one of more; false for "". */
static bool all_of(struct jr_str s, const char *more)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!is_alnum(s.p[i]) && (s.p[i] == '\0' || strchr(more, s.p[i]) == NULL))
            return false;
    }
    return s.n > 0;
}

/** What would be a path's: it is a file's name, too. */
static void check_dots(struct jr_str s, struct jr_name_errors *f)
{
    if (jr_str_is(s, "."))
        add_fault(f, "must not be '.'");
    else if (jr_str_is(s, ".."))
        add_fault(f, "must not be '..'");
    else if (jr_str_starts(s, JR_S("..")))
        add_fault(f, "must not start with '..'");
}

struct jr_name_errors jr_name_env_narrow(struct jr_str s)
{
    struct jr_name_errors f = { .n = 0 };

    if (!all_of(s, "-._") || (s.p[0] >= '0' && s.p[0] <= '9'))
        add_fault(&f, "a valid environment variable name must consist of alphabetic characters, "
                      "digits, '_', '-', or '.', and must not start with a digit (e.g. "
                      "'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for "
                      "validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')");
    check_dots(s, &f);
    return f;
}

struct jr_name_errors jr_name_config_key(struct jr_str s)
{
    struct jr_name_errors f = errors_of(s.n > SUBDOMAIN_MAX ? SUBDOMAIN_LONG : NULL, NULL);

    if (!all_of(s, "-._"))
        add_fault(&f,
                  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
                  "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
                  "'[-._a-zA-Z0-9]+')");
    check_dots(s, &f);
    return f;
}

struct jr_name_errors jr_name_http_header(struct jr_str s)
{
    return errors_of(NULL, all_of(s, "-") ? NULL
                                          : "a valid HTTP header must consist of alphanumeric "
                                            "characters or '-' (e.g. 'X-Header-Name', regex used "
                                            "for validation is '[-A-Za-z0-9]+')");
}

bool jr_name_steps_back(struct jr_str path)
{
    struct jr_str part;

    while (jr_str_cut(&path, '/', &part)) {
        if (jr_str_is(part, ".."))
            return true;
    }
    return false;
}

struct jr_name_errors jr_name_descending_path(struct jr_str s)
{
    return errors_of(s.n > 0 && s.p[0] == '/' ? "must be a relative path" : NULL,
                     jr_name_steps_back(s) ? "must not contain '..'" : NULL);
}

bool jr_name_is_padded(struct jr_str s)
{
    static const char *const spaces[] = {
        " ",
        "\t",
        "\n",
        "\v",
        "\f",
        "\r",
        "\xc2\x85",
        "\xc2\xa0",
        "\xe1\x9a\x80",
        "\xe2\x80\x80",
        "\xe2\x80\x81",
        "\xe2\x80\x82",
        "\xe2\x80\x83",
        "\xe2\x80\x84",
        "\xe2\x80\x85",
        "\xe2\x80\x86",
        "\xe2\x80\x87",
        "\xe2\x80\x88",
        "\xe2\x80\x89",
        "\xe2\x80\x8a",
        "\xe2\x80\xa8",
        "\xe2\x80\xa9",
        "\xe2\x80\xaf",
        "\xe2\x81\x9f",
        "\xe3\x80\x80",
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(spaces); i++) {
        if (jr_str_starts(s, jr_str(spaces[i])) || jr_str_ends(s, jr_str(spaces[i])))
            return true;
    }
    return false;
}

bool jr_name_is_http_path(struct jr_str s)
{
    return all_of(s, "/-._~%!$&'()*+,;=:");
}

struct jr_name_errors jr_name_segment_prefix(struct jr_str s)
{
    return errors_of(jr_str_find(s, '/') >= 0 ? "may not contain '/'" : NULL,
                     jr_str_find(s, '%') >= 0 ? "may not contain '%'" : NULL);
}

struct jr_name_errors jr_name_segment(struct jr_str s)
{
    if (!jr_str_is(s, ".") && !jr_str_is(s, ".."))
        return jr_name_segment_prefix(s);
    return errors_of(NULL, s.n == 1 ? "may not be '.'" : "may not be '..'");
}

enum jr_status jr_name_check_object(const char *flag, struct jr_str name, struct jr_error *err)
{
    return jr_name_subdomain(name).n == 0
               ? JR_OK
               : jr_fail(err, JR_USAGE, flag, "\"%.*s\" is no object's name", JR_P(name));
}

enum jr_status jr_name_check_namespace(const char *flag, struct jr_str name, struct jr_error *err)
{
    return jr_name_dns_label(name).n == 0
               ? JR_OK
               : jr_fail(err, JR_USAGE, flag, "\"%.*s\" is no namespace's name", JR_P(name));
}
