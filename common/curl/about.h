/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries the API server is called with. */
#ifndef JR_CURL_ABOUT_H
#define JR_CURL_ABOUT_H

#include "common/base/buf.h"

/** Appends the lines of libcurl and OpenSSL to what --version prints. */
void jr_curl_about(struct jr_buf *out);

#endif
