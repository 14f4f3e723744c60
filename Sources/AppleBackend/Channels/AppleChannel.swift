import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// An L2CAP channel of CoreBluetooth, whose streams do not guarantee message boundaries. Confined to the loop.
final class AppleChannel: BackendChannel {
    let psm: UInt16
    let peer: PeripheralID
    /// The size of one read or write of a stream; CoreBluetooth does not report the peer's limit.
    let peerMTU = ChannelPump.pieceLength
    private let pump: ChannelPump
    private let loop: RadioLoop

    init(_ channel: CBL2CAPChannel, peer: PeripheralID, loop: RadioLoop) {
        psm = channel.psm
        self.peer = peer
        self.loop = loop
        pump = ChannelPump(channel, loop: loop)
    }

    deinit { pump.close() }

    func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void) {
        pump.start(LoopBound(confined: receive, loop: loop), LoopBound(confined: closed, loop: loop))
    }

    func consumed() { pump.consumed() }

    func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard bytes.count <= peerMTU else {
            return completion(.failure(.invalidArgument("\(bytes.count) octets exceed the peer's MTU of \(peerMTU)")))
        }
        pump.write(bytes, LoopBound(confined: completion, loop: loop))
    }

    func close() { pump.close() }

    func end(_ error: RadioError) { pump.close(error) }
}
