#include "CMosquitto.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct mosquitto;

// As libmosquitto declares it since version 1.0.
struct message {
    int mid;
    char *topic;
    void *payload;
    int payloadlen;
    int qos;
    bool retain;
};

static struct {
    int (*lib_init)(void);
    struct mosquitto *(*new_)(const char *, bool, void *);
    void (*destroy)(struct mosquitto *);
    int (*username_pw_set)(struct mosquitto *, const char *, const char *);
    int (*tls_set)(
        struct mosquitto *, const char *, const char *, const char *, const char *,
        int (*)(char *, int, int, void *));
    int (*will_set)(struct mosquitto *, const char *, int, const void *, int, bool);
    int (*threaded_set)(struct mosquitto *, bool);
    int (*connect_async)(struct mosquitto *, const char *, int, int);
    int (*reconnect_async)(struct mosquitto *);
    int (*disconnect)(struct mosquitto *);
    int (*socket)(struct mosquitto *);
    bool (*want_write)(struct mosquitto *);
    int (*loop_read)(struct mosquitto *, int);
    int (*loop_write)(struct mosquitto *, int);
    int (*loop_misc)(struct mosquitto *);
    int (*publish)(struct mosquitto *, int *, const char *, int, const void *, int, bool);
    int (*subscribe)(struct mosquitto *, int *, const char *, int);
    void (*connect_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int));
    void (*disconnect_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int));
    void (*publish_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, int));
    void (*message_callback_set)(struct mosquitto *, void (*)(struct mosquitto *, void *, const struct message *));
    const char *(*strerror_)(int);
    const char *(*connack_string)(int);
} library;

static char problem[256] = "libmosquitto was not opened";
static bool usable;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *handle, void *place, const char *name) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "mosquitto_%s", name);
    void *found = dlsym(handle, symbol);
    if (found == NULL) {
        snprintf(problem, sizeof problem, "libmosquitto has no function %s: it is too old", symbol);
        return 0;
    }
    // POSIX permits copying a pointer to a function in this way.
    memcpy(place, &found, sizeof found);
    return 1;
}

static void open_library(void) {
    void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) handle = dlopen("libmosquitto.1.dylib", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(
            problem, sizeof problem, "libmosquitto is not installed; install it (Debian: apt install libmosquitto1)");
        return;
    }
#define FIND(field) find(handle, &library.field, #field)
    int complete =
        FIND(lib_init) && find(handle, &library.new_, "new") && FIND(destroy) && FIND(username_pw_set) && FIND(tls_set)
        && FIND(will_set) && FIND(threaded_set) && FIND(connect_async) && FIND(reconnect_async) && FIND(disconnect)
        && FIND(socket) && FIND(want_write) && FIND(loop_read) && FIND(loop_write) && FIND(loop_misc)
        && FIND(publish) && FIND(subscribe) && FIND(connect_callback_set) && FIND(disconnect_callback_set)
        && FIND(publish_callback_set) && FIND(message_callback_set)
        && find(handle, &library.strerror_, "strerror") && FIND(connack_string);
#undef FIND
    if (!complete) return;
    library.lib_init();
    usable = true;
}

const char *harald_mqtt_problem(void) {
    pthread_once(&once, open_library);
    return usable ? NULL : problem;
}

struct harald_mqtt {
    struct mosquitto *client;
    void *context;
    harald_mqtt_handler handler;
    pthread_t thread;
    bool started;
    bool encrypted;
    // A byte in this pipe interrupts the thread's poll.
    int wake[2];
    atomic_bool closing;
    // Only the thread, and harald_mqtt_start before there is one, use the following.
    // Seconds until the next attempt to connect.
    int pause;
    // The broker has accepted the connection.
    bool accepted;
    // The reason why the present attempt failed was reported. Later errors only follow from it.
    bool reported;
};

enum { KEEP_ALIVE = 30, LONGEST_PAUSE = 60, LONGEST_GOODBYE = 2 };
// As libmosquitto declares them since version 1.6.
enum { MOSQ_ERR_ERRNO = 14, MOSQ_ERR_EAI = 15, MOSQ_ERR_KEEPALIVE = 19 };

