/* What the parts of the referee share. */
#ifndef BENCHMARKS_REFEREE_H
#define BENCHMARKS_REFEREE_H

#include "hci.h"

enum {
    LINK = 0x0040,
    QUEUE_CAPACITY = 8 << 20,
    QUEUE_HIGH = 256 << 10,     /* with so much waiting for one host, the other is not read */
    PACKETS_A_TURN = 64,
    SOCKET_BUFFER = 1 << 20,
};

struct host {
    int listener, fd;
    bool keeps_packets, came;
    uint8_t public_address[6], random_address[6], own_address_kind;
    bool advertises, initiates, scans, scans_extended;
    uint8_t *input, *queue;
    size_t input_length, sent, queued;  /* queue[sent..<queued] waits for the socket */
    unsigned uncredited;                /* packets of this host's that went out and were not reported yet */
    uint64_t packets_in, packets_out, acl_in, reads, writes;
};

extern struct host hosts[2];
extern int host_count;
extern bool linked;
extern unsigned acl_count, acl_length;

/* What --reports asks for. */
extern struct flood {
    uint64_t wanted, made;
    unsigned devices;
    bool extended;
} flood;

static inline int number_of(const struct host *host) { return (int)(host - hosts); }
static inline struct host *peer_of(const struct host *host) { return &hosts[1 - number_of(host)]; }
static inline size_t waiting(const struct host *host) { return host->queued - host->sent; }

/* Room for a packet at the end of what waits for a host. */
uint8_t *append(struct host *host, size_t length);
/* Sends what the socket takes: from a packet socket's queue one packet a call, from a stream's as much as there is. */
void flush(struct host *host);
void event(struct host *host, uint8_t code, const uint8_t *parameters, size_t length);

/* Links the hosts once one advertises and the other connects. */
void link_if_both_want(void);
/* Ends the link; the end that did not ask for it is told the reason. */
void unlink_hosts(const struct host *by, uint8_t reason);

/* Does what a command says, and answers it. */
void command(struct host *host, const uint8_t *packet);

bool is_pouring(const struct host *host);
/* Queues and sends as many reports as the socket takes now. */
void pour(struct host *host);
/* Prints how many reports went out, and in what time. */
void print_flood(void);

#endif
