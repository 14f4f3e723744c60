#ifndef CSIMULATION_H
#define CSIMULATION_H

/// The Swift runtime's hook for enqueueing global jobs: a function that receives a job in place of the runtime's
/// threads; NULL for none. The runtime exports it for this purpose.
void *_Nullable *_Nonnull simulation_global_enqueue_hook(void);

/// The same for jobs with a delay on the system's clock.
void *_Nullable *_Nonnull simulation_delayed_enqueue_hook(void);

/// Limits the length of each file that this process writes, as a full disk does; a negative number removes the limit.
void simulation_limit_files(long octets);

#endif
