# SPDX-License-Identifier: Apache-2.0
# The runs of runs.tsv drawn as SVG: for each figure a panel, in it a pair of bars for each size, with every run as a dot.

function text(x, y, size, anchor, s) {
    printf "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, size, anchor, s
}

function rect(x, y, w, h, colour) {
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, w, h, colour
}

# bar(X, KEY, K): a bar of the median, and a dot for each run
function bar(x, key, k, colour,    h, v, n, i) {
    h = median(key, k) / top * HEIGHT
    rect(x, BASE - h, BAR, h, colour)
    text(x + BAR / 2, BASE - h - 5, 10, "middle", sprintf(top < 10 ? "%.2f" : "%.0f", median(key, k)))
    n = split(all[key, k], v, " ")
    for (i = 1; i <= n; i++)
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>\n", x + BAR / 2, BASE - v[i] / top * HEIGHT
}

function panel(x, k, title,    i, s, v, n, j, key) {
    top = 0
    for (key in all) {
        split(key, s, SUBSEP)
        n = s[2] == k ? split(all[key], v, " ") : 0
        for (j = 1; j <= n; j++) if (v[j] + 0 > top) top = v[j] + 0
    }
    if (top == 0) top = 1
    text(x + PANEL / 2, 40, 13, "middle", title)
    for (i = 1; i <= n_sizes; i++) {
        bar(x + (i - 1) * GROUP, "ours " sizes[i], k, OURS)
        bar(x + (i - 1) * GROUP + BAR + 4, "peer " sizes[i], k, PEER)
        text(x + (i - 1) * GROUP + BAR + 2, BASE + 16, 11, "middle", sizes[i])
    }
    rect(x - 4, BASE, PANEL - 20, 1, "#444")
}

BEGIN {
    FS = "\t"
    HEIGHT = 170; BASE = 240; BAR = 30; GROUP = 84
    OURS = "#2b6cb0"; PEER = "#a0aec0"
}
{
    size = $2 "x" $3
    if (!(size in seen)) { seen[size] = 1; sizes[++n_sizes] = size }
    all[$1 " " size, "rate"] = all[$1 " " size, "rate"] " " $2 * $3 / $4 * 1e6
    all[$1 " " size, "cpu"] = all[$1 " " size, "cpu"] " " $5 / hz / ($2 * $3) * 1000
    all[$1 " " size, "rss"] = all[$1 " " size, "rss"] " " $6 / 1024
}
END {
    PANEL = n_sizes * GROUP + 20
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"300\" font-family=\"sans-serif\" fill=\"#222\">\n", 3 * PANEL + 60
    rect(0, 0, 3 * PANEL + 60, 300, "#fff")
    panel(30, "rate", "Pods run to their end, per second")
    panel(30 + PANEL, "cpu", "CPU milliseconds per Pod")
    panel(30 + 2 * PANEL, "rss", "peak RSS, MB")
    rect(30, 276, 10, 10, OURS)
    text(45, 285, 11, "start", "jobreeve-controller")
    rect(180, 276, 10, 10, PEER)
    text(195, 285, 11, "start", "kube-controller-manager, Job controller only; bars: medians, dots: runs; JobsxPods of each")
    print "</svg>"
}
