#include "CMosquitto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    int (*reconnect_delay_set)(struct mosquitto *, unsigned int, unsigned int, bool);
    int (*connect_async)(struct mosquitto *, const char *, int, int);
    int (*disconnect)(struct mosquitto *);
    int (*loop_start)(struct mosquitto *);
    int (*loop_stop)(struct mosquitto *, bool);
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
    // A pointer to a function, copied as POSIX says that it may be.
    memcpy(place, &found, sizeof found);
    return 1;
}

static void open_library(void) {
    void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) handle = dlopen("libmosquitto.1.dylib", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(problem, sizeof problem, "libmosquitto is not there; install it (Debian: apt install libmosquitto1)");
        return;
    }
#define FIND(field) find(handle, &library.field, #field)
    int complete =
        FIND(lib_init) && find(handle, &library.new_, "new") && FIND(destroy) && FIND(username_pw_set) && FIND(tls_set)
        && FIND(will_set) && FIND(reconnect_delay_set) && FIND(connect_async) && FIND(disconnect) && FIND(loop_start)
        && FIND(loop_stop) && FIND(publish) && FIND(subscribe) && FIND(connect_callback_set)
        && FIND(disconnect_callback_set) && FIND(publish_callback_set) && FIND(message_callback_set)
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
    bool started;
};

static void connected(struct mosquitto *client, void *object, int reason) {
    (void)client;
    harald_mqtt *mqtt = object;
    mqtt->handler(mqtt->context, HARALD_MQTT_CONNECTED, reason, NULL, NULL, 0);
}

static void disconnected(struct mosquitto *client, void *object, int reason) {
    (void)client;
    harald_mqtt *mqtt = object;
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
    mqtt->client = library.new_(client, true, mqtt);
    if (mqtt->client == NULL) {
        free(mqtt);
        return NULL;
    }
    library.connect_callback_set(mqtt->client, connected);
    library.disconnect_callback_set(mqtt->client, disconnected);
    library.publish_callback_set(mqtt->client, published);
    library.message_callback_set(mqtt->client, received);
    library.reconnect_delay_set(mqtt->client, 1, 60, true);
    return mqtt;
}

int harald_mqtt_login(harald_mqtt *mqtt, const char *user, const char *password) {
    return library.username_pw_set(mqtt->client, user, password);
}

int harald_mqtt_tls(harald_mqtt *mqtt, const char *certificates, const char *directory) {
    return library.tls_set(mqtt->client, certificates, directory, NULL, NULL, NULL);
}

int harald_mqtt_will(harald_mqtt *mqtt, const char *topic, const char *payload) {
    return library.will_set(mqtt->client, topic, (int)strlen(payload), payload, 1, true);
}

int harald_mqtt_start(harald_mqtt *mqtt, const char *host, int port) {
    // A broker that is not there now is tried again by the thread.
    library.connect_async(mqtt->client, host, port, 30);
    int error = library.loop_start(mqtt->client);
    mqtt->started = error == 0;
    return error;
}

int harald_mqtt_publish(
    harald_mqtt *mqtt, int *number, const char *topic, const void *payload, int length, int retain) {
    return library.publish(mqtt->client, number, topic, length, payload, 1, retain != 0);
}

int harald_mqtt_subscribe(harald_mqtt *mqtt, const char *topic) {
    return library.subscribe(mqtt->client, NULL, topic, 1);
}

const char *harald_mqtt_text(int error) { return library.strerror_(error); }
const char *harald_mqtt_refusal(int reason) { return library.connack_string(reason); }

void harald_mqtt_free(harald_mqtt *mqtt) {
    library.disconnect(mqtt->client);
    // The thread ends by itself once it sees that it is to disconnect; it is never cancelled in a handler.
    if (mqtt->started) library.loop_stop(mqtt->client, false);
    library.destroy(mqtt->client);
    free(mqtt);
}
