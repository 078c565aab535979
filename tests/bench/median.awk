# SPDX-License-Identifier: Apache-2.0
# The median of what was gathered, with blanks between, in all[KEY, K].
function median(key, k,    v, n, i, j, x) {
    n = split(all[key, k], v, " ")
    for (i = 2; i <= n; i++) {
        x = v[i] + 0
        for (j = i - 1; j >= 1 && v[j] + 0 > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
