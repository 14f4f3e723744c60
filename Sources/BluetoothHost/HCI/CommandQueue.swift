import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Gives commands to the controller, one at a time and as it allows, and matches the answers
/// (Core 6.0, Vol 4, Part E, 4.4).
///
/// Every command ends exactly once: with its return parameters, with the controller's refusal, or with the error that
/// ended the queue. A command that is not answered in time ends the queue through ``onSilence``, unless the controller
/// still answers others and the command can be done without.
final class CommandQueue {
    /// The return parameters without their status, valid during the call; empty for a command that is only accepted.
    typealias Completion = (Result<ByteView, RadioError>) -> Void

    /// What it means when a command is not answered.
    enum Need {
        /// The controller is gone.
        case essential
        /// Perhaps the controller only forgot this one: it is asked for its version to find out.
        case dispensable
    }

    private struct Command {
        let opcode: HCIOpcode
        let packet: [UInt8]
        let need: Need
        let completion: Completion
    }

    private enum State {
        case closed(RadioError)
        case idle
        case awaiting(Command)
    }

    /// More commands than this do not wait.
    static let limit = 1024

    /// Called once when the controller does not answer, with the command; the owner then closes the queue.
    var onSilence: ((HCIOpcode) -> Void)?

    private var state = State.closed(.radio(.poweredOff, reason: "the adapter is not started"))
    private var waiting: Deque<Command> = []
    /// How many commands the controller takes; one after a reset.
    private var credits = 1
    /// Commands that the controller left unanswered: they are not asked again.
    private var unanswered: Set<HCIOpcode> = []
    private let time: HostTime
    private let timeout: Duration
    private let send: (ByteView) -> Void
    private lazy var timer = time.timers.makeTimer { [unowned self] in timedOut() }

    init(time: HostTime, timeout: Duration, send: @escaping (ByteView) -> Void) {
        self.time = time
        self.timeout = timeout
        self.send = send
    }

    /// Begins with a controller that is about to be reset.
    func open() {
        state = .idle
        credits = 1
        unanswered = []
    }

    /// Ends every command with `error`; later ones end with it at once.
    func close(_ error: RadioError) {
        timer.disarm()
        let ended: Command? = if case .awaiting(let command) = state { command } else { nil }
        let rest = waiting
        waiting = []
        state = .closed(error)
        ended?.completion(.failure(error))
        for command in rest { command.completion(.failure(error)) }
    }

    /// Queues a command whose parameters `write` appends.
    func run(
        _ opcode: HCIOpcode, _ need: Need = .essential, write: (inout ByteWriter) -> Void = { _ in },
        completion: @escaping Completion
    ) {
        if case .closed(let error) = state { return completion(.failure(error)) }
        if unanswered.contains(opcode) {
            return completion(.failure(.unsupported("the controller does not answer \(opcode)")))
        }
        guard waiting.count < Self.limit else {
            return completion(.failure(.limit("\(Self.limit) commands wait for the controller")))
        }
        let packet = Self.packet(opcode, write)
        waiting.append(Command(opcode: opcode, packet: packet, need: need, completion: completion))
        pump()
    }

    /// Sends a command past the queue, for when nobody listens any more.
    func sendUnanswered(_ opcode: HCIOpcode) { Self.packet(opcode) { _ in }.withByteView(send) }

    private static func packet(_ opcode: HCIOpcode, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter(capacity: 72)
        writer.uint8(PacketByte.command)
        writer.uint16(opcode.rawValue)
        writer.uint8(0)
        write(&writer)
        precondition(writer.count <= 4 + 255, "the parameters of a command are 255 bytes at most")
        writer.set(UInt8(writer.count - 4), at: 3)
        return writer.bytes
    }

    private func pump() {
        guard case .idle = state, let first = waiting.first else { return }
        guard credits > 0 else {
            // The controller owes a credit: it has as long for that as for an answer.
            if !timer.isArmed { timer.arm(at: time.now + timeout) }
            return
        }
        waiting.removeFirst()
        begin(first)
    }

    private func begin(_ command: Command) {
        credits = max(0, credits - 1)
        state = .awaiting(command)
        timer.arm(at: time.now + timeout)
        command.packet.withByteView(send)
    }

    /// Command Complete (7.7.14) without its header. False where it makes no sense.
    func commandCompleted(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let count = reader.uint8(), let opcode = reader.uint16() else { return false }
        answer(HCIOpcode(rawValue: opcode), credits: Int(count)) {
            guard let status = reader.uint8() else {
                return .failure(.invalidResponse("the controller answered without a status"))
            }
            return status == 0 ? .success(reader.rest) : .failure(.controller(HCIStatus(rawValue: status)))
        }
        return true
    }

    /// Command Status (7.7.15) without its header. False where it makes no sense.
    func commandStatus(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let count = reader.uint8(), let opcode = reader.uint16() else {
            return false
        }
        answer(HCIOpcode(rawValue: opcode), credits: Int(count)) {
            status == 0 ? .success(.empty) : .failure(.controller(HCIStatus(rawValue: status)))
        }
        return true
    }

    private func answer(_ opcode: HCIOpcode, credits: Int, result: () -> Result<ByteView, RadioError>) {
        if case .closed = state { return }
        self.credits = credits
        if case .awaiting(let command) = state, command.opcode == opcode {
            timer.disarm()
            state = .idle
            command.completion(result())
        } else {
            // Late: the controller does answer it after all.
            unanswered.remove(opcode)
            if case .idle = state, credits > 0 { timer.disarm() }
        }
        pump()
    }

    private func timedOut() {
        switch state {
        case .closed: return
        case .idle:
            if let first = waiting.first { onSilence?(first.opcode) }
        case .awaiting(let command):
            guard case .dispensable = command.need else { return silenced(command) }
            unanswered.insert(command.opcode)
            let probe = Command(
                opcode: .readLocalVersion, packet: Self.packet(.readLocalVersion) { _ in }, need: .essential,
                completion: { _ in })
            begin(probe)
            command.completion(.failure(.timeout))
        }
    }

    /// The error that everybody gets is the owner's, who closes the queue.
    private func silenced(_ command: Command) {
        guard let onSilence else { return close(.timeout) }
        onSilence(command.opcode)
    }
}
