# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by cluster.sh, cluster/env.sh and lib.sh: throw-away certificates by openssl, each in FOLDER/NAME.{crt,key}.

# pki_ca FOLDER NAME
pki_ca() {
    [ -f "$1/$2.crt" ] && return
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256 -days 30 \
        -subj "/CN=$2" -addext keyUsage=critical,keyCertSign,cRLSign \
        -keyout "$1/$2.key" -out "$1/$2.new" 2> "$1/openssl.log" || pki_failed "$1"
    mv "$1/$2.new" "$1/$2.crt"
}

# pki_cert FOLDER CA NAME SUBJECT USAGE [SAN]: signed by FOLDER/CA
pki_cert() {
    local d=$1 ca=$2 name=$3 subject=$4 usage=$5 san=${6:-}
    [ -f "$d/$name.crt" ] && return
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256 \
        -subj "$subject" -keyout "$d/$name.key" -out "$d/$name.csr" 2> "$d/openssl.log" || pki_failed "$d"
    {
        echo basicConstraints=critical,CA:FALSE
        echo keyUsage=critical,digitalSignature
        echo "extendedKeyUsage=$usage"
        [ -z "$san" ] || echo "subjectAltName=$san"
    } > "$d/$name.ext"
    openssl x509 -req -sha256 -days 30 -in "$d/$name.csr" -CA "$d/$ca.crt" -CAkey "$d/$ca.key" \
        -CAcreateserial -extfile "$d/$name.ext" -out "$d/$name.new" 2> "$d/openssl.log" || pki_failed "$d"
    rm "$d/$name.csr" "$d/$name.ext"
    mv "$d/$name.new" "$d/$name.crt"
}

# pki_signer FOLDER NAME: a key pair for ServiceAccount tokens, NAME.key and NAME.pub
pki_signer() {
    [ -f "$1/$2.pub" ] && return
    openssl genrsa -out "$1/$2.key" 2048 2> "$1/openssl.log" || pki_failed "$1"
    openssl rsa -in "$1/$2.key" -pubout -out "$1/$2.new" 2> "$1/openssl.log" || pki_failed "$1"
    mv "$1/$2.new" "$1/$2.pub"
}

# pki_kubeconfig FOLDER CA NAME SERVER FILE: with the certificate of that name, all data inside
pki_kubeconfig() {
    [ -f "$5" ] && return
    cat > "$5.new" << Y
apiVersion: v1
kind: Config
current-context: e2e
contexts: [{name: e2e, context: {cluster: e2e, user: $3}}]
clusters: [{name: e2e, cluster: {server: "$4", certificate-authority-data: $(pki_data "$1/$2.crt")}}]
users:
- name: $3
  user:
    client-certificate-data: $(pki_data "$1/$3.crt")
    client-key-data: $(pki_data "$1/$3.key")
Y
    mv "$5.new" "$5"
}

pki_failed() {
    cat "$1/openssl.log" >&2
    exit 1
}

# base64 on one line, as kubeconfigs and caBundle want it
pki_data() {
    base64 -w 0 "$1"
}
