import BluetoothModel
import BluetoothTransport
import VirtualBluetooth

/// A host in another program, and its virtual controller.
final class ServedHost: HCIChannelDelegate {
    private let channel: any HCIChannel
    private let controller: VirtualController
    private var onEnd: ((ServedHost, TransportError?) -> Void)?

    /// - Parameter onEnd: called once, when the connection has ended.
    init(
        channel: any HCIChannel, controller: VirtualController,
        onEnd: @escaping (ServedHost, TransportError?) -> Void
    ) {
        self.channel = channel
        self.controller = controller
        self.onEnd = onEnd
        // Proof of `unowned`: this object retains the channel, and its `deinit` removes the closure.
        controller.transmit = { [unowned channel] packet in channel.send(packet) }
        channel.delegate = self
    }

    deinit {
        controller.transmit = nil
        channel.delegate = nil
    }

    func close() { end(nil) }

    private func end(_ error: TransportError?) {
        guard let onEnd else { return }
        self.onEnd = nil
        controller.transmit = nil
        channel.close()
        onEnd(self, error)
    }

    func channel(_ channel: any HCIChannel, received packet: ByteView) { controller.receive(packet) }

    func channel(_ channel: any HCIChannel, closed error: TransportError?) { end(error) }
}
