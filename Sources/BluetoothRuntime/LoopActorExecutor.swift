/// The serial executor of actors on a loop.
///
/// It is a separate object from the loop. With one object for both, the runtime could not distinguish the jobs of tasks
/// from those of actors: a task that prefers the loop would hop at every call, or an actor at every call of itself,
/// which lets other jobs run between a check and the wait that depends on it. A call from a task that prefers the loop
/// to an actor still hops: the runtime does not report whose job it is.
///
/// Proof of `@unchecked`: `loop` is the only state. The loop's initializer sets it, before this object is shared with
/// another thread, and nothing changes it afterwards.
public final class LoopActorExecutor: SerialExecutor, @unchecked Sendable {
    /// The loop that owns this object. Proof of `unowned(unsafe)` and `!`: only a loop creates this object, and sets
    /// the property at once. A caller has an actor of the loop, and the actor retains the loop.
    unowned(unsafe) var loop: RadioLoop!

    init() {}

    /// For the Swift runtime: enqueues a job of an actor.
    public func enqueue(_ job: consuming ExecutorJob) { loop.enqueueIsolated(UnownedJob(job)) }

    /// For the Swift runtime: traps unless the caller runs on the loop, which isolates its actors.
    public func checkIsolated() { loop.preconditionOnLoop() }

    /// For the Swift runtime: returns true if the caller is isolated to actors of the loop.
    public func isIsolatingCurrentContext() -> Bool? { loop.isOnLoop }
}
