import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// An LE credit-based L2CAP channel of the host stack.
final class HostChannel: BackendChannel {
    private let channel: CreditBasedChannel
    let peer: PeripheralID

    init(_ channel: CreditBasedChannel, peer: PeripheralID) {
        self.channel = channel
        self.peer = peer
    }

    var psm: UInt16 { channel.psm }
    var peerMTU: Int { channel.peerMTU }

    func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void) {
        channel.attach(receive: receive, closed: closed)
    }

    func consumed() { channel.consumed() }

    func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {
        channel.write(bytes, completion: completion)
    }

    func close() { channel.close() }

    func end(_ error: RadioError) { channel.close(error) }
}
