/* referee: the smallest LE controller that two host stacks can be compared on.
 *
 * It answers the commands that a host starts with, links the host that advertises with the host that connects, carries
 * ACL data from one to the other and reports it as completed once the other's socket has taken it. Nothing is paced.
 * On a packet socket it refuses a datagram that is not exactly one packet, as a kernel would misread it. With --reports it
 * has one host, which gets advertising reports as fast as its socket takes them. */
#include "referee.h"
#include <getopt.h>
#include <poll.h>

struct host hosts[2];
int host_count = 2;
bool linked;
unsigned acl_count = 64, acl_length = 251;

/* MARK: towards a host */

uint8_t *append(struct host *host, size_t length) {
    if (host->queued + length > QUEUE_CAPACITY) {
        memmove(host->queue, host->queue + host->sent, waiting(host));
        host->queued -= host->sent, host->sent = 0;
        if (host->queued + length > QUEUE_CAPACITY) {
            fprintf(stderr, "referee: host %d does not read what it gets\n", number_of(host));
            exit(4);
        }
    }
    host->queued += length;
    host->packets_out++;
    return host->queue + host->queued - length;
}

void flush(struct host *host) {
    while (host->fd >= 0 && waiting(host)) {
        const uint8_t *next = host->queue + host->sent;
        size_t length = host->keeps_packets ? (size_t)packet_length(next, waiting(host)) : waiting(host);
        ssize_t taken = send(host->fd, next, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        host->writes++;
        if (taken < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (taken < 0) break;
        host->sent += (size_t)taken;
    }
    host->sent = host->queued = 0;
}

void event(struct host *host, uint8_t code, const uint8_t *parameters, size_t length) {
    if (host->fd < 0) return;
    uint8_t *packet = append(host, 3 + length);
    packet[0] = EVENT, packet[1] = code, packet[2] = (uint8_t)length;
    memcpy(packet + 3, parameters, length);
}

static void credit(struct host *host) {
    uint8_t parameters[5] = { 1 };
    if (!host->uncredited) return;
    put16(parameters + 1, LINK);
    put16(parameters + 3, host->uncredited);
    host->uncredited = 0;
    event(host, COMPLETED_PACKETS, parameters, sizeof parameters);
}

/* MARK: the link */

static void tell_connected(struct host *host, uint8_t role) {
    const struct host *peer = peer_of(host);
    uint8_t parameters[19] = { 0x01, 0 };
    put16(parameters + 2, LINK);
    parameters[4] = role;
    parameters[5] = peer->own_address_kind;
    memcpy(parameters + 6, peer->own_address_kind ? peer->random_address : peer->public_address, 6);
    put16(parameters + 12, 6);          /* 7.5 ms */
    put16(parameters + 16, 500);        /* 5 s */
    event(host, LE_META, parameters, sizeof parameters);
}

void link_if_both_want(void) {
    for (int i = 0; i < 2 && host_count == 2 && !linked; i++) {
        struct host *central = &hosts[i], *peripheral = &hosts[1 - i];
        if (!central->initiates || !peripheral->advertises) continue;
        linked = true;
        central->initiates = peripheral->advertises = false;
        tell_connected(central, 0);
        tell_connected(peripheral, 1);
    }
}

void unlink_hosts(const struct host *by, uint8_t reason) {
    if (!linked) return;
    linked = false;
    for (int i = 0; i < 2; i++) {
        uint8_t parameters[4] = { 0 };
        put16(parameters + 1, LINK);
        parameters[3] = &hosts[i] == by ? 0x16 : reason;
        hosts[i].uncredited = 0;
        event(&hosts[i], DISCONNECTION_COMPLETE, parameters, sizeof parameters);
    }
}

/* MARK: from a host */

static void packet(struct host *host, const uint8_t *bytes, size_t length) {
    host->packets_in++;
    if (bytes[0] == COMMAND) command(host, bytes);
    if (bytes[0] != ACL) return;
    host->acl_in++;
    if (!linked || peer_of(host)->fd < 0) return;
    uint8_t *copy = append(peer_of(host), length);
    memcpy(copy, bytes, length);
    if ((copy[2] & 0x30) == 0) copy[2] |= 0x20; /* a first fragment is flushable towards the host */
    host->uncredited++;
}

static void refuse(const struct host *host, size_t length, int first) {
    printf("host%d refused_datagram=%zu first_packet=%d\n", number_of(host), length, first);
    fprintf(stderr, "referee: host %d sent a datagram of %zu octets that begins with a packet of %d: "
            "one datagram is one packet, or a kernel misreads it\n", number_of(host), length, first);
    exit(3);
}

static void consume(struct host *host) {
    size_t taken = 0;
    int length;
    while ((length = packet_length(host->input + taken, host->input_length - taken)) > 0
           && host->input_length - taken >= (size_t)length) {
        packet(host, host->input + taken, (size_t)length);
        taken += (size_t)length;
    }
    if (length < 0) {
        fprintf(stderr, "referee: host %d sent %02X where a packet begins\n", number_of(host), host->input[taken]);
        exit(3);
    }
    memmove(host->input, host->input + taken, host->input_length -= taken);
}

/* Reads what is there, up to a turn's worth; false when the host has left. */
static bool receive(struct host *host) {
    for (int i = 0; i < PACKETS_A_TURN; i++) {
        ssize_t length = recv(host->fd, host->input + host->input_length, LARGEST_PACKET, MSG_DONTWAIT);
        host->reads++;
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (length <= 0) return false;
        if (!host->keeps_packets) {
            host->input_length += (size_t)length;
            consume(host);
            return true;
        }
        int first = packet_length(host->input, (size_t)length);
        if (first != length) refuse(host, (size_t)length, first);
        packet(host, host->input, (size_t)length);
    }
    return true;
}

/* MARK: the program */

static void listen_at(struct host *host, const char *text) {
    struct place place = place_named(text);
    if (place.family == AF_UNIX) unlink(place.address.local.sun_path);
    host->keeps_packets = place.keeps_packets;
    host->listener = place_socket(&place);
    if (bind(host->listener, &place.address.any, place.length) || listen(host->listener, 1)) perror(text), exit(1);
    getsockname(host->listener, &place.address.any, &place.length);
    if (place.family == AF_INET) printf(" tcp:%u", ntohs(place.address.inet.sin_port));
    else printf(" %s", text);
}

static void welcome(struct host *host) {
    int one = 1, size = SOCKET_BUFFER;
    host->fd = accept(host->listener, NULL, NULL);
    if (host->fd < 0) return;
    setsockopt(host->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(host->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(host->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    host->came = true;
    host->input_length = host->sent = host->queued = 0;
}

static void bid_farewell(struct host *host) {
    if (host_count == 2) unlink_hosts(host, 0x08), flush(peer_of(host));
    close(host->fd);
    host->fd = -1;
    host->advertises = host->initiates = host->scans = false;
}

/* True once every host has come and gone. */
static bool is_over(void) {
    for (int i = 0; i < host_count; i++) if (!hosts[i].came || hosts[i].fd >= 0) return false;
    return true;
}

static void serve(void) {
    while (!is_over()) {
        struct pollfd polled[2];
        for (int i = 0; i < host_count; i++) {
            struct host *host = &hosts[i];
            bool reads = host_count == 1 || waiting(peer_of(host)) < QUEUE_HIGH;
            polled[i].fd = host->fd < 0 ? host->listener : host->fd;
            polled[i].events = (short)((reads ? POLLIN : 0) | (waiting(host) || is_pouring(host) ? POLLOUT : 0));
        }
        if (poll(polled, (nfds_t)host_count, -1) < 0 && errno != EINTR) perror("poll"), exit(1);
        for (int i = 0; i < host_count; i++) {
            struct host *host = &hosts[i], *peer = host_count == 2 ? peer_of(host) : NULL;
            if (!polled[i].revents) continue;
            if (host->fd < 0) {
                welcome(host);
                continue;
            }
            if (polled[i].revents & POLLOUT) flush(host);
            bool stays = true;
            if (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) stays = receive(host);
            if (peer) flush(peer);
            if (!stays) {
                bid_farewell(host);
                continue;
            }
            if (is_pouring(host)) pour(host);
            /* What the peer's socket has taken is completed; the rest once it has. */
            if (peer && !waiting(peer)) credit(host);
            flush(host);
            if (peer && peer->uncredited && !waiting(host)) credit(peer), flush(peer);
        }
    }
}

static const char usage[] =
    "usage: referee [--acl-count N] [--acl-length N] ADDRESS ADDRESS\n"
    "       referee --reports N [--devices N] [--extended] ADDRESS\n"
    "\n"
    "A controller without a radio for two hosts, which it links with each other, or for one, which gets N advertising\n"
    "reports of 31 octets from 500 devices in turn as soon as it scans. ADDRESS is seq:PATH (one packet a datagram),\n"
    "unix:PATH or tcp:PORT; port 0 is any. Prints ADDRESSES and where it listens, and at the end, when the hosts have\n"
    "left, what each of them sent and got. Exit status 3: a host sent what is no packet.\n";

static unsigned long number(const char *text, unsigned long least, unsigned long most) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text && !*end && value >= least && value <= most) return value;
    fprintf(stderr, "referee: '%s' is not a number from %lu to %lu\n", text, least, most);
    exit(64);
}

static void take_options(int count, char **words) {
    static const struct option options[] = {
        { "acl-count", required_argument, NULL, 'c' }, { "acl-length", required_argument, NULL, 'l' },
        { "reports", required_argument, NULL, 'r' }, { "devices", required_argument, NULL, 'd' },
        { "extended", no_argument, NULL, 'e' }, { "help", no_argument, NULL, 'h' }, { 0 },
    };
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        switch (option) {
        case 'c': acl_count = (unsigned)number(optarg, 1, 255); break;
        case 'l': acl_length = (unsigned)number(optarg, 27, 0xFFFF); break;
        case 'r': flood.wanted = number(optarg, 1, UINT32_MAX), host_count = 1; break;
        case 'd': flood.devices = (unsigned)number(optarg, 1, 10000); break;
        case 'e': flood.extended = true; break;
        case 'h': fputs(usage, stdout); exit(0);
        default: fputs(usage, stderr); exit(64);
        }
    }
    if (count - optind != host_count) fputs(usage, stderr), exit(64);
}

int main(int count, char **words) {
    take_options(count, words);
    printf("ADDRESSES");
    for (int i = 0; i < host_count; i++) {
        struct host *host = &hosts[i];
        const uint8_t address[6] = { (uint8_t)(i + 1), 0x22, 0x33, 0x44, 0x55, 0xC6 };
        memcpy(host->public_address, address, 6);
        host->fd = -1;
        host->input = malloc(2 * LARGEST_PACKET);
        host->queue = malloc(QUEUE_CAPACITY);
        if (!host->input || !host->queue) perror("referee"), exit(1);
        listen_at(host, words[optind + i]);
    }
    printf("\n");
    fflush(stdout);
    serve();
    for (int i = 0; i < host_count; i++)
        printf("host%d packets_in=%lu packets_out=%lu acl_in=%lu reads=%lu writes=%lu\n", i, hosts[i].packets_in,
               hosts[i].packets_out, hosts[i].acl_in, hosts[i].reads, hosts[i].writes);
    if (host_count == 1) print_flood();
    return 0;
}
