// What the node's programs need on top of go.mod. build.sh puts the two together; apart from it since the stamps of the control
// plane's programs are made of go.mod and go.sum.
require (
	github.com/Microsoft/hnslib v0.1.2 // indirect
	github.com/moby/ipvs v1.1.0 // indirect
	github.com/vishvananda/netlink v1.3.1 // indirect
	github.com/vishvananda/netns v0.0.5 // indirect
	go.opentelemetry.io/contrib/instrumentation/github.com/emicklei/go-restful/otelrestful v0.65.0 // indirect
	k8s.io/cri-streaming v0.0.0 // indirect
	sigs.k8s.io/knftables v0.0.21 // indirect
)
