# SPDX-License-Identifier: Apache-2.0
# The medians of runs.tsv as a table: form is txt or md, hz the ticks of a second. The ratios go to the file `results`.
# Columns: who, jobs, pods of each, microseconds, ticks, peak kB, writes of Pods, of Jobs, of Events, refused writes.

function line(size, name, jobs, pods, cpu, rss, w_pods, w_jobs, w_events) {
    if (form == "md")
        printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", size, name, jobs, pods, cpu, rss, w_pods, w_jobs, w_events
    else
        printf "%-8s %-9s %8s %8s %10s %9s %12s %11s %13s\n", size, name, jobs, pods, cpu, rss, w_pods, w_jobs, w_events
}

function show(size, name, who,    jobs, pods, s) {
    jobs = m[who, 2]
    pods = m[who, 2] * m[who, 3]
    s = m[who, 4] / 1e6
    line(size, name, sprintf("%.1f", jobs / s), sprintf("%.1f", pods / s), sprintf("%.3f", m[who, 5] / hz / pods * 1000),
        sprintf("%.1f", m[who, 6] / 1024), sprintf("%.3f", m[who, 7] / pods), sprintf("%.3f", m[who, 8] / jobs),
        sprintf("%.3f", m[who, 9] / jobs))
}

function ratio(k) {
    # Something beside nothing is no ratio, and no limit allows it.
    if (m["peer", k] == 0) return m["ours", k] == 0 ? "1.000" : "999"
    return sprintf("%.3f", m["ours", k] / m["peer", k])
}

BEGIN { FS = "\t" }
{
    size = $2 "x" $3
    if (!(size in seen)) { seen[size] = 1; sizes[++n_sizes] = size }
    for (k = 2; k <= 9; k++) all[$1 " " size, k] = all[$1 " " size, k] " " $k
}
END {
    line("Jobs", "controller", "jobs/s", "pods/s", "CPU ms/Pod", "peak MB", "writes/Pod", "writes/Job", "events/Job")
    if (form == "md") print "| --- | --- | --: | --: | --: | --: | --: | --: | --: |"
    for (i = 1; i <= n_sizes; i++) {
        for (k = 2; k <= 9; k++) {
            m["ours", k] = median("ours " sizes[i], k)
            m["peer", k] = median("peer " sizes[i], k)
        }
        show(sizes[i], "jobreeve", "ours")
        show(sizes[i], "upstream", "peer")
        throughput = sprintf("%.3f", m["peer", 4] / m["ours", 4])
        line(sizes[i], "ratio", throughput, throughput, ratio(5), ratio(6), ratio(7), ratio(8), ratio(9))
        print sizes[i], throughput, ratio(5), ratio(6), ratio(7), ratio(8), ratio(9) > results
    }
}
