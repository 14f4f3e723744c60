import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// The last commands before a controller is reset because its radio is switched off: each peer is told that its link ends
/// (Core 6.0, Vol 4, Part E, 7.1.6), where a reset would leave it to its supervision timeout.
///
/// For the users of the host the links have ended already.
final class PowerOffSequence {
    /// The time that the peers have to acknowledge the end; the controller is reset after it.
    static let patience = Duration.seconds(1)

    private let commands: CommandQueue
    private var handles: Set<UInt16>
    private let timer: QueuedTimer
    private let completion: () -> Void

    /// - Parameter completion: called once, when every link is down or the time is over.
    init(_ handles: [UInt16], commands: CommandQueue, time: HostTime, completion: @escaping () -> Void) {
        self.commands = commands
        self.handles = Set(handles)
        self.completion = completion
        timer = time.timers.makeTimer(completion)
        timer.arm(at: time.now + Self.patience)
    }

    /// Sends the commands. New peers are kept away first.
    func begin(isExtended: Bool) {
        let disable = AdvertisingCommands.disable(isExtended: isExtended, handle: 0)
        if isExtended {
            // All sets.
            commands.run(.leSetExtendedAdvertisingEnable) {
                $0.uint8(0)
                $0.uint8(0)
            } completion: { _ in
            }
        } else {
            commands.run(disable.opcode, write: disable.write) { _ in }
        }
        for handle in handles.sorted() {
            commands.run(.disconnect) {
                $0.uint16(handle)
                $0.uint8(HCIStatus.remotePowerOff.rawValue)
            } completion: { [weak self] result in
                // The controller knows no such link: no event will come.
                if case .failure(.controller) = result { self?.ended(handle) }
            }
        }
    }

    /// A link is down.
    func ended(_ handle: UInt16) {
        guard handles.remove(handle) != nil, handles.isEmpty else { return }
        timer.disarm()
        completion()
    }

    /// Gives up: `completion` is not called.
    func cancel() {
        handles = []
        timer.disarm()
    }
}
