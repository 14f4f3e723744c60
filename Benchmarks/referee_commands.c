/* The commands that the referee answers, and how; whatever else a host asks for is an unknown command. */
#include "referee.h"

static void complete(struct host *host, uint16_t opcode, const uint8_t *answer, size_t length) {
    uint8_t parameters[255] = { 1 };
    put16(parameters + 1, opcode);
    memcpy(parameters + 3, answer, length);
    event(host, COMMAND_COMPLETE, parameters, 3 + length);
}

static void status(struct host *host, uint16_t opcode, uint8_t code) {
    uint8_t parameters[4] = { code, 1 };
    put16(parameters + 2, opcode);
    event(host, COMMAND_STATUS, parameters, sizeof parameters);
}

/* An event of the link for both its ends: LE subevents, or an event of its own code. */
static void tell_both(uint8_t code, const uint8_t *parameters, size_t length) {
    for (int i = 0; i < 2; i++) event(&hosts[i], code, parameters, length);
}

/* Octets and bits of Read Local Supported Commands (Core 6.0, Vol 4, Part E, 6.27). */
static const uint8_t supported_commands[][2] = {
    { 0, 0x20 }, { 2, 0x80 }, { 5, 0xC0 }, { 14, 0xA8 }, { 15, 0x02 }, { 25, 0xF7 }, { 26, 0xFF }, { 27, 0xF7 },
    { 28, 0x0F }, { 33, 0xC0 }, { 34, 0x01 }, { 35, 0x08 },
};
/* ... and those of extended advertising, scanning and connecting. */
static const uint8_t extended_commands[][2] = { { 36, 0xFE }, { 37, 0xE3 } };

/* Answers with `length` octets of which the first is the status; false where the command is another group's. */
static bool controller_command(struct host *host, uint16_t opcode, uint8_t *answer, size_t *length) {
    switch (opcode) {
    case 0x0C03:    /* Reset */
        if (host_count == 2) unlink_hosts(host, 0x08);
        host->advertises = host->initiates = host->scans = false;
        return true;
    case 0x1001: {  /* Read Local Version Information */
        static const uint8_t version[] = { 0, 0x0B, 0, 0, 0x0B, 0xFF, 0xFF, 0, 0 };
        memcpy(answer, version, *length = sizeof version);
        return true;
    }
    case 0x1002:    /* Read Local Supported Commands */
        for (size_t i = 0; i < sizeof supported_commands / 2; i++)
            answer[1 + supported_commands[i][0]] |= supported_commands[i][1];
        for (size_t i = 0; flood.extended && i < sizeof extended_commands / 2; i++)
            answer[1 + extended_commands[i][0]] |= extended_commands[i][1];
        *length = 65;
        return true;
    case 0x1003:    /* Read Local Supported Features: no BR/EDR, LE */
        answer[5] = 0x60, *length = 9;
        return true;
    case 0x1005:    /* Read Buffer Size */
        put16(answer + 1, acl_length), put16(answer + 4, acl_count), *length = 8;
        return true;
    case 0x1009:    /* Read BD_ADDR */
        memcpy(answer + 1, host->public_address, 6), *length = 7;
        return true;
    case 0x0C14:    /* Read Local Name */
        *length = 249;
        return true;
    case 0x0C01: case 0x0C13: case 0x0C63: case 0x0C6D:     /* event masks, name, LE host support */
        return true;
    default:
        return false;
    }
}

