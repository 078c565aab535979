#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the manifest by which kubectl krew installs jobreeve as kubectl's plugin: krew.sh URL FOLDER
#   URL     where the files of the release are fetched from, as https://downloads.example.com/jobreeve/0.2.0
#   FOLDER  the release, with jobreeve-VERSION-linux-ARCH-static.tar.gz
set -eu -o pipefail
url=${1%/} folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. ./project.env
cat << Y
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: jobreeve
spec:
  version: v$VERSION
  homepage: $HOMEPAGE
  shortDescription: Say what holds Jobs up, and wait for their end
  description: |
    kubectl jobreeve why says whether a Job or CronJob goes on by itself, what
    holds it up, whose move it is, and what to do. kubectl jobreeve status shows
    all Jobs with a reason each, or one Job's Pods over time; wait ends when Jobs
    are over, with their logs; dump writes what why reads, without what is secret.
    check, default and convert apply the API server's rules to manifests offline.
    They work on any cluster, and change nothing.
  platforms:
Y
for arch in amd64 arm64; do
    file=jobreeve-$VERSION-linux-$arch-static.tar.gz
    cat << Y
  - selector:
      matchLabels:
        os: linux
        arch: $arch
    uri: $url/$file
    sha256: $(sha256sum "$folder/$file" | cut -d ' ' -f 1)
    files:
    - from: "*/bin/jobreeve"
      to: .
    - from: "*/share/doc/jobreeve/copyright"
      to: .
    bin: jobreeve
Y
done
