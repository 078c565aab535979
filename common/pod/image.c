/* SPDX-License-Identifier: Apache-2.0 */
/* Reads image references: the tag, the registry, the digest. */
#include "common/pod/image.h"

/* The grammar of github.com/distribution/reference: [DOMAIN[:PORT]/]PATH[:TAG][@DIGEST]. */

#define PATH_MAX_BYTES 255
#define TAG_MAX_BYTES 128

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
    return is_digit(c) || is_lower(c) || is_upper(c) || c == '_';
}

static bool is_lower_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_hex(char c)
{
    return is_lower_hex(c) || (c >= 'A' && c <= 'F');
}

static bool all_chars(struct jr_str s, bool (*is)(char))
{
    for (size_t i = 0; i < s.n; i++) {
        if (!is(s.p[i]))
            return false;
    }
    return true;
}

/** Length of the separator at the front of s: '.', '_', "__" or dashes; 0 if there is none. */
static size_t separator(struct jr_str s)
{
    size_t n = 0;

    if (s.n > 0 && s.p[0] == '.')
        return 1;
    if (s.n > 0 && s.p[0] == '_')
        return s.n > 1 && s.p[1] == '_' ? 2 : 1;
    while (n < s.n && s.p[n] == '-')
        n++;
    return n;
}

/** Lower case letters and digits with separators between them. */
static bool is_path_component(struct jr_str s)
{
    bool first = true;

    do {
        size_t n = first ? 0 : separator(s), m;

        if (!first && n == 0)
            return false;
        m = n;
        while (m < s.n && (is_lower(s.p[m]) || is_digit(s.p[m])))
            m++;
        if (m == n)
            return false;
        s = jr_str_from(s, m);
        first = false;
    } while (s.n > 0);
    return true;
}

static bool is_path(struct jr_str s)
{
    struct jr_str part;
    bool last_empty = s.n == 0 || s.p[s.n - 1] == '/';

    while (jr_str_cut(&s, '/', &part)) {
        if (!is_path_component(part))
            return false;
    }
    return !last_empty;
}

/** Letters, digits and dashes in between, with dots between such; or [IPV6]; and :PORT. */
static bool is_domain(struct jr_str s)
{
    ptrdiff_t colon = jr_str_rfind(s, ':');
    struct jr_str part;

    if (s.n > 0 && s.p[0] == '[') {
        ptrdiff_t end = jr_str_find(s, ']');

        if (end < 2)
            return false;
        for (ptrdiff_t i = 1; i < end; i++) {
            if (!is_hex(s.p[i]) && s.p[i] != ':')
                return false;
        }
        s = jr_str_from(s, (size_t)end + 1);
        return s.n == 0 || (s.n > 1 && s.p[0] == ':' && all_chars(jr_str_from(s, 1), is_digit));
    }
    if (colon >= 0) {
        part = jr_str_from(s, (size_t)colon + 1);
        if (part.n == 0 || !all_chars(part, is_digit))
            return false;
        s = jr_str_head(s, (size_t)colon);
    }
    if (s.n == 0 || s.p[s.n - 1] == '.')
        return false;
    while (jr_str_cut(&s, '.', &part)) {
        if (part.n == 0 || part.p[0] == '-' || part.p[part.n - 1] == '-')
            return false;
        for (size_t i = 0; i < part.n; i++) {
            if ((!is_word(part.p[i]) && part.p[i] != '-') || part.p[i] == '_')
                return false;
        }
    }
    return true;
}

static bool is_tag(struct jr_str s)
{
    if (s.n == 0 || s.n > TAG_MAX_BYTES || !is_word(s.p[0]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_word(s.p[i]) && s.p[i] != '.' && s.p[i] != '-')
            return false;
    }
    return true;
}

#define DIGEST_HEX_MIN 32

static bool is_letter(char c)
{
    return is_lower(c) || is_upper(c);
}

/** Words of letters and digits that begin with a letter, with one of "-_+." in between. */
static bool is_algorithm(struct jr_str s)
{
    bool first = true;

    for (size_t i = 0; i < s.n; i++) {
        const bool joins = s.p[i] == '-' || s.p[i] == '_' || s.p[i] == '+' || s.p[i] == '.';

        if (first ? !is_letter(s.p[i]) : !joins && !is_letter(s.p[i]) && !is_digit(s.p[i]))
            return false;
        first = joins;
    }
    return !first;
}

/** As the reference's grammar wants it. */
static bool looks_like_digest(struct jr_str s)
{
    const ptrdiff_t colon = jr_str_find(s, ':');
    const struct jr_str hex = jr_str_from(s, colon < 0 ? s.n : (size_t)colon + 1);

    return colon > 0 && is_algorithm(jr_str_head(s, (size_t)colon)) && hex.n >= DIGEST_HEX_MIN &&
           all_chars(hex, is_hex);
}

