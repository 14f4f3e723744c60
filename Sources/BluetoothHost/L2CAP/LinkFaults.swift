/// What one link dropped because its peer broke the protocol, or because nobody wanted it; all of it survivable.
public final class LinkFaults {
    /// The kinds of things that are dropped.
    public enum Kind: Int, CaseIterable, Sendable {
        /// A frame for a channel that does not exist.
        case unknownChannel
        /// A signalling packet that is too short, has trailing bytes, or an identifier of 0.
        case malformedSignal
        /// A signalling response that answers nothing.
        case unexpectedSignal
        /// An ATT packet without an opcode, too short for it, or longer than we offered to receive.
        case malformedAttribute
        /// An ATT response, or a confirmation, that nobody asked for.
        case unexpectedResponse
        /// An ATT command that is not known, not permitted, or without a valid signature.
        case ignoredCommand
        /// An ATT request while another one is still being answered.
        case requestTooEarly
        /// A notification or an indication for which nobody has asked.
        case unhandledValue
        /// A packet of the security manager that could not be used.
        case unexpectedSecurity
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)

    /// A ledger with no entry.
    init() {}

    /// How often something of this kind was dropped.
    public func count(of kind: Kind) -> Int { counts[kind.rawValue] }

    /// How much was dropped in all.
    public var total: Int { counts.reduce(0, +) }

    func add(_ kind: Kind) { counts[kind.rawValue] &+= 1 }
}
