/* floor: both ends of a measurement with no host stack at all, only the packets that it takes, made by hand.
 *
 * Nothing can be quicker, so this is what stacks are measured against, and a peer that takes as little as possible of the
 * time of a measurement. One system call a packet, one thread, blocking. */
#include "hci.h"
#include <sys/resource.h>
#include <time.h>

enum { MTU = 247, ATT_CHANNEL = 4, SIGNALLING_CHANNEL = 5, LONGEST_VALUE = 244, READ_SIZE = 20 };
/* The credit-based channel: its PSM, its identifier at either end, its limits, and what is sent through it at a time. */
enum { SPSM = 0x80, DATA_CHANNEL = 0x40, SDU_SIZE = 2048, MPS = 247, WINDOW = 4, TRANSFER_SIZE = 65536 };
enum { CREDITS_OF_SDU = (SDU_SIZE + 2 + MPS - 1) / MPS };
/* Where the values of FFF1 (read), FFF2 (notify), FFF3 (sink), FFF4 (control) and FFF5 (stats) are in this server. */
enum { READ_HANDLE = 3, NOTIFY_HANDLE = 6, SINK_HANDLE = 9, CONTROL_HANDLE = 12, STATS_HANDLE = 15 };
/* What is written to FFF4: an operation, a size (16 bits) and a count (32 bits). */
enum { MARK = 1, NOTIFY = 3, QUIT = 9 };

enum {
    ERROR_RESPONSE = 0x01, MTU_REQUEST = 0x02, MTU_RESPONSE = 0x03, READ_REQUEST = 0x0A, READ_RESPONSE = 0x0B,
    WRITE_REQUEST = 0x12, WRITE_RESPONSE = 0x13, NOTIFICATION = 0x1B, WRITE_COMMAND = 0x52,
};

/* What FFF5 has, and what a client keeps of itself: microseconds, what came on FFF3, voluntary context switches. */
struct statistics { uint64_t user, system, sink_bytes; uint32_t sink_count, switches; };

/* MARK: packets */

static int fd;
static bool keeps_packets;
static uint8_t input[128 << 10];
static size_t from, to;         /* input[from..<to] came on a stream and was not looked at */
static unsigned credits;        /* packets that the controller takes now */
static uint16_t link_handle;    /* 0 before there is a link */

static void leave(const char *why) {
    fprintf(stderr, "floor: %s\n", why);
    exit(1);
}

static void put(const uint8_t *packet, size_t length) {
    if (send(fd, packet, length, MSG_NOSIGNAL) != (ssize_t)length) leave("the controller takes no packets any more");
}

/* The next packet; it stays where it is until the one after it is asked for. */
static const uint8_t *next_packet(void) {
    for (;;) {
        int length = keeps_packets ? 0 : packet_length(input + from, to - from);
        if (length < 0) leave("the controller sent what is no packet");
        if (length > 0 && (size_t)length <= to - from) {
            from += (size_t)length;
            return input + from - length;
        }
        if (keeps_packets) from = to = 0;
        memmove(input, input + from, to - from);
        to -= from, from = 0;
        ssize_t got = recv(fd, input + to, sizeof input - to, 0);
        if (got <= 0) leave("the controller is gone");
        if (keeps_packets) return input;
        to += (size_t)got;
    }
}

static void command(uint16_t opcode, const uint8_t *parameters, uint8_t length) {
    uint8_t sent[4 + 255] = { COMMAND };
    put16(sent + 1, opcode);
    sent[3] = length;
    memcpy(sent + 4, parameters, length);
    put(sent, 4 + (size_t)length);
    for (;;) {
        const uint8_t *got = next_packet();
        if (got[0] != EVENT) continue;
        if (got[1] == COMMAND_STATUS) return;
        if (got[1] != COMMAND_COMPLETE || get16(got + 4) != opcode) continue;
        if (opcode == 0x2002) credits = got[9];     /* LE Read Buffer Size */
        return;
    }
}

