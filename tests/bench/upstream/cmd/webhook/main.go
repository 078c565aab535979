// SPDX-License-Identifier: Apache-2.0
// The peer of jobreeve-webhook in the benchmark: the same two checks of Jobs by upstream's packages, served by
// controller-runtime. It has no manager, cache or metrics listener, which a real one would have.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func run() error {
	host := flag.String("host", "127.0.0.1", "address to listen on")
	port := flag.Int("port", 9443, "port to listen on")
	certDir := flag.String("cert-dir", ".", "folder of the serving certificate")
	certName := flag.String("cert-name", "tls.crt", "file of the certificate in it")
	keyName := flag.String("key-name", "tls.key", "file of the private key in it")
	flag.Parse()

	ctrllog.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	server := webhook.NewServer(webhook.Options{
		Host:     *host,
		Port:     *port,
		CertDir:  *certDir,
		CertName: *certName,
		KeyName:  *keyName,
		// As kubebuilder writes it for new projects: HTTP/1.1 only.
		TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }},
	})
	server.Register("/mutate-batch-v1-job", &webhook.Admission{Handler: admission.HandlerFunc(mutate)})
	server.Register("/validate-batch-v1-job", &webhook.Admission{Handler: admission.HandlerFunc(validate)})
	return server.Start(ctx)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "webhook:", err)
		os.Exit(1)
	}
}
