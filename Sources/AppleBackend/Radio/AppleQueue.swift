import CoreBluetooth

/// The queue of the managers' callbacks, and the only place where their objects are accessed.
///
/// The adapter's loop runs work on it synchronously, so it can call CoreBluetooth and use the result. Work on the queue
/// never waits for the loop, so this cannot deadlock: callbacks only pass their arguments on.
struct AppleQueue: Sendable {
    let dispatch = DispatchQueue(label: "harald.corebluetooth")

    /// Runs `body`, which uses CoreBluetooth, on the queue and returns its result. To be called on the loop.
    func run<Answer>(_ body: () -> Answer) -> Answer { dispatch.sync(execute: body) }
}
