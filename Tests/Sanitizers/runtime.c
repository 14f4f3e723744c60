// Parts of Swift's runtime, for programs built with the thread sanitizer.
//
// The shared libraries of Swift are not instrumented. The sanitizer does not see the synchronization in them, and
// reports accesses that it guards. A function of the program takes precedence over one of a shared library, so the
// functions below do the same work and tell the sanitizer. `Scripts/sanitize.sh` links this file.
#define _GNU_SOURCE
#include <dlfcn.h>
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
    fprintf(stderr, "runtime.c: %s failed: %s\n", operation, strerror(errno));
    abort();
}

// MARK: Mutexes

// The contended path of `Synchronization.Mutex`; Swift inlines the uncontended one. A mutex is a word that holds the
// thread identifier of its owner, or 0. The kernel adds a flag while threads wait (futex(2), FUTEX_LOCK_PI). Swift passes
// `self` in the register of `swift_context`.

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

// MARK: Continuations

// A continuation may be resumed before its task awaits it. Then the task goes on without being suspended. The runtime
// tells the sanitizer about the resumption (`__tsan_release` on the task), but not about this way of receiving it.

__attribute__((swiftcall)) void *swift_task_getCurrent(void);

// The function of the library.
static __attribute__((swiftasynccall)) void (*await)(void *context);

__attribute__((constructor)) static void find(void) {
    await = dlsym(RTLD_NEXT, "swift_continuation_await");
    if (!await) end("dlsym");
}

__attribute__((swiftasynccall)) void swift_continuation_await(void *context) {
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return await(context);
}
