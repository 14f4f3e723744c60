import BluetoothModel

/// Who sent a packet, as the controller that received it knows.
struct PeerAddress: Equatable {
    /// What the packet says.
    let onAir: BluetoothAddress
    /// Who it is, where the resolving list knows that.
    let identity: BluetoothAddress?

    init(_ onAir: BluetoothAddress, identity: BluetoothAddress? = nil) {
        self.onAir = onAir
        self.identity = identity
    }

    /// What the host is told, and what filters compare.
    var address: BluetoothAddress { identity ?? onAir }

    /// The type of ``address`` in events: identities behind private addresses have types of their own.
    var type: UInt8 { identity.map { $0.kind.rawValue | 2 } ?? onAir.kind.rawValue }
}
