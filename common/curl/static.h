/* SPDX-License-Identifier: Apache-2.0 */
/* What the program does by itself where it is linked statically (cmake/Static.cmake). */
#ifndef JR_CURL_STATIC_H
#define JR_CURL_STATIC_H

/** Before libcurl and OpenSSL are used: neither may load a plug-in of the machine's, which are made
 * for its own C library. Names are looked up in files, then by DNS, whatever nsswitch.conf says,
 * and there is no openssl.cnf. */
void jr_static_init(void);

/** The file of the CAs that this machine trusts: in Debian's place, which libcurl knows, or in
 * another distribution's. NULL: none. */
const char *jr_static_authorities(void);

#endif
