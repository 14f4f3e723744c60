#ifndef COS_LOCK_H
#define COS_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/// A lock that belongs to the thread that locked it. It is valid when its memory is zero, and must not move while it is
/// in use.
typedef struct os_unfair_lock_s {
    pthread_mutex_t _os_unfair_lock_mutex;
    unsigned long _os_unfair_lock_owner;
} os_unfair_lock;

/// A pointer to a lock.
typedef os_unfair_lock *os_unfair_lock_t;

/// Locks, and waits until that can be done. A thread that has the lock already ends the program.
void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock);

/// Locks where nobody has the lock; false where somebody has.
bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock);

/// Unlocks. A thread that does not have the lock ends the program.
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock);

/// Ends the program where this thread does not have the lock.
void os_unfair_lock_assert_owner(const os_unfair_lock *_Nonnull lock);

/// Ends the program where this thread has the lock.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *_Nonnull lock);

#endif
