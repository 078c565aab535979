#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No arrow points up: each folder may include itself and what is listed for it. With an argument: that tree instead.
set -eu -o pipefail
cd "${1:-.}"

rules="common/base common/json common/schema common/api common/rules common/pod common/job"
declare -A may=(
    [common/base]=""
    [certs]="common/base"
    [common/tls]="common/base"
    [common/http]="common/base common/tls"
    [common/json]="common/base"
    [common/schema]="common/base common/json"
    [common/api]="common/base common/json common/schema"
    [common/kube]="common/base common/json common/schema common/api"
    [common/curl]="common/base common/json common/schema common/api common/kube"
    [common/rules]="common/base common/json common/schema common/api"
    [common/pod]="common/base common/json common/schema common/api common/rules"
    [common/job]="common/base common/json common/schema common/api common/rules common/pod"
    [common/policy]="$rules"
    [common/policy/watch]="$rules common/kube common/policy"
    [common/admission]="$rules common/policy"
    [common/apply]="common/base common/json common/schema"
    [controller/reconcile]="$rules"
    [controller]="$rules common/kube controller/reconcile"
    [controller/policy]="$rules common/kube common/policy common/policy/watch common/admission"
    [controller/app]="$rules common/kube common/policy/watch controller/policy common/curl common/http common/tls controller controller/reconcile"
    [devcluster/apiserver]="$rules common/admission common/apply"
    [devcluster/kubelet]="common/base common/json common/schema common/api common/kube"
    [devcluster]="$rules common/admission common/kube common/curl common/http certs devcluster/apiserver devcluster/kubelet"
    [webhook/certs]="common/base common/json common/schema common/api common/kube certs"
    [webhook]="$rules common/policy common/admission common/kube common/curl certs webhook/certs"
    [webhook/net]="$rules common/policy common/policy/watch common/admission common/kube common/curl common/http common/tls certs webhook webhook/certs"
    [webhook/commands]="$rules common/admission common/kube common/curl common/http certs webhook webhook/certs"
    [webhook/app]="$rules common/policy common/policy/watch common/admission common/kube common/curl common/http certs webhook webhook/certs webhook/net webhook/commands"
    # The one exception: the CLI audits by the pass that the controller makes, controller/policy/audit_pass.h.
    [cli]="$rules common/policy common/policy/watch common/admission common/apply common/kube common/curl controller/policy"
)

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
    *" $target "*) ;;
    *) fault "$file:$line: $folder may not include $target" ;;
    esac
done < <(grep -RnoE --include='*.[ch]' '^#include "[^"]+"' common certs webhook controller devcluster cli 2> /dev/null |
    sed -E 's/#include "([^"]+)"/\1/')

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
