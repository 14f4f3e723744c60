import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// A channel that is being opened. It ends once, with `completion`, unless it is cancelled. Confined to the loop.
final class ChannelConnection {
    private var descriptor: Int32?
    private var watch: FileWatch?

    /// - Parameter completion: called with the connected socket, which the receiver closes, or the error.
    init(
        from adapter: BluetoothAddress, to peer: BluetoothAddress, psm: UInt16, loop: RadioLoop,
        completion: @escaping (Result<Int32, RadioError>) -> Void
    ) throws(L2CAPSocket.Failure) {
        let descriptor = try L2CAPSocket.connect(from: adapter, to: peer, psm: psm)
        self.descriptor = descriptor
        watch = loop.watch(descriptor, for: .writable) { [weak self] _ in
            guard let self, self.descriptor != nil else { return }
            stopWatching()
            let code = L2CAPSocket.pendingError(descriptor)
            guard code == 0 else {
                giveUp()
                return completion(.failure(L2CAPSocket.meaning(of: code, psm: psm)))
            }
            self.descriptor = nil
            completion(.success(descriptor))
        }
    }

    deinit { giveUp() }

    private func stopWatching() {
        watch?.cancel()
        watch = nil
    }

    /// Cancels the attempt and closes the socket, with the channel that the peer may have opened.
    func giveUp() {
        stopWatching()
        if let descriptor { closeDescriptor(descriptor) }
        descriptor = nil
    }
}
