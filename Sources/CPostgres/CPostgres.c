#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As libpq-fe.h and postgres_ext.h declare them.
enum { CONNECTION_OK = 0 };
enum {
    PGRES_EMPTY_QUERY = 0,
    PGRES_COMMAND_OK = 1,
    PGRES_TUPLES_OK = 2,
    PGRES_SINGLE_TUPLE = 9,
    PGRES_PIPELINE_SYNC = 10,
    PGRES_PIPELINE_ABORTED = 11,
};
enum { SQLSTATE = 'C', MESSAGE_PRIMARY = 'M' };

struct option {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
};

static struct {
    struct option *(*conninfoParse)(const char *, char **);
    void (*conninfoFree)(struct option *);
    void (*freemem)(void *);
    harald_pq *(*connectdbParams)(const char *const *, const char *const *, int);
    int (*status)(const harald_pq *);
    char *(*errorMessage)(const harald_pq *);
    int (*connectionNeedsPassword)(const harald_pq *);
    struct option *(*conninfo)(harald_pq *);
    char *(*host)(const harald_pq *);
    char *(*hostaddr)(const harald_pq *);
    int (*sslInUse)(harald_pq *);
    void (*finish)(harald_pq *);
    void *(*setNoticeReceiver)(harald_pq *, void (*)(void *, const harald_pq_result *), void *);
    harald_pq_result *(*prepare)(harald_pq *, const char *, const char *, int, const unsigned *);
    harald_pq_result *(*execPrepared)(
        harald_pq *, const char *, int, const char *const *, const int *, const int *, int);
    harald_pq_result *(*exec)(harald_pq *, const char *);
    int (*enterPipelineMode)(harald_pq *);
    int (*exitPipelineMode)(harald_pq *);
    int (*pipelineSync)(harald_pq *);
    int (*sendQueryPrepared)(
        harald_pq *, const char *, int, const char *const *, const int *, const int *, int);
    harald_pq_result *(*getResult)(harald_pq *);
    int (*resultStatus)(const harald_pq_result *);
    char *(*resultErrorField)(const harald_pq_result *, int);
    void (*clear)(harald_pq_result *);
    int (*ntuples)(const harald_pq_result *);
    int (*nfields)(const harald_pq_result *);
    char *(*fname)(const harald_pq_result *, int);
    unsigned (*ftype)(const harald_pq_result *, int);
    int (*getisnull)(const harald_pq_result *, int, int);
    char *(*getvalue)(const harald_pq_result *, int, int);
    int (*getlength)(const harald_pq_result *, int, int);
    char *(*cmdTuples)(harald_pq_result *);
    char *(*cmdStatus)(harald_pq_result *);
} library;

static char problem[256] = "libpq was not opened";
static bool usable;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *handle, void *place, const char *name) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "PQ%s", name);
    void *found = dlsym(handle, symbol);
    if (found == NULL) {
        snprintf(problem, sizeof problem, "libpq has no function %s; version 14 or later is required", symbol);
        return 0;
    }
    // POSIX permits copying a pointer to a function in this way.
    memcpy(place, &found, sizeof found);
    return 1;
}

static void open_library(void) {
    void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) handle = dlopen("libpq.5.dylib", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(problem, sizeof problem, "libpq is not installed; install it (Debian: apt install libpq5)");
        return;
    }
#define FIND(field) find(handle, &library.field, #field)
    usable = FIND(conninfoParse) && FIND(conninfoFree) && FIND(freemem) && FIND(connectdbParams) && FIND(status)
        && FIND(errorMessage) && FIND(connectionNeedsPassword) && FIND(finish) && FIND(setNoticeReceiver)
        && FIND(conninfo) && FIND(host) && FIND(hostaddr) && FIND(sslInUse)
        && FIND(prepare) && FIND(execPrepared) && FIND(exec) && FIND(enterPipelineMode) && FIND(exitPipelineMode)
        && FIND(pipelineSync) && FIND(sendQueryPrepared) && FIND(getResult) && FIND(resultStatus)
        && FIND(resultErrorField) && FIND(clear) && FIND(ntuples) && FIND(nfields) && FIND(fname) && FIND(ftype)
        && FIND(getisnull) && FIND(getvalue) && FIND(getlength) && FIND(cmdTuples) && FIND(cmdStatus);
#undef FIND
}

const char *harald_pq_problem(void) {
    pthread_once(&once, open_library);
    return usable ? NULL : problem;
}

const char *harald_pq_check(const char *connection_string) {
    static _Thread_local char reason[512];
    if (harald_pq_problem() != NULL) return problem;
    char *error = NULL;
    struct option *options = library.conninfoParse(connection_string, &error);
    if (options != NULL) {
        library.conninfoFree(options);
        return NULL;
    }
    snprintf(reason, sizeof reason, "%s", error == NULL ? "out of memory" : error);
    if (error != NULL) library.freemem(error);
    return reason;
}

// Copies the value of one of the options, and frees them.
static char *value_of(struct option *options, const char *keyword) {
    char *value = NULL;
    for (struct option *one = options; one != NULL && one->keyword != NULL; one++) {
        if (strcmp(one->keyword, keyword) == 0 && one->val != NULL) value = strdup(one->val);
    }
    if (options != NULL) library.conninfoFree(options);
    return value;
}

char *harald_pq_parameter(const char *connection_string, const char *keyword) {
    if (harald_pq_problem() != NULL) return NULL;
    return value_of(library.conninfoParse(connection_string, NULL), keyword);
}

