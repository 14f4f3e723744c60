#include "COSLock.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *problem) {
    fprintf(stderr, "os_unfair_lock: %s\n", problem);
    abort();
}

static bool is_owner(const os_unfair_lock *lock) {
    // Only this thread stores its own number, so no other store can make this true.
    return __atomic_load_n(&lock->_os_unfair_lock_owner, __ATOMIC_RELAXED) == (unsigned long)pthread_self();
}

static void set_owner(os_unfair_lock_t lock, unsigned long owner) {
    __atomic_store_n(&lock->_os_unfair_lock_owner, owner, __ATOMIC_RELAXED);
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
    if (is_owner(lock)) fail("the thread has the lock already");
    pthread_mutex_lock(&lock->_os_unfair_lock_mutex);
    set_owner(lock, (unsigned long)pthread_self());
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    if (pthread_mutex_trylock(&lock->_os_unfair_lock_mutex) != 0) return false;
    set_owner(lock, (unsigned long)pthread_self());
    return true;
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    if (!is_owner(lock)) fail("the thread unlocks what it did not lock");
    set_owner(lock, 0);
    pthread_mutex_unlock(&lock->_os_unfair_lock_mutex);
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
    if (!is_owner(lock)) fail("the thread does not have the lock");
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
    if (is_owner(lock)) fail("the thread has the lock");
}
