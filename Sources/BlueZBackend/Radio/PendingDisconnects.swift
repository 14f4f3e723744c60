import BluetoothBackend
import BluetoothRuntime

/// The pending disconnections of this program. Confined to the loop.
///
/// BlueZ answers `Disconnect` before it reports that the device is no longer connected: until both happened, the device
/// looks connected and is not.
final class PendingDisconnects {
    private final class Disconnect {
        let callers = WaitingCallers<Void>()
        var isAnswered = false
        var timer: QueuedTimer?
    }

    /// Proof of `unowned`: only the radio stores this object, and closures have weak references to it.
    private unowned let radio: BlueZRadio
    private var pending: [String: Disconnect] = [:]
    /// The time that the signal may lag behind the answer.
    private static let patience = Duration.seconds(2)

    init(radio: BlueZRadio) { self.radio = radio }

    /// Returns true if the link of the device at `path` is being disconnected.
    func contains(_ path: String) -> Bool { pending[path] != nil }

    /// Disconnects the device at `path`, once; completes when it is disconnected, or where BlueZ knows of no link.
    func disconnect(_ path: String, completion: @escaping () -> Void = {}) {
        if let disconnect = pending[path] { return disconnect.callers.add(completion) }
        let disconnect = Disconnect()
        disconnect.callers.add(completion)
        pending[path] = disconnect
        radio.client.call(path, BlueZ.device, "Disconnect", timeout: .seconds(5)) { [weak self] result in
            guard let self, pending[path] === disconnect else { return }
            if case .failure(let error) = result {
                radio.log.debug("disconnecting: \(error)")
                return end(path)
            }
            guard radio.device(at: path)?.isConnected == true else { return end(path) }
            disconnect.isAnswered = true
            let timer = radio.loop.makeTimer { [weak self] in self?.end(path) }
            disconnect.timer = timer
            timer.arm(at: radio.loop.now + Self.patience)
        }
    }

    /// Handles BlueZ's report that the device is not connected.
    func disconnected(_ path: String) {
        if pending[path]?.isAnswered == true { end(path) }
    }

    private func end(_ path: String) {
        guard let disconnect = pending.removeValue(forKey: path) else { return }
        disconnect.timer?.disarm()
        disconnect.callers.resume()
    }
}
