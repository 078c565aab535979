/* SPDX-License-Identifier: Apache-2.0 */
/* Parses command lines by a table of flags, and prints the help. */
#include "common/base/flags.h"

#include <math.h>
#include <stdio.h>

#include "common/base/about.h"
#include "common/base/num.h"
#include "common/base/show.h"

static const char *const type_words[] = {
    [JR_FLAG_STR] = "string",     [JR_FLAG_INT] = "int",           [JR_FLAG_REAL] = "number",
    [JR_FLAG_BOOL] = "bool",      [JR_FLAG_DURATION] = "duration", [JR_FLAG_BYTES] = "bytes",
    [JR_FLAG_ADDR] = "host:port", [JR_FLAG_LIST] = "list",         [JR_FLAG_ENUM] = "word",
};

/* ---- values ---- */

enum jr_status jr_parse_bytes(struct jr_str s, int64_t *ret)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } units[] = {
        { "Ki", INT64_C(1) << 10 }, { "Mi", INT64_C(1) << 20 },
        { "Gi", INT64_C(1) << 30 }, { "k", 1000 },
        { "M", 1000000 },           { "G", 1000000000 },
    };
    int64_t factor = 1, v;
    enum jr_status st;

    for (size_t i = 0; i < JR_ARRAY_SIZE(units); i++) {
        if (jr_str_ends(s, jr_str(units[i].suffix))) {
            factor = units[i].factor;
            s.n -= strlen(units[i].suffix);
            break;
        }
    }
    st = jr_parse_i64(s, 0, INT64_MAX, &v);
    if (st != JR_OK)
        return st;
    if (__builtin_mul_overflow(v, factor, &v))
        return JR_RANGE;
    *ret = v;
    return JR_OK;
}

/** Splits [host]:port; false if it isn't that. */
static bool split_addr(struct jr_str s, struct jr_str *host, struct jr_str *port)
{
    ptrdiff_t colon = jr_str_rfind(s, ':');

    if (colon < 0)
        return false;
    *host = jr_str_head(s, (size_t)colon);
    *port = jr_str_from(s, (size_t)colon + 1);
    if (host->n > 0 && host->p[0] == '[') {
        if (host->n < 3 || host->p[host->n - 1] != ']')
            return false;
        *host = (struct jr_str){ host->p + 1, host->n - 2 };
        return jr_str_find(*host, ':') >= 0;
    }
    return jr_str_find(*host, ':') < 0;
}

enum jr_status jr_flag_addr_parse(struct jr_str s, struct jr_flag_addr *ret, struct jr_error *err)
{
    struct jr_flag_addr a = { .off = false };
    struct jr_str host, port;
    int64_t v;

    if (s.n == 0 || jr_str_is(s, "0")) {
        *ret = (struct jr_flag_addr){ .off = true };
        return JR_OK;
    }
    if (!split_addr(s, &host, &port) || host.n >= sizeof(a.host) ||
        (host.n > 0 && memchr(host.p, 0, host.n) != NULL) ||
        jr_parse_i64(port, 0, UINT16_MAX, &v) != JR_OK)
        return jr_fail(err, JR_USAGE, NULL,
                       "expected host:port, [ipv6]:port, :port or 0 for off, not \"%.*s\"",
                       JR_P(s));
    if (host.n > 0)
        memcpy(a.host, host.p, host.n);
    a.port = (uint16_t)v;
    *ret = a;
    return JR_OK;
}

static bool parse_bool(struct jr_str s, bool *ret)
{
    static const char *const words[][6] = {
        { "0", "f", "F", "false", "FALSE", "False" },
        { "1", "t", "T", "true", "TRUE", "True" },
    };

    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(words[i]); k++) {
            if (jr_str_is(s, words[i][k])) {
                *ret = i == 1;
                return true;
            }
        }
    }
    return false;
}

static bool bounded(const struct jr_flag *f)
{
    return f->min != 0 || f->max != 0;
}

/** A bound as the user would write it. */
static const char *bound_text(const struct jr_flag *f, int64_t v, char buf[40])
{
    static const char *const units[2][4] = { { "", "Ki", "Mi", "Gi" }, { "ms", "s" } };
    const bool time = f->type == JR_FLAG_DURATION;
    const size_t last = time ? 1 : f->type == JR_FLAG_BYTES ? 3 : 0;
    const int64_t step = time ? 1000 : 1024;
    size_t unit = 0;

    for (; unit < last && v % step == 0 && (time || v != 0); unit++)
        v /= step;
    (void)snprintf(buf, 40, "%lld%s", (long long)v, units[time][unit]);
    return buf;
}

