import BluetoothBackend

extension LocalPeripheral {
    /// What happens to a local peripheral, with the requests that its code answers.
    package enum Activity: Sendable {
        /// An event.
        case event(Event)
        /// A central read a value, and got this answer. A long value that takes several requests is one read.
        case read(PeripheralID, AttributeID, Result<[UInt8], ATTErrorCode>)
        /// A central wrote a value; the code with which that was refused, or nil.
        case written(PeripheralID, AttributeID, [UInt8], ATTErrorCode?)
    }

    /// A stream of its own each time: what happens from now on, in its order. Reads of values that the stack keeps are
    /// not in it.
    package var activities: BluetoothStream<Activity> { core.activities.stream(policy: .newest(4096)) }
}
