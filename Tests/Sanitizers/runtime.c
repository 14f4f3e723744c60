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

// A continuation may be resumed before its task awaits it. Then the task reads the value without being suspended, and
// only the functions of the runtime know that the resumption happened before.

__attribute__((swiftcall)) void *swift_task_getCurrent(void);

// The functions of the library.
static __attribute__((swiftasynccall)) void (*await)(void *context);
static __attribute__((swiftcall)) void (*resume)(void *task);
static __attribute__((swiftcall)) void (*throwing_resume)(void *task);
static __attribute__((swiftcall)) void (*throwing_resume_with_error)(void *task, void *error);

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) end(name);
    return function;
}

__attribute__((constructor)) static void find(void) {
    await = next("swift_continuation_await");
    resume = next("swift_continuation_resume");
    throwing_resume = next("swift_continuation_throwingResume");
    throwing_resume_with_error = next("swift_continuation_throwingResumeWithError");
}

__attribute__((swiftasynccall)) void swift_continuation_await(void *context) {
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return await(context);
}

__attribute__((swiftcall)) void swift_continuation_resume(void *task) {
    __tsan_release(task);
    resume(task);
}

__attribute__((swiftcall)) void swift_continuation_throwingResume(void *task) {
    __tsan_release(task);
    throwing_resume(task);
}

__attribute__((swiftcall)) void swift_continuation_throwingResumeWithError(void *task, void *error) {
    __tsan_release(task);
    throwing_resume_with_error(task, error);
}
