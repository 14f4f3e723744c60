import BluetoothModel

/// Counters of packets that one link dropped because they violate a protocol or have no receiver, and of wrong answers
/// that it worked around. The link stays up.
package final class ProtocolAnomalies {
    /// The kinds of dropped packets.
    package enum Kind: Int, CaseIterable, Sendable {
        /// A frame for a channel that does not exist.
        case unknownChannel
        /// A signalling packet that is too short, has trailing bytes, or an identifier of 0.
        case malformedSignal
        /// A signalling response without a matching request.
        case unexpectedSignal
        /// An ATT packet that is empty, too short for its opcode, or longer than the local MTU.
        case malformedAttribute
        /// An ATT response or confirmation without a matching request.
        case unexpectedResponse
        /// An ATT command that is unknown, not permitted, or without a valid signature.
        case ignoredCommand
        /// An ATT request received before the previous one was answered.
        case requestTooEarly
        /// A notification or indication without a handler.
        case unhandledValue
        /// A security manager packet that could not be used.
        case unexpectedSecurity
        /// A Find By Type Value Request that did not find a service that the server has.
        case wrongServiceSearch
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)

    /// Creates counters with the value 0.
    init() {}

    /// Returns the number of dropped packets of a kind.
    package func count(of kind: Kind) -> Int { counts[kind.rawValue] }

    /// The total number of dropped packets.
    package var total: Int { counts.reduce(0, +) }

    /// Called with each dropped packet.
    var onAdd: ((Kind, ByteView?) -> Void)?

    /// Counts a dropped packet.
    func add(_ kind: Kind, _ packet: ByteView? = nil) {
        counts[kind.rawValue] &+= 1
        onAdd?(kind, packet)
    }
}
