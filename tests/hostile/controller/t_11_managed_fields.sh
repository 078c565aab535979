#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a Pod made with a metadata.managedFields of its own ends every stream and every list: fieldsV1 150 levels deep, and (of a client
# that sends protobuf) a key with a byte that is no UTF-8. Seen to fail on d0e5001.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

deep() { # deep LEVELS: an object in an object ...
    printf '{"f:a":%.0s' $(seq "$1")
    printf '{}'
    printf '}%.0s' $(seq "$1")
}

tenants
start_kubelet
controller
cat > "$DIR/pod.json" << J
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"deep","managedFields":[{"manager":"poison","operation":"Update","apiVersion":"v1",
"fieldsType":"FieldsV1","fieldsV1":$(deep 150)}]},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.36"}]}}
J
raw "$A" pods "$DIR/pod.json" > /dev/null
check "the Pod is served with all levels" "$(k get --raw "/api/v1/namespaces/$A/pods/deep" | grep -o '"f:a":' | wc -l)" 150
unharmed deep

check "a Pod is taken as protobuf" "$(python3 "$(dirname "$0")/pod_protobuf.py" "$SERVER" "$DIR/pki/ca.crt" "$DIR/pki/admin.crt" \
    "$DIR/pki/admin.key" "$A" bytes)" 201
check "it is served with that byte" "$(k get --raw "/api/v1/namespaces/$A/pods/bytes" | LC_ALL=C grep -c $'f:a\xffb')" 1
unharmed bytes
check "no object was unreadable" "$(exposed jobreeve_unreadable_objects_total)" 0
