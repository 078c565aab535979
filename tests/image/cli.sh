#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve without shared libraries, as root: cli.sh STATIC.tar.gz CLI.oci.tar IMAGE.oci.tar BIN [PART]...   (./dev release --test)
#   archive  the program has neither an interpreter nor a shared library, and the papers of what it was linked with are beside it
#   same     in a root with nothing else it prints the same to the byte as the program of IMAGE, which has shared libraries
#   audit    from there it reads a cluster, BIN's devcluster, by address and by a name of /etc/hosts; what the machine says of plug-ins and OpenSSL's
#            settings doesn't count; it finds the CAs where other distributions have them
#   wait     from there it waits for Jobs of `devcluster up`, and prints what their Pods wrote
#   image    the image has that program as its entrypoint; it runs by runc where that is, else in its tree
#   again    built again in another folder, under another umask, zone and language, all three files are the same to the byte
# The programs of another architecture run under qemu-user; `again` is for this machine's alone.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../.." && pwd)
static=$(realpath "$1") archive=$(realpath "$2") image=$(realpath "$3") bin=$(realpath "$4")
shift 4
. "$here/../support/scene.sh"
. "$here/copy.sh"
scene cli
chmod 755 "$DIR"
die() { echo "cli.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "chroot wants root"
sbom=${archive%.oci.tar}.cdx.json
arch=$(tar -x -O -f "$archive" index.json | jq -r '.manifests[0].platform.architecture')
declare -A machines=([amd64]='Advanced Micro Devices X86-64' [arm64]=AArch64) cpus=([amd64]=x86_64 [arm64]=aarch64)
emulator=()
name=$(basename "$static" .tar.gz)
empty=$DIR/empty full=$DIR/full
tar -x -C "$DIR" -f "$static"
program=$DIR/$name/bin/jobreeve
"$here/check.py" "$image" "${image%.oci.tar}.cdx.json" "$full" > "$DIR/log/full"
# Nothing but the program and manifests, and in the other root the same manifests.
mkdir "$empty"
cp "$program" "$empty/jobreeve"
for root in "$empty" "$full"; do
    mkdir -p "$root/docs"
    cp -r "$repo/docs/examples" "$root/docs"
    if [ "$arch" != "$(dpkg --print-architecture)" ]; then
        cp "/usr/bin/qemu-${cpus[$arch]}-static" "$root/qemu"
        emulator=(/qemu)
    fi
done
old_cronjob() { printf 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\nspec: {schedule: "0 3 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}\n'; }
for root in "$empty" "$full"; do old_cronjob > "$root/docs/old.yaml"; done

in_empty() { env -i "$(command -v chroot)" "$empty" "${emulator[@]}" /jobreeve "$@"; }
in_full() { env -i "$(command -v chroot)" "$full" "${emulator[@]}" /usr/bin/jobreeve "$@"; }

part_archive() {
    local text package
    readelf -hW "$program" > "$DIR/header"
    grep -q "Machine: *${machines[$arch]}$" "$DIR/header" || die "$program: for another machine"
    grep -q 'Type: *DYN ' "$DIR/header" || die "$program: not position-independent"
    readelf -lW "$program" > "$DIR/segments"
    readelf -dW "$program" > "$DIR/dynamic"
    text=$(grep INTERP "$DIR/segments" || [ $? = 1 ])
    text+=$(grep NEEDED "$DIR/dynamic" || [ $? = 1 ])
    [ -z "$text" ] || die "$program: wants $text"
    grep -q GNU_RELRO "$DIR/segments" && grep -q 'FLAGS.*NOW' "$DIR/dynamic" || die "$program: relocations stay writable"
    # Each package that the SBOM says was linked has its paper in the archive, and no other has.
    jq -r '.components[] | select(.properties[]?.name == "jobreeve:linked").name' "$sbom" | sort -u > "$DIR/linked"
    [ "$(wc -l < "$DIR/linked")" -ge 9 ] || die "the SBOM names too little: $(tr '\n' ' ' < "$DIR/linked")"
    for package in "$DIR/$name/share/doc"/*/copyright; do basename "$(dirname "$package")"; done | grep -vx jobreeve | sort | diff "$DIR/linked" - ||
        die "the papers: not of what was linked"
    cmp "$repo/LICENSE" "$DIR/$name/share/doc/jobreeve/copyright"
    for package in jobreeve jobreeve-{audit,check,convert,default,dump,policy,wait,why}; do
        gzip -t "$DIR/$name/share/man/man1/$package.1.gz"
    done
    echo "ok    $name: no interpreter, no shared library, $(stat -c %s "$program") bytes; papers of $(wc -l < "$DIR/linked") packages"
}

compare() { # compare CODE COMMAND...: both print the same, to both outputs, and end with CODE
    local want=$1 root code
    shift
    for root in empty full; do
        code=0
        "in_$root" "$@" > "$DIR/$root.out" 2> "$DIR/$root.err" < "${INPUT:-/dev/null}" || code=$?
        [ "$code" = "$want" ] || { cat "$DIR/$root.err" >&2; die "in the $root root: jobreeve $*: exit code $code, expected $want"; }
    done
    cmp "$DIR/empty.out" "$DIR/full.out" && cmp "$DIR/empty.err" "$DIR/full.err" || die "jobreeve $*: not the same"
    [ -s "$DIR/empty.out" ] || die "jobreeve $*: nothing was printed"
    compared=$((compared + 1))
}

part_same() {
    local compared=0 format
    for format in text json sarif junit github; do
        compare 1 check --output "$format" docs/examples
    done
    compare 1 check --kubernetes-version=1.32,1.37 --strict docs/examples/versions.yaml
    INPUT=$repo/docs/examples/broken.yaml compare 1 check -
    compare 0 default docs/examples/pi.yaml
    compare 0 convert docs/old.yaml
    compare 0 policy facts docs/examples/pi.yaml docs/examples/indexed.yaml
    compare 0 completion bash
    compare 0 help
    compare 0 audit --help
    # The versions of the libraries, too: Debian's of the same day.
    compare 0 version
    echo "ok    $compared commands print the same as with shared libraries"
}

audit() { # audit KUBECONFIG: from the empty root, the same JSON as from the other one
    local root
    for root in empty full; do
        cp "$1" "$DIR/$root/kubeconfig"
    done
    compare 1 audit --timeout 30s --output json --kubeconfig /kubeconfig
    jq -e '.policies[0].violating == 1' "$DIR/empty.out" > /dev/null || die "audit: not what is there: $(cat "$DIR/empty.out")"
}

part_audit() {
    local compared=0 root
    devcluster --node ''
    api POST /apis/policy.jobreeve.dev/v1alpha1/jobpolicies -H 'Content-Type: application/yaml' --data-binary @- > /dev/null << 'Y'
apiVersion: policy.jobreeve.dev/v1alpha1
kind: JobPolicy
metadata: {name: narrow}
spec: {limits: {parallelism: {max: 2}}}
Y
    api POST /apis/batch/v1/namespaces/default/jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: wide}
spec: {parallelism: 3, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
Y
    grep -q '//127.0.0.1:' "$DIR/kubeconfig" || die "the devcluster isn't at an address"
    audit "$DIR/kubeconfig"
    sed 's|//127.0.0.1:|//kubernetes.default.svc:|' "$DIR/kubeconfig" > "$DIR/by_name"
    for root in "$empty" "$full"; do
        mkdir -p "$root/etc"
        echo "127.0.0.1 kubernetes.default.svc" > "$root/etc/hosts"
    done
    audit "$DIR/by_name"
    # A machine whose names come from a plug-in, and whose OpenSSL wants one. With shared libraries neither would do.
    echo 'hosts: nosuch' > "$empty/etc/nsswitch.conf"
    mkdir -p "$empty/usr/lib/ssl"
    printf '%s\n' 'config_diagnostics = 1' 'openssl_conf = a' '[a]' 'providers = b' '[b]' 'nosuch = c' '[c]' 'activate = 1' > "$empty/usr/lib/ssl/openssl.cnf"
    audit "$DIR/by_name"
    # Without a CA in the kubeconfig: those of the machine, here where Fedora has them.
    sed '/certificate-authority/d' "$DIR/by_name" > "$empty/kubeconfig"
    if in_empty audit --timeout 5s --output json --kubeconfig /kubeconfig > "$DIR/untrusted.out" 2>&1; then die "audit trusts anybody"; fi
    grep -q 'certificate' "$DIR/untrusted.out" || die "audit without a CA: $(cat "$DIR/untrusted.out")"
    mkdir -p "$empty/etc/pki/tls/certs"
    cp "$DIR/ca.crt" "$empty/etc/pki/tls/certs/ca-bundle.crt"
    in_empty audit --timeout 30s --output json --kubeconfig /kubeconfig > "$DIR/trusted.out" 2> "$DIR/trusted.err" || [ $? = 1 ] || die "audit: $(cat "$DIR/trusted.err")"
    cmp "$DIR/trusted.out" "$DIR/empty.out"
    proc_stop devcluster
    rm -r "${empty:?}/etc" "${empty:?}/usr"
    echo "ok    audit reads a cluster from an empty root, by address and by name, by no plug-in of the machine's"
}

part_wait() {
    local root code
    proc_start_writing "$DIR/up/kubeconfig" up "$bin/jobreeve-devcluster" up --data-dir "$DIR/up"
    server=$(sed -n 's/^ *server: //p' "$DIR/up/kubeconfig")
    # shellcheck disable=SC2034 # api reads it
    token=$(sed -n 's/^ *token: //p' "$DIR/up/kubeconfig")
    cp "$DIR/up/ca.crt" "$DIR/ca.crt"
    for root in empty full; do
        cp "$DIR/up/kubeconfig" "$DIR/$root/kubeconfig"
        for code in 0 3; do
            printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec: {backoffLimit: 0, template: {metadata: {annotations: {kubelet.jobreeve.dev/exit-code: "%s"}}, spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}\n' \
                "$root-$code" "$code" |
                api POST /apis/batch/v1/namespaces/default/jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
        done
        "in_$root" wait --timeout 60s --follow --kubeconfig /kubeconfig "job/$root-0" > "$DIR/$root.out" 2>&1 || die "wait: $(cat "$DIR/$root.out")"
        grep -q "^job/$root-0: Complete after " "$DIR/$root.out" || die "wait: $(cat "$DIR/$root.out")"
        grep -q "^\[$root-0-[a-z0-9]*\] simulated: " "$DIR/$root.out" || die "wait: no line of the Pod: $(cat "$DIR/$root.out")"
        code=0
        "in_$root" wait --timeout 60s --kubeconfig /kubeconfig "job/$root-3" > "$DIR/$root.out" 2>&1 || code=$?
        [ $code = 1 ] && grep -q "container main: exit code 3" "$DIR/$root.out" || die "wait: exit code $code: $(cat "$DIR/$root.out")"
    done
    proc_stop up
    echo "ok    wait follows a Job to its end, and says how another one failed, from an empty root"
}

config() { # config FILTER: of the image's config
    tar -x -O -f "$archive" "blobs/$(tar -x -O -f "$archive" "blobs/$(tar -x -O -f "$archive" index.json | jq -r '.manifests[0].digest | sub(":"; "/")')" |
        jq -r '.config.digest | sub(":"; "/")')" | jq -c ".config$1"
}

run_image() { # run_image ARGUMENT...: as a runtime would, with DIR/mnt as its working folder
    local entrypoint
    mapfile -t entrypoint < <(config .Entrypoint | jq -r '.[]')
    if [ "$runtime" = runc ]; then
        jq --argjson config "$(config '')" '.process.args = $config.Entrypoint + $ARGS.positional | .process.terminal = false | .process.env = $config.Env
            | .process.cwd = $config.WorkingDir | .process.user = ($config.User | split(":") | {uid: (.[0] | tonumber), gid: (.[1] | tonumber)})
            | .root = {path: "tree", readonly: true} | .linux.namespaces |= map(select(.type != "network"))
            | .mounts += [{destination: $config.WorkingDir, source: $mnt, type: "bind", options: ["rbind", "ro"]}]' \
            --arg mnt "$DIR/mnt" --args "$@" < "$DIR/spec.json" > "$DIR/config.json"
        runc run --bundle "$DIR" "jobreeve-$$"
    else
        "$here/in_image.sh" "$DIR/tree" "$DIR/mnt" 65532 "${emulator[@]/#/\/mnt}" "${entrypoint[@]}" "$@"
    fi
}

part_image() {
    local runtime=tree code=0
    "$here/check.py" "$archive" "$sbom" "$DIR/tree"
    cmp "$program" "$DIR/tree/usr/bin/jobreeve" || die "the image has another program"
    mkdir -p "$DIR/mnt" "$DIR/tree/mnt"
    cp -r "$repo/docs" "$DIR/mnt"
    if [ ${#emulator[@]} = 0 ] && command -v runc > /dev/null; then
        runtime=runc
        runc spec --bundle "$DIR"
        mv "$DIR/config.json" "$DIR/spec.json"
    else
        : > "$DIR/tree/etc/hosts"
        : > "$DIR/mnt/hosts"
        [ ${#emulator[@]} = 0 ] || cp "$empty/qemu" "$DIR/mnt/qemu"
    fi
    run_image check - < "$repo/docs/examples/broken.yaml" > "$DIR/image.out" 2> "$DIR/image.err" || code=$?
    [ $code = 1 ] || die "the image: exit code $code: $(cat "$DIR/image.err")"
    INPUT=$repo/docs/examples/broken.yaml compare 1 check -
    cmp "$DIR/image.out" "$DIR/empty.out" && cmp "$DIR/image.err" "$DIR/empty.err" || die "the image prints something else"
    if [ $runtime = runc ]; then
        # Its folder is what is mounted there.
        run_image check docs/examples/pi.yaml 2> "$DIR/image.err"
    fi
    echo "ok    the image's entrypoint prints what the program does (run by: ${runtime/tree/chroot})"
}

part_again() {
    [ ${#emulator[@]} = 0 ] || return 0
    local other="$DIR/another folder/of another length" made
    copy_tree "$repo" "$other"
    (umask 077 && cd "$other" && CCACHE_DISABLE=1 JOBREEVE_BUILD_PATH="/opt/another folder" TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 \
        SOURCE_DATE_EPOCH="$(date -d "$(jq -r .metadata.timestamp "$sbom")" +%s)" \
        JOBREEVE_REVISION="$(jq -r '.metadata.properties[] | select(.name == "jobreeve:revision") | .value' "$sbom")" \
        ./dev cli > "$DIR/log/again.log" 2>&1) || { tail -n 30 "$DIR/log/again.log" >&2; die "not built again"; }
    for made in "$static" "$archive" "$sbom"; do
        cmp "$made" "$other/build/cli/$(basename "$made")" || die "built again it is another one"
    done
    echo "ok    built again elsewhere, the same bytes: $(sha256sum < "$static" | cut -d ' ' -f 1)"
}

compared=0
[ $# -gt 0 ] || set -- archive same audit wait image again
for part in "$@"; do "part_$part"; done