/** Of what looks like a digest; NULL: nothing. */
static const char *digest_fault(struct jr_str s)
{
    static const struct {
        const char *name;
        size_t digits;
    } algorithms[] = { { "sha256", 64 }, { "sha384", 96 }, { "sha512", 128 } };
    const size_t colon = (size_t)jr_str_find(s, ':');
    const struct jr_str algorithm = jr_str_head(s, colon), hex = jr_str_from(s, colon + 1);

    for (size_t i = 0; i < JR_ARRAY_SIZE(algorithms); i++) {
        if (!jr_str_is(algorithm, algorithms[i].name))
            continue;
        if (hex.n != algorithms[i].digits)
            return "invalid checksum digest length";
        return all_chars(hex, is_lower_hex) ? NULL : "invalid checksum digest format";
    }
    for (size_t i = 0; i < algorithm.n; i++) {
        if (is_upper(algorithm.p[i]))
            return "invalid checksum digest format";
    }
    return "unsupported digest algorithm";
}

bool jr_image_is_registry(struct jr_str s)
{
    if (jr_str_is(s, "localhost"))
        return true;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '.' || s.p[i] == ':' || is_upper(s.p[i]))
            return true;
    }
    return false;
}

struct parts {
    struct jr_str domain; /* n = 0: the default one */
    struct jr_str path;
    bool tagged;
    struct jr_str tag;
    bool digested;
    struct jr_str digest;
};

static struct parts split_image(struct jr_str s)
{
    struct parts p = { 0 };
    ptrdiff_t slash = jr_str_find(s, '/'), at;

    if (slash >= 0 && jr_image_is_registry(jr_str_head(s, (size_t)slash))) {
        p.domain = jr_str_head(s, (size_t)slash);
        s = jr_str_from(s, (size_t)slash + 1);
    }
    at = jr_str_find(s, '@');
    if (at >= 0) {
        p.digested = true;
        p.digest = jr_str_from(s, (size_t)at + 1);
        s = jr_str_head(s, (size_t)at);
    }
    at = jr_str_find(s, ':');
    if (at >= 0) {
        p.tagged = true;
        p.tag = jr_str_from(s, (size_t)at + 1);
        s = jr_str_head(s, (size_t)at);
    }
    p.path = s;
    return p;
}

/** As Go's regular expression: the first '@' and the first ':' in front of it end the name. */
static bool is_reference(const struct parts *p)
{
    return (p->domain.n == 0 || is_domain(p->domain) || is_path_component(p->domain)) &&
           is_path(p->path) && (!p->tagged || is_tag(p->tag)) &&
           (!p->digested || looks_like_digest(p->digest));
}

/** The bytes of the path, with what Go puts in front of it. */
static size_t path_length(const struct parts *p)
{
    size_t n = p->path.n;

    if (p->domain.n > 0 && !is_domain(p->domain))
        n += p->domain.n + 1;
    if (p->domain.n == 0 && jr_str_find(p->path, '/') < 0)
        n += sizeof("library/") - 1;
    return n;
}

/** What Go's parser says; NULL: nothing. */
static const char *parse_fault(const struct parts *p)
{
    if (!is_reference(p))
        return "invalid reference format";
    if (path_length(p) > PATH_MAX_BYTES)
        return "repository name must not be more than 255 characters";
    return p->digested ? digest_fault(p->digest) : NULL;
}

bool jr_image_is_latest(struct jr_str reference)
{
    const struct parts p = split_image(reference);

    if ((reference.n == 64 && all_chars(reference, is_lower_hex)) || parse_fault(&p) != NULL)
        return false;
    return p.tagged ? jr_str_is(p.tag, "latest") : !p.digested;
}

#define DEFAULT_DOMAIN "docker.io"
#define LEGACY_DOMAIN "index.docker.io"

static char lower(char c)
{
    if (is_upper(c))
        c = "abcdefghijklmnopqrstuvwxyz"[c - 'A'];
    return c;
}

/** Returns the port behind a host, n = 0 where there is none, and how many zeroes it begins with
 * that mean nothing. */
static struct jr_str port_of(struct jr_str domain, size_t *ret_zeroes)
{
    const ptrdiff_t colon = jr_str_rfind(domain, ':');
    struct jr_str port = jr_str_from(domain, (size_t)(colon + 1));

    if (colon < 0 || !all_chars(port, is_digit))
        port.n = 0;
    *ret_zeroes = 0;
    while (*ret_zeroes + 1 < port.n && port.p[*ret_zeroes] == '0')
        ++*ret_zeroes;
    return port;
}

/** Leaves out the port that registries are asked at anyway. */
static struct jr_str without_port(struct jr_str domain)
{
    size_t zeroes;
    struct jr_str port = port_of(domain, &zeroes);

