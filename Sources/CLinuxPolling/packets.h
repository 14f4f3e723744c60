// Sends or receives several packets with one system call, on a socket that keeps packet boundaries.
//
// All calls are made with syscall(2): send(3) and recv(3) are cancellation points, which take two atomic operations
// each in a program with threads, and no thread of ours is cancelled.
#ifndef HARALD_LINUX_PACKETS_H
#define HARALD_LINUX_PACKETS_H

#ifdef __linux__
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The maximum number of packets in one call, and MSG_WAITFORONE, which the C library declares only for _GNU_SOURCE. */
enum { HARALD_PACKETS = 16, HARALD_WAIT_FOR_ONE = 0x10000 };

/* The structure of sendmmsg(2) and recvmmsg(2), which the C library declares only for _GNU_SOURCE. */
struct harald_message {
    struct msghdr header;
    unsigned length;
};

/* Sends a packet. Returns 0 or the errno. */
static inline int harald_send_packet(int descriptor, const void *packet, size_t length) {
    while (syscall(SYS_sendto, descriptor, packet, length, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* Sends packets in order; packet i begins at slots + i * slot_size and has lengths[i] octets. Clears batches if the
   socket accepts only one packet in a call: HCI sockets refuse MSG_BATCH, which the kernel sets. Returns the number of
   packets that were sent, and sets code to the errno for which the next one was not, or to 0 if all were sent. */
static inline unsigned harald_send_packets(int descriptor, const void *slots, size_t slot_size, const uint32_t *lengths,
                                           unsigned count, _Bool *batches, int *code) {
    struct harald_message messages[HARALD_PACKETS];
    struct iovec parts[HARALD_PACKETS];
    unsigned sent = 0;
    if (count > HARALD_PACKETS) count = HARALD_PACKETS;
    memset(messages, 0, count * sizeof *messages);
    for (unsigned i = 0; i < count; i++) {
        parts[i].iov_base = (uint8_t *)slots + i * slot_size;
        parts[i].iov_len = lengths[i];
        messages[i].header.msg_iov = &parts[i];
        messages[i].header.msg_iovlen = 1;
    }
    *code = 0;
    while (sent < count) {
        unsigned left = *batches ? count - sent : 1;
        /* The call for one packet takes less time. */
        if (left == 1) {
            *code = harald_send_packet(descriptor, parts[sent].iov_base, parts[sent].iov_len);
            if (*code) break;
            sent++;
            continue;
        }
        long result = syscall(SYS_sendmmsg, descriptor, messages + sent, left, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (result > 0) {
            sent += (unsigned)result;
        } else if (result < 0 && errno == EINVAL) {
            *batches = 0;
        } else if (result == 0 || errno != EINTR) {
            *code = result == 0 ? EAGAIN : errno;
            break;
        }
    }
    return sent;
}

/* Buffers for received packets. After a call messages[i].length is the number of octets of packet i. */
struct harald_buffers {
    struct harald_message messages[HARALD_PACKETS];
    struct iovec parts[HARALD_PACKETS];
};

/* Divides memory for HARALD_PACKETS packets of at most `length` octets into buffers. */
static inline void harald_buffers_open(struct harald_buffers *buffers, void *memory, size_t length) {
    memset(buffers, 0, sizeof *buffers);
    for (size_t i = 0; i < HARALD_PACKETS; i++) {
        buffers->parts[i].iov_base = (uint8_t *)memory + i * length;
        buffers->parts[i].iov_len = length;
        buffers->messages[i].header.msg_iov = &buffers->parts[i];
        buffers->messages[i].header.msg_iovlen = 1;
    }
}

/* Returns the number of octets of a received packet. */
static inline unsigned harald_buffers_length(const struct harald_buffers *buffers, size_t place) {
    return buffers->messages[place].length;
}

/* Receives the packets that have arrived, `most` at most; if `waits`, waits for the first one. Returns their number or a
   negative errno. The end of the stream is a packet without octets. */
static inline long harald_receive_packets(int descriptor, struct harald_buffers *buffers, unsigned most, _Bool waits) {
    /* The call for one packet takes less time. */
    if (most <= 1) {
        long count = syscall(SYS_recvfrom, descriptor, buffers->parts[0].iov_base, buffers->parts[0].iov_len,
                             waits ? 0 : MSG_DONTWAIT, NULL, NULL);
        if (count < 0) return -errno;
        buffers->messages[0].length = (unsigned)count;
        return 1;
    }
    if (most > HARALD_PACKETS) most = HARALD_PACKETS;
    long found = syscall(SYS_recvmmsg, descriptor, buffers->messages, most, waits ? HARALD_WAIT_FOR_ONE : MSG_DONTWAIT,
                         NULL);
    return found < 0 ? -errno : found;
}
#endif

#endif
