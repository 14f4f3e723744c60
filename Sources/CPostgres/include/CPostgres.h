#ifndef HARALD_CPOSTGRES_H
#define HARALD_CPOSTGRES_H

// A PostgreSQL client on libpq, which is opened at run time: the program does not link it, and a machine without libpq
// lacks only PostgreSQL.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct harald_pq harald_pq;
typedef struct harald_pq_result harald_pq_result;

enum harald_pq_outcome {
    // The statement was executed; it may have rows.
    HARALD_PQ_DONE,
    // The server refused the statement; the result has the reason.
    HARALD_PQ_REFUSED,
    // The connection has ended. It is unknown whether the server executed the statement.
    HARALD_PQ_LOST,
};

// Returns NULL if the library can be used, otherwise the reason why it cannot.
const char *harald_pq_problem(void);

// Returns NULL for a valid connection string, otherwise the reason, which is valid until the next call by the same
// thread.
const char *harald_pq_check(const char *connection_string);

// The value of a parameter in a connection string, which is freed with free; NULL where it has none.
char *harald_pq_parameter(const char *connection_string, const char *keyword);

// Connects, and blocks until the server has accepted or the timeout of the connection string is over. The options are
// pairs of a keyword and a default, which the connection string overrides. Returns NULL without memory or library.
harald_pq *harald_pq_connect(const char *connection_string, const char *const *options, int count);

// True while the connection is usable.
int harald_pq_is_open(harald_pq *connection);

// The reason of the latest failure.
const char *harald_pq_error(harald_pq *connection);

// True if the server requested a password and none was given.
int harald_pq_needs_password(harald_pq *connection);

// The value of a parameter that the connection uses, given or by default, which is freed with free; NULL where it has
// none.
char *harald_pq_setting(harald_pq *connection, const char *keyword);

// The host of the connection: a name, an address, or the directory of a Unix socket.
const char *harald_pq_host(harald_pq *connection);

// The IP address of the server; empty for a Unix socket.
const char *harald_pq_network_address(harald_pq *connection);

// True where the connection uses TLS.
int harald_pq_is_encrypted(harald_pq *connection);

void harald_pq_close(harald_pq *connection);

// Prepares a statement under a name. Free the result with harald_pq_free, even after a failure.
int harald_pq_prepare(harald_pq *connection, const char *name, const char *sql, harald_pq_result **result);

// Executes a prepared statement. A value is NULL or text; it is octets where formats has 1. The rows are binary.
int harald_pq_execute(
    harald_pq *connection, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, harald_pq_result **result);

// Executes statements without parameters; the result is that of the last one.
int harald_pq_run(harald_pq *connection, const char *sql, harald_pq_result **result);

// Executes the prepared statement of each set of values in one round trip. The sets follow each other in the arrays;
// each has count values. The results are in the same order; after a statement that failed the others are NULL.
int harald_pq_pipeline(
    harald_pq *connection, const char *name, int sets, int count, const char *const *values, const int *lengths,
    const int *formats, harald_pq_result **results);

void harald_pq_free(harald_pq_result *result);
int harald_pq_rows(harald_pq_result *result);
int harald_pq_columns(harald_pq_result *result);
const char *harald_pq_name(harald_pq_result *result, int column);
unsigned harald_pq_type(harald_pq_result *result, int column);
// NULL for a null value.
const char *harald_pq_value(harald_pq_result *result, int row, int column, int *length);
// The number of rows that the statement changed, as text; empty for statements that change none.
const char *harald_pq_changes(harald_pq_result *result);
// The tag of the command, such as COMMIT.
const char *harald_pq_tag(harald_pq_result *result);
// The code of five characters (SQLSTATE), and the message, of a refused statement.
const char *harald_pq_state(harald_pq_result *result);
const char *harald_pq_message(harald_pq_result *result);

#ifdef __cplusplus
}
#endif

#endif
