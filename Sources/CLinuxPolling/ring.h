// An io_uring of Linux that reads sockets. One system call submits requests, such as a packet to send, waits, and
// returns the received data.
//
// It is written in C because the ring's memory is shared with the kernel and requires atomic accesses. One thread uses
// it from opening to closing. Without the kernel's header, or on a kernel before 6.1, opening fails with -ENOSYS or
// another error, and the caller uses another way to wait.
#ifndef HARALD_LINUX_RING_H
#define HARALD_LINUX_RING_H

#ifdef __linux__
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif

/* A completion of a request: bytes in a buffer, or an event of a descriptor. */
struct harald_completion {
    uint64_t token;  /* the token of the request */
    int32_t result;  /* a number of bytes, events, or a negative errno */
    int32_t buffer;  /* the buffer with the bytes, to be returned after use; -1 for none */
    _Bool goes_on;   /* true if the request remains active and further completions follow */
};

/* The data of a read. */
struct harald_packet {
    const uint8_t *bytes;  /* valid until the next data is taken */
    int32_t count;         /* the number of bytes; 0 for none, -1 for a completion that is not plain data */
};

struct harald_ring {
    int descriptor;
    int alarm;  /* a timer descriptor, which the ring polls */
    unsigned entries, unsubmitted;
    uint64_t asked;  /* the number of requests so far; its low half is the tail */
    unsigned *head, *tail, *mask, *order;
    unsigned *done_head, *done_tail, *done_mask;
    void *queue, *requests, *done, *done_entries, *buffer_ring;
    size_t queue_size, requests_size, done_size, buffer_ring_size;
    uint8_t *bytes;
    size_t bytes_size;
    unsigned buffer_count, buffer_length;
    uint16_t buffer_tail;
    int32_t told;  /* the buffer whose data was taken last; -1 where there is none */
};

/* Android terminates an app that uses io_uring. */
#if defined(IORING_RECV_MULTISHOT) && defined(IORING_SETUP_DEFER_TASKRUN) && !defined(__ANDROID__)

static inline void *harald_ring_map(size_t size, int descriptor, uint64_t offset) {
    int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, descriptor, (off_t)offset);
    return memory == MAP_FAILED ? NULL : memory;
}

static inline void harald_ring_close(struct harald_ring *ring) {
    /* Closing the descriptor first ensures that the kernel no longer writes into the memory. */
    if (ring->descriptor >= 0) close(ring->descriptor);
    if (ring->alarm >= 0) close(ring->alarm);
    if (ring->queue) munmap(ring->queue, ring->queue_size);
    if (ring->requests) munmap(ring->requests, ring->requests_size);
    if (ring->done) munmap(ring->done, ring->done_size);
    if (ring->buffer_ring) munmap(ring->buffer_ring, ring->buffer_ring_size);
    if (ring->bytes) munmap(ring->bytes, ring->bytes_size);
    memset(ring, 0, sizeof *ring);
    ring->descriptor = ring->alarm = -1;
}

/* Returns a buffer to the kernel for later reads. */
static inline void harald_ring_return(struct harald_ring *ring, int32_t buffer) {
    struct io_uring_buf_ring *buffers = (struct io_uring_buf_ring *)ring->buffer_ring;
    unsigned slot = ring->buffer_tail & (ring->buffer_count - 1);
    struct io_uring_buf *place = (struct io_uring_buf *)ring->buffer_ring + slot;
    place->addr = (uint64_t)(uintptr_t)(ring->bytes + (size_t)buffer * ring->buffer_length);
    place->len = ring->buffer_length;
    place->bid = (uint16_t)buffer;
    ring->buffer_tail++;
    __atomic_store_n(&buffers->tail, ring->buffer_tail, __ATOMIC_RELEASE);
}

/* Returns the buffer whose data was taken last. */
static inline void harald_ring_return_told(struct harald_ring *ring) {
    if (ring->told < 0) return;
    harald_ring_return(ring, ring->told);
    ring->told = -1;
}

