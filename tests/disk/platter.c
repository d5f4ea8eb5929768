/* A disk that fails a sync, for tests: preloaded into the service, it keeps a copy of what really reached the disk.
 *
 * Files of the folder are written as always; that is the page cache. A sync that succeeds copies the pages written since
 * the last one to the platter. A sync that fails copies nothing and, as Linux does, marks those pages clean: a later sync
 * does not write them either, unless they are written again. What a page lost that way is remembered beside the
 * platter, because the page cache outlives the process. The platter is what a power loss leaves.
 *
 * TILL_DISK_FOLDER   the folder of the database files
 * TILL_DISK_PLATTER  the folder of their copies
 * TILL_DISK_FAIL     which sync fails, as "live.db-wal:12"; none if it is not set
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 65536, FILES = 8 };

struct file {
    char name[64];
    unsigned char *dirty; /* written since the last sync, or by an earlier process */
    unsigned char *lost;  /* marked clean by a sync that failed */
    long syncs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file files[FILES];

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

static void path_of(char *path, size_t size, const char *folder, const char *name, const char *suffix) {
    snprintf(path, size, "%s/%s%s", folder, name, suffix);
}

/* The name of a database file or its log in the folder; 0 for any other file. */
static int name_of(int fd, char *name, size_t size) {
    const char *folder = getenv("TILL_DISK_FOLDER");
    char link[64], path[1024];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!folder || length <= 0) return 0;
    path[length] = 0;
    size_t prefix = strlen(folder);
    if (strncmp(path, folder, prefix) != 0 || path[prefix] != '/') return 0;
    const char *base = path + prefix + 1;
    const char *end = strrchr(base, '.');
    if (strchr(base, '/') || !end || (strcmp(end, ".db") != 0 && strcmp(end, ".db-wal") != 0)) return 0;
    snprintf(name, size, "%s", base);
    return 1;
}

static struct file *file_of(int fd) {
    char name[64], path[1024];
    if (!name_of(fd, name, sizeof name)) return NULL;
    for (int i = 0; i < FILES; i++) {
        struct file *file = &files[i];
        if (strcmp(file->name, name) == 0) return file;
        if (file->name[0]) continue;
        path_of(path, sizeof path, getenv("TILL_DISK_PLATTER"), name, ".lost");
        int lost = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (lost < 0 || ftruncate64(lost, PAGES) != 0) abort();
        file->lost = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, lost, 0);
        file->dirty = malloc(PAGES);
        if (file->lost == MAP_FAILED || !file->dirty) abort();
        close(lost);
        memset(file->dirty, 1, PAGES);
        strcpy(file->name, name);
        return file;
    }
    abort();
}

static void wrote(int fd, off_t offset, ssize_t length) {
    if (length <= 0) return;
    pthread_mutex_lock(&lock);
    struct file *file = file_of(fd);
    for (off_t page = offset / PAGE; file && page <= (offset + length - 1) / PAGE && page < PAGES; page++) {
        file->dirty[page] = 1;
        file->lost[page] = 0;
    }
    pthread_mutex_unlock(&lock);
}

static int fails(struct file *file) {
    const char *which = getenv("TILL_DISK_FAIL");
    size_t length = strlen(file->name);
    file->syncs++;
    return which && strncmp(which, file->name, length) == 0 && which[length] == ':'
        && atol(which + length + 1) == file->syncs;
}

static void copy(int fd, struct file *file) {
    char path[1024], page[PAGE];
    struct stat now;
    path_of(path, sizeof path, getenv("TILL_DISK_PLATTER"), file->name, "");
    int platter = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (platter < 0 || fstat(fd, &now) != 0) abort();
    for (off_t at = 0; at < PAGES && at * PAGE < now.st_size; at++) {
        if (file->dirty[at] && !file->lost[at]) {
            ssize_t length = pread(fd, page, PAGE, at * PAGE);
            if (length > 0 && real_pwrite(platter, page, length, at * PAGE) != length) abort();
        }
    }
    if (ftruncate64(platter, now.st_size) != 0) abort();
    close(platter);
}

static int synced(int fd) {
    pthread_mutex_lock(&lock);
    struct file *file = file_of(fd);
    int failed = 0;
    if (file) {
        failed = fails(file);
        if (!failed) copy(fd, file);
        for (int page = 0; page < PAGES; page++) {
            if (failed && file->dirty[page]) file->lost[page] = 1;
            file->dirty[page] = 0;
        }
    }
    pthread_mutex_unlock(&lock);
    if (failed) errno = EIO;
    return failed ? -1 : 0;
}

__attribute__((constructor)) static void start(void) {
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    if (!real_pwrite || !getenv("TILL_DISK_PLATTER")) abort();
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
    ssize_t done = real_pwrite(fd, bytes, length, offset);
    wrote(fd, offset, done);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    return pwrite64(fd, bytes, length, offset);
}

int fdatasync(int fd) { return synced(fd); }

int fsync(int fd) { return synced(fd); }
