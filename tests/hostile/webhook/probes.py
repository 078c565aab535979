#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a port as a kubelet does, each time on a new connection from 127.0.0.1, from the first line of standard input to its end; beside it another, the
control.

    probes.py [--ca FILE] URL CONTROL-URL

Says "ready" first, then prints a line "MS WHICH RESULT" for each: WHICH is asked or control, RESULT ok or failed and why, MS from the connect to the answer's last byte. One
process that is there already measures the server: a client that has to be started first would measure the machine.
"""
import argparse
import http.client
import select
import ssl
import sys
import time
import urllib.parse

PAUSE_S = 0.03
TIMEOUT_S = 10


def ask(url, context):
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=TIMEOUT_S, context=context)
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        answer.read()
        return "ok" if answer.status == 200 else f"failed {answer.status}"
    except (OSError, http.client.HTTPException) as e:
        return f"failed {type(e).__name__}: {e}"
    finally:
        connection.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ca")
    parser.add_argument("url")
    parser.add_argument("control")
    args = parser.parse_args()
    context = ssl.create_default_context(cafile=args.ca) if args.ca else None
    print("ready", flush=True)
    sys.stdin.readline()
    over = False
    while not over:
        for which, url in ("asked", args.url), ("control", args.control):
            begun = time.monotonic()
            result = ask(url, context)
            print(round((time.monotonic() - begun) * 1000), which, result, flush=True)
        over = bool(select.select([sys.stdin], [], [], PAUSE_S)[0])


main()
