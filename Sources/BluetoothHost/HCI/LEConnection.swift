import BluetoothModel

/// A new connection as reported by the controller (Core 6.0, Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
package struct LEConnection {
    package let handle: UInt16
    package let role: LinkRole
    package let peerAddress: BluetoothAddress
    package let parameters: ConnectionParameters
    /// The local resolvable private address that the controller used; nil if it used none.
    package var ownPrivateAddress: BluetoothAddress?
    /// The peer's private address; nil if the controller did not resolve one.
    package var peerPrivateAddress: BluetoothAddress?
}

/// The result of a connection attempt.
package enum LEConnectionComplete {
    case established(LEConnection)
    /// The attempt failed; the address of the peer is nil if the controller did not report it.
    case failed(HCIStatus, BluetoothAddress?)

    /// Parses the event parameters after the subevent code; nil if they are truncated or out of range.
    package init?(_ parameters: ByteView, isEnhanced: Bool) {
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
                parameters: ConnectionParameters(intervalUnits: interval, latency: latency, timeoutUnits: timeout),
                ownPrivateAddress: ownPrivate.flatMap { $0.value == 0 ? nil : $0 },
                peerPrivateAddress: peerPrivate.flatMap { $0.value == 0 ? nil : $0 }))
    }
}

extension ByteReader {
    /// Reads an address type and an address. Types 2 and 3 are identity addresses that the controller resolved.
    mutating func address() -> BluetoothAddress? {
        guard let type = uint8(), let bytes = bytes(6) else { return nil }
        return BluetoothAddress(littleEndian: bytes, kind: type & 1 == 0 ? .public : .random)
    }
}