/* Takes note of an event; true where the packet is data. */
static bool is_data(const uint8_t *got) {
    if (got[0] == ACL) return true;
    if (got[1] == COMPLETED_PACKETS) credits += get16(got + 6);
    else if (got[1] == DISCONNECTION_COMPLETE) exit(0);
    else if (got[1] == LE_META && got[3] == 0x01) link_handle = get16(got + 5);
    return false;
}

static void await_link(void) { while (!link_handle) is_data(next_packet()); }

/* MARK: L2CAP */

/* What came through the channel, and the credits that the peer gave; it is open when `is_open`. */
static struct { bool is_open; unsigned credits; size_t left, used; uint64_t bytes; uint32_t count; } channel;

static void pdu(uint16_t cid, const uint8_t *bytes, size_t length);

/* LE signalling (Core 6.0, Vol 3, Part A, 4.22 to 4.24). */
static void take_signal(const uint8_t *got) {
    switch (got[0]) {
    case 0x14: {
        uint8_t response[14] = { 0x15, got[1], 10 };
        put16(response + 4, DATA_CHANNEL), put16(response + 6, SDU_SIZE), put16(response + 8, MPS);
        put16(response + 10, WINDOW * CREDITS_OF_SDU);
        channel.is_open = true, channel.credits = get16(got + 12);
        pdu(SIGNALLING_CHANNEL, response, sizeof response);
        break;
    }
    case 0x15:
        if (get16(got + 12)) leave("the server refuses the channel");
        if (get16(got + 4) != DATA_CHANNEL || get16(got + 6) != SDU_SIZE || get16(got + 8) != MPS)
            leave("the server's channel is another one than the floor's");
        channel.is_open = true, channel.credits = get16(got + 10);
        break;
    case 0x16:
        channel.credits += get16(got + 6);
    }
}

/* A frame of the channel. Its credits go back with the last one of a message, as stacks do it. */
static void take_frame(const uint8_t *got, size_t length) {
    static uint8_t sent[8] = { 0x16, 0, 4, 0, DATA_CHANNEL };
    channel.used++;
    if (!channel.left) channel.left = get16(got), length -= 2, channel.count++;
    channel.bytes += length, channel.left -= length;
    if (channel.left) return;
    sent[1] = sent[1] == 0xFF ? 1 : sent[1] + 1;
    put16(sent + 6, (unsigned)channel.used);
    channel.used = 0;
    pdu(SIGNALLING_CHANNEL, sent, sizeof sent);
}

/* True where the packet is of ATT. */
static bool is_att(const uint8_t *got) {
    if (!is_data(got)) return false;
    if (get16(got + 7) == SIGNALLING_CHANNEL) take_signal(got + 9);
    else if (get16(got + 7) == DATA_CHANNEL) take_frame(got + 9, get16(got + 5));
    else return true;
    return false;
}

static void pdu(uint16_t cid, const uint8_t *bytes, size_t length) {
    static uint8_t sent[9 + 3 + LONGEST_VALUE] = { [0] = ACL };
    while (!credits) is_att(next_packet());
    credits--;
    put16(sent + 1, link_handle), put16(sent + 3, (unsigned)length + 4), put16(sent + 5, (unsigned)length);
    put16(sent + 7, cid);
    memcpy(sent + 9, bytes, length);
    put(sent, 9 + length);
}

/* MARK: ATT */

static void att(const uint8_t *bytes, size_t length) { pdu(ATT_CHANNEL, bytes, length); }

static const uint8_t *next_pdu(size_t *length) {
    const uint8_t *got;
    while (!is_att(got = next_packet())) {}
    *length = get16(got + 5);
    return got + 9;
}

static void respond_mtu(void) {
    uint8_t response[3] = { MTU_RESPONSE };
    put16(response + 1, MTU);
    att(response, 3);
}

/* The next PDU of that kind. */
static const uint8_t *expect(uint8_t kind, size_t *length) {
    for (;;) {
        const uint8_t *got = next_pdu(length);
        if (got[0] == kind) return got;
        if (got[0] == ERROR_RESPONSE) leave("the server answers with an error");
        if (got[0] == MTU_REQUEST) respond_mtu();
        if (got[0] == READ_REQUEST || (got[0] >= 0x04 && got[0] <= 0x12 && got[0] % 2 == 0)) {
            /* A server that is a client too may look around here; there is nothing. */
            const uint8_t error[5] = { ERROR_RESPONSE, got[0], got[1], got[2], 0x0A };
            att(error, 5);
        }
    }
}