/** Says what was expected: a number of this kind, within the flag's bounds. */
static enum jr_status refuse_number(const struct jr_flag *f, const char *what, struct jr_str s,
                                    struct jr_error *err)
{
    char lo[40], hi[40];

    if (bounded(f) && f->max != INT64_MAX)
        return jr_fail(err, JR_USAGE, NULL, "expected %s, from %s to %s, not \"%.*s\"", what,
                       bound_text(f, f->min, lo), bound_text(f, f->max, hi), JR_P(s));
    return jr_fail(err, JR_USAGE, NULL, "expected %s, %s or more, not \"%.*s\"", what,
                   bound_text(f, bounded(f) ? f->min : 0, lo), JR_P(s));
}

static enum jr_status set_number(const struct jr_flag *f, struct jr_str s, void *field,
                                 struct jr_error *err)
{
    int64_t min = bounded(f) ? f->min : 0, max = bounded(f) ? f->max : INT64_MAX, v = 0;
    const char *what = "a whole number";
    enum jr_status st;

    if (f->type == JR_FLAG_DURATION) {
        what = "a duration such as 10s, 1m30s or 500ms";
        st = jr_parse_duration_ms(s, &v);
    } else if (f->type == JR_FLAG_BYTES) {
        what = "a number of bytes, also with Ki, Mi or Gi behind it";
        st = jr_parse_bytes(s, &v);
    } else {
        st = jr_parse_i64(s, INT64_MIN, INT64_MAX, &v);
    }
    if (st != JR_OK || v < min || v > max)
        return refuse_number(f, what, s, err);
    memcpy(field, &v, sizeof(v));
    return JR_OK;
}

static enum jr_status set_real(const struct jr_flag *f, struct jr_str s, void *field,
                               struct jr_error *err)
{
    double min = 0, max = INFINITY, v = 0;

    if (bounded(f)) {
        min = (double)f->min;
        max = (double)f->max;
    }
    if (jr_parse_real(s, &v) != JR_OK || v < min || v > max)
        return refuse_number(f, "a number such as 20 or 0.5", s, err);
    memcpy(field, &v, sizeof(v));
    return JR_OK;
}

static enum jr_status set_list(const struct jr_flag *f, struct jr_str s, bool first, void *field,
                               struct jr_error *err)
{
    struct jr_flag_list *l = field;
    struct jr_str part;

    if (first)
        l->n = 0;
    while (jr_str_cut(&s, f->whole ? '\0' : ',', &part)) {
        if (part.n == 0)
            return jr_fail(err, JR_USAGE, NULL, "expected values with single commas between");
        if (l->n == JR_FLAG_LIST_MAX)
            return jr_fail(err, JR_USAGE, NULL, "expected at most %d values", JR_FLAG_LIST_MAX);
        l->v[l->n++] = part;
    }
    return JR_OK;
}

static enum jr_status set_enum(const struct jr_flag *f, struct jr_str s, void *field,
                               struct jr_error *err)
{
    char all[200];
    size_t used = 0;

    all[0] = 0;
    for (int i = 0; f->choices[i] != NULL; i++) {
        int n;

        if (jr_str_is(s, f->choices[i])) {
            memcpy(field, &i, sizeof(i));
            return JR_OK;
        }
        n = snprintf(all + used, sizeof(all) - used, "%s%s", i == 0 ? "" : ", ", f->choices[i]);
        if (n > 0)
            used += (size_t)n < sizeof(all) - used ? (size_t)n : sizeof(all) - used - 1;
    }
    return jr_fail(err, JR_USAGE, NULL, "expected one of %s, not \"%.*s\"", all, JR_P(s));
}

enum jr_status jr_flag_set(const struct jr_flag *f, const char *text, bool first, void *config,
                           struct jr_error *err)
{
    void *field = (char *)config + f->offset;
    struct jr_str s = jr_str(text);
    bool b;

