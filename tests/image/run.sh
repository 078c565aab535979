#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The image, as root: run.sh ARCHIVE BIN [PART]...   (./dev image --test)
#   archive       it is a valid OCI archive with nothing in it that should not be, and its SBOM lists each file once
#   sbom          the SBOM is valid by CycloneDX' own schema
#   programs      each program runs as 65532 in the tree
#   webhook       it serves from a read-only root with a certificate from a mounted folder
#   controller    it brings a Job to its end from there, on BIN's devcluster, whose name it looks up
#   reproducible  built again in another folder, under another umask, zone and language, it is the same to the byte
# The programs of an image for another architecture run under qemu-user.
# and, if named, what needs more than that to be installed:
#   containerd    a containerd takes it in and runs it
#   dockerfile    image/Dockerfile gives the same files
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../.." && pwd)
archive=$(realpath "$1")
bin=$(realpath "$2")
shift 2
. "$here/../support/scene.sh"
. "$here/copy.sh"
scene image
chmod 755 "$DIR" # user 65532 has to get in
sbom=${archive%.oci.tar}.cdx.json
root=$DIR/root
user=65532

in_image=("$here/in_image.sh" "$root" "$DIR/mnt" "$user")

part_archive() {
    "$here/check.py" "$archive" "$sbom" "$DIR/checked"
    local text
    text=$(cd "$DIR/checked/usr/bin" && for p in *; do
        readelf -SW "$p" | awk -v p="$p" '/\.text/ { text = 1 } /\.(debug_info|symtab)/; END { if (!text) print p ": no program" }'
        strings "$p" | awk -v repo="$repo" 'index($0, repo); END { if (!NR) print "no strings" }'
    done)
    [ -z "$text" ] || { echo "not stripped, or with the name of the folder: $text" >&2; return 1; }
    echo "ok    the programs are stripped and don't tell where they were built"
}

part_sbom() {
    python3 -m venv "$DIR/venv"
    "$DIR/venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$here/sbom-requirements.txt"
    "$DIR/venv/bin/python" - "$sbom" << 'PY'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1], encoding="utf-8").read())
sys.exit(f"SBOM: {fault}" if fault else 0)
PY
    echo "ok    the SBOM is valid by the schema of CycloneDX 1.5"
}

part_programs() {
    local p VERSION
    . "$repo/project.env"
    for p in jobreeve jobreeve-controller jobreeve-webhook; do
        [ "$("${in_image[@]}" "/usr/bin/$p" --version | head -n 1)" = "$p $VERSION" ]
        "${in_image[@]}" "/usr/bin/$p" --help > "$DIR/help.out"
        grep -q "^Usage: $p " "$DIR/help.out"
    done
    printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {parallelism: -1}\n' > "$DIR/mnt/job.yaml"
    "${in_image[@]}" /usr/bin/jobreeve check /mnt/job.yaml > "$DIR/check.out" 2>&1 && return 1
    grep -q 'spec.parallelism' "$DIR/check.out"
    echo "ok    each program runs as $user in the tree"
}

certificate() { # into the mounted folder, as a Secret has it
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=image -addext subjectAltName=IP:127.0.0.1 \
        -keyout "$DIR/mnt/tls.key" -out "$DIR/mnt/tls.crt" 2> /dev/null
    chown "$user" "$DIR/mnt/tls.key"
}

