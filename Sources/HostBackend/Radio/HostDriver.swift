import BluetoothHost
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport

/// Passes the packets of a channel to the host; kept short, because every packet passes through it.
final class HostDriver: HCIChannelDelegate {
    private let host: LEHost
    private let channel: any HCIChannel
    private var closed: ((TransportError?) -> Void)?

    init(host: LEHost, channel: any HCIChannel) {
        self.host = host
        self.channel = channel
    }

    deinit { channel.delegate = nil }

    /// Starts to receive; `closed` is called once if the channel ends by itself.
    func start(closed: @escaping (TransportError?) -> Void) {
        self.closed = closed
        channel.delegate = self
    }

    func close() {
        closed = nil
        channel.close()
    }

    func channel(_ channel: any HCIChannel, received packet: ByteView) { host.receive(packet) }

    func channel(_ channel: any HCIChannel, closed error: TransportError?) {
        let completion = closed
        closed = nil
        completion?(error)
    }
}