/* MARK: statistics */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct statistics used(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct statistics) {
        .user = (uint64_t)usage.ru_utime.tv_sec * 1000000 + (uint64_t)usage.ru_utime.tv_usec,
        .system = (uint64_t)usage.ru_stime.tv_sec * 1000000 + (uint64_t)usage.ru_stime.tv_usec,
        .switches = (uint32_t)usage.ru_nvcsw,
    };
}

static struct statistics since(struct statistics mark) {
    struct statistics now = used();
    now.user -= mark.user, now.system -= mark.system, now.switches -= mark.switches;
    return now;
}

/* MARK: the server */

static void serve(void) {
    uint8_t value[1 + LONGEST_VALUE + 2] = { 0 };
    struct statistics mark = used();
    uint64_t sink_bytes = 0;
    uint32_t sink_count = 0;
    size_t length;
    for (;;) {
        const uint8_t *got = next_pdu(&length);
        uint16_t handle = length >= 3 ? get16(got + 1) : 0;
        switch (got[0]) {
        case WRITE_COMMAND:
            sink_count++, sink_bytes += length - 3;
            break;
        case MTU_REQUEST:
            respond_mtu();
            break;
        case READ_REQUEST:
            value[0] = READ_RESPONSE;
            memset(value + 1, 0, READ_SIZE);
            if (handle == STATS_HANDLE) {
                struct statistics now = since(mark);
                now.sink_bytes = sink_bytes + channel.bytes, now.sink_count = sink_count + channel.count;
                memcpy(value + 1, &now, sizeof now);
            }
            att(value, 1 + (handle == STATS_HANDLE ? sizeof(struct statistics) : READ_SIZE));
            break;
        case WRITE_REQUEST: {
            uint8_t operation = handle == CONTROL_HANDLE && length >= 10 ? got[3] : 0;
            uint16_t size = operation ? get16(got + 4) : 0;
            uint32_t count = operation ? get16(got + 6) | (uint32_t)get16(got + 8) << 16 : 0;
            if (operation == MARK) mark = used(), sink_bytes = 0, sink_count = 0, channel.bytes = 0, channel.count = 0;
            value[0] = WRITE_RESPONSE;
            att(value, 1);
            if (operation == QUIT) exit(0);
            if (operation != NOTIFY || size > LONGEST_VALUE) break;
            value[0] = NOTIFICATION;
            put16(value + 1, NOTIFY_HANDLE);
            memset(value + 3, 0xAA, size);
            while (count--) att(value, 3 + (size_t)size);
            break;
        }
        default: {
            const uint8_t error[5] = { ERROR_RESPONSE, got[0], (uint8_t)handle, (uint8_t)(handle >> 8), 0x0A };
            att(error, 5);
        }
        }
    }
}

/* MARK: the client */

static struct { const char *label; uint16_t read, notify, sink, control, stats; } plan;

static void write_value(uint16_t handle, const uint8_t *value, size_t length) {
    uint8_t request[16] = { WRITE_REQUEST };
    put16(request + 1, handle);
    memcpy(request + 3, value, length);
    att(request, 3 + length);
    expect(WRITE_RESPONSE, &length);
}

static void control(uint8_t operation, unsigned size, uint32_t count) {
    uint8_t value[7] = { operation };
    put16(value + 1, size), put32(value + 3, count);
    write_value(plan.control, value, sizeof value);
}

static const uint8_t *read_value(uint16_t handle) {
    uint8_t request[3] = { READ_REQUEST };
    size_t length;
    put16(request + 1, handle);
    att(request, 3);
    return expect(READ_RESPONSE, &length) + 1;
}

static uint64_t do_reads(uint32_t count, unsigned size) {
    for (uint32_t i = 0; i < count; i++) read_value(plan.read);
    return (uint64_t)count * size;
}

