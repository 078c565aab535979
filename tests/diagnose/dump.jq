# SPDX-License-Identifier: Apache-2.0
# Edits of a dump, and what its .expected is computed from. The input is the List.
def of($kind): .items[] | select(.kind == $kind);
def named($kind; $name): first(of($kind) | select(.metadata.name == $name));
def job: first(of("Job"));
def cron: first(of("CronJob"));
def created: .metadata.creationTimestamp;
def plus($s): fromdate + $s | todate;
# Seconds after the first Pod, the Job or the CronJob was made.
def pod($s): first(of("Pod")) | created | plus($s);
def job($s): job | created | plus($s);
def cron($s): cron | created | plus($s);
# Seconds after the last end of a container.
def ended($s): [of("Pod").status.containerStatuses[]?.state.terminated.finishedAt // empty] | max | plus($s);

def is_time: type == "string" and test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}([.][0-9]+)?Z$");
def shift_time($s): (.[:19] + "Z" | fromdate + $s | todate | rtrimstr("Z")) + .[19:];
# Seconds after the newest time of all; that of a deletion is its deadline.
def newest($s): [del(.items[].metadata.deletionTimestamp) | .. | select(is_time)[:19] + "Z"] | max | plus($s);
# All times, by so many seconds: a dump of another day.
def shift($s): walk(if is_time then shift_time($s) else . end);
# An object that was made days before the others.
def older(path; $days): path.metadata.creationTimestamp |= plus(-86400 * $days);
# A Pod of 1.33 has no observed generations.
def as_of($version): if $version != "1.33" then . else
    .items |= map(if .kind == "Pod" then del(.status.observedGeneration, .status.conditions[]?.observedGeneration) else . end) end;

# Pods are bound here a while after a scheduler would have.
def scheduled_when_made: .items |= map(if .kind == "Pod" then .metadata.creationTimestamp as $t | (.status.conditions[]? | select(.type == "PodScheduled").lastTransitionTime) = $t else . end);
