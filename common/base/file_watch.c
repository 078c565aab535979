/* SPDX-License-Identifier: Apache-2.0 */
/* Folders watched by inotify, and a timer. */
#include "common/base/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include "common/base/memory.h"

#define POLL_NS (10 * JR_SEC)
/* A writer of two files is given the time for the second one. */
#define QUIET_NS (100 * JR_MSEC)

struct jr_files {
    struct jr_loop *loop;
    void (*fn)(void *ctx);
    void *ctx;
    int fd; /* -1: polling alone */
    struct jr_loop_fd *watch;
    struct jr_timer *timer;
    bool soon; /* the timer waits for quiet */
};

static void set_timer(struct jr_files *f, int64_t ns);

static void on_timer(void *ctx)
{
    struct jr_files *f = ctx;

    f->timer = NULL;
    f->soon = false;
    set_timer(f, POLL_NS);
    f->fn(f->ctx);
}

static void set_timer(struct jr_files *f, int64_t ns)
{
    jr_timer_cancel(f->loop, &f->timer);
    jr_xloop_after(f->loop, ns, on_timer, f, &f->timer);
}

static void on_events(void *ctx, int fd, unsigned events)
{
    struct jr_files *f = ctx;
    char buf[4096];

    (void)events;
    while (read(fd, buf, sizeof(buf)) > 0)
        ; /* what has changed does not matter */
    if (f->soon)
        return;
    f->soon = true;
    set_timer(f, QUIET_NS);
}

/** Watches a file's folder; twice is once. */
static void watch_folder(const struct jr_files *f, const char *name)
{
    const char *slash = strrchr(name, '/');
    const size_t n = slash == NULL ? 0 : slash == name ? 1 : (size_t)(slash - name);
    JR_FREE char *folder = jr_xstrndup(n == 0 ? JR_S(".") : (struct jr_str){ name, n });

    (void)inotify_add_watch(f->fd, folder,
                            IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR);
}

struct jr_files *jr_files_new(struct jr_loop *loop, const char *const *names, size_t n,
                              void (*fn)(void *ctx), void *ctx)
{
    struct jr_files *f = jr_xcalloc(1, sizeof(*f));

    *f = (struct jr_files){ .loop = loop, .fn = fn, .ctx = ctx };
    f->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    for (size_t i = 0; i < n && f->fd >= 0; i++) {
        if (names[i] != NULL)
            watch_folder(f, names[i]);
    }
    if (f->fd >= 0 &&
        jr_need(jr_loop_fd_add(loop, f->fd, JR_LOOP_READ, on_events, f, &f->watch, NULL)) != JR_OK)
        f->watch = NULL;
    set_timer(f, POLL_NS);
    return f;
}

void jr_files_hurry(struct jr_files *f)
{
    set_timer(f, 0);
}

void jr_files_free(struct jr_files *f)
{
    if (f == NULL)
        return;
    jr_timer_cancel(f->loop, &f->timer);
    jr_loop_fd_cancel(f->loop, &f->watch);
    if (f->fd >= 0)
        (void)close(f->fd);
    free(f);
}
