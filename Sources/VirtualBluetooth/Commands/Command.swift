import BluetoothHCI
import BluetoothModel

/// The answer to a command.
enum CommandAnswer {
    /// Command Complete with this status. Errors, and commands without further return parameters, fill the rest with
    /// zeros.
    case complete(HCIStatus)
    /// Command Complete with success and the return parameters that the first closure writes; then the second closure
    /// runs.
    case values((ControllerPacketBuffer) -> Void, then: (() -> Void)? = nil)
    /// Command Status.
    case status(HCIStatus)
    /// Command Status with success, then the closure.
    case accepted(() -> Void)
    /// Command Complete with success, then the closure.
    case completed(() -> Void)
    /// No answer; used by one command only.
    case none
}

/// A command that virtual controllers support.
struct Command: Sendable {
    /// The form of the answer to a command that fails.
    enum Form: Sendable {
        /// Command Complete with this number of bytes after the status.
        case complete(returns: Int)
        /// With Command Status.
        case status
        /// No event.
        case silence
    }

    /// Carries the command out; returns nil if its parameters are invalid.
    typealias Body = @Sendable (VirtualController, inout ByteReader) -> CommandAnswer?

    let opcode: HCIOpcode
    /// The permitted lengths of the parameters, in bytes.
    let lengths: ClosedRange<Int>
    let form: Form
    /// The number of leading parameter bytes, the handle, that an error repeats after its status.
    let echo: Int
    /// The features that the controller must have; without them the command is unknown to it.
    let features: LEFeatures
    /// The command family; nil for a command that belongs to none.
    let family: HostSettings.CommandFamily?
    let body: Body

    private init(
        _ opcode: HCIOpcode, _ lengths: ClosedRange<Int>, _ form: Form, _ echo: Int, _ features: LEFeatures,
        _ family: HostSettings.CommandFamily?, _ body: @escaping Body
    ) {
        self.opcode = opcode
        self.lengths = lengths
        self.form = form
        self.echo = echo
        self.features = features
        self.family = family
        self.body = body
    }

    /// A command answered with Command Complete.
    static func complete(
        _ opcode: HCIOpcode, _ length: Int, returns: Int = 0, echo: Int = 0, features: LEFeatures = [],
        family: HostSettings.CommandFamily? = nil, _ body: @escaping Body
    ) -> Command {
        Command(opcode, length...length, .complete(returns: returns), echo, features, family, body)
    }

    /// A command answered with Command Complete whose parameters vary in length.
    static func complete(
        _ opcode: HCIOpcode, lengths: ClosedRange<Int>, features: LEFeatures = [],
        family: HostSettings.CommandFamily? = nil, _ body: @escaping Body
    ) -> Command {
        Command(opcode, lengths, .complete(returns: 0), 0, features, family, body)
    }

    /// A command answered with Command Status.
    static func status(
        _ opcode: HCIOpcode, _ lengths: ClosedRange<Int>, features: LEFeatures = [],
        family: HostSettings.CommandFamily? = nil, _ body: @escaping Body
    ) -> Command {
        Command(opcode, lengths, .status, 0, features, family, body)
    }

    /// A command without an answer.
    static func silent(_ opcode: HCIOpcode, _ lengths: ClosedRange<Int>, _ body: @escaping Body) -> Command {
        Command(opcode, lengths, .silence, 0, [], nil, body)
    }
}

/// All commands by opcode.
enum CommandTable {
    static let all: [HCIOpcode: Command] = {
        let areas = [
            Command.control, Command.informational, Command.legacyAdvertising, Command.extendedAdvertising,
            Command.scanning, Command.filtering, Command.privacy, Command.initiating, Command.connection,
            Command.linkLayer, Command.security,
        ]
        return Dictionary(areas.joined().map { ($0.opcode, $0) }) { first, _ in first }
    }()
}
