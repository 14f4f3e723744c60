#ifndef CSIMULATION_H
#define CSIMULATION_H

/// Where the Swift runtime looks before it hands a job to its threads: a function that takes the job instead; NULL
/// without. The runtime exports it for this purpose.
void *_Nullable *_Nonnull simulation_global_enqueue_hook(void);

/// The same for jobs that wait for a time of the system's clock.
void *_Nullable *_Nonnull simulation_delayed_enqueue_hook(void);

#endif
