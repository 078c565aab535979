# SPDX-License-Identifier: Apache-2.0
"""Under which licence each library of the images is: what we conclude from its copyright file, which tells of the whole source package, its tools, tests and
build system too. SPDX expressions; parts under other permissive terms are not named. Who builds with a package that isn't here reads its copyright file and
adds a row."""

CONCLUDED = {
    "base-files": "GPL-2.0-or-later",  # os-release
    "ca-certificates": "MPL-2.0",
    "libbrotli-dev": "MIT",
    "libbrotli1": "MIT",
    "libc6": "LGPL-2.1-or-later",
    "libc6-dev": "LGPL-2.1-or-later",
    "libcjson-dev": "MIT",
    "libcjson1": "MIT",
    "libcom-err2": "MIT AND BSD-3-Clause",
    "libcurl4-openssl-dev": "curl",
    "libcurl4t64": "curl",
    "libffi8": "MIT",
    "libgcc-14-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc-14-dev-amd64-cross": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc-14-dev-arm64-cross": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgmp10": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgnutls30t64": "LGPL-2.1-or-later",
    "libgssapi-krb5-2": "BSD-2-Clause",
    "libhogweed6t64": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libidn2-0": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libk5crypto3": "BSD-2-Clause",
    "libkeyutils1": "LGPL-2.0-or-later",
    "libkrb5-3": "BSD-2-Clause",
    "libkrb5support0": "BSD-2-Clause",
    "libldap2": "OLDAP-2.8",
    "libmicrohttpd12t64": "LGPL-2.1-or-later",
    "libnettle8t64": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libnghttp2-14": "MIT",
    "libnghttp2-dev": "MIT",
    "libnghttp3-9": "MIT",
    "libnghttp3-dev": "MIT",
    "libp11-kit0": "BSD-3-Clause",
    "libpsl5t64": "MIT",
    "librtmp1": "LGPL-2.1-or-later",
    "libsasl2-2": "BSD-3-Clause-Attribution",
    "libssh2-1t64": "BSD-3-Clause",
    "libssl-dev": "Apache-2.0",
    "libssl3t64": "Apache-2.0",
    "libtasn1-6": "LGPL-2.1-or-later",
    "libunistring5": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libyaml-0-2": "MIT",
    "libyaml-dev": "MIT",
    "libzstd-dev": "BSD-3-Clause OR GPL-2.0-only",
    "libzstd1": "BSD-3-Clause OR GPL-2.0-only",
    "zlib1g": "Zlib",
    "zlib1g-dev": "Zlib",
}


def concluded(package):
    if package not in CONCLUDED:
        raise SystemExit(f"image: {package}: no licence is concluded: read /usr/share/doc/{package}/copyright and add a row to image/licences.py")
    return CONCLUDED[package]