    switch (f->type) {
    case JR_FLAG_STR:
        memcpy(field, &text, sizeof(text));
        return JR_OK;
    case JR_FLAG_BOOL:
        if (!parse_bool(s, &b))
            return jr_fail(err, JR_USAGE, NULL, "expected true or false, not \"%.*s\"", JR_P(s));
        memcpy(field, &b, sizeof(b));
        return JR_OK;
    case JR_FLAG_INT:
    case JR_FLAG_DURATION:
    case JR_FLAG_BYTES:
        return set_number(f, s, field, err);
    case JR_FLAG_REAL:
        return set_real(f, s, field, err);
    case JR_FLAG_ADDR:
        return jr_flag_addr_parse(s, field, err);
    case JR_FLAG_LIST:
        return set_list(f, s, first, field, err);
    case JR_FLAG_ENUM:
        return set_enum(f, s, field, err);
    }
    return jr_fail(err, JR_USAGE, NULL, "unknown type of flag");
}

/* ---- defaults ---- */

size_t jr_flag_size(const struct jr_flag *f)
{
    static const size_t sizes[] = {
        [JR_FLAG_STR] = sizeof(const char *),
        [JR_FLAG_INT] = sizeof(int64_t),
        [JR_FLAG_REAL] = sizeof(double),
        [JR_FLAG_BOOL] = sizeof(bool),
        [JR_FLAG_DURATION] = sizeof(int64_t),
        [JR_FLAG_BYTES] = sizeof(int64_t),
        [JR_FLAG_ADDR] = sizeof(struct jr_flag_addr),
        [JR_FLAG_LIST] = sizeof(struct jr_flag_list),
        [JR_FLAG_ENUM] = sizeof(int),
    };

    return sizes[f->type];
}

static void zero(const struct jr_flag *f, void *config)
{
    memset((char *)config + f->offset, 0, jr_flag_size(f));
}

/** Puts "--name" into the path of a failure. */
static enum jr_status name_flag(const struct jr_flag *f, enum jr_status st, struct jr_error *err)
{
    if (st != JR_OK && err != NULL)
        (void)snprintf(err->path, sizeof(err->path), "--%s", f->name);
    return st;
}

static enum jr_status set_defaults(const struct jr_flags *flags, void *config, struct jr_error *err)
{
    for (const struct jr_flag *f = flags->table; f->name != NULL; f++) {
        enum jr_status st = JR_OK;

        zero(f, config);
        if (f->initial != NULL)
            st = name_flag(f, jr_flag_set(f, f->initial, true, config, err), err);
        if (st != JR_OK)
            return st;
    }
    return JR_OK;
}

/* ---- reading argv ---- */

struct reading {
    const struct jr_flags *flags;
    void *config;
    char **argv;
    int argc;
    int at;     /* the next argument */
    int n_args; /* arguments that are no flags, moved to argv[1..] */
    struct jr_flags_given given;
    enum jr_flags_asked asked;
};

static bool is_flag(const char *arg)
{
    return arg[0] == '-' && arg[1] != 0;
}

static const struct jr_flag *find_flag(const struct jr_flags *flags, struct jr_str name,
                                       bool one_dash)
{
    for (const struct jr_flag *f = flags->table; f->name != NULL; f++) {
        if (jr_str_is(name, f->name))
            return f;
        if (one_dash && name.n == 1 && f->letter != 0 && name.p[0] == f->letter)
            return f;
    }
    return NULL;
}

bool jr_flags_is_given(const struct jr_flags_given *g, size_t row)
{
    return row < JR_FLAGS_MAX && (g->bits[row / 8] >> (row % 8) & 1) != 0;
}

static bool first_time(struct reading *r, const struct jr_flag *f)
{
    size_t row = (size_t)(f - r->flags->table);
    bool given = jr_flags_is_given(&r->given, row);

    if (row < JR_FLAGS_MAX)
        r->given.bits[row / 8] |= (unsigned char)(1u << (row % 8));
    return !given;
}

/** The flags that every program has; the table may define its own ones. */
static bool built_in(struct reading *r, struct jr_str name, bool one_dash)
{
    if (jr_str_is(name, "help") || (one_dash && jr_str_is(name, "h")))
        r->asked = JR_FLAGS_HELP;
    else if (jr_str_is(name, "version"))
        r->asked = JR_FLAGS_VERSION;
    return r->asked != JR_FLAGS_RUN;
}

static enum jr_status read_flag(struct reading *r, const char *arg, struct jr_error *err)
{
    bool one_dash = arg[1] != '-';
    struct jr_str rest = jr_str(arg + (one_dash ? 1 : 2)), name;
    const char *value = NULL;
    const struct jr_flag *f;
    ptrdiff_t eq = jr_str_find(rest, '=');

