# SPDX-License-Identifier: Apache-2.0
"""The project's coordinates, out of project.env at the top of the repository."""
import os
import shlex


def coordinates():
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "project.env")
    with open(path, encoding="utf-8") as f:
        return dict(word.split("=", 1) for word in shlex.split(f.read(), comments=True))
