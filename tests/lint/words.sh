#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names, comments and documents use the field's words, not the private ones that they once had.
set -eu -o pipefail

# word|what the field says. A word counts within names too (JR_X_judge, hand-over), but not as a part of another word.
words='judg(e|es|ed|ing|ement|ements)|validate, evaluate, check
verdicts?|result
dev_proof|admission result
prov(e|es|ed|ing)|show, validate
errands?|one-shot command
guests?|pending connection
turn_away|reject
let_in|accept
park(s|ed|ing)?|suspend
hand(s|ed|ing)?[-_ ]?over|assign the controller; transfer a connection; pass a value
leavers?|decommission
tellers?|status dump
doubt(s|ed|ful)?|ambiguous create, ambiguous write
(un)?spare[ds]?|finalizer lost; standby process
settl(e|es|ed|ing)|canonicalize, complete, account, resolve: what it does
unjudged|not validated
dflt|default
olds|existing objects
at the desk|offline
(this|our) room|module
room that owns|module
(give|gives|gave) way|evict a connection; yield
the house|layout'

# What isn't ours to word: licences, recorded answers, corpora, upstream's texts, and this list.
others=(':!LICENSE' ':!tests/vectors' ':!tests/fuzz/*/corpus' ':!tests/diagnose' ':!tests/lint/words.sh' ':!*go.sum')

pattern=$(sed -E 's/\|[^|]*$//' <<< "$words" | paste -sd '|')
pattern="(?<![A-Za-z])($pattern)(?![A-Za-z])"
bad=0
# The pattern finds what it looks for, and no part of another word.
for word in jr_judge judged JR_VERDICT_MAX test_spare hand-over tls-settle-time 'at the desk'; do
    grep -qiP "$pattern" <<< "$word" || { echo "'$word' isn't found"; bad=1; }
done
for word in prejudge approve thresholds sparesome sparking; do
    ! grep -qiP "$pattern" <<< "$word" || { echo "'$word' is found"; bad=1; }
done

# The field that programs read from jobreeve why, and what makes and shows it.
verdict='^(common/diagnose/|cli/[a-z_]*(why|status|wait)[a-z_]*[./]|docs/(cli|reference/jobreeve)[a-z-]*\.md|docs/man/|tests/unit/(diagnose|status)/|tests/(integration/cli/why|e2e/t_55_why)|docs/why\.schema\.json|CHANGELOG\.md)'

files=$(git ls-files -co --exclude-standard -- . "${others[@]}")
named=$(grep -iP "$pattern" <<< "$files" || [ $? = 1 ])
[ -z "$named" ] || { echo "files with words of our own in their names:"; echo "$named"; bad=1; }
hits=$(git grep --untracked -nIioP "$pattern" -- . "${others[@]}" || [ $? = 1 ])
hits=$(grep -viE "$verdict.*:verdicts?\$" <<< "$hits" || [ $? = 1 ])
[ -z "$hits" ] || { echo "words of our own:"; echo "$hits"; bad=1; }
n=$(wc -l <<< "$files")
[ "$n" -gt 100 ] || { echo "only $n files: is this the root of the repository?"; bad=1; }
[ "$bad" = 0 ] && echo "$n files in the field's words"
exit "$bad"