static uint64_t do_notifications(uint32_t count, unsigned size) {
    uint64_t bytes = 0;
    size_t length;
    control(NOTIFY, size, count);
    for (uint32_t i = 0; i < count; i++) expect(NOTIFICATION, &length), bytes += length - 3;
    return bytes;
}

static uint64_t do_writes(uint32_t count, unsigned size) {
    uint8_t sent[3 + LONGEST_VALUE] = { WRITE_COMMAND };
    put16(sent + 1, plan.sink);
    for (uint32_t i = 0; i < count; i++) att(sent, 3 + size);
    return (uint64_t)count * size;
}

/* Opens the channel if it is not open, and sends 65,536 octets `count` times. */
static uint64_t do_transfers(uint32_t count, unsigned size) {
    uint8_t sent[MPS];
    if (!channel.is_open) {
        uint8_t request[14] = { 0x14, 1, 10 };
        put16(request + 4, SPSM), put16(request + 6, DATA_CHANNEL), put16(request + 8, SDU_SIZE);
        put16(request + 10, MPS), put16(request + 12, WINDOW * CREDITS_OF_SDU);
        pdu(SIGNALLING_CHANNEL, request, sizeof request);
        while (!channel.is_open) is_att(next_packet());
    }
    memset(sent, 0x55, sizeof sent);
    for (uint32_t i = 0; i < count * (size / SDU_SIZE); i++) {
        put16(sent, SDU_SIZE);
        for (size_t left = SDU_SIZE + 2; left;) {
            size_t length = left < MPS ? left : MPS;
            while (!channel.credits) is_att(next_packet());
            channel.credits--, left -= length;
            pdu(DATA_CHANNEL, sent, length);
            sent[0] = sent[1] = 0x55;
        }
    }
    return (uint64_t)count * size;
}

static void cpu(const char *name, const struct statistics *part, double count) {
    printf(" %s=%.2f (u%.2f s%.2f)", name, (double)(part->user + part->system) / count, (double)part->user / count,
           (double)part->system / count);
}

static void measure(const char *name, uint64_t (*work)(uint32_t, unsigned), uint32_t count, unsigned size) {
    bool unanswered = work == do_writes || work == do_transfers;
    uint32_t values = work == do_transfers ? count * (size / SDU_SIZE) : count;
    struct statistics client, server;
    control(MARK, 0, 0);
    client = used();
    double time = seconds();
    uint64_t bytes = work(count, size);
    if (!unanswered) time = seconds() - time;
    client = since(client);
    memcpy(&server, read_value(plan.stats), sizeof server);
    if (unanswered) {
        /* What nobody answers is over when the server has it, and the read came behind it. */
        time = seconds() - time, bytes = server.sink_bytes;
        if (server.sink_count != values) printf("%s LOST %d\n", plan.label, (int)(values - server.sink_count));
    }
    printf("%s %s%u n=%u rate=%.0f/s us=%.2f", plan.label, name, size, count, count / time, time / count * 1e6);
    cpu("cli_cpu_us", &client, count);
    cpu("srv_cpu_us", &server, count);
    printf(" MBps=%.2f cli_csw=%.2f srv_csw=%.2f\n", (double)bytes / time / 1e6, client.switches / (double)count,
           server.switches / (double)count);
    fflush(stdout);
}

/* Connects to the second host of the referee by its public address. */
static void connect_to_server(void) {
    static const uint8_t parameters[25] = {
        0x60, 0, 0x30, 0, 0, 0, 0x02, 0x22, 0x33, 0x44, 0x55, 0xC6, 0, 6, 0, 6, 0, 0, 0, 0xF4, 0x01,
    };
    uint8_t mtu[3] = { MTU_REQUEST };
    size_t length;
    command(0x200D, parameters, sizeof parameters);
    await_link();
    put16(mtu + 1, MTU);
    att(mtu, 3);
    expect(MTU_RESPONSE, &length);
    write_value(plan.notify + 1, (const uint8_t[]) { 1, 0 }, 2);
}

