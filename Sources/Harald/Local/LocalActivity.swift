import BluetoothBackend

extension LocalPeripheral {
    /// An event of a local peripheral, or a request that its code answered.
    package enum Activity: Sendable {
        /// An event.
        case event(Event)
        /// A central read a value and received this answer. A long read with several requests is one read.
        case read(PeripheralID, AttributeID, Result<[UInt8], ATTErrorCode>)
        /// A central wrote a value; the error code of the refusal, or nil.
        case written(PeripheralID, AttributeID, [UInt8], ATTErrorCode?)
        /// A central receives the first octets of a value only, because its ATT MTU is too small for the rest: the
        /// length of the value, and that of the part. Reported once for each central and characteristic.
        case truncated(PeripheralID, AttributeID, length: Int, sent: Int)
    }

    /// A new stream for each access: the events and requests from now on, in order. It does not contain reads of values
    /// that the stack stores.
    package var activities: BluetoothStream<Activity> { core.activities.stream(policy: .newest(4096)) }
}
