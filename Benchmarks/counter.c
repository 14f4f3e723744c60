/* counter: preloaded into a program, counts what it asks of the allocator and of the kernel.
 *
 *     BENCH_COUNTS=FILE LD_PRELOAD=counter.so PROGRAM...
 *
 * writes one line of name=count pairs to FILE when the program ends, by itself or by SIGTERM. Only calls that go through
 * the C library's functions are seen: what that library calls on its own (futexes, the pages of its heap) is not.
 * counter_test.c proves that it counts each kind once. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The allocator's own names: asking dlsym for them would allocate. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define KINDS(X) X(allocations) X(frees) \
    X(read) X(readv) X(recv) X(recvfrom) X(recvmsg) X(recvmmsg) \
    X(write) X(writev) X(send) X(sendto) X(sendmsg) X(sendmmsg) \
    X(poll) X(ppoll) X(epoll_wait) X(epoll_pwait) X(epoll_ctl) X(timerfd_settime) X(timer_settime)

#define NAME(kind) kind##_count,
enum { KINDS(NAME) KIND_COUNT };
#undef NAME
#define NAME(kind) #kind,
static const char *const names[] = { KINDS(NAME) };
#undef NAME

static uint64_t counts[KIND_COUNT];
static int is_written;

static void count(int kind) { __atomic_fetch_add(&counts[kind], 1, __ATOMIC_RELAXED); }

/* Neither allocates nor uses what it counts: it also runs in a signal handler. */
static void write_counts(void) {
    static char line[64 * KIND_COUNT];
    const char *path = getenv("BENCH_COUNTS");
    size_t length = 0;
    if (!path || __atomic_exchange_n(&is_written, 1, __ATOMIC_ACQ_REL)) return;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        char digits[24];
        size_t digit = sizeof digits;
        uint64_t left = __atomic_load_n(&counts[kind], __ATOMIC_RELAXED);
        do digits[--digit] = (char)('0' + left % 10); while (left /= 10);
        for (const char *name = names[kind]; *name;) line[length++] = *name++;
        line[length++] = '=';
        while (digit < sizeof digits) line[length++] = digits[digit++];
        line[length++] = kind == KIND_COUNT - 1 ? '\n' : ' ';
    }
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) return;
    for (size_t done = 0; done < length;) {
        long wrote = syscall(SYS_write, fd, line + done, length - done);
        if (wrote <= 0) break;
        done += (size_t)wrote;
    }
    syscall(SYS_close, fd);
}

/* MARK: the allocator */

void *malloc(size_t size) { return count(allocations_count), __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return count(allocations_count), __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return count(allocations_count), __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return count(allocations_count), __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || !alignment) return EINVAL;
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

void free(void *memory) {
    if (memory) count(frees_count);
    __libc_free(memory);
}

/* MARK: the kernel */

/* A function of the C library that is counted and then called. */
#define COUNTED(type, name, parameters, arguments)                                              \
    type name parameters {                                                                      \
        static type(*real) parameters;                                                          \
        if (!__atomic_load_n(&real, __ATOMIC_RELAXED))                                          \
            __atomic_store_n(&real, (type(*) parameters)dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED); \
        count(name##_count);                                                                    \
        return real arguments;                                                                  \
    }

COUNTED(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
COUNTED(ssize_t, readv, (int fd, const struct iovec *to, int number), (fd, to, number))
COUNTED(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))
COUNTED(ssize_t, recvfrom, (int fd, void *restrict to, size_t size, int flags, struct sockaddr *restrict from,
        socklen_t *restrict length), (fd, to, size, flags, from, length))
COUNTED(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
COUNTED(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned number, int flags, struct timespec *timeout),
        (fd, messages, number, flags, timeout))
COUNTED(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
COUNTED(ssize_t, writev, (int fd, const struct iovec *from, int number), (fd, from, number))
COUNTED(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags))
COUNTED(ssize_t, sendto, (int fd, const void *from, size_t size, int flags, const struct sockaddr *to,
        socklen_t length), (fd, from, size, flags, to, length))
COUNTED(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
COUNTED(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned number, int flags), (fd, messages, number, flags))
COUNTED(int, poll, (struct pollfd *fds, nfds_t number, int timeout), (fds, number, timeout))
COUNTED(int, ppoll, (struct pollfd *fds, nfds_t number, const struct timespec *timeout, const sigset_t *mask),
        (fds, number, timeout, mask))
COUNTED(int, epoll_wait, (int fd, struct epoll_event *events, int number, int timeout), (fd, events, number, timeout))
COUNTED(int, epoll_pwait, (int fd, struct epoll_event *events, int number, int timeout, const sigset_t *mask),
        (fd, events, number, timeout, mask))
COUNTED(int, epoll_ctl, (int fd, int operation, int of, struct epoll_event *event), (fd, operation, of, event))
struct itimerspec;
COUNTED(int, timerfd_settime, (int fd, int flags, const struct itimerspec *at, struct itimerspec *old),
        (fd, flags, at, old))

/* The calls that programs also make without the C library's functions for them. */
static void count_call(long number) {
    switch (number) {
    case SYS_timer_settime: count(timer_settime_count); break;
    case SYS_recvfrom: count(recvfrom_count); break;
    case SYS_recvmmsg: count(recvmmsg_count); break;
    case SYS_sendto: count(sendto_count); break;
    case SYS_sendmmsg: count(sendmmsg_count); break;
    }
}

long syscall(long number, ...) {
    static long (*real)(long, ...);
    long arguments[6];
    va_list list;
    if (!__atomic_load_n(&real, __ATOMIC_RELAXED))
        __atomic_store_n(&real, (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), __ATOMIC_RELAXED);
    va_start(list, number);
    for (int i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
    va_end(list);
    count_call(number);
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/* MARK: the end */

static void terminated(int signal) {
    write_counts();
    syscall(SYS_exit_group, 128 + signal);
}

/* Unless the program has its own way to end, SIGTERM ends it with its counts written. */
__attribute__((constructor)) static void begin(void) {
    struct sigaction old;
    syscall(SYS_getpid); /* looks up the function, which a signal handler must not */
    if (sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGTERM, &(struct sigaction) { .sa_handler = terminated }, NULL);
}

__attribute__((destructor)) static void end(void) { write_counts(); }

/* Without destructors. */
void _exit(int status) {
    write_counts();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

void _Exit(int status) { _exit(status); }