static void report_failure(harald_mqtt *mqtt, const char *reason) {
    if (mqtt->accepted || mqtt->reported) return;
    mqtt->reported = true;
    mqtt->handler(mqtt->context, HARALD_MQTT_UNREACHABLE, 0, NULL, reason, (int)strlen(reason));
}

// Reports an error of libmosquitto; code is errno after it, or 0. Negative errors are those of a connection that is
// still being established.
static void report_error(harald_mqtt *mqtt, int error, int code) {
    if (error <= 0) return;
    const char *reason = library.strerror_(error);
    if (error == MOSQ_ERR_ERRNO && code != 0) reason = strerror(code);
    if (error == MOSQ_ERR_EAI) reason = "its name has no address";
    if (error == MOSQ_ERR_KEEPALIVE) reason = "no connection in time";
    report_failure(mqtt, reason);
}

// Reports the error of a socket whose connection was not established. Reading the error clears it; the following
// operations of libmosquitto fail because the socket is not connected.
static void report_socket(harald_mqtt *mqtt, int socket) {
    int code = 0;
    socklen_t size = sizeof code;
    if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code != 0) report_failure(mqtt, strerror(code));
}

static void connected(struct mosquitto *client, void *object, int reason) {
    (void)client;
    harald_mqtt *mqtt = object;
    if (reason == 0) mqtt->pause = 1;
    mqtt->accepted = reason == 0;
    mqtt->reported = true;
    mqtt->handler(mqtt->context, HARALD_MQTT_CONNECTED, reason, NULL, NULL, 0);
}

static void disconnected(struct mosquitto *client, void *object, int reason) {
    (void)client;
    harald_mqtt *mqtt = object;
    report_error(mqtt, reason, 0);
    mqtt->accepted = false;
    mqtt->handler(mqtt->context, HARALD_MQTT_DISCONNECTED, reason, NULL, NULL, 0);
}

static void published(struct mosquitto *client, void *object, int number) {
    (void)client;
    harald_mqtt *mqtt = object;
    mqtt->handler(mqtt->context, HARALD_MQTT_PUBLISHED, number, NULL, NULL, 0);
}

static void received(struct mosquitto *client, void *object, const struct message *message) {
    (void)client;
    harald_mqtt *mqtt = object;
    mqtt->handler(
        mqtt->context, HARALD_MQTT_MESSAGE, 0, message->topic, message->payload, message->payloadlen);
}

harald_mqtt *harald_mqtt_new(const char *client, void *context, harald_mqtt_handler handler) {
    if (harald_mqtt_problem() != NULL) return NULL;
    harald_mqtt *mqtt = calloc(1, sizeof *mqtt);
    if (mqtt == NULL) return NULL;
    mqtt->context = context;
    mqtt->handler = handler;
    mqtt->pause = 1;
    if (pipe(mqtt->wake) != 0) {
        free(mqtt);
        return NULL;
    }
    for (int end = 0; end < 2; end++) {
        fcntl(mqtt->wake[end], F_SETFL, O_NONBLOCK);
        fcntl(mqtt->wake[end], F_SETFD, FD_CLOEXEC);
    }
    mqtt->client = library.new_(client, true, mqtt);
    if (mqtt->client == NULL) {
        close(mqtt->wake[0]);
        close(mqtt->wake[1]);
        free(mqtt);
        return NULL;
    }
    library.threaded_set(mqtt->client, true);
    library.connect_callback_set(mqtt->client, connected);
    library.disconnect_callback_set(mqtt->client, disconnected);
    library.publish_callback_set(mqtt->client, published);
    library.message_callback_set(mqtt->client, received);
    return mqtt;
}

int harald_mqtt_login(harald_mqtt *mqtt, const char *user, const char *password) {
    return library.username_pw_set(mqtt->client, user, password);
}

int harald_mqtt_tls(harald_mqtt *mqtt, const char *certificates, const char *directory) {
    mqtt->encrypted = true;
    return library.tls_set(mqtt->client, certificates, directory, NULL, NULL, NULL);
}

int harald_mqtt_will(harald_mqtt *mqtt, const char *topic, const char *payload) {
    return library.will_set(mqtt->client, topic, (int)strlen(payload), payload, 1, true);
}

