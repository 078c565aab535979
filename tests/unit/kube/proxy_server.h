/* SPDX-License-Identifier: Apache-2.0 */
/* An HTTP proxy on loopback that knows only CONNECT, and one tunnel at a time. */
#ifndef JR_UNIT_KUBE_PROXY_SERVER_H
#define JR_UNIT_KUBE_PROXY_SERVER_H

struct proxy_server;
struct proxy_server *proxy_start(void);
void proxy_stop(struct proxy_server *p);
int proxy_port(const struct proxy_server *p);
/** Tunnels opened so far. */
int proxy_tunnels(struct proxy_server *p);
/** The last CONNECT's head; valid after the tunnel has carried something. */
const char *proxy_head(const struct proxy_server *p);

#endif
