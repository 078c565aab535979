#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One version, and one place where the project is: project.env has them, and what must say them in so many words says the same.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. ./project.env
bad=0
says() { # says FILE WANT SED-EXPRESSION: the one thing that it prints is what is wanted
    local said
    said=$(sed -n "$3" "$1")
    [ "$said" = "$2" ] || { echo "$1: expected '$2', as in project.env, found '$said'"; bad=1; }
}
says charts/jobreeve/Chart.yaml "$VERSION" 's/^version: //p'
says charts/jobreeve/Chart.yaml "$VERSION" 's/^appVersion: "\(.*\)"$/\1/p'
says charts/jobreeve/Chart.yaml "$VERSION" 's/^ *image: jobreeve://p'
says charts/jobreeve/Chart.yaml "$HOMEPAGE" 's/^home: //p'
says charts/jobreeve/Chart.yaml "$SOURCE" '/^sources:/,/^[a-z]/s/^- //p'
says charts/jobreeve/Chart.yaml "$CONTACT" 's/^  email: //p'
says charts/jobreeve/Chart.yaml "$LICENSE_ID" 's,^  artifacthub.io/license: ,,p'
says CHANGELOG.md "$VERSION" '0,/^## /s/^## \([0-9.]*\).*/\1/p'
says SECURITY.md "$CONTACT" 's/.* to \([a-z]*@[a-z.]*\),.*/\1/p'
says CODE_OF_CONDUCT.md "$CONTACT" 's/^Tell \([a-z]*@[a-z.]*\) .*/\1/p'
says .github/CODEOWNERS "$CONTACT" 's/^\* //p'
says image/Dockerfile "$DESCRIPTION" 's/.*image\.description="\([^"]*\)".*/\1/p'
says image/Dockerfile "$LICENSE_ID" 's/.*image\.licenses="\([^"]*\)".*/\1/p'
says image/Dockerfile "$HOMEPAGE" 's/.*image\.url="\([^"]*\)".*/\1/p'
says image/Dockerfile "$SOURCE" 's/.*image\.source="\([^"]*\)".*/\1/p'
# The last release, where the history reaches so far: the commit that has the version of the second section, and says when it was released.
if [ -n "$RELEASED" ] && git -c safe.directory="$PWD" cat-file -e "$RELEASED^{commit}" 2> /dev/null; then
    last=$(sed -n 's/^## //p' CHANGELOG.md | sed -n 2p)
    in_release() { git -c safe.directory="$PWD" show "$RELEASED:$1"; }
    [ "$(in_release project.env | sed -n 's/^VERSION=//p')" = "${last%%,*}" ] || { echo "project.env: RELEASED isn't the commit of ${last%%,*}"; bad=1; }
    [ "$(in_release CHANGELOG.md | sed -n 's/^## //p' | head -n 1)" = "$last" ] || { echo "CHANGELOG.md: expected '$last', as in $RELEASED"; bad=1; }
    [[ $last =~ ,\ [0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || { echo "CHANGELOG.md: '$last': expected the day of the release"; bad=1; }
fi
[ "$bad" = 0 ] && echo "version $VERSION"
exit "$bad"
