// The contended paths of Swift's `Synchronization.Mutex`, for programs built with the thread sanitizer.
//
// Swift inlines the uncontended path, and the sanitizer sees its atomic operations. The contended path is in
// libswiftSynchronization.so, which is not instrumented: the sanitizer would miss that one thread's unlock happens before
// another thread's lock, and report accesses that the mutex guards. A function of the program takes precedence over one
// of a shared library, so these two do the same work and tell the sanitizer. `Scripts/sanitize.sh` links this file.
//
// A mutex is a word that holds the thread identifier of its owner, or 0. The kernel adds a flag while threads wait
// (futex(2), FUTEX_LOCK_PI). Swift passes `self` in the register of `swift_context`.
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static void end(const char *operation) {
    fprintf(stderr, "mutex.c: %s failed: %s\n", operation, strerror(errno));
    abort();
}

// _MutexHandle._lockSlow(_ selfId: UInt32)
__attribute__((swiftcall)) void lock(uint32_t thread, __attribute__((swift_context)) uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
// _MutexHandle._unlockSlow()
__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

__attribute__((swiftcall)) void lock(uint32_t thread, __attribute__((swift_context)) uint32_t *word) {
    (void)thread;
    while (syscall(SYS_futex, word, FUTEX_LOCK_PI_PRIVATE, 0, NULL) != 0) {
        if (errno != EINTR && errno != EAGAIN) end("FUTEX_LOCK_PI");
    }
    __tsan_acquire(word);
}

__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) uint32_t *word) {
    __tsan_release(word);
    while (syscall(SYS_futex, word, FUTEX_UNLOCK_PI_PRIVATE, 0) != 0) {
        if (errno != EINTR && errno != EAGAIN) end("FUTEX_UNLOCK_PI");
    }
}
