#ifndef HARALD_CMOSQUITTO_H
#define HARALD_CMOSQUITTO_H

// An MQTT client on libmosquitto, which is opened at run time: the program does not link it, and a machine without
// libmosquitto lacks only MQTT.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct harald_mqtt harald_mqtt;

enum harald_mqtt_event {
    // value: 0, or the broker's reason of refusal.
    HARALD_MQTT_CONNECTED,
    HARALD_MQTT_DISCONNECTED,
    // value: the number of the message that the broker has taken.
    HARALD_MQTT_PUBLISHED,
    HARALD_MQTT_MESSAGE,
    // payload: the reason why no connection was established; it ends with a null character after length octets.
    HARALD_MQTT_UNREACHABLE,
};

// Called on the client's own thread, or by harald_mqtt_start. The message is valid only during the call.
typedef void (*harald_mqtt_handler)(
    void *context, int event, int value, const char *topic, const void *payload, int length);

// Returns NULL if the library can be used, otherwise the reason why it cannot.
const char *harald_mqtt_problem(void);

// Returns NULL without memory or library. The context has to outlive harald_mqtt_free.
harald_mqtt *harald_mqtt_new(const char *client, void *context, harald_mqtt_handler handler);

// All return 0, or an error, whose text harald_mqtt_text returns.
int harald_mqtt_login(harald_mqtt *mqtt, const char *user, const char *password);
int harald_mqtt_tls(harald_mqtt *mqtt, const char *certificates, const char *directory);
int harald_mqtt_will(harald_mqtt *mqtt, const char *topic, const char *payload);
// Connects in the background, and again when the connection ends.
int harald_mqtt_start(harald_mqtt *mqtt, const char *host, int port);
int harald_mqtt_publish(harald_mqtt *mqtt, int *number, const char *topic, const void *payload, int length, int retain);
int harald_mqtt_subscribe(harald_mqtt *mqtt, const char *topic);
const char *harald_mqtt_text(int error);
const char *harald_mqtt_refusal(int reason);

// Disconnects, waits for the client's thread and frees the client. No event follows.
void harald_mqtt_free(harald_mqtt *mqtt);

#ifdef __cplusplus
}
#endif

#endif
