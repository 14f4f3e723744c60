import BluetoothModel
import BluetoothRuntime

/// Behaviour of a controller that is not a fault of the world: the host must handle it, so that operations succeed or
/// end in time.
enum ControllerLapse: Int, CaseIterable {
    /// The next attempt to connect that is cancelled does not end.
    case cancellation = 1
    /// The next attempt to connect begins only after some seconds.
    case attempt
    /// The answer to the next command does not permit another one; a later event does.
    case credit

    /// The time after which an attempt begins.
    static let attemptTime = Duration.seconds(5)
    /// The time after which a command is permitted.
    static let creditTime = Duration.milliseconds(300)
}

/// The lapses of one controller. The packets that it receives and sends pass through ``sent(_:)`` and ``received(_:)``.
final class LapsedController {
    private enum Attempt {
        case none
        /// The command was answered, and the controller has not received it.
        case held([UInt8])
        /// The controller has received it, and its Command Status is not passed on.
        case late
    }

    private let line: HostLine
    private let toController: ([UInt8]) -> Void
    private let toHost: ([UInt8]) -> Void
    private let attemptTimer: QueuedTimer
    private let creditTimer: QueuedTimer
    private var attempt = Attempt.none
    /// True if the end of the attempt that is being cancelled is not passed on.
    private var dropsEnd = false

    init(
        _ line: HostLine, loop: RadioLoop, toController: @escaping ([UInt8]) -> Void,
        toHost: @escaping ([UInt8]) -> Void
    ) {
        self.line = line
        self.toController = toController
        self.toHost = toHost
        attemptTimer = loop.makeTimer {}
        creditTimer = loop.makeTimer {}
        attemptTimer.onFire = { [weak self] in self?.begin() }
        // Command Complete without a command permits one (Core 6.0, Vol 4, Part E, 7.7.14).
        creditTimer.onFire = { toHost([4, 0x0E, 3, 1, 0, 0]) }
    }

    /// Stops all timers: the channel is closed, or the controller is reset.
    func end() {
        attemptTimer.disarm()
        creditTimer.disarm()
        attempt = .none
        dropsEnd = false
    }

    // MARK: Commands

    /// Returns false for a packet of the host that the controller does not receive.
    func sent(_ packet: ByteView) -> Bool {
        guard packet.count >= 4, packet[0] == 1 else { return true }
        switch packet.uint16(at: 1) {
        case 0x0C03: end()
        case 0x2043 where line.takeLapse(.attempt):
            attempt = .held(packet.array)
            attemptTimer.arm(at: line.now + ControllerLapse.attemptTime)
            toHost([4, 0x0F, 4, 0, 1, 0x43, 0x20])
            return false
        case 0x200E:
            if case .held = attempt { return cancelHeld() }
            dropsEnd = line.takeLapse(.cancellation)
        default: break
        }
        return true
    }

    /// Cancels an attempt that the controller has not received.
    private func cancelHeld() -> Bool {
        attemptTimer.disarm()
        attempt = .none
        toHost([4, 0x0E, 4, 1, 0x0E, 0x20, 0])
        // LE Enhanced Connection Complete with the status Unknown Connection Identifier
        if !line.takeLapse(.cancellation) { toHost([4, 0x3E, 31, 0x0A, 0x02] + [UInt8](repeating: 0, count: 29)) }
        return false
    }

    private func begin() {
        guard case .held(let packet) = attempt else { return }
        attempt = .late
        toController(packet)
    }

    // MARK: Events

    /// True if no packet is changed.
    var isIdle: Bool {
        if case .none = attempt { line.lapse == nil && !dropsEnd } else { false }
    }

    /// Returns the packet that the host receives in place of one of the controller; nil for none.
    func received(_ packet: ByteView) -> [UInt8]? {
        guard packet.count > 5, packet[0] == 4 else { return packet.array }
        var bytes = packet.array
        switch bytes[1] {
        // Command Status
        case 0x0F where bytes.count > 6:
            if case .late = attempt, bytes[5] == 0x43, bytes[6] == 0x20 {
                attempt = .none
                guard bytes[3] != 0 else { return nil }
                // The attempt began, and fails.
                return [4, 0x3E, 31, 0x0A, bytes[3]] + [UInt8](repeating: 0, count: 29)
            }
            if bytes[4] > 0, line.takeLapse(.credit) { withhold(&bytes, at: 4) }
        // Command Complete
        case 0x0E:
            // The attempt had ended already.
            if bytes.count > 6, bytes[4] == 0x0E, bytes[5] == 0x20, bytes[6] != 0 { dropsEnd = false }
            if bytes[3] > 0, line.takeLapse(.credit) { withhold(&bytes, at: 3) }
        // LE Connection Complete in its three kinds
        case 0x3E where [0x01, 0x0A, 0x29].contains(bytes[3]):
            if dropsEnd, bytes[4] == 0x02 {
                dropsEnd = false
                return nil
            }
        default: break
        }
        return bytes
    }

    private func withhold(_ bytes: inout [UInt8], at place: Int) {
        bytes[place] = 0
        creditTimer.arm(at: line.now + ControllerLapse.creditTime)
    }
}
