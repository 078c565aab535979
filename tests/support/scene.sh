# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the integration tests: a folder for the run, the devcluster in it, and its API. From outside: bin, the folder
# with our programs.
. "$(dirname "${BASH_SOURCE[0]}")/proc.sh"

# scene NAME: makes DIR. When the script ends, however that is, what it has started does; the folder stays where it failed.
scene() {
    DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-$1.XXXXXX")
    mkdir -p "$DIR/log" "$DIR/run"
    trap scene_end EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

scene_end() {
    local code=$? f
    set +e
    [ $code = 0 ] || log_tails 30 >&2
    background_end # while a part of the script lives it holds the output, and whoever reads it waits
    for f in "$DIR"/run/*.pid; do [ ! -e "$f" ] || proc_stop "$(basename "$f" .pid)"; done
    [ $code = 0 ] && rm -rf "$DIR" || echo "files are kept in $DIR" >&2
    exit $code
}

# devcluster FLAG...: starts it; sets server and token
devcluster() {
    proc_start_writing "$DIR/kubeconfig" devcluster "$bin/jobreeve-devcluster" --data-dir "$DIR" --log-level warn "$@"
    server=$(sed -n 's/^ *server: //p' "$DIR/kubeconfig")
    token=$(sed -n 's/^ *token: //p' "$DIR/kubeconfig")
}

# api METHOD PATH [CURL-ARGUMENT]...: prints the answer, fails unless it is a good one
api() {
    local method=$1 path=$2
    shift 2
    curl -sS --fail-with-body --max-time 30 --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -X "$method" "$server$path" "$@"
}

# gone PATH: the server says that nothing is there
gone() {
    [ "$(curl -sS --max-time 30 --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -o /dev/null -w '%{http_code}' "$server$1")" = 404 ]
}
