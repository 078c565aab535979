/* The newest patch of each minor version of Kubernetes that is known: "1.36" means 1.36.3. Shell
 * scripts read this file, too. */
#ifndef JR_SCHEMA_RELEASES_H
#define JR_SCHEMA_RELEASES_H

#define JR_KUBE_RELEASES(X) \
    X(31, 14)               \
    X(32, 13)               \
    X(33, 13)               \
    X(34, 4)                \
    X(35, 4)                \
    X(36, 3)                \
    X(37, 2)

#endif
