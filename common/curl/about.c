/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of --version about libcurl and OpenSSL. */
#include "common/curl/about.h"

#include <curl/curl.h>
#include <openssl/crypto.h>

#include "common/base/about.h"

void jr_curl_about(struct jr_buf *out)
{
    jr_about_line(out, "libcurl", curl_version_info(CURLVERSION_NOW)->version);
    jr_about_line(out, "openssl", OpenSSL_version(OPENSSL_VERSION_STRING));
}
