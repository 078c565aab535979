/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses as fields of old have them: the API server reads them more loosely than it likes. */
#ifndef JR_RULES_IP_H
#define JR_RULES_IP_H

#include "common/rules/rules.h"

/** An address, IPv4 as the last four bytes. */
struct jr_ip {
    uint8_t bytes[16];
    bool v4;     /* written with dots alone */
    bool padded; /* has zeros in front of a number, which today's parsers refuse */
    bool mapped; /* an IPv4 address in IPv6 spelling: ::ffff:1.2.3.4 */
};
/** Without zone. False if it is none. */
bool jr_ip_parse(struct jr_str text, struct jr_ip *ret);
#define JR_IP_TEXT_MAX 48
/** Canonical (RFC 5952); mapped addresses as IPv4. Returns text. */
const char *jr_ip_format(const struct jr_ip *ip, char text[JR_IP_TEXT_MAX]);

/** Adds what is wrong with the address. strict: padded and mapped ones are, too. */
void jr_validate_ip(struct jr_str text, bool strict, const struct jr_field_path *path,
                    struct jr_errlist *errs);

#endif
