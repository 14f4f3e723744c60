#include "CSimulation.h"

extern void *swift_task_enqueueGlobal_hook;
extern void *swift_task_enqueueGlobalWithDelay_hook;

void **simulation_global_enqueue_hook(void) { return &swift_task_enqueueGlobal_hook; }

void **simulation_delayed_enqueue_hook(void) { return &swift_task_enqueueGlobalWithDelay_hook; }
