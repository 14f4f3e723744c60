/* Posts readings to a hub from many connections at once, each the next one when the last was answered.
   hub_clients PORT TOKEN CLIENTS POSTS BATCH FIRST [SERIAL]: each client posts POSTS times BATCH readings of the device
   SERIAL (BENCH); FIRST is the number of the first reading, which makes readings of several runs differ. Prints
   {"seconds":...,"ms":[...]}, the time of each post. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct client {
    int socket;
    long posted;
    char *out;
    size_t length, sent;
    char *in;
    size_t got, room;
    double begin;
};

static long posts, batch, next_number;
static const char *token, *serial = "BENCH";

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "hub_clients: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* A blood pressure measurement with a time of its own. */
static int reading(char *text, long n) {
    long minutes = n / 60;
    return sprintf(
        text,
        "{\"device\":{\"serial\":\"%s\"},\"characteristic\":\"2A35\",\"clockOffset\":0,\"hex\":"
        "\"0E%02lX00%02lX005000EA07%02lX%02lX%02lX%02lX%02lX%02lX0001\"}",
        serial, 100 + n % 80, 60 + n % 30, 1 + minutes / 40320 % 12, 1 + minutes / 1440 % 28, minutes / 60 % 24, minutes % 60,
        n % 60, 60 + n % 40);
}

static void prepare(struct client *client) {
    char *body = malloc((size_t)batch * 220 + 64);
    int size = sprintf(body, "{\"readings\":[");
    for (long i = 0; i < batch; i++) {
        if (i) body[size++] = ',';
        size += reading(body + size, next_number++);
    }
    size += sprintf(body + size, "]}");
    client->out = realloc(client->out, (size_t)size + 512);
    int head = sprintf(
        client->out,
        "POST /api/v1/readings HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n",
        token, size);
    memcpy(client->out + head, body, (size_t)size);
    free(body);
    client->length = (size_t)head + (size_t)size;
    client->sent = client->got = 0;
    client->begin = now();
}

static void push(struct client *client) {
    while (client->sent < client->length) {
        ssize_t count = send(client->socket, client->out + client->sent, client->length - client->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) fail("send");
        client->sent += (size_t)count;
    }
}

/* The whole answer is there. */
static int is_whole(struct client *client) {
    client->in[client->got] = 0;
    char *end = strstr(client->in, "\r\n\r\n");
    if (!end) return 0;
    if (strncmp(client->in, "HTTP/1.1 200", 12)) {
        fprintf(stderr, "hub_clients: %.300s\n", client->in);
        exit(1);
    }
    char *field = strcasestr(client->in, "\r\ncontent-length:");
    if (!field || field > end) {
        fprintf(stderr, "hub_clients: an answer without Content-Length\n");
        exit(1);
    }
    return client->got >= (size_t)(end + 4 - client->in) + (size_t)atol(field + 17);
}

int main(int argc, char **argv) {
    if (argc != 7 && (argc != 8 || strlen(argv[7]) > 40)) return 64;
    if (argc == 8) serial = argv[7];
    long count = atol(argv[3]), done = 0, times = 0;
    token = argv[2], posts = atol(argv[4]), batch = atol(argv[5]), next_number = atol(argv[6]);
    struct client *clients = calloc((size_t)count, sizeof *clients);
    double *ms = malloc(sizeof(double) * (size_t)(count * posts));
    int poll = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (long i = 0; i < count; i++) {
        int one = 1, descriptor = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("connect");
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        clients[i].socket = descriptor;
        clients[i].in = malloc(clients[i].room = 1 << 20);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
    }
    double begin = now();
    for (long i = 0; i < count; i++) {
        prepare(&clients[i]);
        push(&clients[i]);
    }
    while (done < count) {
        struct epoll_event events[64];
        int ready = epoll_wait(poll, events, 64, 60000);
        if (ready <= 0) fail("no answer in a minute");
        for (int i = 0; i < ready; i++) {
            struct client *client = events[i].data.ptr;
            if (client->got + 65536 >= client->room) client->in = realloc(client->in, client->room *= 2);
            ssize_t size = recv(client->socket, client->in + client->got, client->room - client->got - 1, MSG_DONTWAIT);
            if (size < 0 && errno == EAGAIN) continue;
            if (size <= 0) fail("the hub ended a connection");
            client->got += (size_t)size;
            if (!is_whole(client)) continue;
            ms[times++] = (now() - client->begin) * 1000;
            if (++client->posted == posts) {
                done++;
                close(client->socket);
                continue;
            }
            prepare(client);
            push(client);
        }
    }
    printf("{\"seconds\":%.6f,\"ms\":[", now() - begin);
    for (long i = 0; i < times; i++) printf(i ? ",%.3f" : "%.3f", ms[i]);
    printf("]}\n");
    return 0;
}
