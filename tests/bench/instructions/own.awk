# SPDX-License-Identifier: Apache-2.0
# Reads a profile of callgrind: prints how many instructions the program named by -v program=PATH has executed in its own code, and how many
# in all. A line of costs that follows "calls=" is what a callee took, which stands under its own name too. Names are given once, with a number.
function name(text,    number) {
    number = text
    sub(/\).*/, ")", number)
    if (text != number)
        names[number] = substr(text, length(number) + 2)
    return names[number]
}
/^ob=/ { object = name(substr($0, 4)); next }
/^cob=/ { name(substr($0, 5)); next }
/^calls=/ { callee = 1; next }
/^[-+*0-9]/ {
    if (!callee && NF >= 2) {
        all += $2
        if (object == program)
            own += $2
    }
    callee = 0
}
END { printf "%.0f %.0f\n", own, all }