/* Opens a ring whose reads share `buffer_count` buffers (a power of two). Returns 0 or a negative errno. */
static inline int harald_ring_open(struct harald_ring *ring, unsigned buffer_count, unsigned buffer_length) {
    struct io_uring_params parameters;
    memset(&parameters, 0, sizeof parameters);
    memset(ring, 0, sizeof *ring);
    ring->alarm = ring->told = -1;
    /* A single thread submits, and the kernel defers its task work until that thread waits. */
    parameters.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL
        | IORING_SETUP_CQSIZE;
    parameters.cq_entries = 512;
    ring->entries = 64;
    ring->descriptor = (int)syscall(SYS_io_uring_setup, ring->entries, &parameters);
    if (ring->descriptor < 0) return -errno;
    ring->alarm = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    ring->queue_size = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    ring->done_size = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
    ring->requests_size = parameters.sq_entries * sizeof(struct io_uring_sqe);
    ring->buffer_count = buffer_count, ring->buffer_length = buffer_length;
    ring->buffer_ring_size = buffer_count * sizeof(struct io_uring_buf);
    ring->bytes_size = (size_t)buffer_count * buffer_length;
    ring->queue = harald_ring_map(ring->queue_size, ring->descriptor, IORING_OFF_SQ_RING);
    ring->done = harald_ring_map(ring->done_size, ring->descriptor, IORING_OFF_CQ_RING);
    ring->requests = harald_ring_map(ring->requests_size, ring->descriptor, IORING_OFF_SQES);
    ring->buffer_ring = harald_ring_map(ring->buffer_ring_size, -1, 0);
    ring->bytes = (uint8_t *)harald_ring_map(ring->bytes_size, -1, 0);
    struct io_uring_buf_reg registration;
    memset(&registration, 0, sizeof registration);
    registration.ring_addr = (uint64_t)(uintptr_t)ring->buffer_ring;
    registration.ring_entries = buffer_count;
    int status = 0;
    if (ring->alarm < 0) {
        status = -errno;
    } else if (!ring->queue || !ring->done || !ring->requests || !ring->buffer_ring || !ring->bytes) {
        status = -ENOMEM;
    } else if (syscall(SYS_io_uring_register, ring->descriptor, IORING_REGISTER_PBUF_RING, &registration, 1) < 0) {
        status = -errno;
    }
    if (status) {
        harald_ring_close(ring);
        return status;
    }
    uint8_t *queue = (uint8_t *)ring->queue, *done = (uint8_t *)ring->done;
    ring->head = (unsigned *)(queue + parameters.sq_off.head);
    ring->tail = (unsigned *)(queue + parameters.sq_off.tail);
    ring->mask = (unsigned *)(queue + parameters.sq_off.ring_mask);
    ring->order = (unsigned *)(queue + parameters.sq_off.array);
    ring->done_head = (unsigned *)(done + parameters.cq_off.head);
    ring->done_tail = (unsigned *)(done + parameters.cq_off.tail);
    ring->done_mask = (unsigned *)(done + parameters.cq_off.ring_mask);
    ring->done_entries = done + parameters.cq_off.cqes;
    for (unsigned buffer = 0; buffer < buffer_count; buffer++) harald_ring_return(ring, (int32_t)buffer);
    return 0;
}

/* Sets the alarm, which becomes readable after `nanoseconds`; replaces an earlier setting. It stays set across waits: a
 * timeout for each wait would create a kernel timer each time. */
static inline void harald_ring_set_alarm(struct harald_ring *ring, int64_t nanoseconds) {
    struct itimerspec time = { { 0, 0 }, { nanoseconds / 1000000000, nanoseconds % 1000000000 } };
    timerfd_settime(ring->alarm, 0, &time, NULL);
}

/* Submits the first `count` requests and waits for `least` completions, without an access to the memory of `struct
 * harald_ring`, which other threads may access during the call. Pass its result to `harald_ring_entered`. */
static inline long harald_ring_sleep(int descriptor, unsigned count, unsigned least) {
    long status = syscall(SYS_io_uring_enter, descriptor, count, least, IORING_ENTER_GETEVENTS, NULL, 0);
    return status < 0 ? -errno : status;
}