    name = eq < 0 ? rest : jr_str_head(rest, (size_t)eq);
    if (eq >= 0)
        value = rest.p + eq + 1;
    f = find_flag(r->flags, name, one_dash);
    if (f == NULL && value == NULL && built_in(r, name, one_dash))
        return JR_OK;
    if (f == NULL) {
        (void)jr_fail(err, JR_USAGE, NULL, "no such flag");
        if (err != NULL)
            (void)snprintf(err->path, sizeof(err->path), "%s%.*s", one_dash ? "-" : "--",
                           JR_P(name));
        return JR_USAGE;
    }
    if (value == NULL && f->type == JR_FLAG_BOOL)
        value = "true";
    if (value == NULL && r->at < r->argc)
        value = r->argv[r->at++];
    if (value == NULL)
        return name_flag(
            f, jr_fail(err, JR_USAGE, NULL, "expected a value (%s)", type_words[f->type]), err);
    return name_flag(f, jr_flag_set(f, value, first_time(r, f), r->config, err), err);
}

/* ---- commands ---- */

/** The last word of its program: "remove". */
static const char *command_name(const struct jr_flags *command)
{
    const char *last = strrchr(command->program, ' ');

    return last == NULL ? command->program : last + 1;
}

/** NULL: there is none of that name. */
static const struct jr_flags *find_command(const struct jr_flags *f, const char *name)
{
    for (const struct jr_flags *const *c = f->commands; c != NULL && *c != NULL; c++) {
        if (strcmp(name, command_name(*c)) == 0)
            return *c;
    }
    return NULL;
}

const struct jr_flags *jr_flags_command(const struct jr_flags *f, int *argc, char ***argv)
{
    const struct jr_flags *command = *argc < 2 ? NULL : find_command(f, (*argv)[1]);

    if (command == NULL)
        return f;
    --*argc;
    ++*argv;
    return command;
}

/* ---- a command line ---- */

/** Why an argument that is no flag is refused. */
static enum jr_status refuse_arg(const struct jr_flags *f, const char *arg, struct jr_error *err)
{
    if (f->commands == NULL)
        return jr_fail(err, JR_USAGE, NULL, "takes flags only, not \"%s\"", arg);
    if (find_command(f, arg) != NULL)
        return jr_fail(err, JR_USAGE, NULL, "the command \"%s\" comes before all flags", arg);
    return jr_fail(err, JR_USAGE, NULL, "no command \"%s\"", arg);
}

static enum jr_status read_all(struct reading *r, struct jr_error *err)
{
    bool flags_over = false;
    enum jr_status st = JR_OK;

    while (st == JR_OK && r->at < r->argc && r->asked == JR_FLAGS_RUN) {
        char *arg = r->argv[r->at++];

        if (!flags_over && strcmp(arg, "--") == 0) {
            flags_over = true;
        } else if (!flags_over && is_flag(arg)) {
            st = read_flag(r, arg, err);
        } else {
            if (r->flags->args == NULL)
                return refuse_arg(r->flags, arg, err);
            r->argv[1 + r->n_args++] = arg;
        }
    }
    return st;
}

static enum jr_status parse(struct reading *r, struct jr_error *err)
{
    enum jr_status st = set_defaults(r->flags, r->config, err);

    return st == JR_OK ? read_all(r, err) : st;
}

enum jr_status jr_flags_parse(const struct jr_flags *f, int argc, char **argv, void *config,
                              enum jr_flags_asked *ret_asked, int *ret_args, struct jr_error *err)
{
    struct reading r = { .flags = f, .config = config, .argv = argv, .argc = argc, .at = 1 };
    enum jr_status st = parse(&r, err);

    if (st != JR_OK)
        return st;
    if (ret_asked != NULL)
        *ret_asked = r.asked;
    if (ret_args != NULL)
        *ret_args = r.n_args;
    return JR_OK;
}

/* ---- help ---- */

struct jr_str jr_flag_value_word(const struct jr_flag *f)
{
    struct jr_str s = jr_str(f->help);
    ptrdiff_t a = jr_str_find(s, '`'), b;

    if (a < 0)
        return jr_str(type_words[f->type]);
    s = jr_str_from(s, (size_t)a + 1);
    b = jr_str_find(s, '`');
    return b < 0 ? jr_str(type_words[f->type]) : jr_str_head(s, (size_t)b);
}

