// A futex at which threads wait until another one lets one of them through.
#ifndef HARALD_LINUX_GATE_H
#define HARALD_LINUX_GATE_H

#ifdef __linux__
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct harald_gate {
    uint32_t openings;  /* the number of times that it was opened */
    uint32_t waiting;   /* the number of threads that wait, or are about to */
};

static inline uint32_t harald_gate_openings(struct harald_gate *gate) {
    return __atomic_load_n(&gate->openings, __ATOMIC_SEQ_CST);
}

/* True if a thread waits. */
static inline bool harald_gate_is_crowded(struct harald_gate *gate) {
    return __atomic_load_n(&gate->waiting, __ATOMIC_SEQ_CST) != 0;
}

/* Announces that this thread waits, or, with -1, that it no longer does. */
static inline void harald_gate_announce(struct harald_gate *gate, int change) {
    __atomic_fetch_add(&gate->waiting, (uint32_t)change, __ATOMIC_SEQ_CST);
}

/* Waits until the gate is opened for this thread; returns at once if it was opened since `openings` was read. */
static inline void harald_gate_wait(struct harald_gate *gate, uint32_t openings, long nanoseconds) {
    struct timespec limit = {.tv_sec = 0, .tv_nsec = nanoseconds};
    syscall(SYS_futex, &gate->openings, FUTEX_WAIT_PRIVATE, openings, &limit, NULL, 0);
}

/* Lets one thread through. */
static inline void harald_gate_open(struct harald_gate *gate) {
    __atomic_fetch_add(&gate->openings, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &gate->openings, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Tells the processor that this thread spins. */
static inline void harald_gate_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}
#endif

#endif
