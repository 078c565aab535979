// SPDX-License-Identifier: Apache-2.0
// validate answers Jobs and CronJobs as the API server would: JSON lines of cases on stdin, an answer per line on stdout.
//
//	validate                   see validate.Case and validate.Answer
//	validate -vectors FILE     compares with the expectations of a file of admission vectors
//	         -versions FILE    and has those of the Kubernetes that this is built with replaced by this file's
//	validate -gates            prints the feature gates: NAME on|off locked|unlocked alpha|beta|ga|deprecated [needs OTHER...]
//
// With -ignore-unknown-gates a case may set gates that this Kubernetes doesn't know, or has locked to the other state: they are left out.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-logr/logr"
	"jobreeve.dev/tests/bench/upstream/validate"
	"k8s.io/klog/v2"
)

var settableOnly = flag.Bool("ignore-unknown-gates", false, "leave out gates of a case that cannot be set in this version")

func answer(c *validate.Case) *validate.Answer {
	if *settableOnly {
		c.Gates = validate.Settable(c.Gates)
	}
	return validate.Validate(c)
}

func main() {
	vectors := flag.String("vectors", "", "compare with this `file` of admission vectors")
	versions := flag.String("versions", "", "with -vectors: a `file` of what differs between versions of Kubernetes")
	gates := flag.Bool("gates", false, "print the feature gates")
	flag.Parse()
	// 1.37 has a line for each gate that is set, and for what its two validations see differently.
	klog.SetLogger(logr.Discard())
	var err error
	switch {
	case flag.NArg() > 0 || *versions != "" && *vectors == "":
		flag.Usage()
		os.Exit(2)
	case *gates:
		_, err = fmt.Println(strings.Join(validate.Gates(), "\n"))
	case *vectors != "":
		err = compare(*vectors, *versions)
	default:
		err = serve(os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "validate:", err)
		os.Exit(1)
	}
}

// serve answers each line at once, so that a caller may wait for the answer before it asks again.
func serve(r io.Reader, w io.Writer) error {
	in := bufio.NewReaderSize(r, 1<<20)
	out := bufio.NewWriterSize(w, 1<<16)
	for {
		line, rerr := in.ReadBytes('\n')
		if len(line) > 1 {
			var c validate.Case
			a := &validate.Answer{Errors: []validate.Error{}, Warnings: []string{}}
			if err := json.Unmarshal(line, &c); err != nil {
				a.DecodeError = "no case: " + err.Error()
			} else {
				a = answer(&c)
			}
			text, err := json.Marshal(a)
			if err != nil {
				return err
			}
			if _, err = out.Write(append(text, '\n')); err != nil {
				return err
			}
			if in.Buffered() == 0 {
				if err := out.Flush(); err != nil {
					return err
				}
			}
		}
		if errors.Is(rerr, io.EOF) {
			return out.Flush()
		} else if rerr != nil {
			return rerr
		}
	}
}
