# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced behind lib.sh by the tests that kill a controller at a write: the Jobs of mixed.yaml, named TRIAL-plain and so on, how they must end,
# and what an observer of their whole history says. The test defines
#   ask METHOD PATH [CURL-ARGUMENT...]   prints the answer, fails unless it is a good one
# and sets NS, the namespace, and WATCHED, the folder with the two streams jobs and pods, from before the first Job on.
HISTORY=$E2E/../integration/controller/history.jq

trial_path() { # trial_path jobs|pods [REST]
    case $1 in
    jobs) echo "/apis/batch/v1/namespaces/$NS/jobs${2:-}" ;;
    *) echo "/api/v1/namespaces/$NS/pods${2:-}" ;;
    esac
}

trial_begins() { # trial_begins TRIAL: its Jobs, of which one is resumed at once
    jq -Rrs --arg t "$1" 'gsub("TRIAL"; $t) | split("\n---\n")[] | @base64' "$E2E/kill/mixed.yaml" | while read -r job; do
        base64 -d <<< "$job" | ask POST "$(trial_path jobs)" -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
    done
    trial_patch "$1-resumed" '{"spec":{"suspend":false}}'
}

trial_patch() {
    ask PATCH "$(trial_path jobs "/$1")" -H 'Content-Type: application/merge-patch+json' --data "$2" > /dev/null
}

ends() { # ends TRIAL: what is not as it must end
    ask GET "$(trial_path jobs)" | jq -r --arg trial "$1" -f "$E2E/kill/ends.jq"
}

# All have ended that aren't suspended after the kill.
trial_over() {
    local left
    left=$(ends "$1") && [ -z "$(grep -v '^suspended is ' <<< "$left")" ]
}

# A Pod that nobody owns: when the watch has told of it, it has told of all before it.
mark() {
    ask POST "$(trial_path pods)" -H 'Content-Type: application/json' --data "{\"metadata\": {\"name\": \"$1-end\"}, \"spec\": {
        \"schedulingGates\": [{\"name\": \"example.com/never\"}], \"containers\": [{\"name\": \"main\", \"image\": \"registry.example/main:1\"}]}}" > /dev/null
}

# The last words of its Jobs have come, too, by their own stream.
observed() {
    grep -q "\"name\":\"$1-end\"" <(whole_lines "$WATCHED/pods") &&
        ask GET "$(trial_path jobs)" | jq -r --arg t "$1-" '.items[].metadata | select(.name | startswith($t)) | .resourceVersion' | tells_all "$WATCHED/jobs"
}

seen_right() { # seen_right TRIAL FILE: an observer has seen all, and nothing wrong in it; FILE is written
    local faults
    mark "$1"
    await 60 "the observer" observed "$1" || return 1
    faults=$(observe "$1" "$2")
    [ -z "$faults" ] || {
        echo "$faults"
        return 1
    }
}

observe() { # observe TRIAL FILE [AMBIGUOUS]: what is wrong with the histories of its Jobs; FILE is written
    local kind completions parallelism
    grep -hF "\"$1-" <(whole_lines "$WATCHED/jobs") <(whole_lines "$WATCHED/pods") > "$2"
    while read -r kind completions parallelism; do
        grep -F "\"name\":\"$1-$kind\"" "$2" | jq -rs --arg job "$1-$kind" --argjson completions "$completions" \
            --argjson parallelism "$parallelism" --argjson ambiguous "${3:-0}" -f "$HISTORY" | sed "s/^/$kind: /"
    done << 'K'
plain 6 3
indexed 5 3
perindex null 3
failing null 1
policy null 2
success null 1
queue null 3
resumed 2 2
suspended null 2
deadline null 1
K
}
