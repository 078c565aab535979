# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by run.sh: the memory of jobreeve-controller beside 450 running, 450 suspended and 450 foreign Jobs with templates of 1.1 MB, served
# by large.c: at the start, at a relist, over 1,000 status updates, and while the running ones come to their end.

LARGE_EACH=450 LARGE_BYTES=1100000
LARGE_BOUND=$((128 * 1024)) # KiB: the default of --job-cache-bytes
LARGE_ROOM=40000            # KiB

order() { # order WORDS...
    echo "$*" >&3
}

state_is() { # state_is WORD N: of the server
    order state
    sleep 0.5
    [ "$(word "$(log_since_start server | grep '^state' | tail -n 1)" "$1")" = "$2" ]
}

# peak WHAT: PASS if no more memory was used since the last one
peak() {
    local hwm
    hwm=$(status_kb large VmHWM)
    echo 5 > "/proc/$(proc_pid large)/clear_refs"
    result "$1: RSS at most $((hwm / 1024)) MiB, now $(($(status_kb large VmRSS) / 1024)) MiB (128 MiB and 40 MB: $(((LARGE_BOUND + LARGE_ROOM) / 1024)))" \
        [ "$hwm" -le $((LARGE_BOUND + LARGE_ROOM)) ]
}

jobs_seen() { # jobs_seen N: events of Jobs
    [ "$(series "$(metrics_of large)" 'jobreeve_informer_events_total{resource="jobs",type="MODIFIED"}')" -ge "$1" ]
}

lists() { # lists N: of Jobs, complete
    [ "$(log_since_start large | grep -c '"msg":"listed".*"resource":"jobs"')" -ge "$1" ]
}

# large HOW [FLAG]: with lists as HOW says
large() {
    local m seen line
    serve "$LARGE_EACH" 1 --template-bytes="$LARGE_BYTES" "${@:2}"
    proc_start large "$JR_BIN/jobreeve-controller" --kubeconfig="$DIR/cache.conf" --replace-builtin --leader-elect=false \
        --kubernetes-version=1.36.0 --health-probe-bind-address=0 --metrics-bind-address=127.0.0.1:0
    ALIVE="server large" await 120 "the caches" logged large "caches synced"
    ALIVE="server large" await 300 "the Pods" state_is pods "$LARGE_EACH"
    ALIVE="server large" await 120 "the first syncs" quiet large
    peak "$1, the start"
    seen=$(series "$(metrics_of large)" 'jobreeve_informer_events_total{resource="jobs",type="MODIFIED"}')
    order touch 1000
    ALIVE="server large" await 300 "the updates" jobs_seen $((seen + 1000))
    peak "$1, 1000 status updates"
    order relist
    ALIVE="server large" await 300 "the relist" lists 2
    ALIVE="server large" await 120 "the syncs behind it" quiet large
    peak "$1, a relist"
    order finish
    ALIVE="server large" await 600 "the Jobs' end" state_is complete "$LARGE_EACH"
    ALIVE="server large" await 120 "the last syncs" quiet large
    peak "$1, $LARGE_EACH Jobs to their end"
    m=$(metrics_of large)
    line=$(log_since_start server | grep '^state' | tail -n 1)
    say "$1: $(series "$m" 'jobreeve_job_template_reads_total{result="success"}') templates were read, $(ms "$(cpu_ns large)") ms of CPU"
    result "$1: no Job has two Pods, none that is suspended or foreign was written ($(word "$line" twice), $(word "$line" untouchable))" \
        [ "$(word "$line" twice)$(word "$line" untouchable)" = 00 ]
    proc_stop large
    exec 3>&-
    await 120 "the server's end" eval '! proc_alive server'
}

large_jobs() {
    pki_pair
    large "as streams"
    large "in pages" --paged
}
