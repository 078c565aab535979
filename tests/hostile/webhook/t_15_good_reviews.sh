#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Without client certificates anybody can be as good as an API server, by sending good reviews. So no address holds more than its share, and of
# equals the oldest connection of the address that has most is evicted: an API server's few stay, though they are older than those that are
# refreshed every second. Seen on d0e5001: 34 old connections were evicted, and 6 of 80 valid requests on new ones were lost.
. "$(dirname "$0")/lib.sh"

webhook --max-connections=100
besiege reviews 8 "$(port "$WEBHOOK")" --kinds=reviews --connections=300 --addresses=3 --again=50ms
held reviews 250 80000
check "reviews: no connection that was of use was evicted" "$(figure "$DIR/reviews.old" retried)" 0
