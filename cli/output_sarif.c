/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
#include <stdio.h>

#include "cli/output.h"
#include "common/base/memory.h"
#include "common/json/write.h"
#include "common/pod/map_warnings.h"
#include "common/rules/rules.h"

#define SCHEMA \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* What can be found: the rules of validation, and what is ours. */
static const struct {
    const char *id;
    const char *words; /* NULL: those of the type */
    const char *detail;
    const char *level;
    enum jr_field_error_type type;
} rules[] = {
#define X(name, id, type, detail) { id, NULL, detail, "error", JR_FE_##type },
    JR_RULE_MAP(X)
#undef X
        { "wrong-type", "Bad request", "a value of a wrong JSON type", "error", 0 },
    { "no-kind-match", "Not found", "no API server has this kind in this version", "error", 0 },
    { "unknown-field", "Unknown field", "the API server doesn't know the field", "error", 0 },
    { "duplicate-field", "Duplicate field", "the field is there more than once", "error", 0 },
#define X(name, id, origin, about) { id, "Warning", about, "warning", 0 },
    JR_WARNING_MAP(X)
#undef X
        { "dropped-field", "Dropped field", "the API server drops it: a feature gate is off",
          "note", 0 },
    { "not-validated", "Not validated", "an API server may refuse it", "note", 0 },
};

static void add_text(struct jr_writer *w, const char *key, struct jr_str text)
{
    jr_w_key(w, key);
    jr_w_object(w);
    jr_w_kstr(w, "text", text);
    jr_w_object_end(w);
}

static void add_rules(struct jr_writer *w)
{
    jr_w_key(w, "rules");
    jr_w_array(w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rules); i++) {
        JR_BUF text = { 0 };

        jr_buf_init(&text, 4096);
        jr_must(jr_buf_addf(&text, "%s%s%s",
                            rules[i].words == NULL ? jr_field_error_words(rules[i].type)
                                                   : rules[i].words,
                            rules[i].detail[0] == '\0' ? "" : ": ", rules[i].detail));
        jr_w_object(w);
        jr_w_kstr(w, "id", jr_str(rules[i].id));
        add_text(w, "shortDescription", jr_buf_str(&text));
        jr_w_key(w, "defaultConfiguration");
        jr_w_object(w);
        jr_w_kstr(w, "level", jr_str(rules[i].level));
        jr_w_object_end(w);
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
}

/** The rule's place in the table, -1 if it is not there. */
static int64_t rule_index(struct jr_str id)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(rules); i++) {
        if (jr_str_is(id, rules[i].id))
            return (int64_t)i;
    }
    return -1;
}

