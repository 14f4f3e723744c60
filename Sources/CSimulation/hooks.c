#include "CSimulation.h"

#include <signal.h>
#include <sys/resource.h>

extern void *swift_task_enqueueGlobal_hook;
extern void *swift_task_enqueueGlobalWithDelay_hook;

void **simulation_global_enqueue_hook(void) { return &swift_task_enqueueGlobal_hook; }

void **simulation_delayed_enqueue_hook(void) { return &swift_task_enqueueGlobalWithDelay_hook; }

void simulation_limit_files(long octets) {
    // Without the signal, a write beyond the limit writes a part and then fails.
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit)) return;
    limit.rlim_cur = octets < 0 ? limit.rlim_max : (rlim_t)octets;
    setrlimit(RLIMIT_FSIZE, &limit);
}