/* MARK: advertising reports */

/* Takes so many and looks at no more of them than where they end. */
static void count_reports(uint32_t count) {
    command(0x200C, (const uint8_t[]) { 1, 0 }, 2);
    double time = seconds();
    for (uint32_t left = count; left;) {
        const uint8_t *got = next_packet();
        if (got[0] == EVENT && got[1] == LE_META && got[3] == 0x02) left -= got[4];
    }
    time = seconds() - time;
    printf("floor n=%u rate=%.0f/s\n", count, count / time);
}

/* MARK: the program */

static const char usage[] =
    "usage: floor srv ADDRESS\n"
    "       floor [--only NAME,...] cli ADDRESS LABEL READS OPERATIONS READ NOTIFY SINK CONTROL STATS\n"
    "       floor reports ADDRESS COUNT\n"
    "\n"
    "An ATT server or client with no stack, on a referee at ADDRESS (seq:PATH, unix:PATH, tcp:PORT). srv prints HANDLES\n"
    "and the five numbers that cli ends with; cli prints one line a measurement: read20, notify20, notify244, wwr20,\n"
    "wwr244, channel65536 (65,536 octets through an L2CAP channel, for each 200 operations once), or only those that\n"
    "are named. reports scans until so many reports came from `referee --reports COUNT`.\n";

static void open_controller(const char *address) {
    struct place place = place_named(address);
    keeps_packets = place.keeps_packets;
    fd = place_socket(&place);
    if (connect(fd, &place.address.any, place.length)) perror(address), exit(1);
    command(0x0C03, NULL, 0);
    command(0x2002, NULL, 0);
}

static uint32_t number(const char *text) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text && !*end && value <= UINT32_MAX) return (uint32_t)value;
    fprintf(stderr, "floor: '%s' is not a number\n", text);
    exit(64);
}

static bool is_wanted(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length])) return true;
    return !names;
}

int main(int count, char **words) {
    static const struct { const char *whole, *name; uint64_t (*work)(uint32_t, unsigned); unsigned size; } all[] = {
        { "read20", "read", do_reads, READ_SIZE }, { "notify20", "notify", do_notifications, 20 },
        { "notify244", "notify", do_notifications, 244 }, { "wwr20", "wwr", do_writes, 20 },
        { "wwr244", "wwr", do_writes, 244 }, { "channel65536", "channel", do_transfers, TRANSFER_SIZE },
    };
    const char *only = NULL;
    if (count > 2 && strcmp(words[1], "--only") == 0) only = words[2], words += 2, count -= 2;
    if (count == 3 && strcmp(words[1], "srv") == 0) {
        open_controller(words[2]);
        printf("HANDLES %d %d %d %d %d\n", READ_HANDLE, NOTIFY_HANDLE, SINK_HANDLE, CONTROL_HANDLE, STATS_HANDLE);
        fflush(stdout);
        command(0x200A, (const uint8_t[]) { 1 }, 1);
        await_link();
        serve();
    } else if (count == 4 && strcmp(words[1], "reports") == 0) {
        uint32_t reports = number(words[3]);
        open_controller(words[2]);
        count_reports(reports);
        return 0;
    } else if (count == 11 && strcmp(words[1], "cli") == 0) {
        uint32_t reads = number(words[4]), operations = number(words[5]);
        uint16_t *handles[] = { &plan.read, &plan.notify, &plan.sink, &plan.control, &plan.stats };
        plan.label = words[3];
        for (int i = 0; i < 5; i++) *handles[i] = (uint16_t)number(words[6 + i]);
        open_controller(words[2]);
        connect_to_server();
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (is_wanted(only, all[i].whole))
                measure(all[i].name, all[i].work, all[i].work == do_reads ? reads
                    : all[i].work == do_transfers ? (operations + 199) / 200 : operations, all[i].size);
        control(QUIT, 0, 0);
        return 0;
    }
    fputs(usage, count == 2 && strcmp(words[1], "--help") == 0 ? stdout : stderr);
    return count == 2 && strcmp(words[1], "--help") == 0 ? 0 : 64;
}
