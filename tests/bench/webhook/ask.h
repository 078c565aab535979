/* SPDX-License-Identifier: Apache-2.0 */
/* Requests made of recorded reviews, and whether an answer is right. */
#ifndef JR_BENCH_ASK_H
#define JR_BENCH_ASK_H

#include "common/base/buf.h"

#define ASK_UID_MAX 40

/** A recorded review, sent again and again under new uids. */
struct ask_body {
    const char *path;
    bool wants_patch;
    struct jr_buf text;
    size_t uid_at;
};
/** Reads a file; false after a message: there is no review in it. */
bool ask_body_read(struct ask_body *b, const char *file, const char *path,
                   bool wants_patch) JR_MUST_USE;
void ask_body_done(struct ask_body *b);

/** Writes the request number n into out, and its uid. */
enum jr_status ask_write(struct ask_body *b, size_t n, struct jr_buf *out, char uid[ASK_UID_MAX]);

/** Finds the end of the answer that text begins with. False: there is more to come. */
bool ask_whole(const struct jr_buf *text, struct jr_str *ret_body) JR_MUST_USE;
/** Whether the answer allows, echoes the uid, and has a patch where one is due. */
bool ask_right(const struct ask_body *b, const char *uid, struct jr_str body) JR_MUST_USE;

#endif
