#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What deb.sh runs on the system that it has booted: an operator's steps. The last line of the log is "done".
set -eu -o pipefail
exec > /var/log/inside.log 2>&1
PS4='+ $LINENO: '
set -x
ok() { { set +x; } 2> /dev/null; echo "ok    $*"; set -x; }
within() { # within SECONDS CMD...: polls
    local end=$((SECONDS + $1))
    shift
    until "$@" > /dev/null 2>&1; do
        [ $SECONDS -lt $end ] || { journalctl --no-pager -n 60; return 1; }
        sleep 0.1
    done
}
is() { [ "$(systemctl show -p "$2" --value "$1")" = "$3" ]; } # is UNIT PROPERTY VALUE
webhook=jobreeve-webhook controller=jobreeve-controller

# Not configured: it says so, once.
for unit in $webhook $controller; do
    is $unit UnitFileState disabled
    systemctl start $unit || true
    within 30 is $unit ActiveState failed
    is $unit NRestarts 0
done
journalctl --no-pager -u $webhook > /tmp/journal
grep -q -e '--tls-cert-file: required' /tmp/journal
systemctl reset-failed
ok "without configuration the services don't run, and say why"

# As /etc/default says. The certificate is root's, and its group may read it.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=deb -addext subjectAltName=IP:127.0.0.1 \
    -keyout /etc/$webhook/tls.key -out /etc/$webhook/tls.crt
chgrp $webhook /etc/$webhook/tls.*
chmod 0640 /etc/$webhook/tls.key
sed -i 's/^#\(JOBREEVE_WEBHOOK_FLAGS=.*tls-cert-file\)/\1/; /FLAGS=""$/d' /etc/default/$webhook
systemctl enable --now $webhook
ready() { curl -sS --fail http://127.0.0.1:8081/readyz; }
within 60 ready
curl -sS --cacert /etc/$webhook/tls.crt https://127.0.0.1:9443/ > /dev/null
[ "$(stat -c %U "/proc/$(systemctl show -p MainPID --value $webhook)")" = $webhook ]
curl -sS --fail http://127.0.0.1:8080/metrics > /tmp/metrics
grep -q '^process_resident_memory_bytes [1-9]' /tmp/metrics
grep -q '^process_open_fds [1-9]' /tmp/metrics
grep '^process_max_fds [1-9]' /tmp/metrics
systemctl reload $webhook
within 60 ready
systemctl kill -s KILL $webhook
within 60 is $webhook NRestarts 1
within 60 ready
ok "the webhook serves as its own user, reloads, and comes back when it is killed"

mkdir /tmp/dev
jobreeve-devcluster --data-dir /tmp/dev --default-run 100ms &
within 60 test -s /tmp/dev/kubeconfig
install -m 0640 -g $controller /tmp/dev/kubeconfig /etc/$controller/kubeconfig
cat > /etc/default/$controller << 'F'
JOBREEVE_CONTROLLER_FLAGS="--kubeconfig /etc/jobreeve-controller/kubeconfig --leader-elect-resource-namespace default --metrics-bind-address 127.0.0.1:9080 --health-probe-bind-address 127.0.0.1:9081"
F
systemctl enable --now $controller
api() {
    curl -sS --fail-with-body --cacert /tmp/dev/ca.crt -H "Authorization: Bearer $(sed -n 's/^ *token: //p' /tmp/dev/kubeconfig)" \
        -H 'Content-Type: application/yaml' "$(sed -n 's/^ *server: //p' /tmp/dev/kubeconfig)/apis/batch/v1/namespaces/default/jobs$1" "${@:2}"
}
cat > /tmp/job.yaml << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: deb}
spec:
  managedBy: jobreeve.dev/controller
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}
Y
api '' --data-binary @/tmp/job.yaml
complete() { api /deb | jq -e 'any(.status.conditions[]; .type == "Complete" and .status == "True")'; }
within 60 complete
ok "the controller brings a Job to its end"

for unit in $webhook $controller; do systemd-analyze security --no-pager --threshold=15 $unit.service > /tmp/security || { cat /tmp/security; false; }; done
systemd-analyze verify --man=no $webhook.service $controller.service
ok "systemd-analyze verify and security (at most 1.5) are content"

before=$(systemctl show -p MainPID --value $webhook)
dpkg -i /packages/${webhook}_*.deb
within 60 ready
[ "$(systemctl show -p MainPID --value $webhook)" != "$before" ]
grep -q '^JOBREEVE_WEBHOOK_FLAGS=.*tls-cert-file' /etc/default/$webhook
ok "an upgrade restarts what runs and keeps the configuration"

dpkg -r $webhook
if ready; then false; fi
[ ! -e /usr/bin/$webhook ]
[ -e /etc/default/$webhook ]
dpkg -i /packages/${webhook}_*.deb
is $webhook UnitFileState enabled
systemctl stop $webhook $controller
rm /etc/$webhook/tls.*
dpkg -P $webhook $controller jobreeve jobreeve-devcluster
[ ! -e /etc/$webhook ]
[ -e /etc/$controller/kubeconfig ] # what is the operator's stays
[ -z "$(find /etc/systemd /etc/default /usr/bin /usr/lib/systemd /usr/share/doc /var/lib/systemd/deb-systemd-helper* -name '*jobreeve*' 2> /dev/null)" ]
ok "removed, made anew, purged: nothing is left but an operator's files"
set +x
echo "done"
