#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of the documentation that need kubectl or helm, which ./dev test may not have.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out=$(PATH=$BIN:$PATH "$HERE/../docs/commands.sh" --require "$JR_BIN" 2>&1) && code=0 || code=$?
check "the documentation's commands print what it shows: $(sed '/^ok/d' <<< "$out")" "$code" 0
