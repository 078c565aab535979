#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An API server's watch as a file, one event a line: watch.sh FILE VERSION URL [CURL-ARGUMENT...]
# API servers end the streams of those who read too slowly: this one goes on behind the last whole line. Ends with 1 where the server has
# forgotten what came after that.
set -u -o pipefail
file=$1 version=$2 url=$3
shift 3
curl=
trap '[ -z "$curl" ] || kill "$curl"; exit 0' TERM

# behind_last: version, from the last line; what is cut off is dropped
behind_last() {
    local last
    while last=$(tail -n 1 "$file") && [ -n "$last" ]; do
        if jq -e '.type == "ERROR"' <<< "$last" > /dev/null 2>&1; then
            echo "$last" >&2
            exit 1
        fi
        if last=$(jq -er .object.metadata.resourceVersion <<< "$last" 2> /dev/null); then
            version=$last
            [ -z "$(tail -c 1 "$file")" ] || echo >> "$file"
            return
        fi
        sed -i '$ d' "$file"
    done
}

touch "$file"
while :; do
    curl -sSN --no-progress-meter "$@" "$url&resourceVersion=$version" >> "$file" &
    curl=$!
    wait $curl
    curl=
    behind_last
    sleep 0.1
done
