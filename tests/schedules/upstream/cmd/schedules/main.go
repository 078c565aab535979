// SPDX-License-Identifier: Apache-2.0

// schedules reads cases as tests/schedules/cases.py writes them, and prints by brute force, start after start as robfig/cron has them, the
// most starts in 24 hours and the least seconds between two, a line each: N GAP, where GAP is 0 without two starts. The
// start behind a start is an earlier one for some: "*/3 3 * * *" in Pacific/Chatham, where clocks skip from 2:45 to 3:45. Their line is "hangs".
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type input struct {
	Schedule string
	Zone     string
	Year     int
	Years    int
}

var errHangs = errors.New("hangs")

func count(in *input) (int, int64, error) {
	zone := in.Zone
	if zone == "" {
		zone = "UTC"
	}
	schedule, err := cron.ParseStandard("TZ=" + zone + " " + in.Schedule)
	if err != nil {
		return 0, 0, err
	}
	from := time.Date(in.Year, 1, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(in.Year+in.Years, 1, 1, 0, 0, 0, 0, time.UTC)
	var recent []int64
	most, least, last := 0, int64(0), int64(0)
	for t := schedule.Next(from.Add(-time.Second)); !t.IsZero() && t.Before(to); t = schedule.Next(t) {
		at := t.Unix()
		if last != 0 && at <= last {
			return 0, 0, errHangs
		}
		if last != 0 && (least == 0 || at-last < least) {
			least = at - last
		}
		last = at
		recent = append(recent, at)
		for at-recent[0] >= 86400 {
			recent = recent[1:]
		}
		if len(recent) > most {
			most = len(recent)
		}
	}
	return most, least, nil
}

func run() error {
	out := bufio.NewWriter(os.Stdout)
	decoder := json.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		in := input{}
		if err := decoder.Decode(&in); err == io.EOF {
			return out.Flush()
		} else if err != nil {
			return err
		}
		most, least, err := count(&in)
		if err == errHangs {
			fmt.Fprintln(out, err)
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(out, most, least)
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "schedules:", err)
		os.Exit(1)
	}
}
