# SPDX-License-Identifier: Apache-2.0
# The medians of cells.tsv as a table. Columns: server, endpoint, connections, requests/s, p50 and p99 in ms, CPU ms for 1000
# requests, RSS and RssAnon in kB. The ratios go to the file `ratios` as NAME=VALUE.

{
    cell = $2 "\t" $3
    if (!(cell in seen)) { seen[cell] = 1; cells[++n_cells] = cell }
    for (k = 4; k <= 9; k++) all[$1 "\t" cell, k] = all[$1 "\t" cell, k] " " $k
}
END {
    printf "%-9s %5s  %-8s %10s %9s %9s %14s %9s %9s\n", "endpoint", "conns", "server", "requests/s", "p50 ms", "p99 ms",
        "CPU ms/1000", "RSS MB", "anon MB"
    for (i = 1; i <= n_cells; i++) {
        split(cells[i], c, "\t")
        for (s = 1; s <= 2; s++) {
            name = s == 1 ? "ours" : "peer"
            for (k = 4; k <= 9; k++) m[name, k] = median(name "\t" cells[i], k)
            printf "%-9s %5d  %-8s %10.0f %9.2f %9.2f %14.1f %9.1f %9.1f\n", c[1], c[2], name == "ours" ? "jobreeve" : "peer",
                m[name, 4], m[name, 5], m[name, 6], m[name, 7], m[name, 8] / 1024, m[name, 9] / 1024
            for (k = 8; k <= 9; k++) if (m[name, k] > peak[name, k]) peak[name, k] = m[name, k]
            sum[name, c[1]] += m[name, 7]
        }
        r = m["peer", 7] / m["ours", 7]
        printf "%-9s %5d  %-8s %10.2f %9s %9s %14.2f\n", c[1], c[2], "ratio", m["ours", 4] / m["peer", 4], "", "", r
    }
    printf "cpu_mutate=%.2f\ncpu_validate=%.2f\nrss=%.3f\nanon=%.3f\n", sum["peer", "mutate"] / sum["ours", "mutate"],
        sum["peer", "validate"] / sum["ours", "validate"], peak["ours", 8] / peak["peer", 8], peak["ours", 9] / peak["peer", 9] > ratios
}
