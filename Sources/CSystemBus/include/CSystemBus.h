// libsystemd's D-Bus client (sd-bus), found at run time: a program is built without its headers and runs without the
// library, on machines that have no D-Bus.
#ifndef HARALD_SYSTEM_BUS_H
#define HARALD_SYSTEM_BUS_H

#include <stddef.h>
#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;

/// Called for each received message; a positive result means that it was handled. The last argument receives an error,
/// and is not used here.
typedef int (*harald_bus_filter)(sd_bus_message *message, void *context, void *error);

/// The functions of the library, by their names without the prefix `sd_bus_`. Results below zero are a negative errno.
typedef struct {
    int (*new_)(sd_bus **bus);
    int (*set_address)(sd_bus *bus, const char *address);
    int (*set_bus_client)(sd_bus *bus, int yes);
    int (*negotiate_fds)(sd_bus *bus, int yes);
    int (*start)(sd_bus *bus);
    void (*close)(sd_bus *bus);
    sd_bus *(*unref)(sd_bus *bus);
    int (*get_fd)(sd_bus *bus);
    int (*get_events)(sd_bus *bus);
    int (*get_timeout)(sd_bus *bus, uint64_t *deadline_microseconds);
    int (*process)(sd_bus *bus, sd_bus_message **message);
    int (*is_ready)(sd_bus *bus);
    int (*get_unique_name)(sd_bus *bus, const char **name);
    int (*add_filter)(sd_bus *bus, void **slot, harald_bus_filter filter, void *context);
    int (*send)(sd_bus *bus, sd_bus_message *message, uint64_t *cookie);

    int (*message_new_method_call)(
        sd_bus *bus, sd_bus_message **message, const char *destination, const char *path, const char *interface,
        const char *member);
    int (*message_new_method_return)(sd_bus_message *call, sd_bus_message **message);
    int (*message_new_signal)(
        sd_bus *bus, sd_bus_message **message, const char *path, const char *interface, const char *member);
    int (*message_new)(sd_bus *bus, sd_bus_message **message, uint8_t type);
    sd_bus_message *(*message_ref)(sd_bus_message *message);
    sd_bus_message *(*message_unref)(sd_bus_message *message);

    int (*message_append_basic)(sd_bus_message *message, char type, const void *value);
    int (*message_append_array)(sd_bus_message *message, char type, const void *bytes, size_t size);
    int (*message_open_container)(sd_bus_message *message, char type, const char *contents);
    int (*message_close_container)(sd_bus_message *message);

    int (*message_read_basic)(sd_bus_message *message, char type, void *value);
    int (*message_read_array)(sd_bus_message *message, char type, const void **bytes, size_t *size);
    int (*message_enter_container)(sd_bus_message *message, char type, const char *contents);
    int (*message_exit_container)(sd_bus_message *message);
    int (*message_peek_type)(sd_bus_message *message, char *type, const char **contents);

    int (*message_get_type)(sd_bus_message *message, uint8_t *type);
    int (*message_get_cookie)(sd_bus_message *message, uint64_t *cookie);
    int (*message_get_reply_cookie)(sd_bus_message *message, uint64_t *cookie);
    int (*message_get_expect_reply)(sd_bus_message *message);
    const char *(*message_get_path)(sd_bus_message *message);
    const char *(*message_get_interface)(sd_bus_message *message);
    const char *(*message_get_member)(sd_bus_message *message);
    const char *(*message_get_sender)(sd_bus_message *message);
    int (*reply_method_errorf)(sd_bus_message *call, const char *name, const char *format, ...);
    const void *(*message_get_error)(sd_bus_message *message);
} harald_system_bus;

/// Returns the library, which the first call opens, on any thread. Returns NULL if it is missing or lacks a function;
/// harald_system_bus_problem() returns the reason.
const harald_system_bus *harald_system_bus_open(void);

/// The reason why the library cannot be used; valid after harald_system_bus_open() returned NULL.
const char *harald_system_bus_problem(void);

/// Answers a call with an error.
int harald_bus_reply_error(sd_bus_message *call, const char *name, const char *text);
/// The error of a message: its name and its text, either may be NULL.
void harald_bus_error_of(sd_bus_message *message, const char **name, const char **text);

#endif