/* Records the number of submitted requests. Returns 0 or a negative errno; -EINTR is not a failure. */
static inline int harald_ring_entered(struct harald_ring *ring, long status) {
    if (status < 0) {
        /* Requests may have been submitted before the wait ended. */
        ring->unsubmitted = *ring->tail - __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
        return (int)status;
    }
    ring->unsubmitted -= (unsigned)status;
    return 0;
}

/* Submits all requests and waits for `least` completions. Returns 0 or a negative errno; -EINTR is not a failure. */
static inline int harald_ring_enter(struct harald_ring *ring, unsigned least) {
    return harald_ring_entered(ring, harald_ring_sleep(ring->descriptor, ring->unsubmitted, least));
}

/* Returns true if the next request first submits the queued ones, because the queue is full. */
static inline _Bool harald_ring_is_full(const struct harald_ring *ring) { return ring->unsubmitted >= ring->entries; }

static inline struct io_uring_sqe *harald_ring_request(struct harald_ring *ring, int descriptor, uint64_t token) {
    if (harald_ring_is_full(ring)) harald_ring_enter(ring, 0);
    unsigned tail = *ring->tail, place = tail & *ring->mask;
    struct io_uring_sqe *request = (struct io_uring_sqe *)ring->requests + place;
    memset(request, 0, sizeof *request);
    request->fd = descriptor;
    request->user_data = token;
    ring->order[place] = place;
    __atomic_store_n(ring->tail, tail + 1, __ATOMIC_RELEASE);
    ring->unsubmitted++;
    ring->asked++;
    return request;
}

/* Requests a completion each time a descriptor becomes readable. */
static inline void harald_ring_poll(struct harald_ring *ring, int descriptor, uint64_t token) {
    struct io_uring_sqe *request = harald_ring_request(ring, descriptor, token);
    request->opcode = IORING_OP_POLL_ADD;
    request->len = IORING_POLL_ADD_MULTI;
    /* POLLIN in the first half of the field in memory. */
    request->poll32_events = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1u << 16 : 1;
}

/* Requests a completion for all data received on a socket (multishot). */
static inline void harald_ring_receive(struct harald_ring *ring, int descriptor, uint64_t token) {
    struct io_uring_sqe *request = harald_ring_request(ring, descriptor, token);
    request->opcode = IORING_OP_RECV;
    request->ioprio = IORING_RECV_MULTISHOT;
    request->flags = IOSQE_BUFFER_SELECT;
}

/* Queues the sending of a packet for the next submission; the socket does not block, so the packet is sent at once or
 * not at all. Only a failure has a completion. Returns the position of the request. */
static inline uint64_t harald_ring_send(struct harald_ring *ring, int descriptor, const void *bytes, uint32_t length,
                                        uint64_t token) {
    struct io_uring_sqe *request = harald_ring_request(ring, descriptor, token);
    request->opcode = IORING_OP_SEND;
    request->addr = (uint64_t)(uintptr_t)bytes;
    request->len = length;
    request->msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT;
    request->flags = IOSQE_CQE_SKIP_SUCCESS;
    return ring->asked - 1;
}

/* Returns true if the request at this position is not submitted yet. */
static inline _Bool harald_ring_is_queued(const struct harald_ring *ring, uint64_t place) {
    return place >= ring->asked - ring->unsubmitted;
}

/* Removes the request at this position, which must not be submitted yet. */
static inline void harald_ring_take_back(struct harald_ring *ring, uint64_t place) {
    if (place + 1 == ring->asked) {
        /* The kernel reads the last request only during `harald_ring_enter`, so the tail can be moved back. */
        ring->asked--;
        ring->unsubmitted--;
        __atomic_store_n(ring->tail, (unsigned)place, __ATOMIC_RELEASE);
    } else {
        struct io_uring_sqe *request = (struct io_uring_sqe *)ring->requests + ((unsigned)place & *ring->mask);
        memset(request, 0, sizeof *request);
        request->opcode = IORING_OP_NOP;
        request->flags = IOSQE_CQE_SKIP_SUCCESS;
    }
}

