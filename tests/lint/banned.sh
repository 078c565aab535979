#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Functions that we don't call (bounds, locale, threads), files that have grown past one subject, and shell checks that a failed question passes.
set -eu -o pipefail
shopt -s nullglob
folders=(common certs webhook controller devcluster cli tests)
for i in "${!folders[@]}"; do [ -d "${folders[i]}" ] || unset "folders[i]"; done
bad=0
hits=$(grep -RnE --include='*.[ch]' '\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|strtol|strtoll|strtoul|sscanf|gmtime|localtime|strerror|setlocale)[[:space:]]*\(' \
    "${folders[@]}" || [ $? = 1 ])
[ -z "$hits" ] || { echo "banned calls:"; echo "$hits"; bad=1; }
# Deadlines by the clock on the wall break when somebody sets it.
wall=$(grep -RnE --include='*.[ch]' '\btime[[:space:]]*\((NULL|0|&)' "${folders[@]}" || [ $? = 1 ])
[ -z "$wall" ] || { echo "time() is the clock on the wall:"; echo "$wall"; bad=1; }
# An empty buffer may have no memory, and fwrite takes no NULL: jr_buf_print asks.
raw=$(grep -RnE --include='*.c' '\bfwrite\(' cli common controller devcluster webhook | grep -v '^common/base/buf\.c:' || true)
[ -z "$raw" ] || { echo "fwrite in place of jr_buf_print:"; echo "$raw"; bad=1; }
# A cleanup runs on every path out, also on one before the variable was set.
bare=$(grep -RnE --include='*.[ch]' '^[[:space:]]*JR_(BUF|ARENA|POD_LIST|FREE|CLOSE) [^=]*;' "${folders[@]}" || [ $? = 1 ])
[ -z "$bare" ] || { echo "cleaned up, but not initialised:"; echo "$bare"; bad=1; }
# A buffer says how large it may get, or by its name why nothing bounds it: JR_BUF_BY_INPUT (common/base/buf.h).
unbounded=$(grep -RnE --include='*.[ch]' 'jr_buf_init\([^;]*SIZE_MAX|JR_BUF [a-z_]+ = \{ \.max = SIZE_MAX' certs cli common controller devcluster webhook || [ $? = 1 ])
[ -z "$unbounded" ] || { echo "buffers without a maximum:"; echo "$unbounded"; bad=1; }
long=$(find "${folders[@]}" -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 601 { print $2 ": " $1 " lines" }')
[ -z "$long" ] || { echo "files over 600 lines, beside that of the licence:"; echo "$long"; bad=1; }
# Whoever chooses the texts must not choose their slots: outside text is hashed by common/base/hash.h. Names that upstream makes
# by FNV are no tables, and the bench has to make what collides.
unkeyed=$(grep -RnEi --include='*.[ch]' '16777619|0x01000193|1099511628211|0x00000100000001b3|14695981039346656037|2166136261|\b5381\b|<uthash\.h>|HASH_(JEN|BER|SAX|OAT|SFH|FNV|MUR)\b' \
    "${folders[@]}" | grep -vE '^(controller/reconcile/gang\.c|tests/bench/lists/collide\.c):' || true)
[ -z "$unkeyed" ] || { echo "unkeyed hashes:"; echo "$unkeyed"; bad=1; }
# Whoever could not ask has not found nothing: e2e/lib.sh has names, count_names and field_or_no_answer.
lost=$(
    grep -RnE --include='*.sh' '\b(k|kubectl|api|ask|curl|helm|readelf|strings|cat|tail) [^|#]*\|[^|]*\bgrep\b.*\|\| true' tests || [ $? = 1 ]
    grep -RnE --include='*.sh' '"\$\((k|kubectl|api|ask|helm|field) [^"]*("[^"]*"[^"]*)*\)" ""$' tests || [ $? = 1 ]
)
[ -z "$lost" ] || { echo "a failed question passes for an empty answer:"; echo "$lost"; bad=1; }
# set -e passes over a command whose status is inverted.
blind=$(grep -RnE --include='*.sh' '^! ([^|]|\|[^|])*$' tests || [ $? = 1 ])
[ -z "$blind" ] || { echo "checks that can't fail, since set -e doesn't see an inverted status:"; echo "$blind"; bad=1; }
# A tag can be moved to another commit.
tagged=$(grep -RnE '^[[:space:]]*(- )?uses:' .github | grep -vE 'uses: (\./|[A-Za-z0-9_./-]+@[0-9a-f]{40}( |$))' || true)
[ -z "$tagged" ] || { echo "actions that are not pinned by a commit:"; echo "$tagged"; bad=1; }
[ "$bad" = 0 ] && echo "nothing banned"
exit "$bad"
