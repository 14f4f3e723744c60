/* counter_test: makes a known number of calls of each kind, for the counter to count.
 *
 *     counter_test NUMBER exit|_exit|term
 *
 * makes NUMBER of each and prints what a counter has to find more than in a run with NUMBER 0. */
#define _GNU_SOURCE
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* Kept where the compiler cannot see that nobody looks. */
static void *volatile kept;

static void allocate(void) {
    void *memory;
    kept = malloc(24), free(kept);
    kept = calloc(3, 8), kept = realloc(kept, 100), free(kept);
    kept = aligned_alloc(64, 64), free(kept);
    kept = memalign(32, 32), free(kept);
    if (posix_memalign(&memory, 16, 48) == 0) kept = memory, free(kept);
    kept = realloc(NULL, 8), free(kept);
    free(NULL);
}

static void talk(const int pair[2], int poller, int timer) {
    char octet = 'x';
    struct iovec part = { &octet, 1 };
    struct mmsghdr messages = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };
    struct pollfd polled = { .fd = pair[1], .events = POLLIN };
    struct epoll_event event = { .events = EPOLLIN };
    struct itimerspec soon = { .it_value.tv_sec = 1000 };
    ssize_t sum = 0;
    sum += write(pair[0], &octet, 1), sum += read(pair[1], &octet, 1);
    sum += writev(pair[0], &part, 1), sum += readv(pair[1], &part, 1);
    sum += send(pair[0], &octet, 1, 0), sum += recv(pair[1], &octet, 1, 0);
    sum += sendto(pair[0], &octet, 1, 0, NULL, 0), sum += recvfrom(pair[1], &octet, 1, 0, NULL, NULL);
    sum += sendmsg(pair[0], &messages.msg_hdr, 0), sum += recvmsg(pair[1], &messages.msg_hdr, 0);
    sum += sendmmsg(pair[0], &messages, 1, 0), sum += recvmmsg(pair[1], &messages, 1, 0, NULL);
    sum += syscall(SYS_sendto, pair[0], &octet, 1, 0, NULL, 0);
    sum += syscall(SYS_recvfrom, pair[1], &octet, 1, 0, NULL, NULL);
    sum += syscall(SYS_sendmmsg, pair[0], &messages, 1, 0), sum += syscall(SYS_recvmmsg, pair[1], &messages, 1, 0, NULL);
    sum += poll(&polled, 1, 0), sum += ppoll(&polled, 1, &(struct timespec) { 0 }, NULL);
    sum += epoll_ctl(poller, EPOLL_CTL_ADD, pair[1], &event), sum += epoll_ctl(poller, EPOLL_CTL_DEL, pair[1], &event);
    sum += epoll_wait(poller, &event, 1, 0), sum += epoll_pwait(poller, &event, 1, 0, NULL);
    sum += timerfd_settime(timer, 0, &soon, NULL);
    /* Refused, and counted. */
    sum += syscall(SYS_timer_settime, -1, 0, NULL, NULL);
    if (sum != 15) fprintf(stderr, "counter_test: a call failed\n"), exit(1);
}

int main(int count, char **words) {
    int pair[2], number = count == 3 ? atoi(words[1]) : -1;
    if (number < 0) return fputs("usage: counter_test NUMBER exit|_exit|term\n", stderr), 64;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return perror("socketpair"), 1;
    int poller = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    for (int i = 0; i < number; i++) allocate(), talk(pair, poller, timer);
    printf("allocations=%d frees=%d read=%d readv=%d recv=%d recvfrom=%d recvmsg=%d recvmmsg=%d write=%d writev=%d send=%d "
           "sendto=%d sendmsg=%d sendmmsg=%d poll=%d ppoll=%d epoll_wait=%d epoll_pwait=%d epoll_ctl=%d "
           "timerfd_settime=%d timer_settime=%d\n", 7 * number, 6 * number, number, number, number, 2 * number, number, 2 * number,
           number, number, number, 2 * number, number, 2 * number, number, number, number, number, 2 * number, number, number);
    fflush(stdout);
    if (strcmp(words[2], "_exit") == 0) _exit(0);
    if (strcmp(words[2], "term") == 0) raise(SIGTERM);
    return 0;
}
