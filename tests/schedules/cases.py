#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes schedules with time zones, as JSON lines.

  cases.py N SEED YEAR YEARS   N cases over YEARS years from YEAR on
  cases.py --dense N SEED YEAR YEARS   N that start often
"""
import json
import random
import sys

ZONES = ["", "UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/Los_Angeles", "America/St_Johns", "America/Havana",
         "America/Santiago", "America/Nuuk", "America/Vancouver", "America/Sao_Paulo", "America/Asuncion", "Australia/Lord_Howe", "Australia/Sydney",
         "Australia/Adelaide", "Africa/Casablanca", "Africa/Cairo", "Asia/Gaza", "Asia/Jerusalem", "Asia/Beirut", "Asia/Kolkata", "Asia/Kathmandu",
         "Pacific/Apia", "Pacific/Chatham", "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Norfolk", "Pacific/Easter", "Atlantic/Azores",
         "Antarctica/Troll", "Etc/GMT+12", "Etc/GMT-14"]
MONTHS = ["jan", "Feb", "MAR", "oct", "nov"]
DAYS = ["sun", "Mon", "SAT"]


class Case:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def one(self, low, high, names):
        if names and self.r.randrange(4) == 0:
            return self.r.choice(names)
        return str(self.r.randint(low, high))

    def part(self, low, high, names):
        kind = self.r.randrange(10)
        if kind < 5:
            return self.one(low, high, names)
        if kind < 7:
            a, b = sorted((self.r.randint(low, high), self.r.randint(low, high)))
            return f"{a}-{b}" + (f"/{self.r.randint(1, 7)}" if self.r.randrange(3) == 0 else "")
        if kind < 9:
            return f"*/{self.r.randint(1, high)}"
        return f"{self.r.randint(low, high)}/{self.r.randint(1, 9)}"

    def field(self, low, high, star, names=None):
        if self.r.randrange(100) < star:
            return self.r.choice("**?")
        return ",".join(self.part(low, high, names) for _ in range(self.r.choice([1, 1, 1, 2, 3])))

    def schedule(self, dense):
        if self.r.randrange(25) == 0:
            return self.r.choice(["@yearly", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"])
        if self.r.randrange(50) == 0:
            return self.r.choice(["0 0 30 2 *", "* * 31 4,6 ?", "0 0 29 2 *"])
        stars = (60, 70, 90, 90, 90) if dense else (8, 20, 55, 70, 60)
        minute = self.field(0, 59, stars[0])
        # Hours at which clocks change, more often than others.
        hour = self.r.choice(["0", "1", "2", "3", "23", "0-3", "1,2"]) if not dense and self.r.randrange(3) == 0 else self.field(0, 23, stars[1])
        return " ".join([minute, hour, self.field(1, 31, stars[2]), self.field(1, 12, stars[3], MONTHS), self.field(0, 6, stars[4], DAYS)])


def main():
    args = sys.argv[1:]
    dense = bool(args) and args[0] == "--dense"
    if len(args) - dense != 4:
        sys.exit(__doc__)
    n, seed, year, years = (int(a) for a in args[dense:])
    for i in range(n):
        c = Case(seed * 1000003 + i)
        print(json.dumps({"schedule": c.schedule(dense), "zone": c.r.choice(ZONES), "year": year, "years": years}))


main()