/* Cancels the requests with a token, which then no longer keep the descriptor open. Earlier completions remain. */
static inline void harald_ring_cancel(struct harald_ring *ring, uint64_t token) {
    struct io_uring_sync_cancel_reg cancellation;
    while (ring->unsubmitted && harald_ring_enter(ring, 0) == 0) {}
    memset(&cancellation, 0, sizeof cancellation);
    cancellation.addr = token;
    cancellation.fd = -1;
    cancellation.timeout.tv_sec = cancellation.timeout.tv_nsec = -1;
    while (syscall(SYS_io_uring_register, ring->descriptor, IORING_REGISTER_SYNC_CANCEL, &cancellation, 1) < 0
           && errno == EINTR) {}
    /* The kernel releases the descriptor during this call. */
    harald_ring_enter(ring, 0);
}

/* Returns the token of the next completion; UINT64_MAX, which is no request's, where there is none. */
static inline uint64_t harald_ring_next_token(const struct harald_ring *ring) {
    unsigned head = *ring->done_head;
    if (__atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE) == head) return UINT64_MAX;
    return ((const struct io_uring_cqe *)ring->done_entries)[head & *ring->done_mask].user_data;
}

/* Takes the next completion if it is data for the request with this token, which remains active; returns the buffer
 * taken before. A completion of the request that is anything else is left for `harald_ring_take`. */
static inline struct harald_packet harald_ring_take_packet(struct harald_ring *ring, uint64_t token) {
    harald_ring_return_told(ring);
    struct harald_packet packet = { NULL, 0 };
    unsigned head = *ring->done_head;
    if (__atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE) == head) return packet;
    const struct io_uring_cqe *done = (struct io_uring_cqe *)ring->done_entries + (head & *ring->done_mask);
    if (done->user_data != token) return packet;
    const unsigned plain = IORING_CQE_F_BUFFER | IORING_CQE_F_MORE;
    packet.count = -1;
    if (done->res <= 0 || (done->flags & plain) != plain) return packet;
    ring->told = (int32_t)(done->flags >> IORING_CQE_BUFFER_SHIFT);
    packet.bytes = ring->bytes + (size_t)ring->told * ring->buffer_length;
    packet.count = done->res;
    __atomic_store_n(ring->done_head, head + 1, __ATOMIC_RELEASE);
    return packet;
}

/* Reads the completion at an offset of `place` from the next one; returns false if there is none. */
static inline _Bool harald_ring_peek(struct harald_ring *ring, unsigned place, struct harald_completion *completion) {
    unsigned head = *ring->done_head + place;
    if ((int)(__atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE) - head) <= 0) return 0;
    struct io_uring_cqe *done = (struct io_uring_cqe *)ring->done_entries + (head & *ring->done_mask);
    completion->token = done->user_data;
    completion->result = done->res;
    completion->buffer = done->flags & IORING_CQE_F_BUFFER ? (int32_t)(done->flags >> IORING_CQE_BUFFER_SHIFT) : -1;
    completion->goes_on = (done->flags & IORING_CQE_F_MORE) != 0;
    return 1;
}

/* Removes the next completion, which must exist. */
static inline void harald_ring_drop(struct harald_ring *ring) {
    __atomic_store_n(ring->done_head, *ring->done_head + 1, __ATOMIC_RELEASE);
}

/* Removes the next completion and returns true if it has this token. */
static inline _Bool harald_ring_take(struct harald_ring *ring, uint64_t token, struct harald_completion *completion) {
    unsigned head = *ring->done_head;
    if (__atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE) == head) return 0;
    if (((struct io_uring_cqe *)ring->done_entries)[head & *ring->done_mask].user_data != token) return 0;
    harald_ring_peek(ring, 0, completion);
    harald_ring_drop(ring);
    return 1;
}

/* Returns true if there is a failed completion whose token has a bit of `mask`. */
static inline _Bool harald_ring_has_failure(const struct harald_ring *ring, uint64_t mask) {
    unsigned tail = __atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE);
    for (unsigned head = *ring->done_head; head != tail; head++) {
        const struct io_uring_cqe *done = (struct io_uring_cqe *)ring->done_entries + (head & *ring->done_mask);
        if (done->user_data & mask && done->res < 0) return 1;
    }
    return 0;
}

