// A thread that blocks in recv(2) on one socket, and a signal that ends the wait.
//
// Proof that no interruption is lost: the handler runs on the waiting thread itself, and makes the socket non-blocking
// while `waits` is set. The thread sets `waits` before it announces that it sleeps, and clears it after recv(2) has
// returned; others send the signal only after that announcement. So a signal for this wait is handled either before
// recv(2) is entered, which then does not block; or inside, which the signal ends or restarts, and which then does not
// block; or after it has returned, when nothing has to be ended. The thread makes the socket blocking again afterwards.
//
// The alarm is a timer that sends the same signal. The handler has SA_RESTART, so other system calls on the thread are
// restarted.
//
// Several threads may receive in turn (`harald_receiver_borrow`). A limit of the socket, which needs no signal, ends the
// wait of a thread that blocks the signal.
#ifndef HARALD_LINUX_RECEIVER_H
#define HARALD_LINUX_RECEIVER_H

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct harald_receiver {
    int descriptor;  /* a duplicate of the socket, so that no other file has its number; -1 while closed */
    int flags;       /* the status flags of the socket, without O_NONBLOCK */
    int thread;      /* the thread that receives */
    int alarm;       /* a timer of the kernel; -1 for none */
    /* Shared with the signal handler, which runs on the same thread. */
    volatile sig_atomic_t waits;
    volatile sig_atomic_t is_ended;  /* true if the handler has made the socket non-blocking */
};

/* The kernel's structure of timer_create(2). */
struct harald_signal_event {
    void *value;
    int signal, notify, thread;
    int rest[11];
};

static inline void harald_receiver_signalled(int number, siginfo_t *info, void *context) {
    struct harald_receiver *receiver = (struct harald_receiver *)info->si_value.sival_ptr;
    int code = errno;
    (void)number, (void)context;
    /* A signal that was sent without a receiver is not meant for one. */
    if (info->si_code != SI_QUEUE && info->si_code != SI_TIMER) return;
    if (!receiver || !receiver->waits || receiver->is_ended) return;
    /* The alarm of the loop's thread, while another thread waits: that thread ends the other's wait itself. */
    if (info->si_code == SI_TIMER && receiver->thread != (int)syscall(SYS_gettid)) return;
    receiver->is_ended = 1;
    fcntl(receiver->descriptor, F_SETFL, receiver->flags | O_NONBLOCK);
    errno = code;
}

/* Installs the handler for a real-time signal that the program does not use, the last such one. Returns its number, or
 * 0 if there is none. */
static inline int harald_receiver_install(void) {
#ifdef __LP64__
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = harald_receiver_signalled;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (int number = SIGRTMAX; number >= SIGRTMIN; number--) {
        if (sigaction(number, NULL, &before) || (before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)
            continue;
        if (sigaction(number, &action, &before)) continue;
        if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL) return number;
        /* Another thread was quicker. */
        sigaction(number, &before, NULL);
    }
#endif
    return 0;
}

static inline void harald_receiver_close(struct harald_receiver *receiver) {
    if (receiver->alarm >= 0) syscall(SYS_timer_delete, receiver->alarm);
    if (receiver->descriptor >= 0) {
        fcntl(receiver->descriptor, F_SETFL, receiver->flags | O_NONBLOCK);
        close(receiver->descriptor);
    }
    receiver->descriptor = receiver->alarm = -1;
}

/* Sends the signal to the thread of a receiver, which must exist. */
static inline void harald_receiver_interrupt(struct harald_receiver *receiver, int number) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = number;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = receiver;
    /* The number of queued signals of a user is limited. */
    while (syscall(SYS_rt_tgsigqueueinfo, info.si_pid, receiver->thread, number, &info) && errno == EAGAIN)
        sched_yield();
}

/* Returns true if the signal reaches the handler on the calling thread. A program may have replaced the handler, and a
 * container may not permit the system call. */
static inline _Bool harald_receiver_is_interrupted(struct harald_receiver *receiver, int number) {
    struct sigaction now;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, number);
    if (pthread_sigmask(SIG_UNBLOCK, &signals, NULL) || sigaction(number, NULL, &now) || !(now.sa_flags & SA_SIGINFO))
        return 0;
    receiver->waits = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    harald_receiver_interrupt(receiver, number);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    receiver->waits = 0;
    return receiver->is_ended;
}

/* Prepares the calling thread to receive from a socket, which becomes blocking. Returns 0 or a negative errno. */
static inline int harald_receiver_open(struct harald_receiver *receiver, int descriptor, int number) {
    struct harald_signal_event event;
    int thread = (int)syscall(SYS_gettid);
    receiver->flags = fcntl(descriptor, F_GETFL) & ~O_NONBLOCK;
    /* Another thread may read it at the same time, for a signal that is not needed any more. */
    if (receiver->thread != thread) receiver->thread = thread;
    receiver->waits = receiver->is_ended = 0;
    receiver->alarm = -1;
    receiver->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (receiver->descriptor < 0) return -errno;
    memset(&event, 0, sizeof event);
    event.value = receiver;
    event.signal = number;
    event.notify = SIGEV_THREAD_ID;
    event.thread = receiver->thread;
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &receiver->alarm)) receiver->alarm = -1;
    if (receiver->alarm < 0 || !harald_receiver_is_interrupted(receiver, number)
        || fcntl(receiver->descriptor, F_SETFL, receiver->flags)) {
        harald_receiver_close(receiver);
        return -ENOSYS;
    }
    receiver->is_ended = 0;
    return 0;
}

/* Limits each wait on the socket, in microseconds; 0 for no limit. Unlike a timer it costs next to nothing, because the
 * kernel rounds it up to its clock tick. Returns 0 or a negative errno. */
static inline int harald_receiver_limit(const struct harald_receiver *receiver, int microseconds) {
    struct timeval time = { microseconds / 1000000, microseconds % 1000000 };
    return setsockopt(receiver->descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) ? -errno : 0;
}

/* Returns the calling thread's identifier, and permits it to be interrupted. The system call is made once a thread. */
static inline int harald_receiver_borrow(int number) {
    static _Thread_local int thread;
    if (!thread) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, number);
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
        thread = (int)syscall(SYS_gettid);
    }
    return thread;
}

/* Sets the alarm, which ends the wait at that time or the next one; replaces an earlier setting. */
static inline void harald_receiver_set_alarm(const struct harald_receiver *receiver, int64_t nanoseconds) {
    struct itimerspec time = { { 0, 0 }, { nanoseconds / 1000000000, nanoseconds % 1000000000 } };
    syscall(SYS_timer_settime, receiver->alarm, 0, &time, NULL);
}

/* From now on an interruption ends the wait that follows. */
static inline void harald_receiver_prepare(struct harald_receiver *receiver) {
    receiver->waits = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Ends the wait, if it was prepared. */
static inline void harald_receiver_finish(struct harald_receiver *receiver) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    receiver->waits = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!receiver->is_ended) return;
    receiver->is_ended = 0;
    fcntl(receiver->descriptor, F_SETFL, receiver->flags);
}
#endif

#endif
