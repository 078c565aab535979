# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by up.sh: the settings of the node's daemons, and of the API server's audit.

conf_kubelet() {
    cat << Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NODE_IP
healthzBindAddress: 127.0.0.1
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $PKI/kubelet-server.crt
tlsPrivateKeyFile: $PKI/kubelet-server.key
containerRuntimeEndpoint: unix://$SOCKET
cgroupDriver: cgroupfs
cgroupRoot: /$JR_NODE
failCgroupV1: false # where the machine has v1: refused since 1.35 unless told
failSwapOn: false
oomScoreAdj: 0      # without CAP_SYS_RESOURCE no score can be lowered,
maxOpenFiles: 20000 # nor the hard limit raised
enforceNodeAllocatable: [pods]
# the machine's disk and memory are not the node's to manage
evictionHard: {memory.available: "0%", nodefs.available: "0%", nodefs.inodesFree: "0%", imagefs.available: "0%", imagefs.inodesFree: "0%"}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
resolvConf: ""
clusterDomain: cluster.local
clusterDNS: [$DNS_IP] # nobody answers there: Pods that need names have the environment
maxPods: 200
registryPullQPS: 0
syncFrequency: 10s
podLogsDir: $DIR/podlogs
volumePluginDir: $DIR/kubelet/volumeplugins
Y
}

conf_proxy() {
    cat << Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $PKI/proxy.conf}
mode: nftables
hostnameOverride: $JR_NODE
clusterCIDR: $POD_NET
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s} # not writable in a network namespace
nftables: {minSyncPeriod: 0s}
Y
}

conf_cni() {
    cat << Y
{"cniVersion": "1.0.0", "name": "$JR_NODE", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true, "ipMasq": false,
   "ipam": {"type": "host-local", "dataDir": "$STATE/ipam", "ranges": [[{"subnet": "$POD_NET"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
Y
}

# containerd 1.6, as Debian 12 has it
conf_containerd() {
    cat << Y
version = 2
root = "$DIR/containerd"
state = "$STATE/containerd"
[grpc]
address = "$SOCKET"
[plugins."io.containerd.internal.v1.opt"]
path = "$STATE/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:1"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "$DIR/cni"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
default_runtime_name = "runc"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = "/usr/sbin/runc"
SystemdCgroup = false
Y
}

# As in ../cluster.sh, with the bodies of what is admitted: which webhook did what is in the annotations.
conf_audit() {
    cat << 'Y'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: ["system:apiserver", "system:kube-scheduler"]
- level: None
  userGroups: ["system:nodes"]
- level: None
  nonResourceURLs: ["/readyz*", "/livez*", "/healthz*", "/metrics", "/openapi/*", "/api", "/apis", "/api/*", "/apis/*", "/version"]
- level: Metadata
Y
}
