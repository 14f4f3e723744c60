import BluetoothModel

/// A connection as the controller announces it (Core 6.0, Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
struct LEConnection {
    let handle: UInt16
    let role: LinkRole
    let peerAddress: BluetoothAddress
    let parameters: ConnectionParameters
    /// The private address that the controller used in our place; nil where it used none.
    var ownPrivateAddress: BluetoothAddress?
    /// The private address that the peer used; nil where it used none that the controller resolved.
    var peerPrivateAddress: BluetoothAddress?
}

/// How an attempt to connect ended.
enum LEConnectionComplete {
    case established(LEConnection)
    /// It failed; with the peer's address where the controller says it.
    case failed(HCIStatus, BluetoothAddress?)

    /// The parameters of the event after its subevent code; nil where they are cut off or out of range.
    init?(_ parameters: ByteView, isEnhanced: Bool) {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8().map(HCIStatus.init(rawValue:)) else { return nil }
        let handle = reader.uint16()
        let role = reader.uint8()
        let peer = reader.address()
        guard status == .success else {
            self = .failed(status, peer.flatMap { $0.value == 0 ? nil : $0 })
            return
        }
        var ownPrivate: BluetoothAddress?
        var peerPrivate: BluetoothAddress?
        if isEnhanced {
            guard let own = reader.bytes(6), let peer = reader.bytes(6) else { return nil }
            ownPrivate = BluetoothAddress(littleEndian: own, kind: .random)
            peerPrivate = BluetoothAddress(littleEndian: peer, kind: .random)
        }
        guard let handle, handle <= 0x0EFF, let role, role <= 1, let peer, let interval = reader.uint16(),
            let latency = reader.uint16(), let timeout = reader.uint16()
        else { return nil }
        self = .established(
            LEConnection(
                handle: handle, role: role == 0 ? .central : .peripheral, peerAddress: peer,
                parameters: ConnectionParameters(interval: interval, latency: latency, supervisionTimeout: timeout),
                ownPrivateAddress: ownPrivate.flatMap { $0.value == 0 ? nil : $0 },
                peerPrivateAddress: peerPrivate.flatMap { $0.value == 0 ? nil : $0 }))
    }
}

extension ByteReader {
    /// An address type and an address; identity types (2 and 3) are those of the identity.
    mutating func address() -> BluetoothAddress? {
        guard let type = uint8(), let bytes = bytes(6) else { return nil }
        return BluetoothAddress(littleEndian: bytes, kind: type & 1 == 0 ? .public : .random)
    }
}