review() { # a Job that lacks its defaults
    cat << 'J'
{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","operation":"CREATE",
"kind":{"group":"batch","version":"v1","kind":"Job"},"resource":{"group":"batch","version":"v1","resource":"jobs"},
"requestKind":{"group":"batch","version":"v1","kind":"Job"},"requestResource":{"group":"batch","version":"v1","resource":"jobs"},
"namespace":"a","name":"b","userInfo":{},"object":{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"b","namespace":"a"},
"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}
J
}

part_webhook() {
    local answer
    certificate
    proc_start webhook "${in_image[@]}" /usr/bin/jobreeve-webhook --tls-cert-file /mnt/tls.crt --tls-private-key-file /mnt/tls.key \
        --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0 --shutdown-delay-duration 0s
    ALIVE=webhook await 60 "the webhook" listener webhook webhook
    answer=$(review | curl -sS --fail --max-time 30 --cacert "$DIR/mnt/tls.crt" -H 'Content-Type: application/json' \
        --data-binary @- "https://$(listener webhook webhook)/mutate-batch-v1-job")
    jq -e '.response.allowed and (.response.patch | @base64d | contains("backoffLimit"))' > /dev/null <<< "$answer"
    curl -sS --fail --max-time 30 "http://$(listener webhook metrics)/metrics" > "$DIR/metrics.out"
    grep -q '^jobreeve_build_info{.*revision="[0-9a-f]' "$DIR/metrics.out"
    [ "$(stat -c %u "/proc/$(proc_pid webhook)")" = "$user" ]
    proc_stop webhook
    [ "$STOP_STATUS" = 0 ]
    echo "ok    the webhook serves from a read-only root as $user"
}

finished() {
    api GET /apis/batch/v1/namespaces/default/jobs/image |
        jq -e '.status.succeeded == 2 and any(.status.conditions[]; .type == "Complete" and .status == "True")'
}

part_controller() {
    devcluster --default-run 100ms
    # By a name, which is in the mounted hosts file alone: that the tree can look names up.
    sed 's|//127.0.0.1:|//kubernetes.default.svc:|' "$DIR/kubeconfig" > "$DIR/mnt/kubeconfig"
    chown "$user" "$DIR/mnt/kubeconfig"
    proc_start controller "${in_image[@]}" /usr/bin/jobreeve-controller --kubeconfig /mnt/kubeconfig --replace-builtin \
        --leader-elect-resource-namespace default --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0
    api POST /apis/batch/v1/namespaces/default/jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: image}
spec:
  completions: 2
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}
Y
    ALIVE="devcluster controller" await 60 "the Job's end" finished
    proc_stop controller
    [ "$STOP_STATUS" = 0 ]
    proc_stop devcluster
    echo "ok    the controller brings a Job to its end from a read-only root"
}

part_reproducible() {
    local other="$DIR/another folder/of another length"
    copy_tree "$repo" "$other"
    # Without a compiler cache, which could bring objects of the first build. No git either: the commit is told.
    (umask 077 && cd "$other" && CCACHE_DISABLE=1 JOBREEVE_BUILD_PATH="/opt/another folder" TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 \
        SOURCE_DATE_EPOCH="$(date -d "$(jq -r .metadata.timestamp "$sbom")" +%s)" \
        JOBREEVE_REVISION="$(jq -r '.metadata.properties[] | select(.name == "jobreeve:revision") | .value' "$sbom")" \
        ./dev image --arch "$arch" "$DIR/again.oci.tar" > "$DIR/log/again.log" 2>&1)
    sha256sum "$archive" "$sbom" "$DIR/again.oci.tar" "$DIR/again.cdx.json" | cut -d ' ' -f 1 > "$DIR/sums"
    [ "$(sed -n 1p "$DIR/sums")" = "$(sed -n 3p "$DIR/sums")" ] && [ "$(sed -n 2p "$DIR/sums")" = "$(sed -n 4p "$DIR/sums")" ] || {
        echo "the second build differs:" >&2
        diff -rq "$repo/build/image/tree$suffix" "$other/build/image/tree$suffix" >&2
        return 1
    }
    echo "ok    built again elsewhere, the same bytes: $(head -1 "$DIR/sums")"
}

part_containerd() { "$here/containerd.sh" "$archive"; }
part_dockerfile() { "$here/dockerfile.sh" "$repo/build/image/tree" "$sbom"; }

[ "$(id -u)" = 0 ] || { echo "run.sh: mounts and chroot want root" >&2; exit 2; }
"$here/check.py" "$archive" "$sbom" "$root" > "$DIR/check.log" || { cat "$DIR/check.log"; exit 1; }
mkdir -p "$root/mnt" "$DIR/mnt"
: > "$root/etc/hosts" # a runtime makes the points where it mounts
echo "127.0.0.1 localhost kubernetes.default.svc" > "$DIR/mnt/hosts"
arch=$(tar -x -O -f "$archive" index.json | jq -r '.manifests[0].platform.architecture')
suffix=
if [ "$arch" != "$(dpkg --print-architecture)" ]; then
    suffix=-$arch
    declare -A cpus=([amd64]=x86_64 [arm64]=aarch64)
    cp "/usr/bin/qemu-${cpus[$arch]}-static" "$DIR/mnt/qemu"
    in_image+=(/mnt/qemu)
fi
[ $# -gt 0 ] || set -- archive sbom programs webhook controller reproducible
for part in "$@"; do "part_$part"; done
