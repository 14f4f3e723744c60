// A child process that the kernel kills when its parent dies.
#ifndef HARALD_BOUND_PROCESS_H
#define HARALD_BOUND_PROCESS_H

#include <sys/types.h>

/// Starts a program, found in the PATH unless its name has a slash. Signals have their default actions, and none is
/// blocked.
///
/// The kernel kills the program when the calling *thread* ends: call from a thread that lives as long as the program.
/// `output` becomes its standard output, `errors` its standard error; -1 for those of the caller. With `has_session` it
/// has a session of its own, so that the keys of a terminal, such as Ctrl-C, do not reach it.
/// Returns its identifier, or a negative errno if it cannot be started.
pid_t harald_spawn_bound(char *const arguments[], char *const environment[], int output, int errors, int has_session);

#endif
