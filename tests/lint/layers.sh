#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No include points up: each folder may include itself and the folders that are listed for it, and includes each of these. With an
# argument: that tree instead.
set -eu -o pipefail
cd "${1:-.}"

declare -A may=(
    [common/base]=""
    [certs]="common/base"
    [common/tls]="common/base"
    [common/http]="common/base common/tls"
    [common/json]="common/base"
    [common/schema]="common/base common/json"
    [common/api]="common/base common/json common/schema"
    [common/kube]="common/base common/json common/schema common/api"
    [common/curl]="common/base common/json common/kube"
    [common/rules]="common/base common/json common/schema common/api"
    [common/pod]="common/base common/json common/schema common/api common/rules"
    [common/job]="common/base common/json common/schema common/api common/rules common/pod"
    [common/diagnose]="common/base common/json common/schema common/api common/job"
    [common/podsecurity]="common/base common/json common/schema common/rules"
    [common/policy]="common/base common/json common/schema common/rules common/pod common/job common/podsecurity"
    [common/policy/watch]="common/base common/json common/schema common/kube common/rules common/policy"
    [common/admission]="common/base common/json common/schema common/api common/rules common/pod common/job common/policy"
    [common/audit]="common/base common/json common/schema common/kube common/rules common/policy/watch common/admission"
    [common/apply]="common/base common/json common/schema"
    [controller/reconcile]="common/base common/json common/schema common/api common/rules common/job"
    [controller/cache]="common/base common/api common/kube common/rules"
    [controller/work]="common/base common/json common/schema common/api common/kube common/rules controller/reconcile controller/cache"
    [controller/intake]="common/base common/kube controller/reconcile controller/work"
    [controller]="common/base common/json common/schema common/api common/kube common/diagnose controller/reconcile controller/work controller/intake"
    [controller/policy]="common/base common/json common/schema common/kube common/policy/watch common/admission common/audit"
    [controller/app]="common/base common/http common/json common/schema common/api common/kube common/curl common/rules common/job common/policy controller/reconcile controller controller/policy"
    [devcluster/apiserver]="common/base common/json common/schema common/api common/rules common/pod common/job common/admission common/apply"
    [devcluster/kubelet]="common/base common/json common/kube"
    [devcluster]="common/base certs common/http common/json common/schema common/kube common/curl common/policy devcluster/apiserver devcluster/kubelet"
    [webhook/certs]="common/base certs common/json common/kube"
    [webhook/review]="common/base common/json common/schema common/api common/rules common/policy common/admission"
    [webhook]="common/base common/kube common/curl common/rules webhook/certs webhook/review"
    [webhook/net]="common/base common/tls common/http common/schema common/policy/watch webhook/certs webhook/review webhook"
    [webhook/commands]="common/base common/http common/kube common/rules webhook/certs webhook/review webhook"
    [webhook/app]="common/base common/http common/json common/kube common/curl common/rules common/job common/policy/watch webhook webhook/net webhook/commands"
    [cli/wait]="common/base common/api common/kube common/job common/diagnose"
    [cli/status]="cli/wait common/base common/api common/kube common/job common/diagnose"
    [cli]="cli/status cli/wait common/base common/json common/schema common/api common/kube common/curl common/rules common/pod common/job common/diagnose common/policy common/policy/watch common/admission common/audit common/apply"
)

declare -A used=()
bad=0
checked=0
fault() { echo "$1" >&2; bad=1; }

while IFS=: read -r file line target; do
    folder=${file%/*}
    target=${target%/*}
    [ -n "${may[$folder]+known}" ] || { fault "$file: folder $folder has no entry in this test"; continue; }
    checked=$((checked + 1))
    [ "$target" = "$folder" ] && continue
    case " ${may[$folder]} " in
    *" $target "*) used["$folder $target"]=1 ;;
    *) fault "$file:$line: $folder may not include $target" ;;
    esac
done < <(grep -RnoE --include='*.[ch]' '^#include "[^"]+"' common certs webhook controller devcluster cli 2> /dev/null |
    sed -E 's/#include "([^"]+)"/\1/')

for folder in "${!may[@]}"; do
    for target in ${may[$folder]}; do
        [ -n "${used["$folder $target"]+known}" ] || fault "$folder includes nothing of $target: take it out of the list in $0"
    done
done

# Only common/json knows cJSON, only common/curl libcurl; the controller's library needs no libmicrohttpd.
only() { # only HEADER FOLDER-PATTERN
    local hits
    hits=$(grep -RnE --include='*.[ch]' "^#include <$1" common certs webhook controller devcluster cli 2> /dev/null | grep -vE "^($2)/" || true)
    [ -z "$hits" ] || fault "$hits: only $2 may include <$1>"
}
only 'cjson/' 'common/json'
only 'curl/' 'common/curl'
only 'microhttpd' 'common/http|webhook/net|devcluster'
only 'gnutls/' 'common/tls|common/http|webhook/net'

[ "$checked" -gt 0 ] || fault "no include was checked: is this the root of the repository?"
[ "$bad" = 0 ] && echo "$checked includes, none points up"
exit "$bad"