static bool le_command(struct host *host, uint16_t opcode, const uint8_t *p, uint8_t *answer, size_t *length) {
    switch (opcode) {
    case 0x2002: put16(answer + 1, acl_length), answer[3] = (uint8_t)acl_count, *length = 4; return true;
    case 0x2003:    /* encryption, data length extension, extended advertising */
        answer[1] = 0x21, answer[2] = flood.extended ? 0x10 : 0, *length = 9;
        return true;
    case 0x2005: memcpy(host->random_address, p, 6); return true;
    case 0x2006: host->own_address_kind = p[5] & 1; return true;
    case 0x2007: *length = 2; return true;
    case 0x200A: host->advertises = p[0]; return true;
    case 0x200C: case 0x2042: host->scans = p[0], host->scans_extended = opcode == 0x2042; return true;
    case 0x200E: host->initiates = false; return true;
    case 0x200F: answer[1] = 8, *length = 2; return true;
    case 0x2017: *length = 17; return true;
    case 0x2018: for (int i = 1; i < 9; i++) answer[i] = (uint8_t)rand(); *length = 9; return true;
    case 0x201C: memset(answer + 1, 0xFF, 5), answer[6] = 0x03, *length = 9; return true;
    case 0x2023: put16(answer + 1, 251), put16(answer + 3, 2120), *length = 5; return true;
    case 0x202F:
        for (int i = 1; i < 9; i += 4) put16(answer + i, 251), put16(answer + i + 2, 2120);
        *length = 9;
        return true;
    case 0x203A: put16(answer + 1, 31), *length = 3; return true;
    case 0x203B: answer[1] = 1, *length = 2; return true;
    case 0x2001: case 0x2008: case 0x2009: case 0x200B: case 0x2010: case 0x2011: case 0x2012: case 0x2024: case 0x2041:
        return true;
    default:
        return false;
    }
}

/* Commands that are answered by a status, and by an event when what they began has ended. */
static bool link_command(struct host *host, uint16_t opcode, const uint8_t *p) {
    uint8_t parameters[13] = { 0 };
    put16(parameters + 2, LINK);
    switch (opcode) {
    case 0x200D:    /* LE Create Connection */
        host->own_address_kind = p[12] & 1, host->initiates = true;
        status(host, opcode, 0);
        return true;
    case 0x0406:    /* Disconnect */
        status(host, opcode, linked ? 0 : 0x02);
        unlink_hosts(host, p[2]);
        return true;
    case 0x041D:    /* Read Remote Version Information */
        status(host, opcode, 0);
        put16(parameters + 1, LINK), parameters[3] = 0x0B, put16(parameters + 4, 0xFFFF);
        event(host, 0x0C, parameters, 8);
        return true;
    case 0x2013:    /* LE Connection Update: the largest interval, the latency and the timeout asked for */
        status(host, opcode, 0);
        parameters[0] = 0x03;
        memcpy(parameters + 4, p + 4, 6);
        tell_both(LE_META, parameters, 10);
        return true;
    case 0x2016:    /* LE Read Remote Features */
        status(host, opcode, 0);
        parameters[0] = 0x04, parameters[4] = 0x21;
        event(host, LE_META, parameters, 12);
        return true;
    case 0x2019:    /* LE Enable Encryption: the other end is asked for the key */
        status(host, opcode, 0);
        parameters[0] = 0x05;
        put16(parameters + 1, LINK);
        memcpy(parameters + 3, p + 2, 10);
        event(peer_of(host), LE_META, parameters, 13);
        return true;
    case 0x201A: case 0x201B: { /* ... and has it, or has not */
        uint8_t answer[3] = { 0 };
        put16(answer + 1, LINK);
        complete(host, opcode, answer, sizeof answer);
        parameters[0] = opcode == 0x201A ? 0 : 0x06;
        put16(parameters + 1, LINK);
        parameters[3] = opcode == 0x201A;
        tell_both(0x08, parameters, 4);
        return true;
    }
    case 0x2022: {  /* LE Set Data Length */
        uint8_t answer[3] = { 0 };
        put16(answer + 1, LINK);
        complete(host, opcode, answer, sizeof answer);
        parameters[0] = 0x07;
        put16(parameters + 1, LINK);
        for (int i = 3; i < 11; i += 4) put16(parameters + i, 251), put16(parameters + i + 2, 2120);
        tell_both(LE_META, parameters, 11);
        return true;
    }
    default:
        return false;
    }
}

void command(struct host *host, const uint8_t *packet) {
    uint8_t answer[252] = { 0 }, parameters[255] = { 0 };
    size_t length = 1;
    uint16_t opcode = get16(packet + 1);
    memcpy(parameters, packet + 4, packet[3]);  /* whatever is missing reads as 0 */
    if (opcode == 0x0C35) return;               /* Host Number Of Completed Packets is not answered */
    if (host_count == 1 || !link_command(host, opcode, parameters)) {
        if (!controller_command(host, opcode, answer, &length)
            && !le_command(host, opcode, parameters, answer, &length))
            answer[0] = 0x01;                   /* Unknown HCI Command */
        complete(host, opcode, answer, length);
    }
    link_if_both_want();
}
