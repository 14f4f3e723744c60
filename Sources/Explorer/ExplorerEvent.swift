import Harald

/// An event for observers of the model.
package enum ExplorerEvent: Sendable {
    /// The list entry of a device changed; at most four times a second per device.
    case device(ExplorerDevice)
    /// A device was removed, because too many others were discovered.
    case gone(PeripheralID)
    /// The connection state of a device or a property of its link changed.
    case connection(ConnectionReport)
    /// A value was received, read or written.
    case value(ValueReport)
    /// A pairing request was opened or has ended.
    case pairing(PairingRequest)
    /// An entry was added to the log.
    case log(LogEntry)
    /// The state of the adapter changed.
    case radio(RadioReport)
    /// This number of events was dropped because the observer was too slow.
    case missed(Int)
}
