/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence out of a file: a List, or a stream of objects, in JSON or YAML. */
#ifndef JR_CLI_EVIDENCE_FILE_H
#define JR_CLI_EVIDENCE_FILE_H

#include "common/diagnose/evidence.h"

/* In the metadata of the List that jobreeve dump writes: when it was read, and which kinds were,
 * "Job,Pod,Event", also those of which there was no object. */
#define JR_DUMP_TIME "jobreeve.dev/read-at"
#define JR_DUMP_KINDS "jobreeve.dev/read-kinds"

/** Takes in all objects of a file; "-" is standard input. *ret_now is when a dump was read; unset:
 * it doesn't say. Objects that can't be decoded are said on standard error, and left out. Errors:
 * those of the file, and of a text that is no YAML. */
enum jr_status jr_evidence_read(struct jr_evidence *ev, const char *path, struct jr_time *ret_now,
                                struct jr_error *err) JR_MUST_USE;

#endif