    while (jr_str_is(jr_str_from(port, zeroes), "443")) {
        domain = jr_str_head(domain, domain.n - port.n - 1);
        port = port_of(domain, &zeroes);
    }
    return domain;
}

/** Compares names of hosts, which have no case. */
static bool is_host(struct jr_str s, const char *name)
{
    size_t i = 0;

    while (i < s.n && name[i] != '\0' && lower(s.p[i]) == name[i])
        i++;
    return i == s.n && name[i] == '\0';
}

/** Whether a host is taken for a registry also in lower case. */
static bool names_registry(struct jr_str host)
{
    return jr_str_find(host, '.') >= 0 || jr_str_find(host, ':') >= 0 || is_host(host, "localhost");
}

enum jr_status jr_image_write_full(struct jr_str reference, struct jr_buf *out)
{
    const struct parts p = split_image(reference);
    const struct jr_str host = without_port(p.domain);
    size_t zeroes;
    const struct jr_str port = port_of(host, &zeroes);
    const size_t at = host.n - port.n; /* of the port */
    const bool is_default =
        p.domain.n == 0 || is_host(host, DEFAULT_DOMAIN) || is_host(host, LEGACY_DOMAIN);

    if (is_default || !names_registry(host))
        (void)jr_buf_add(out, is_default ? JR_S(DEFAULT_DOMAIN) : p.domain);
    for (size_t i = 0; !is_default && names_registry(host) && i < host.n; i++) {
        if (i < at || i >= at + zeroes)
            (void)jr_buf_addc(out, lower(host.p[i]));
    }
    (void)jr_buf_addf(out, "/%s%.*s", is_default && jr_str_find(p.path, '/') < 0 ? "library/" : "",
                      JR_P(p.path));
    if (p.tagged)
        (void)jr_buf_addf(out, ":%.*s", JR_P(p.tag));
    if (p.digested)
        (void)jr_buf_addf(out, "@%.*s", JR_P(p.digest));
    return p.tagged || p.digested ? out->failed : jr_buf_adds(out, ":latest");
}

/* ---- references that must be pinned (github.com/distribution/reference ParseNamed) ---- */

static bool is_canonical(const struct parts *p)
{
    return p->domain.n > 0 && !jr_str_is(p->domain, LEGACY_DOMAIN) &&
           (!jr_str_is(p->domain, DEFAULT_DOMAIN) || jr_str_find(p->path, '/') >= 0);
}

/** Appends that the repository's name has capitals. Go takes all up to the first colon for it, with
 * "library/" where that is left out. */
static bool has_capitals(const struct parts *p, struct jr_str reference, struct jr_buf *out)
{
    const struct jr_str rest =
        p->domain.n > 0 ? jr_str_from(reference, p->domain.n + 1) : reference;
    const ptrdiff_t colon = jr_str_find(rest, ':');
    const struct jr_str remote = jr_str_head(rest, colon < 0 ? rest.n : (size_t)colon);
    const bool official = (p->domain.n == 0 || jr_str_is(p->domain, DEFAULT_DOMAIN) ||
                           jr_str_is(p->domain, LEGACY_DOMAIN)) &&
                          jr_str_find(rest, '/') < 0;

    for (size_t i = 0; i < remote.n; i++) {
        if (!is_upper(remote.p[i]))
            continue;
        (void)jr_buf_addf(out,
                          "invalid reference format: repository name (%s%.*s) must be lowercase",
                          official ? "library/" : "", JR_P(remote));
        return true;
    }
    return false;
}

enum jr_status jr_image_pinned_fault(struct jr_str s, struct jr_buf *out)
{
    static const char canonical[] = "must be a digest-pinned reference in canonical form "
                                    "(<registry>/<repository>@<algorithm>:<digest>): ";
    const struct parts p = split_image(s);
    const char *fault;
    JR_BUF words = { 0 };

    jr_buf_init(&words, JR_BUF_BY_INPUT);
    if (s.n == 64 && all_chars(s, is_lower_hex))
        (void)jr_buf_addf(&words,
                          "invalid repository name (%.*s), cannot specify 64-byte hexadecimal "
                          "strings",
                          JR_P(s));
    else if (!has_capitals(&p, s, &words)) {
        fault = parse_fault(&p);
        if (fault == NULL && !is_canonical(&p))
            fault = "repository name must be canonical";
        (void)jr_buf_adds(&words, fault == NULL ? "" : fault);
    }
    if (words.failed != JR_OK)
        return words.failed;
    if (words.n > 0)
        return jr_buf_addf(out, "%s%.*s", canonical, JR_P(jr_buf_str(&words)));
    if (p.tagged)
        return jr_buf_adds(out, "must not contain a tag");
    return p.digested ? JR_OK
                      : jr_buf_adds(out, "must be pinned by digest "
                                         "(<registry>/<repository>@<algorithm>:<digest>)");
}
