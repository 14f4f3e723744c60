/* What the referee and the floor both know: addresses of sockets and the shape of an H4 packet
 * (Core 6.0, Vol 4, Part A, 2). */
#ifndef BENCHMARKS_HCI_H
#define BENCHMARKS_HCI_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { COMMAND = 1, ACL = 2, EVENT = 4 };
enum { LARGEST_PACKET = 5 + 0xFFFF };

enum {
    DISCONNECTION_COMPLETE = 0x05,
    COMMAND_COMPLETE = 0x0E,
    COMMAND_STATUS = 0x0F,
    COMPLETED_PACKETS = 0x13,
    LE_META = 0x3E,
};

static inline uint16_t get16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline void put16(uint8_t *p, unsigned value) { p[0] = (uint8_t)value, p[1] = (uint8_t)(value >> 8); }
static inline void put32(uint8_t *p, uint32_t value) { put16(p, value), put16(p + 2, value >> 16); }

/* How long the packet is that begins at p, of which `have` octets came so far. 0: too few to tell; -1: none begins so. */
static inline int packet_length(const uint8_t *p, size_t have) {
    if (have == 0) return 0;
    switch (p[0]) {
    case COMMAND: return have < 4 ? 0 : 4 + p[3];
    case ACL: return have < 5 ? 0 : 5 + get16(p + 3);
    case EVENT: return have < 3 ? 0 : 3 + p[2];
    default: return -1;
    }
}

/* Where a host and the referee meet: seq:PATH, unix:PATH or tcp:PORT. */
struct place {
    bool keeps_packets;         /* each datagram is one packet; otherwise a stream */
    int family;
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_in inet;
    } address;
    socklen_t length;
};

/* Ends the program where the text names no place. */
static inline struct place place_named(const char *text) {
    struct place place = { .keeps_packets = strncmp(text, "seq:", 4) == 0 };
    char *end = NULL;
    if (place.keeps_packets || strncmp(text, "unix:", 5) == 0) {
        const char *path = strchr(text, ':') + 1;
        place.family = place.address.local.sun_family = AF_UNIX;
        place.length = sizeof place.address.local;
        if (*path && strlen(path) < sizeof place.address.local.sun_path) {
            strcpy(place.address.local.sun_path, path);
            return place;
        }
    } else if (strncmp(text, "tcp:", 4) == 0) {
        unsigned long port = strtoul(text + 4, &end, 10);
        place.family = place.address.inet.sin_family = AF_INET;
        place.address.inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        place.address.inet.sin_port = htons((uint16_t)port);
        place.length = sizeof place.address.inet;
        if (end != text + 4 && !*end && port <= 0xFFFF) return place;
    }
    fprintf(stderr, "'%s' is no address: it is seq:PATH, unix:PATH or tcp:PORT\n", text);
    exit(64);
}

static inline int place_socket(const struct place *place) {
    int one = 1, fd = socket(place->family, place->keeps_packets ? SOCK_SEQPACKET : SOCK_STREAM, 0);
    if (fd < 0) perror("socket"), exit(1);
    if (place->family == AF_INET) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    }
    return fd;
}

#endif
