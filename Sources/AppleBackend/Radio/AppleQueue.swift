import CoreBluetooth

/// The queue that the managers call back on, and the only place where their objects are touched.
///
/// The adapter's loop enters it and waits, so it can ask CoreBluetooth and have the answer. What runs on the queue never
/// waits for the loop, so this ends: callbacks only take along what they were given.
struct AppleQueue: Sendable {
    let dispatch = DispatchQueue(label: "harald.corebluetooth")

    /// From the loop: asks or tells CoreBluetooth something.
    func run<Answer>(_ body: () -> Answer) -> Answer { dispatch.sync(execute: body) }
}
