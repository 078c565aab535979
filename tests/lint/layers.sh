#!/usr/bin/env bash
# No arrow points up: each folder may include itself and what is listed for it. With an argument: that tree instead.
set -eu -o pipefail
cd "${1:-.}"

declare -A may=(
    [common/base]=""
    [certs]="common/base"
    [common/http]="common/base"
    [common/json]="common/base"
    [common/schema]="common/base common/json"
    [common/api]="common/base common/json common/schema"
    [common/kube]="common/base common/json common/schema common/api"
    [common/rules]="common/base common/json common/schema common/api"
    [common/pod]="common/base common/json common/api common/rules common/schema"
    [common/job]="common/base common/json common/api common/rules common/schema common/pod"
    [common/admission]="common/base common/json common/api common/rules common/schema common/pod common/job"
    [controller/reconcile]="common/base common/json common/api common/rules common/schema common/pod common/job"
    [devcluster/store]="common/base common/json common/api common/rules common/schema common/pod common/job common/admission"
    [webhook]="certs common/base common/http common/json common/api common/kube common/rules common/schema common/pod common/job common/admission"
    [controller]="common/base common/http common/json common/api common/kube common/rules common/schema common/pod common/job controller/reconcile"
    [devcluster]="certs common/base common/http common/json common/api common/kube common/rules common/schema common/pod common/job common/admission devcluster/store"
    # The one exception: the desk and the tests may use the controller and the store, which is how a simulation runs.
    [cli]="common/base common/http common/json common/api common/kube common/rules common/schema common/pod common/job common/admission controller controller/reconcile devcluster/store"
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

# Only common/json knows cJSON; only common/kube and the shells know curl and libmicrohttpd.
only() { # only HEADER FOLDER-PATTERN
    local hits
    hits=$(grep -RnE --include='*.[ch]' "^#include <$1" common certs webhook controller devcluster cli 2> /dev/null | grep -vE "^($2)/" || true)
    [ -z "$hits" ] || fault "$hits: only $2 may include <$1>"
}
only 'cjson/' 'common/json'
only 'curl/' 'common/kube'
only 'microhttpd' 'common/http|webhook|devcluster'

[ "$checked" -gt 0 ] || fault "no include was checked: is this the root of the repository?"
[ "$bad" = 0 ] && echo "$checked includes, none points up"
exit "$bad"
