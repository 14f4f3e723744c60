#include "CSystemBus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static harald_system_bus library;
static const harald_system_bus *opened;
static char problem[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *handle, void *place, const char *name) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "sd_bus_%s", name);
    void *found = dlsym(handle, symbol);
    if (found == NULL) {
        snprintf(problem, sizeof problem, "libsystemd.so.0 has no function %s: it is too old", symbol);
        return 0;
    }
    // A pointer to a function, copied as POSIX says that it may be.
    memcpy(place, &found, sizeof found);
    return 1;
}

static void open_library(void) {
    void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(problem, sizeof problem, "libsystemd.so.0 is not installed");
        return;
    }
#define FIND(field) find(handle, &library.field, #field)
    int complete =
        find(handle, &library.new_, "new") && FIND(set_address) && FIND(set_bus_client) && FIND(negotiate_fds)
        && FIND(start) && FIND(close) && FIND(unref) && FIND(get_fd) && FIND(get_events) && FIND(get_timeout)
        && FIND(process) && FIND(is_ready) && FIND(get_unique_name) && FIND(add_filter) && FIND(send)
        && FIND(message_new_method_call) && FIND(message_new_method_return) && FIND(message_new_signal)
        && FIND(message_new) && FIND(message_ref) && FIND(message_unref) && FIND(message_append_basic)
        && FIND(message_append_array) && FIND(message_open_container) && FIND(message_close_container)
        && FIND(message_read_basic) && FIND(message_read_array) && FIND(message_enter_container)
        && FIND(message_exit_container) && FIND(message_peek_type) && FIND(message_get_type)
        && FIND(message_get_cookie) && FIND(message_get_reply_cookie) && FIND(message_get_expect_reply)
        && FIND(message_get_path) && FIND(message_get_interface) && FIND(message_get_member)
        && FIND(message_get_sender) && FIND(reply_method_errorf) && FIND(message_get_error);
#undef FIND
    if (complete) opened = &library;
}

const harald_system_bus *harald_system_bus_open(void) {
    pthread_once(&once, open_library);
    return opened;
}

const char *harald_system_bus_problem(void) { return problem; }

int harald_bus_reply_error(sd_bus_message *call, const char *name, const char *text) {
    return library.reply_method_errorf(call, name, "%s", text);
}

// The beginning of the library's `sd_bus_error`, which is part of its interface.
struct bus_error {
    const char *name;
    const char *message;
};

void harald_bus_error_of(sd_bus_message *message, const char **name, const char **text) {
    const struct bus_error *error = library.message_get_error(message);
    *name = error == NULL ? NULL : error->name;
    *text = error == NULL ? NULL : error->message;
}
