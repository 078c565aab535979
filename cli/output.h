/* SPDX-License-Identifier: Apache-2.0 */
/* A report in one of the formats that people and tools read. Pure. */
#ifndef JR_CLI_OUTPUT_H
#define JR_CLI_OUTPUT_H

#include "cli/report.h"
#include "common/json/write.h"

#define JR_OUTPUT_MAP(X) \
    X(TEXT, "text")      \
    X(JSON, "json")      \
    X(SARIF, "sarif")    \
    X(JUNIT, "junit")    \
    X(GITHUB, "github")

enum jr_output_format {
#define X(id, name) JR_OUTPUT_##id,
    JR_OUTPUT_MAP(X)
#undef X
        JR_OUTPUT_COUNT
};
/** "text" */
const char *jr_output_name(enum jr_output_format format);
/** The format of that name; JR_OUTPUT_COUNT if there is none. */
enum jr_output_format jr_output_find(struct jr_str name);

/** Of text. */
struct jr_output_style {
    bool color;
    bool source; /* the source line with a caret under the column */
};
/** Appends the report. Errors: JR_LIMIT. */
enum jr_status jr_output_write(const struct jr_report *r, enum jr_output_format format,
                               const struct jr_output_style *style, struct jr_buf *out) JR_MUST_USE;

/* The formats by themselves; failures stick to the buffer. */

/** "file:line:column: path: error", a finding a line. */
void jr_output_text(const struct jr_report *r, const struct jr_output_style *style,
                    struct jr_buf *out);
/** docs/cli.md describes it. */
void jr_output_json(const struct jr_report *r, struct jr_buf *out);
/** SARIF 2.1.0 (OASIS); columns are in code points. */
void jr_output_sarif(const struct jr_report *r, struct jr_buf *out);
/** A test suite a file, a test case an object. */
void jr_output_junit(const struct jr_report *r, struct jr_buf *out);
/** Workflow commands of GitHub Actions: ::error file=...,line=...::message */
void jr_output_github(const struct jr_report *r, struct jr_buf *out);
/** Appends text of others for a workflow command: its message, or one of its properties, which have
 * two more escapes. It is shown as on a terminal, which the log of a run is. */
void jr_output_github_escape(struct jr_str s, bool property, struct jr_buf *out);

/** For those of JSON: some of the versions, an array of texts. */
void jr_output_json_versions(struct jr_writer *w, const struct jr_versions *versions,
                             unsigned which);
/** "file:line:column: message" of what could not be read, fit for a terminal. */
void jr_output_unreadable(const struct jr_unreadable *u, struct jr_buf *out);
/** All of it. */
void jr_output_all_unreadable(const struct jr_report *r, struct jr_buf *out);
/** One line about the whole. */
void jr_output_summary(const struct jr_report *r, struct jr_buf *out);

#endif
