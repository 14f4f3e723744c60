import BluetoothModel
import BluetoothRuntime

/// Accepts the channels that peers open to one PSM. Confined to the loop.
final class ChannelListener {
    /// The PSM (protocol/service multiplexer).
    let psm: UInt16
    private let descriptor: Int32
    private var watch: FileWatch?

    /// - Parameter accepted: called with each connected socket, which the receiver closes, and the address of the peer.
    init(
        adapter: BluetoothAddress, psm: UInt16?, requiresEncryption: Bool, loop: RadioLoop,
        accepted: @escaping (Int32, BluetoothAddress) -> Void
    ) throws(L2CAPSocket.Failure) {
        let listener = try L2CAPSocket.listen(on: adapter, psm: psm, requiresEncryption: requiresEncryption)
        descriptor = listener.descriptor
        self.psm = listener.psm
        watch = loop.watch(descriptor, for: .readable) { [weak self] _ in
            while let self, watch != nil, let channel = L2CAPSocket.accept(descriptor) {
                accepted(channel.descriptor, channel.peer)
            }
        }
    }

    deinit { close() }

    func close() {
        guard watch != nil else { return }
        watch?.cancel()
        watch = nil
        closeDescriptor(descriptor)
    }
}
