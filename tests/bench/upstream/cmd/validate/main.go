// validate answers Jobs and CronJobs as the API server would: JSON lines of cases on stdin, an answer per line on stdout.
//
//	validate                 see validate.Case and validate.Answer
//	validate -vectors FILE   compares with the expectations of a file of admission vectors
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"jobreeve.dev/tests/bench/upstream/validate"
)

func main() {
	vectors := flag.String("vectors", "", "compare with this `file` of admission vectors")
	flag.Parse()
	var err error
	if *vectors != "" {
		err = compare(*vectors)
	} else {
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
				a = validate.Validate(&c)
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
