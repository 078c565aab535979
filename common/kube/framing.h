/* SPDX-License-Identifier: Apache-2.0 */
/* Framing of lists and watches: bytes in, items and events out. Pure; the object's text is handed
 * on undecoded, found by its brackets and strings alone: whatever it holds, the others are read. */
#ifndef JR_KUBE_FRAMING_H
#define JR_KUBE_FRAMING_H

#include "common/base/buf.h"

enum jr_event_type { JR_EV_ADDED, JR_EV_MODIFIED, JR_EV_DELETED, JR_EV_BOOKMARK, JR_EV_ERROR };

/** Splits a watch stream at its lines, at whatever byte the chunks break. */
struct jr_watch_frames {
    struct jr_buf partial;
    size_t max_event_bytes; /* a longer line is passed over; 0: 16 MiB */
    /* An event that is passed over, for its length or as it isn't understood (an unknown type, no
     * object); line: its text, at most the first MiB of it. ctx is that of the feeding. NULL:
     * nobody wants to know. */
    void (*on_unread)(void *ctx, struct jr_str line, const struct jr_error *why);
    bool too_long; /* the line under way: only its head is in partial */
};
void jr_watch_frames_init(struct jr_watch_frames *f);
void jr_watch_frames_done(struct jr_watch_frames *f);
/** Takes a chunk; calls fn for each whole event with its type and the source text of "object",
 * which may be any JSON value. A return other than JR_OK ends it with that. Errors: JR_SYNTAX (a
 * line that is no JSON object: the stream is damaged). */
enum jr_status jr_watch_frames_feed(struct jr_watch_frames *f, struct jr_str chunk,
                                    enum jr_status (*fn)(void *ctx, enum jr_event_type type,
                                                         struct jr_str object,
                                                         struct jr_error *err),
                                    void *ctx, struct jr_error *err) JR_MUST_USE;

/** The version of an object, and, of a bookmark, whether it ends the initial events of a WatchList
 * (ret_initial_end NULL: not asked, and read no further than the version). *ret borrows from
 * object. Errors: JR_SYNTAX, JR_LIMIT. */
enum jr_status jr_object_version(struct jr_str object, struct jr_str *ret, bool *ret_initial_end,
                                 struct jr_error *err) JR_MUST_USE;

/** A page of a list. */
struct jr_list_page {
    struct jr_str
        resource_version; /* borrowed from the text or the arena-less scratch: copy what you keep */
    struct jr_str continue_token;
    int64_t remaining; /* remainingItemCount, 0 if not given */
};
/** Reads a list's text: calls fn with the source text of each item, which may be any JSON value,
 * then fills *ret (its strings borrow from text). */
enum jr_status jr_list_read(struct jr_str text, void (*fn)(void *ctx, struct jr_str item),
                            void *ctx, struct jr_list_page *ret, struct jr_error *err) JR_MUST_USE;
/** Whether a page with n items that was asked for by a token ("" for the first one) brings a list
 * no further, and another one is to follow: who asks at once would ask for ever. */
bool jr_list_is_stuck(const struct jr_list_page *page, size_t n, struct jr_str token);
#define JR_LIST_STUCK "a page without objects, or by a token that was asked for, and not the last"

#endif