/* Finds a failed completion whose token has a bit of `mask`, beginning at the offset `*place` from the next completion.
 * Returns true and its offset if there is one. A failure is found once, because its result is then set to 0. */
static inline _Bool harald_ring_find(struct harald_ring *ring, uint64_t mask, unsigned *place,
                                     struct harald_completion *completion) {
    unsigned tail = __atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE);
    for (unsigned head = *ring->done_head + *place; head != tail; head++, (*place)++) {
        struct io_uring_cqe *done = (struct io_uring_cqe *)ring->done_entries + (head & *ring->done_mask);
        if (!(done->user_data & mask) || done->res >= 0) continue;
        harald_ring_peek(ring, *place, completion);
        done->res = 0;
        return 1;
    }
    return 0;
}

#else

static inline void harald_ring_close(struct harald_ring *ring) { ring->descriptor = -1; }
static inline int harald_ring_open(struct harald_ring *ring, unsigned buffer_count, unsigned buffer_length) {
    (void)buffer_count, (void)buffer_length;
    ring->descriptor = -1;
    return -ENOSYS;
}
static inline int harald_ring_enter(struct harald_ring *ring, unsigned least) {
    (void)ring, (void)least;
    return -ENOSYS;
}
static inline long harald_ring_sleep(int descriptor, unsigned count, unsigned least) {
    (void)descriptor, (void)count, (void)least;
    return -ENOSYS;
}
static inline int harald_ring_entered(struct harald_ring *ring, long status) {
    (void)ring, (void)status;
    return -ENOSYS;
}
static inline void harald_ring_set_alarm(struct harald_ring *ring, int64_t nanoseconds) {
    (void)ring, (void)nanoseconds;
}
static inline void harald_ring_return(struct harald_ring *ring, int32_t buffer) { (void)ring, (void)buffer; }
static inline void harald_ring_return_told(struct harald_ring *ring) { (void)ring; }
static inline uint64_t harald_ring_next_token(const struct harald_ring *ring) {
    (void)ring;
    return UINT64_MAX;
}
static inline struct harald_packet harald_ring_take_packet(struct harald_ring *ring, uint64_t token) {
    (void)ring, (void)token;
    return (struct harald_packet){ NULL, 0 };
}
static inline _Bool harald_ring_has_failure(const struct harald_ring *ring, uint64_t mask) {
    (void)ring, (void)mask;
    return 0;
}
static inline void harald_ring_poll(struct harald_ring *ring, int descriptor, uint64_t token) {
    (void)ring, (void)descriptor, (void)token;
}
static inline void harald_ring_receive(struct harald_ring *ring, int descriptor, uint64_t token) {
    (void)ring, (void)descriptor, (void)token;
}
static inline _Bool harald_ring_is_full(const struct harald_ring *ring) {
    (void)ring;
    return 0;
}
static inline uint64_t harald_ring_send(struct harald_ring *ring, int descriptor, const void *bytes, uint32_t length,
                                        uint64_t token) {
    (void)ring, (void)descriptor, (void)bytes, (void)length, (void)token;
    return 0;
}
static inline _Bool harald_ring_is_queued(const struct harald_ring *ring, uint64_t place) {
    (void)ring, (void)place;
    return 0;
}
static inline void harald_ring_take_back(struct harald_ring *ring, uint64_t place) { (void)ring, (void)place; }
static inline void harald_ring_cancel(struct harald_ring *ring, uint64_t token) { (void)ring, (void)token; }
static inline _Bool harald_ring_peek(struct harald_ring *ring, unsigned place, struct harald_completion *completion) {
    (void)ring, (void)place, (void)completion;
    return 0;
}
static inline void harald_ring_drop(struct harald_ring *ring) { (void)ring; }
static inline _Bool harald_ring_take(struct harald_ring *ring, uint64_t token, struct harald_completion *completion) {
    (void)ring, (void)token, (void)completion;
    return 0;
}
static inline _Bool harald_ring_find(struct harald_ring *ring, uint64_t mask, unsigned *place,
                                     struct harald_completion *completion) {
    (void)ring, (void)mask, (void)place, (void)completion;
    return 0;
}

#endif
#endif
#endif