/** A file name as an URI reference: relative stays relative. */
static void add_uri(struct jr_writer *w, struct jr_str file)
{
    static const char plain[] = "-._~/";
    JR_BUF uri = { 0 };

    jr_buf_init(&uri, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&uri, file.n > 0 && file.p[0] == '/' ? "file://" : "");
    for (size_t i = 0; i < file.n; i++) {
        char c = file.p[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (word || (c != '\0' && strchr(plain, c) != NULL))
            (void)jr_buf_addc(&uri, c);
        else
            (void)jr_buf_addf(&uri, "%%%02X", (unsigned)(unsigned char)c);
    }
    jr_must(uri.failed);
    jr_w_kstr(w, "uri", jr_buf_str(&uri));
}

/** physicalLocation; line 0: only the file. */
static void add_place(struct jr_writer *w, struct jr_str file, unsigned line, unsigned column)
{
    jr_w_key(w, "physicalLocation");
    jr_w_object(w);
    jr_w_key(w, "artifactLocation");
    jr_w_object(w);
    add_uri(w, file);
    jr_w_object_end(w);
    if (line > 0) {
        jr_w_key(w, "region");
        jr_w_object(w);
        jr_w_ki64(w, "startLine", line);
        jr_w_ki64(w, "startColumn", column);
        jr_w_object_end(w);
    }
    jr_w_object_end(w);
}

static void add_locations(struct jr_writer *w, const struct jr_checked *o,
                          const struct jr_finding *f)
{
    jr_w_key(w, "locations");
    jr_w_array(w);
    jr_w_object(w);
    add_place(w, o->file, f->line, f->column);
    if (f->field.n > 0) {
        jr_w_key(w, "logicalLocations");
        jr_w_array(w);
        jr_w_object(w);
        jr_w_kstr(w, "fullyQualifiedName", f->field);
        jr_w_kstr(w, "kind", JR_S("property"));
        jr_w_object_end(w);
        jr_w_array_end(w);
    }
    jr_w_object_end(w);
    jr_w_array_end(w);
}

/** A property bag: the versions of Kubernetes that a result or the run is about. */
static void add_versions(struct jr_writer *w, const struct jr_report *r, unsigned which)
{
    jr_w_key(w, "properties");
    jr_w_object(w);
    jr_w_key(w, "kubernetesVersions");
    jr_output_json_versions(w, &r->versions, which);
    jr_w_object_end(w);
}

static void add_result(struct jr_writer *w, const struct jr_report *r, const struct jr_checked *o,
                       const struct jr_finding *f)
{
    const int64_t index = rule_index(f->rule);
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_finding_write(f, &text);
    jr_w_object(w);
    jr_w_opt_kstr(w, "ruleId", f->rule);
    if (index >= 0)
        jr_w_ki64(w, "ruleIndex", index);
    jr_w_kstr(w, "level", jr_str(jr_level_name(f->level)));
    add_text(w, "message", jr_buf_str(&text));
    add_locations(w, o, f);
    if (f->only.n > 0)
        add_versions(w, r, f->versions);
    jr_w_object_end(w);
}

/** What could not be read is a notification of the run, not a result. */
static void add_invocation(struct jr_writer *w, const struct jr_report *r)
{
    jr_w_key(w, "invocations");
    jr_w_array(w);
    jr_w_object(w);
    jr_w_kbool(w, "executionSuccessful", r->unreadable.n == 0);
    jr_w_key(w, "toolExecutionNotifications");
    jr_w_array(w);
    for (size_t i = 0; i < r->unreadable.n; i++) {
        const struct jr_unreadable *u = &r->unreadable.v[i];

        jr_w_object(w);
        jr_w_kstr(w, "level", JR_S("error"));
        add_text(w, "message", u->message);
        jr_w_key(w, "locations");
        jr_w_array(w);
        jr_w_object(w);
        add_place(w, u->file, u->line, u->column);
        jr_w_object_end(w);
        jr_w_array_end(w);
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_array_end(w);
}

static void add_run(struct jr_writer *w, const struct jr_report *r)
{
    jr_w_object(w);
    jr_w_key(w, "tool");
    jr_w_object(w);
    jr_w_key(w, "driver");
    jr_w_object(w);
    jr_w_kstr(w, "name", JR_S("jobreeve"));
    jr_w_kstr(w, "version", JR_S(JR_VERSION));
    add_rules(w);
    jr_w_object_end(w);
    jr_w_object_end(w);
    jr_w_kstr(w, "columnKind", JR_S("unicodeCodePoints"));
    add_invocation(w, r);
    jr_w_key(w, "results");
    jr_w_array(w);
    for (size_t i = 0; i < r->objects.n; i++) {
        const struct jr_checked *o = &r->objects.v[i];

        for (size_t k = 0; k < o->n; k++)
            add_result(w, r, o, &o->v[k]);
    }
    jr_w_array_end(w);
    add_versions(w, r, jr_versions_all(&r->versions));
    jr_w_object_end(w);
}

void jr_output_sarif(const struct jr_report *r, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "$schema", JR_S(SCHEMA));
    jr_w_kstr(&w, "version", JR_S("2.1.0"));
    jr_w_key(&w, "runs");
    jr_w_array(&w);
    add_run(&w, r);
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    (void)jr_buf_addc(out, '\n');
}
