import BluetoothModel

/// A connection as the controller announces it (Core 6.0, Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
struct LEConnection {
    let handle: UInt16
    let role: LinkRole
    let peerAddress: BluetoothAddress
    let parameters: ConnectionParameters
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
        if isEnhanced { guard reader.bytes(12) != nil else { return nil } }
        guard let handle, handle <= 0x0EFF, let role, role <= 1, let peer, let interval = reader.uint16(),
            let latency = reader.uint16(), let timeout = reader.uint16()
        else { return nil }
        self = .established(
            LEConnection(
                handle: handle, role: role == 0 ? .central : .peripheral, peerAddress: peer,
                parameters: ConnectionParameters(interval: interval, latency: latency, supervisionTimeout: timeout)))
    }
}

extension ByteReader {
    /// An address type and an address; identity types (2 and 3) are those of the identity.
    mutating func address() -> BluetoothAddress? {
        guard let type = uint8(), let bytes = bytes(6) else { return nil }
        return BluetoothAddress(littleEndian: bytes, kind: type & 1 == 0 ? .public : .random)
    }
}
