#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CBuild.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

// The handler calls only functions that are safe in a signal handler.

extern const char __executable_start, etext;

static const char *shown_version;
static char program[4096];

static void text(const char *string) { (void)!write(STDERR_FILENO, string, strlen(string)); }

static void hexadecimal(uintptr_t number) {
    char digits[2 + 2 * sizeof number + 1], *digit = digits + sizeof digits - 1;
    *digit = 0;
    do *--digit = "0123456789abcdef"[number & 15]; while (number >>= 4);
    *--digit = 'x';
    *--digit = '0';
    text(digit);
}

/// Prints an address of the program as an offset in its file, which does not depend on where it was loaded.
static void place(uintptr_t address) {
    if (address < (uintptr_t)&__executable_start || address >= (uintptr_t)&etext) return;
    text(" ");
    hexadecimal(address - (uintptr_t)&__executable_start);
}

static void report(int number, siginfo_t *info, void *context) {
    (void)info;
    const ucontext_t *state = context;
#if defined(__x86_64__)
    uintptr_t counter = (uintptr_t)state->uc_mcontext.gregs[REG_RIP], frame = (uintptr_t)state->uc_mcontext.gregs[REG_RBP];
#else
    uintptr_t counter = state->uc_mcontext.pc, frame = state->uc_mcontext.regs[29];
#endif
    // A full-screen command has switched to the terminal's other screen and hidden the cursor.
    if (isatty(STDERR_FILENO)) text("\033[?1049l\033[?25h\r\n");
    text("\n");
    text(shown_version);
    text(" crashed with signal ");
    text(sigabbrev_np(number) ? sigabbrev_np(number) : "?");
    text(". Please report it, with the output of this command,\n"
         "which needs the debug symbols (package harald-dbgsym):\n  addr2line -pfie ");
    text(program);
    place(counter);
    for (int depth = 0; depth < 64; depth++) {
        // An async function of Swift marks its frame in a high bit.
        frame &= ~((uintptr_t)1 << 60);
        uintptr_t record[2];
        const struct iovec into = {record, sizeof record}, from = {(void *)frame, sizeof record};
        if (process_vm_readv(getpid(), &into, 1, &from, 1, 0) != sizeof record) break;
        // The line of the call is before the return address.
        place(record[1] - 1);
        if ((record[0] & ~((uintptr_t)1 << 60)) <= frame) break;
        frame = record[0];
    }
    text("\n");
    // The handler was removed when it was called (SA_RESETHAND): the process ends with the signal.
    raise(number);
}

void report_crashes(const char *version) {
    // The backtraces of Swift's runtime say more, where somebody has enabled them.
    if (getenv("SWIFT_BACKTRACE")) return;
    shown_version = strdup(version);
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) strcpy(program, "harald");
    static char memory[65536];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    action.sa_sigaction = report;
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
    for (unsigned index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, NULL);
}
#else
void report_crashes(const char *version) { (void)version; }
#endif
