/* The referee with one host: advertising reports as fast as its socket takes them, one an event. */
#include "referee.h"
#include <time.h>

enum { FLOOD_AHEAD = 64 << 10 };     /* octets of reports that wait for the socket */

struct flood flood = { .devices = 500 };
static struct timespec began, ended;

static void report(struct host *host, unsigned device) {
    static const uint8_t manufacturer[] = { 20, 0xFF, 0xFF, 0xFF };
    uint8_t parameters[57] = { 0 }, *address, *data;
    size_t length;
    if (host->scans_extended) {
        parameters[0] = 0x0D, parameters[1] = 1, parameters[2] = 0x13;  /* a legacy ADV_IND */
        parameters[4] = 1, address = parameters + 5, parameters[11] = 1, parameters[13] = 0xFF, parameters[14] = 0x7F;
        parameters[15] = (uint8_t)-60, parameters[25] = 31, data = parameters + 26, length = 57;
    } else {
        parameters[0] = 0x02, parameters[1] = 1;
        parameters[3] = 1, address = parameters + 4, parameters[10] = 31, data = parameters + 11;
        parameters[42] = (uint8_t)-60, length = 43;
    }
    put16(address, device), put16(address + 2, 0x3344), put16(address + 4, 0xC655);
    /* Flags, a name of five letters, and what the maker has to say: 31 octets. */
    char name[8];
    snprintf(name, sizeof name, "d%04u", device % 10000);
    data[0] = 2, data[1] = 0x01, data[2] = 0x06, data[3] = 6, data[4] = 0x09;
    memcpy(data + 5, name, 5);
    memcpy(data + 10, manufacturer, sizeof manufacturer);
    memset(data + 14, (int)device, 17);
    event(host, LE_META, parameters, length);
}

/* Several datagrams a call: the referee shall not be what limits the rate. */
static void flush_datagrams(struct host *host) {
    while (host->fd >= 0 && waiting(host)) {
        struct mmsghdr messages[PACKETS_A_TURN] = { 0 };
        struct iovec parts[PACKETS_A_TURN];
        size_t count = 0, length = 0;
        for (size_t at = host->sent; at < host->queued && count < PACKETS_A_TURN; at += length, count++) {
            length = (size_t)packet_length(host->queue + at, host->queued - at);
            parts[count] = (struct iovec) { host->queue + at, length };
            messages[count].msg_hdr.msg_iov = &parts[count], messages[count].msg_hdr.msg_iovlen = 1;
        }
        int taken = sendmmsg(host->fd, messages, (unsigned)count, MSG_DONTWAIT | MSG_NOSIGNAL);
        host->writes++;
        if (taken < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (taken < 0) break;
        for (int i = 0; i < taken; i++) host->sent += parts[i].iov_len;
    }
    host->sent = host->queued = 0;
}

/* Reports are made once; after that they are copied from there. */
void pour(struct host *host) {
    static uint8_t *made;
    static size_t one;
    if (!made) {
        size_t before = host->queued;
        flush(host);
        if (waiting(host)) return;      /* the answer to the command goes first */
        before = host->queued;
        for (unsigned i = 0; i < flood.devices; i++) report(host, i);
        one = (host->queued - before) / flood.devices;
        made = malloc(host->queued - before);
        if (!made) perror("referee"), exit(1);
        memcpy(made, host->queue + before, host->queued - before);
        host->packets_out -= flood.devices, host->queued = before;
        clock_gettime(CLOCK_MONOTONIC, &began);
    }
    while (host->scans && flood.made < flood.wanted && waiting(host) < FLOOD_AHEAD)
        memcpy(append(host, one), made + one * (flood.made++ % flood.devices), one);
    if (host->keeps_packets) flush_datagrams(host);
    else flush(host);
    if (flood.made == flood.wanted && !waiting(host)) clock_gettime(CLOCK_MONOTONIC, &ended);
}

bool is_pouring(const struct host *host) { return host->scans && flood.made < flood.wanted; }

void print_flood(void) {
    printf("reports made=%lu seconds=%.3f\n", flood.made,
           (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) * 1e-9);
}
