#!/usr/bin/env bash
# One version: CMakeLists.txt has it, and what must say it in so many words says the same.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=$(sed -n 's/^project(jobreeve VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
bad=0
says() { # says FILE SED-EXPRESSION: the one thing that it prints is the version
    local said
    said=$(sed -n "$2" "$1")
    [ "$said" = "$version" ] || { echo "$1: expected version $version, as in CMakeLists.txt, found '$said'"; bad=1; }
}
says charts/jobreeve/Chart.yaml 's/^version: //p'
says charts/jobreeve/Chart.yaml 's/^appVersion: "\(.*\)"$/\1/p'
says charts/jobreeve/Chart.yaml 's/^ *image: jobreeve://p'
says CHANGELOG.md '0,/^## /s/^## \([0-9.]*\).*/\1/p'
[ "$bad" = 0 ] && echo "version $version"
exit "$bad"