// The library's own loop uses select(), which cannot watch a descriptor of 1024 or above: a hub with many connections
// would never reach its broker. This one uses poll().
static void wake(harald_mqtt *mqtt) {
    char byte = 0;
    // A full pipe wakes as well.
    (void)!write(mqtt->wake[1], &byte, 1);
}

static long seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

// Waits for a wake and, where there is a connection, for its socket.
static int wait_for(harald_mqtt *mqtt, int socket, short events, int milliseconds) {
    struct pollfd watched[2] = {{mqtt->wake[0], POLLIN, 0}, {socket, events, 0}};
    if (poll(watched, socket < 0 ? 1 : 2, milliseconds) <= 0) return 0;
    char bytes[64];
    if (watched[0].revents != 0) while (read(mqtt->wake[0], bytes, sizeof bytes) > 0) {}
    return watched[1].revents;
}

static void *run(void *object) {
    harald_mqtt *mqtt = object;
    struct mosquitto *client = mqtt->client;
    long end = 0, next = seconds() + mqtt->pause;
    while (true) {
        bool closing = atomic_load(&mqtt->closing);
        int socket = library.socket(client);
        if (closing) {
            // The loop continues until the DISCONNECT packet is sent.
            if (end == 0) end = seconds() + LONGEST_GOODBYE;
            if (socket < 0 || !library.want_write(client) || seconds() >= end) return NULL;
        } else if (socket < 0) {
            if (seconds() < next) {
                wait_for(mqtt, -1, 0, (int)(next - seconds()) * 1000);
                continue;
            }
            mqtt->pause = mqtt->pause * 2 < LONGEST_PAUSE ? mqtt->pause * 2 : LONGEST_PAUSE;
            mqtt->reported = false;
            errno = 0;
            int error = library.reconnect_async(client);
            report_error(mqtt, error, errno);
            next = seconds() + mqtt->pause;
            continue;
        } else {
            next = seconds() + mqtt->pause;
        }
        int events = wait_for(mqtt, socket, POLLIN | (library.want_write(client) ? POLLOUT : 0), 1000);
        if (!mqtt->accepted && (events & (POLLERR | POLLHUP)) != 0) report_socket(mqtt, socket);
        // One TLS record can contain several packets, and poll() does not report those that are already decrypted.
        int reads = (events & (POLLIN | POLLERR | POLLHUP)) == 0 ? 0 : mqtt->encrypted ? 16 : 1;
        for (; reads > 0 && library.socket(client) == socket; reads--) library.loop_read(client, 1);
        if ((events & POLLOUT) != 0 && library.socket(client) == socket) library.loop_write(client, 1);
        library.loop_misc(client);
    }
}

int harald_mqtt_start(harald_mqtt *mqtt, const char *host, int port) {
    // The thread retries if the broker is not reachable now.
    errno = 0;
    int error = library.connect_async(mqtt->client, host, port, KEEP_ALIVE);
    report_error(mqtt, error, errno);
    if (pthread_create(&mqtt->thread, NULL, run, mqtt) != 0) return MOSQ_ERR_ERRNO;
    mqtt->started = true;
    return 0;
}

int harald_mqtt_publish(
    harald_mqtt *mqtt, int *number, const char *topic, const void *payload, int length, int retain) {
    int error = library.publish(mqtt->client, number, topic, length, payload, 1, retain != 0);
    wake(mqtt);
    return error;
}

int harald_mqtt_subscribe(harald_mqtt *mqtt, const char *topic) {
    int error = library.subscribe(mqtt->client, NULL, topic, 1);
    wake(mqtt);
    return error;
}

const char *harald_mqtt_text(int error) { return library.strerror_(error); }
const char *harald_mqtt_refusal(int reason) { return library.connack_string(reason); }

void harald_mqtt_free(harald_mqtt *mqtt) {
    library.disconnect(mqtt->client);
    atomic_store(&mqtt->closing, true);
    wake(mqtt);
    // The thread ends by itself; it is never cancelled in a handler.
    if (mqtt->started) pthread_join(mqtt->thread, NULL);
    library.destroy(mqtt->client);
    close(mqtt->wake[0]);
    close(mqtt->wake[1]);
    free(mqtt);
}
