import BluetoothHCI
import BluetoothModel

/// How a command is answered.
enum CommandAnswer {
    /// Command Complete with this status; after an error, and where the command returns nothing else, zeros follow.
    case complete(HCIStatus)
    /// Command Complete with success and what the first closure writes behind the status; then what the second does.
    case values((PacketBuffer) -> Void, then: (() -> Void)? = nil)
    /// Command Status.
    case status(HCIStatus)
    /// Command Status with success, and then what the closure does.
    case accepted(() -> Void)
    /// Command Complete with success, and then what the closure does.
    case completed(() -> Void)
    /// No answer; one command has none.
    case none
}

/// One command that a virtual controller knows.
struct Command: Sendable {
    /// How a command is answered that cannot be carried out.
    enum Form: Sendable {
        /// With Command Complete, and that many bytes behind the status.
        case complete(returns: Int)
        /// With Command Status.
        case status
        /// Not at all.
        case silence
    }

    /// Carries a command out; nil where its parameters are not valid.
    typealias Body = @Sendable (VirtualController, inout ByteReader) -> CommandAnswer?

    let opcode: HCIOpcode
    /// How many bytes the parameters have.
    let lengths: ClosedRange<Int>
    let form: Form
    /// How many bytes of the parameters an error repeats behind its status: the handle.
    let echo: Int
    /// Which features the controller must have, else it does not know the command.
    let features: LEFeatures
    /// The family of commands that it belongs to.
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

    /// A command that is answered with Command Complete.
    static func complete(
        _ opcode: HCIOpcode, _ length: Int, returns: Int = 0, echo: Int = 0, features: LEFeatures = [],
        family: HostSettings.CommandFamily? = nil, _ body: @escaping Body
    ) -> Command {
        Command(opcode, length...length, .complete(returns: returns), echo, features, family, body)
    }

    /// The same, with parameters of several lengths.
    static func complete(
        _ opcode: HCIOpcode, lengths: ClosedRange<Int>, features: LEFeatures = [],
        family: HostSettings.CommandFamily? = nil, _ body: @escaping Body
    ) -> Command {
        Command(opcode, lengths, .complete(returns: 0), 0, features, family, body)
    }

    /// A command that is answered with Command Status.
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

/// All commands, by their opcodes.
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
