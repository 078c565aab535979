#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Joins images of several architectures into one archive, and prints the digest of their index: join.py OUT REFERENCE ARCHIVE..."""
import sys

sys.dont_write_bytecode = True  # nothing is left in the tree of sources
import oci  # noqa: E402

if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    try:
        print(oci.join(sys.argv[1], sys.argv[3:], sys.argv[2]))
    except OSError as fault:
        raise SystemExit(f"image: {fault}")
