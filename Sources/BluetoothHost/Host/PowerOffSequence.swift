import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// Disconnects the peers before a controller is reset because the adapter is powered off (Core 6.0, Vol 4, Part E,
/// 7.1.6). A reset alone would leave them to their supervision timeout.
///
/// The users of the host have been notified of the end of these links already.
final class PowerOffSequence {
    /// The time that the peers have to acknowledge the disconnection; the controller is reset afterwards.
    static let patience = Duration.seconds(1)

    private let commands: CommandQueue
    private var handles: Set<UInt16>
    private let timer: QueuedTimer
    private let completion: () -> Void

    /// - Parameter completion: Called once, when all links are down or the time has elapsed.
    init(_ handles: [UInt16], commands: CommandQueue, time: HostTime, completion: @escaping () -> Void) {
        self.commands = commands
        self.handles = Set(handles)
        self.completion = completion
        timer = time.timers.makeTimer(completion)
        timer.arm(at: time.now + Self.patience)
    }

    /// Sends the commands; disables advertising first, so that no new peer connects.
    func begin(isExtended: Bool) {
        let disable = AdvertisingCommands.disable(isExtended: isExtended, handle: 0)
        if isExtended {
            // Number of sets 0: disables all sets.
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
                // If the controller refuses, the link does not exist, and no event will follow.
                if case .failure(.controller) = result { self?.ended(handle) }
            }
        }
    }

    /// Records that a link is down.
    func ended(_ handle: UInt16) {
        guard handles.remove(handle) != nil, handles.isEmpty else { return }
        timer.disarm()
        completion()
    }

    /// Cancels the sequence; `completion` is not called.
    func cancel() {
        handles = []
        timer.disarm()
    }
}
