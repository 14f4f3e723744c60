// Runs a program and, once one of its threads is busy, single-steps that thread: where it was after each instruction is
// written down, as 64-bit addresses. Unlike valgrind, this sees a program whose waits are ended by signals as it really
// runs, but slowly.
#define _GNU_SOURCE
#include <elf.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const long busy_ticks = 20; /* a fifth of a second of processor time */

static uint64_t place(pid_t thread) {
    struct user_regs_struct registers;
    struct iovec all = { &registers, sizeof registers };
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &all) < 0) return 0;
#if defined(__x86_64__)
    return registers.rip;
#elif defined(__aarch64__)
    return registers.pc;
#else
#error "steps knows x86-64 and arm64"
#endif
}

/* How long a thread has run, in clock ticks. */
static long ticks(pid_t process, const char *thread) {
    char path[300], line[1024];
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, thread);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    long user = 0, system = 0;
    char *rest = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) != 2) return 0;
    return user + system;
}

/* The first thread that is busy, or 0 where the program ends before. */
static pid_t busy_thread(pid_t process) {
    for (int round = 0; round < 600; round++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", (int)process);
        DIR *threads = opendir(path);
        for (struct dirent *entry; threads && (entry = readdir(threads));) {
            if (entry->d_name[0] == '.' || ticks(process, entry->d_name) < busy_ticks) continue;
            pid_t found = (pid_t)atol(entry->d_name);
            closedir(threads);
            return found;
        }
        if (threads) closedir(threads);
        siginfo_t ended = { 0 };
        if (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid != 0) return 0;
        usleep(50000);
    }
    return 0;
}

static void copy_maps(pid_t process, const char *out) {
    char path[4096], buffer[4096];
    snprintf(path, sizeof path, "%s.maps", out);
    FILE *to = fopen(path, "w");
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *from = fopen(path, "r");
    if (to && from) {
        for (size_t count; (count = fread(buffer, 1, sizeof buffer, from)) > 0;) fwrite(buffer, 1, count, to);
    }
    if (from) fclose(from);
    if (to) fclose(to);
}

static void step(pid_t thread, long count, const char *out) {
    FILE *file = fopen(out, "wb");
    int status;
    if (!file || ptrace(PTRACE_SEIZE, thread, 0, 0) < 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) < 0) {
        perror("steps");
        if (file) fclose(file);
        return;
    }
    if (waitpid(thread, &status, __WALL) < 0) perror("steps");
    long signal = 0;
    for (long number = 0; number < count; number++) {
        if (ptrace(PTRACE_SINGLESTEP, thread, 0, signal) < 0) break;
        if (waitpid(thread, &status, __WALL) < 0 || !WIFSTOPPED(status)) break;
        /* A signal that is for the program goes on to it. */
        signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        uint64_t address = place(thread);
        fwrite(&address, sizeof address, 1, file);
    }
    ptrace(PTRACE_DETACH, thread, 0, 0);
    fclose(file);
}

int main(int count, char **words) {
    if (count < 4) {
        fputs("usage: steps FILE COUNT PROGRAM [ARGUMENT...]\n", stderr);
        return 64;
    }
    pid_t child = fork();
    if (child == 0) {
        execvp(words[3], words + 3);
        perror(words[3]);
        _exit(127);
    }
    pid_t thread = child < 0 ? 0 : busy_thread(child);
    if (thread) {
        copy_maps(child, words[1]);
        step(thread, atol(words[2]), words[1]);
    } else {
        fputs("steps: no thread was busy\n", stderr);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
