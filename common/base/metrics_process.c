/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the metrics of the process from /proc/self. */
#include "common/base/metrics_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

#include "common/base/about.h"
#include "common/base/num.h"

#define DESC(name_, kind_, help_)                         \
    {                                                     \
        .name = (name_), .help = (help_), .kind = (kind_) \
    }

static const struct jr_metric_desc rss_desc =
    DESC("process_resident_memory_bytes", JR_GAUGE, "Resident memory size in bytes.");
static const struct jr_metric_desc cpu_desc = DESC(
    "process_cpu_seconds_total", JR_COUNTER, "Total user and system CPU time spent in seconds.");
static const struct jr_metric_desc fds_desc =
    DESC("process_open_fds", JR_GAUGE, "Number of open file descriptors.");
static const struct jr_metric_desc virtual_desc =
    DESC("process_virtual_memory_bytes", JR_GAUGE, "Virtual memory size in bytes.");
static const struct jr_metric_desc virtual_max_desc =
    DESC("process_virtual_memory_max_bytes", JR_GAUGE,
         "Maximum amount of virtual memory available in bytes.");
static const struct jr_metric_desc max_fds_desc =
    DESC("process_max_fds", JR_GAUGE, "Maximum number of open file descriptors.");
static const struct jr_metric_desc start_desc =
    DESC("process_start_time_seconds", JR_GAUGE,
         "Start time of the process since unix epoch in seconds.");
static const struct jr_metric_desc build_desc =
    JR_METRIC(GAUGE, "jobreeve_build_info",
              "A constant 1, labelled with the version, and the revision it was built from.",
              "version", "revision", NULL);

/** Reads the front of a file of /proc. */
static struct jr_str read_front(const char *path, char *buf, size_t cap)
{
    JR_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;

    while (fd >= 0 && n < cap) {
        ssize_t k = read(fd, buf + n, cap - n);

        if (k <= 0)
            break;
        n += (size_t)k;
    }
    return (struct jr_str){ buf, n };
}

/** The field with index `at` of a line of fields, as a number that is not negative; -1 if it is
 * none. */
static int64_t field(struct jr_str line, size_t at)
{
    struct jr_str part;
    int64_t v;

    for (size_t i = 0; jr_str_cut(&line, ' ', &part); i++) {
        if (i == at)
            return jr_parse_i64(jr_str_trim(part), 0, INT64_MAX, &v) == JR_OK ? v : -1;
    }
    return -1;
}

static void sample_memory(struct jr_metrics *m)
{
    char buf[256];
    struct jr_str sizes = read_front("/proc/self/statm", buf, sizeof(buf));
    int64_t whole = field(sizes, 0), resident = field(sizes, 1);
    long page = sysconf(_SC_PAGESIZE);

    if (whole >= 0 && page > 0)
        jr_metrics_set(m, &virtual_desc, NULL, (double)whole * (double)page);
    if (resident >= 0 && page > 0)
        jr_metrics_set(m, &rss_desc, NULL, (double)resident * (double)page);
}

static void sample_limit(struct jr_metrics *m, const struct jr_metric_desc *d,
                         __rlimit_resource_t which)
{
    struct rlimit limit;

    if (getrlimit(which, &limit) == 0)
        jr_metrics_set(m, d, NULL, (double)limit.rlim_cur);
}

static void sample_cpu(struct jr_metrics *m)
{
    struct timespec ts;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
        jr_metrics_set(m, &cpu_desc, NULL, (double)ts.tv_sec + (double)ts.tv_nsec / 1e9);
}

static void sample_fds(struct jr_metrics *m)
{
    DIR *dir = opendir("/proc/self/fd");
    double n = -1; /* the directory itself */

    if (dir == NULL)
        return;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe for streams of one's own */
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] != '.')
            n++;
    }
    (void)closedir(dir);
    jr_metrics_set(m, &fds_desc, NULL, n);
}

/** The line of /proc/stat with the time of boot is far behind: one line per processor and all
 * interrupts come first. */
static int64_t boot_time(void)
{
    struct timespec wall, boot;

    if (clock_gettime(CLOCK_REALTIME, &wall) != 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
        return -1;
    return ((int64_t)wall.tv_sec - (int64_t)boot.tv_sec) * 100 +
           (int64_t)(wall.tv_nsec - boot.tv_nsec) / 10000000;
}

static void sample_start(struct jr_metrics *m)
{
    char buf[1024];
    struct jr_str line = read_front("/proc/self/stat", buf, sizeof(buf));
    ptrdiff_t paren = jr_str_rfind(line, ')'); /* the command's name may hold anything */
    long hz = sysconf(_SC_CLK_TCK);
    int64_t ticks, boot = boot_time();

    /* Once only: the wall clock is adjusted now and then, and a start that moves looks like a
     * restart. */
    if (jr_metrics_get(m, start_desc.name, NULL) > 0)
        return;
    if (paren < 0 || hz <= 0 || boot < 0)
        return;
    ticks = field(jr_str_from(line, (size_t)paren + 2), 19); /* starttime, 22nd of all */
    if (ticks >= 0)
        jr_metrics_set(m, &start_desc, NULL, (double)boot / 100 + (double)ticks / (double)hz);
}

void jr_metrics_sample_process(struct jr_metrics *m)
{
    sample_memory(m);
    sample_cpu(m);
    sample_fds(m);
    sample_limit(m, &virtual_max_desc, RLIMIT_AS);
    sample_limit(m, &max_fds_desc, RLIMIT_NOFILE);
    sample_start(m);
    jr_metrics_set(m, &build_desc, (const char *const[]){ JR_VERSION, jr_revision(), NULL }, 1);
}