// Discards notices, which libpq would print on standard error.
static void ignore(void *context, const harald_pq_result *notice) {
    (void)context;
    (void)notice;
}

harald_pq *harald_pq_connect(const char *connection_string, const char *const *options, int count) {
    if (harald_pq_problem() != NULL) return NULL;
    const char **keywords = calloc((size_t)count + 2, sizeof *keywords);
    const char **values = calloc((size_t)count + 2, sizeof *values);
    harald_pq *connection = NULL;
    if (keywords != NULL && values != NULL) {
        for (int index = 0; index < count; index++) {
            keywords[index] = options[2 * index];
            values[index] = options[2 * index + 1];
        }
        // A later keyword overrides an earlier one; this one is expanded.
        keywords[count] = "dbname";
        values[count] = connection_string;
        connection = library.connectdbParams(keywords, values, 1);
    }
    free(keywords);
    free(values);
    if (connection != NULL) library.setNoticeReceiver(connection, ignore, NULL);
    return connection;
}

int harald_pq_is_open(harald_pq *connection) { return library.status(connection) == CONNECTION_OK; }
const char *harald_pq_error(harald_pq *connection) { return library.errorMessage(connection); }
int harald_pq_needs_password(harald_pq *connection) { return library.connectionNeedsPassword(connection); }
char *harald_pq_setting(harald_pq *connection, const char *keyword) {
    return value_of(library.conninfo(connection), keyword);
}

const char *harald_pq_host(harald_pq *connection) { return library.host(connection); }
const char *harald_pq_network_address(harald_pq *connection) { return library.hostaddr(connection); }
int harald_pq_is_encrypted(harald_pq *connection) { return library.sslInUse(connection); }
void harald_pq_close(harald_pq *connection) { library.finish(connection); }

static int outcome(harald_pq *connection, harald_pq_result *result) {
    if (result != NULL) {
        int status = library.resultStatus(result);
        if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
            return HARALD_PQ_DONE;
        }
    }
    if (library.status(connection) != CONNECTION_OK) return HARALD_PQ_LOST;
    // libpq itself has failed, for example for lack of memory.
    return result == NULL ? HARALD_PQ_LOST : HARALD_PQ_REFUSED;
}

int harald_pq_prepare(harald_pq *connection, const char *name, const char *sql, harald_pq_result **result) {
    *result = library.prepare(connection, name, sql, 0, NULL);
    return outcome(connection, *result);
}

int harald_pq_execute(
    harald_pq *connection, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, harald_pq_result **result) {
    *result = library.execPrepared(connection, name, count, values, lengths, formats, 1);
    return outcome(connection, *result);
}

int harald_pq_run(harald_pq *connection, const char *sql, harald_pq_result **result) {
    *result = library.exec(connection, sql);
    return outcome(connection, *result);
}

int harald_pq_pipeline(
    harald_pq *connection, const char *name, int sets, int count, const char *const *values, const int *lengths,
    const int *formats, harald_pq_result **results) {
    for (int set = 0; set < sets; set++) results[set] = NULL;
    if (!library.enterPipelineMode(connection)) return HARALD_PQ_LOST;
    int worst = HARALD_PQ_DONE;
    for (int set = 0; set < sets; set++) {
        int first = set * count;
        if (!library.sendQueryPrepared(
                connection, name, count, values + first, lengths + first, formats + first, 1)) {
            return HARALD_PQ_LOST;
        }
    }
    if (!library.pipelineSync(connection)) return HARALD_PQ_LOST;
    for (int set = 0; set < sets; set++) {
        harald_pq_result *result = library.getResult(connection);
        if (result != NULL && library.resultStatus(result) == PGRES_PIPELINE_ABORTED) {
            library.clear(result);
        } else {
            results[set] = result;
            int one = outcome(connection, result);
            if (one > worst) worst = one;
        }
        if (worst == HARALD_PQ_LOST) return worst;
        // Each statement's results end with NULL.
        harald_pq_result *rest;
        while ((rest = library.getResult(connection)) != NULL) library.clear(rest);
    }
    harald_pq_result *end = library.getResult(connection);
    bool synchronized = end != NULL && library.resultStatus(end) == PGRES_PIPELINE_SYNC;
    if (end != NULL) library.clear(end);
    if (!synchronized || !library.exitPipelineMode(connection)) return HARALD_PQ_LOST;
    return worst;
}

void harald_pq_free(harald_pq_result *result) {
    if (result != NULL) library.clear(result);
}

int harald_pq_rows(harald_pq_result *result) { return library.ntuples(result); }
int harald_pq_columns(harald_pq_result *result) { return library.nfields(result); }
const char *harald_pq_name(harald_pq_result *result, int column) { return library.fname(result, column); }
unsigned harald_pq_type(harald_pq_result *result, int column) { return library.ftype(result, column); }

const char *harald_pq_value(harald_pq_result *result, int row, int column, int *length) {
    if (library.getisnull(result, row, column)) return NULL;
    *length = library.getlength(result, row, column);
    return library.getvalue(result, row, column);
}

const char *harald_pq_changes(harald_pq_result *result) { return library.cmdTuples(result); }
const char *harald_pq_tag(harald_pq_result *result) { return library.cmdStatus(result); }

const char *harald_pq_state(harald_pq_result *result) {
    const char *state = library.resultErrorField(result, SQLSTATE);
    return state == NULL ? "" : state;
}

const char *harald_pq_message(harald_pq_result *result) {
    const char *message = library.resultErrorField(result, MESSAGE_PRIMARY);
    return message == NULL ? "" : message;
}
