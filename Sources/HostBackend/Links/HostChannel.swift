import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// An LE credit-based L2CAP channel of the host stack.
final class HostChannel: BackendChannel {
    private let channel: CreditBasedChannel
    private let radio: HostRadio
    let peer: PeripheralID

    init(_ channel: CreditBasedChannel, peer: PeripheralID, radio: HostRadio) {
        self.channel = channel
        self.peer = peer
        self.radio = radio
    }

    var psm: UInt16 { channel.psm }
    var peerMTU: Int { channel.peerMTU }

    func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void) {
        channel.attach(receive: receive, closed: closed)
    }

    func consumed() {
        radio.setHostTime()
        channel.consumed()
    }

    func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {
        radio.setHostTime()
        channel.write(bytes, completion: completion)
    }

    func close() {
        radio.setHostTime()
        channel.close()
    }
}
