import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Sends commands to the controller, one at a time and limited by its credits, and matches the responses (Core 6.0, Vol
/// 4, Part E, 4.4).
///
/// Every command completes exactly once: with its return parameters, with the controller's error, or with the error
/// that closed the queue. A command that times out closes the queue through ``onSilence``, unless it is dispensable and
/// the controller still answers other commands.
final class CommandQueue {
    /// The return parameters without the status, valid during the call; empty for a command that only has a Command
    /// Status.
    typealias Completion = (Result<ByteView, RadioError>) -> Void

    /// The consequence of a command that is not answered.
    enum Need {
        /// The controller is treated as unavailable.
        case essential
        /// The command fails, and the controller's version is read to check that it still answers.
        case dispensable
    }

    private struct Command {
        let opcode: HCIOpcode
        let packet: [UInt8]
        let need: Need
        /// The link that the command concerns; nil for a command of the controller.
        let link: LELink?
        let completion: Completion
    }

    private enum State {
        case closed(RadioError)
        case idle
        case awaiting(Command)
    }

    /// The maximum number of queued commands.
    static let limit = 1024

    /// Called once when the controller does not answer, with the command. The owner then closes the queue.
    var onSilence: ((HCIOpcode) -> Void)?

    /// Called with the status of a command that the controller refused, and with its link.
    var onRefusal: ((HCIOpcode, HCIStatus, LELink?) -> Void)?

    private var state = State.closed(.radio(.poweredOff, reason: "the adapter is not started"))
    private var waiting: Deque<Command> = []
    /// The number of commands that the controller accepts; one after a reset.
    private var credits = 1
    /// Commands that the controller did not answer and that are not sent again.
    private var unanswered: Set<HCIOpcode> = []
    private let time: HostTime
    private let timeout: Duration
    private let send: (ByteView) -> Void
    // Proof of `unowned`: only the host fires its timers, and it owns this queue.
    private lazy var timer = time.timers.makeTimer { [unowned self] in timedOut() }

    init(time: HostTime, timeout: Duration, send: @escaping (ByteView) -> Void) {
        self.time = time
        self.timeout = timeout
        self.send = send
    }

    /// Starts with a controller that is about to be reset.
    func open() {
        state = .idle
        credits = 1
        unanswered = []
    }

    /// Completes every command with `error`; later ones complete with it immediately.
    func close(_ error: RadioError) {
        timer.disarm()
        let ended: Command? = if case .awaiting(let command) = state { command } else { nil }
        let rest = waiting
        waiting = []
        state = .closed(error)
        ended?.completion(.failure(error))
        for command in rest { command.completion(.failure(error)) }
    }

    /// Queues a command; `write` appends its parameters.
    func run(
        _ opcode: HCIOpcode, _ need: Need = .essential, of link: LELink? = nil,
        write: (inout ByteWriter) -> Void = { _ in }, completion: @escaping Completion
    ) {
        if case .closed(let error) = state { return completion(.failure(error)) }
        if unanswered.contains(opcode) {
            return completion(.failure(.unsupported("the controller does not answer \(opcode)")))
        }
        guard waiting.count < Self.limit else {
            return completion(.failure(.limit("\(Self.limit) commands are already queued for the controller")))
        }
        let packet = Self.packet(opcode, write)
        waiting.append(Command(opcode: opcode, packet: packet, need: need, link: link, completion: completion))
        pump()
    }

    /// Sends a command immediately, without handling its response.
    func sendUnanswered(_ opcode: HCIOpcode) { Self.packet(opcode) { _ in }.withByteView(send) }

    private static func packet(_ opcode: HCIOpcode, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter(capacity: 72)
        writer.uint8(PacketByte.command)
        writer.uint16(opcode.rawValue)
        writer.uint8(0)
        write(&writer)
        precondition(writer.count <= 4 + 255, "the parameters of a command exceed 255 bytes")
        writer.set(UInt8(writer.count - 4), at: 3)
        return writer.bytes
    }

    private func pump() {
        guard case .idle = state, let first = waiting.first else { return }
        guard credits > 0 else {
            // The controller owes a credit; the timeout of a response applies.
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

    /// Handles the parameters of Command Complete (7.7.14). Returns false if they are malformed.
    func commandCompleted(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let count = reader.uint8(), let opcode = reader.uint16() else { return false }
        answer(HCIOpcode(rawValue: opcode), credits: Int(count)) {
            guard let status = reader.uint8() else {
                return .failure(.faultyController("response to \(HCIOpcode(rawValue: opcode)) has no status"))
            }
            return status == 0 ? .success(reader.rest) : .failure(.controller(HCIStatus(rawValue: status)))
        }
        return true
    }

    /// Handles the parameters of Command Status (7.7.15). Returns false if they are malformed.
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
            let result = result()
            if let onRefusal, case .failure(.controller(let status)) = result {
                onRefusal(opcode, status, command.link)
            }
            command.completion(result)
        } else {
            // A late response: the controller does answer this command.
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
                link: nil, completion: { _ in })
            begin(probe)
            command.completion(.failure(.timeout))
        }
    }

    /// The command whose response is awaited; nil if there is none.
    var awaited: HCIOpcode? { if case .awaiting(let command) = state { command.opcode } else { nil } }

    /// Reports the silence. The owner closes the queue with the error for all commands.
    private func silenced(_ command: Command) {
        guard let onSilence else { return close(.timeout) }
        onSilence(command.opcode)
    }
}

extension RadioError {
    /// The error of an operation to which the controller, and not the peer, responded wrongly.
    static func faultyController(_ fault: String) -> RadioError {
        .radio(.unknown, reason: "the controller violated the protocol: its \(fault)")
    }
}
