#if Programs
import Harald

/// Something that observers of the model hear of.
package enum ExplorerEvent: Sendable {
    /// What is shown of a device changed; at most four times a second and device.
    case device(ExplorerDevice)
    /// A device was forgotten, because too many others were heard.
    case gone(PeripheralID)
    /// How a device is connected changed, or something about its link.
    case connection(ConnectionReport)
    /// A value came, was read or was written.
    case value(ValueReport)
    /// A question of pairing was asked, or is over.
    case pairing(PairingRequest)
    /// An entry was added to the log.
    case log(LogEntry)
    /// What the adapter can do changed.
    case radio(RadioReport)
    /// So many events were dropped because the observer was too slow.
    case missed(Int)
}
#endif
