/* SPDX-License-Identifier: Apache-2.0 */
/* A diagnosis for people, and for programs. Pure; failures stick to the buffer. */
#ifndef JR_CLI_WHY_OUTPUT_H
#define JR_CLI_WHY_OUTPUT_H

#include "common/diagnose/diagnosis.h"

/** Appends at most 15 lines: verdict, causes, what is unseen, the best next command. */
void jr_why_text(const struct jr_diagnosis *d, struct jr_buf *out);
/** Appends an object, of the format that docs/cli.md describes. */
void jr_why_json(const struct jr_diagnosis *d, struct jr_buf *out);

#endif
