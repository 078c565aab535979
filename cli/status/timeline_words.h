/* SPDX-License-Identifier: Apache-2.0 */
/* Words that a timeline has as text and as a page. Internal to cli/status. */
#ifndef JR_CLI_STATUS_TIMELINE_WORDS_H
#define JR_CLI_STATUS_TIMELINE_WORDS_H

#include "cli/status/timeline.h"

#define JR_TIMELINE_DAY_S 86400

/** How labels name indexes: "index 3", "indexes 3-5 (3)"; "3", "3-5 (3)"; "3", "3-5". */
enum jr_label_form { JR_LABEL_WORDS, JR_LABEL_COUNTED, JR_LABEL_SHORT };

/** Returns the seconds between two times, each cut to whole ones. */
int64_t jr_timeline_seconds(struct jr_time from, struct jr_time to);
/** Appends the name of a line, as jr_show does it: at most so many columns of a Pod's name; 0: all
 * of it. */
void jr_timeline_label(const struct jr_timeline_line *line, enum jr_label_form form, size_t columns,
                       struct jr_buf *out);
/** Appends how a try ended or stands: "exit 137", "Evicted", "ok", "runs", in at most so many
 * columns; 0: all. */
void jr_timeline_end(const struct jr_timeline *t, const struct jr_try *try, size_t columns,
                     struct jr_buf *out);
/** Appends how a line stands: "exit 1, 3 tries, 2 restarts", "5 failed". Numbers for which there is
 * no room are left out. */
void jr_timeline_note(const struct jr_timeline *t, const struct jr_timeline_line *line,
                      size_t columns, struct jr_buf *out);
/** Returns why a line has no bar: "Pod is gone", "no Pod yet". */
const char *jr_timeline_no_bar(const struct jr_timeline *t, const struct jr_timeline_line *line);

#endif
