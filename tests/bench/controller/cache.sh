# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by run.sh: 100,000 Pods in the cache of jobreeve-controller, over TLS from a server that makes them up
# (serve.c), and in a process of the benchmark's own (cache.c) for what only the allocator knows.

PODS=100000
EVENTS=50000

pki_pair() { # the server's certificate, once
    [ -f "$DIR/pki/bench.crt" ] && return
    pki_ca "$DIR/pki" bench-ca
    pki_cert "$DIR/pki" bench-ca bench /CN=bench serverAuth IP:127.0.0.1
}

serve() { # serve JOBS PODS_EACH [FLAG...]: its orders go to descriptor 3
    free_port
    rm -f "$DIR/orders"
    mkfifo "$DIR/orders"
    cat > "$DIR/cache.conf" << Y
apiVersion: v1
kind: Config
current-context: bench
contexts: [{name: bench, context: {cluster: bench, user: bench}}]
clusters: [{name: bench, cluster: {server: "https://127.0.0.1:$PORT", certificate-authority-data: $(pki_data "$DIR/pki/bench-ca.crt")}}]
users: [{name: bench, user: {token: bench}}]
Y
    proc_start server bash -c 'exec "$@" < "$0"' "$DIR/orders" "$JR_BIN/bench-controller" serve --port="$PORT" \
        --cert="$DIR/pki/bench.crt" --key="$DIR/pki/bench.key" --pod="$HERE/pod.json" --job="$HERE/job.json" --jobs="$1" --pods-each="$2" "${@:3}"
    exec 3> "$DIR/orders"
    ALIVE=server await 120 "the server" eval 'log_since_start server | grep -q serving'
}

cpu_ns() { # cpu_ns NAME: of a process with one thread
    cut -d ' ' -f 1 "/proc/$(proc_pid "$1")/schedstat"
}

events_seen() { # events_seen NAME N
    [ "$(series "$(metrics_of "$1")" 'jobreeve_informer_events_total{resource="pods",type="MODIFIED"}')" -ge "$2" ]
}

quiet() { # quiet NAME: it has nothing to do
    local before
    before=$(cpu_ns "$1")
    sleep 1
    [ $(($(cpu_ns "$1") - before)) -lt 5000000 ]
}

ms() { awk -v ns="$1" 'BEGIN { printf "%.1f", ns / 1e6 }'; }
us() { awk -v ns="$1" 'BEGIN { printf "%.1f", ns / 1e3 }'; }

# hold JOBS: 100,000 Pods of so many Jobs. Sets EVENT_NS.
hold() {
    local each=$((PODS / $1)) what before synced_cpu m rss hwm cpu_s wall_s line
    what="$1 Jobs of $each Pods"
    [ "$1" -gt 1 ] || what="1 Job of $each Pods"
    serve "$1" "$each"
    proc_start held "$JR_BIN/jobreeve-controller" --kubeconfig="$DIR/cache.conf" --replace-builtin --leader-elect=false \
        --health-probe-bind-address=0 --metrics-bind-address=127.0.0.1:0
    ALIVE="server held" await 300 "the caches" logged held "caches synced"
    synced_cpu=$(cpu_ns held)
    ALIVE="server held" await 120 "the first syncs" quiet held
    say "$what: synced in $(($(logged held "caches synced") - $(logged held starting))) ms and $(ms "$synced_cpu") ms of CPU, all looked at after $(ms "$(cpu_ns held)")"
    before=$(cpu_ns held)
    echo "events $EVENTS" >&3
    ALIVE="server held" await 300 "the events" events_seen held "$EVENTS"
    EVENT_NS=$((($(cpu_ns held) - before) / EVENTS))
    ALIVE="server held" await 120 "the last syncs" quiet held
    m=$(metrics_of held)
    rss=$(status_kb held VmRSS) hwm=$(status_kb held VmHWM)
    cpu_s=$(series "$m" 'jobreeve_loop_longest_turn_seconds{clock="cpu"}')
    wall_s=$(series "$m" 'jobreeve_loop_longest_turn_seconds{clock="wall"}')
    proc_stop held
    exec 3>&-
    await 120 "the server's end" eval '! proc_alive server'
    line=$(log_since_start server | tail -n 1)
    result "$what: RSS $((rss / 1024)) MB, peak $((hwm / 1024)) MB (under 100)" [ "$hwm" -lt 102400 ]
    result "$what: longest turn of the loop $(ms "${cpu_s}e9") ms of CPU, $(ms "${wall_s}e9") ms by the clock (at most 20 of CPU)" \
        at_most "$cpu_s" 0.02
    result "$what: $(us "$EVENT_NS") us of CPU for an event from the wire, syncs included (under 50)" at_most "$EVENT_NS" 50000
    result "$what: $(word "$line" writes) writes, since nothing was to be done (0)" [ "$(word "$line" writes)" = 0 ]
}

# in_process JOBS
in_process() {
    local each=$((PODS / $1)) line
    line=$("$JR_BIN/bench-controller" cache --pod="$HERE/pod.json" --job="$HERE/job.json" --jobs="$1" --pods-each="$each")
    result "$1 x $each: $(word "$line" bytes_per_pod) allocator bytes for a Pod of $(word "$line" text_bytes), indexes included (at most 700)" \
        at_most "$(word "$line" bytes_per_pod)" 700
    CACHE_NS=$(word "$line" event_ns)
    result "$1 x $each: $(us "$CACHE_NS") us to decode, store and enqueue an event (under 50)" at_most "$CACHE_NS" 50000
}

# What an event costs with few Pods is what the two large caches are held against.
cache() {
    local few
    pki_pair
    hold 1
    hold 10000
    in_process 1
    in_process 10000
    few=$(word "$("$JR_BIN/bench-controller" cache --pod="$HERE/pod.json" --job="$HERE/job.json" --jobs=10 --pods-each=10)" event_ns)
    say "an event of 1 Pod in 100: $(us "$few") us"
    result "10000 x 10: an event costs $(awk -v a="$CACHE_NS" -v b="$few" 'BEGIN { printf "%.2f", a / b }') times what it does with 10 Jobs (at most 2)" \
        at_most "$CACHE_NS" $((few * 2))
}
