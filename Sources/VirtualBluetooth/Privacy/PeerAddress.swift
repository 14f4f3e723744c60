import BluetoothModel

/// The sender of a packet, as the receiving controller knows it.
struct PeerAddress: Equatable {
    /// The address in the packet.
    let onAir: BluetoothAddress
    /// The identity address, if the resolving list resolves the address in the packet.
    let identity: BluetoothAddress?

    init(_ onAir: BluetoothAddress, identity: BluetoothAddress? = nil) {
        self.onAir = onAir
        self.identity = identity
    }

    /// The address that is reported to the host and compared by filters.
    var address: BluetoothAddress { identity ?? onAir }

    /// The type of ``address`` in events; resolved identity addresses have types of their own.
    var type: UInt8 { identity.map { $0.kind.rawValue | 2 } ?? onAir.kind.rawValue }
}