static void help_text(const struct jr_flag *f, struct jr_buf *out)
{
    for (const char *p = f->help; *p != 0; p++) {
        if (*p == '\n')
            (void)jr_buf_adds(out, "\n        ");
        else if (*p != '`')
            (void)jr_buf_addc(out, *p);
    }
}

static void help_flag(const struct jr_flag *f, struct jr_buf *out)
{
    struct jr_str word = jr_flag_value_word(f);

    (void)jr_buf_adds(out, "  ");
    if (f->letter != 0)
        (void)jr_buf_addf(out, "-%c, ", f->letter);
    (void)jr_buf_addf(out, "--%s", f->name);
    if (f->type == JR_FLAG_ENUM) {
        (void)jr_buf_addc(out, ' ');
        for (size_t i = 0; f->choices[i] != NULL; i++)
            (void)jr_buf_addf(out, "%s%s", i == 0 ? "" : "|", f->choices[i]);
    } else if (f->type != JR_FLAG_BOOL) {
        (void)jr_buf_addf(out, " %.*s", JR_P(word));
    }
    (void)jr_buf_adds(out, "\n        ");
    help_text(f, out);
    if (f->initial != NULL && f->initial[0] != 0)
        (void)jr_buf_addf(out, " (default %s)", f->initial);
    (void)jr_buf_addc(out, '\n');
}

/** Of the summary the first sentence is enough. */
static void help_commands(const struct jr_flags *f, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "Commands:\n");
    for (const struct jr_flags *const *c = f->commands; *c != NULL; c++) {
        const ptrdiff_t end = jr_str_find(jr_str((*c)->summary), '.');

        (void)jr_buf_addf(out, "  %-12s  %.*s\n", command_name(*c),
                          end < 0 ? (int)strlen((*c)->summary) : (int)end + 1, (*c)->summary);
    }
    (void)jr_buf_addf(out, "See %s COMMAND --help for its flags.\n\n", f->program);
}

enum jr_status jr_flags_help(const struct jr_flags *f, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "Usage: %s [flags]%s%s\n", f->program, f->args == NULL ? "" : " ",
                      f->args == NULL ? "" : f->args);
    if (f->commands != NULL)
        (void)jr_buf_addf(out, "       %s COMMAND [flags]\n", f->program);
    (void)jr_buf_addf(out, "\n%s\n\n", f->summary);
    if (f->commands != NULL)
        help_commands(f, out);
    (void)jr_buf_adds(out, "Flags:\n");
    for (const struct jr_flag *row = f->table; row->name != NULL; row++)
        help_flag(row, out);
    (void)jr_buf_adds(out, "  -h, --help\n        Prints this.\n"
                           "  --version\n        Prints the version, and what the program was "
                           "built of and runs with.\n");
    return out->failed;
}

/* ---- main's side ---- */

static int print(const struct jr_flags *f,
                 enum jr_status (*write)(const struct jr_flags *f, struct jr_buf *out))
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, (size_t)1 << 20);
    if (write(f, &out) != JR_OK || !jr_buf_print(&out, stdout))
        return 1;
    return 0;
}

int jr_flags_wrong(const struct jr_flags *f, const struct jr_error *err)
{
    char text[sizeof(err->path) + sizeof(err->msg) + 8];

    jr_show_error("%s: %s", f->program, jr_error_text(err, text, sizeof(text)));
    jr_show_error("See %s --help.", f->program);
    return 2;
}

static int parse_or_print(struct reading *r)
{
    const struct jr_flags *f = r->flags;
    struct jr_error err = { .status = JR_OK };

    if (parse(r, &err) != JR_OK)
        return jr_flags_wrong(f, &err);
    if (r->asked == JR_FLAGS_HELP)
        return print(f, jr_flags_help);
    if (r->asked == JR_FLAGS_VERSION)
        return print(f, jr_about);
    return -1;
}

int jr_flags_start(const struct jr_flags *f, int argc, char **argv, void *config, int *ret_args)
{
    struct reading r = { .flags = f, .config = config, .argv = argv, .argc = argc, .at = 1 };
    int code = parse_or_print(&r);

    if (code < 0 && ret_args != NULL)
        *ret_args = r.n_args;
    return code;
}

int jr_flags_start_given(const struct jr_flags *f, int argc, char **argv, void *config,
                         struct jr_flags_given *ret)
{
    struct reading r = { .flags = f, .config = config, .argv = argv, .argc = argc, .at = 1 };
    int code = parse_or_print(&r);

    if (code < 0)
        *ret = r.given;
    return code;
}
