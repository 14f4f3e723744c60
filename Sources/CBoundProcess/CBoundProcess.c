#define _GNU_SOURCE
#include "CBoundProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs in the child, where only async-signal-safe functions may be called.
static void run(
    char *const arguments[], char *const environment[], int output, int errors, int has_session, pid_t parent,
    int report) {
    // A parent that died before this call leaves the child to another process.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(127);
    // The child of a fork leads no process group, so that this succeeds.
    if (has_session) (void)setsid();
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if ((output < 0 || dup2(output, STDOUT_FILENO) >= 0) && (errors < 0 || dup2(errors, STDERR_FILENO) >= 0))
        execvpe(arguments[0], arguments, environment);
    int code = errno;
    (void)!write(report, &code, sizeof code);
    _exit(127);
}

pid_t harald_spawn_bound(
    char *const arguments[], char *const environment[], int output, int errors, int has_session) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return -errno;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) run(arguments, environment, output, errors, has_session, parent, report[1]);
    int code = errno;
    close(report[1]);
    if (child < 0) {
        close(report[0]);
        return -code;
    }
    // Empty once the program runs, which closes the other end.
    int failure = 0;
    ssize_t count;
    do count = read(report[0], &failure, sizeof failure); while (count < 0 && errno == EINTR);
    close(report[0]);
    if (count != sizeof failure) return child;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return -failure;
}
