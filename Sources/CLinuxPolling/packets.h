// Sends several packets with one system call, on a socket that keeps packet boundaries.
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

/* The maximum number of packets in one call. */
enum { HARALD_PACKETS = 16 };

/* The structure of sendmmsg(2), which the C library declares only for _GNU_SOURCE. */
struct harald_message {
    struct msghdr header;
    unsigned length;
};

/* Sends packets in order; packet i begins at slots + i * slot_size and has lengths[i] octets. Clears batches if the
   socket accepts only one packet in a call: HCI sockets refuse MSG_BATCH, which the kernel sets. Returns the number of
   packets that were sent, and sets code to the errno for which the next one was not, or to 0 if all were sent. */
static inline unsigned harald_send_packets(int descriptor, const void *slots, size_t slot_size, const uint32_t *lengths,
                                           unsigned count, _Bool *batches, int *code) {
    struct harald_message messages[HARALD_PACKETS];
    struct iovec parts[HARALD_PACKETS];
    unsigned sent = 0, flags = MSG_NOSIGNAL | MSG_DONTWAIT;
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
        long result = left > 1 ? syscall(SYS_sendmmsg, descriptor, messages + sent, left, flags)
            : send(descriptor, parts[sent].iov_base, parts[sent].iov_len, (int)flags) < 0 ? -1 : 1;
        if (result > 0) {
            sent += (unsigned)result;
        } else if (result < 0 && errno == EINVAL && left > 1) {
            *batches = 0;
        } else if (result == 0 || errno != EINTR) {
            *code = result == 0 ? EAGAIN : errno;
            break;
        }
    }
    return sent;
}
#endif

#endif
