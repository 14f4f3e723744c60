import BluetoothModel
import Foundation

/// A remote device.
open class CBPeer: NSObject, NSCopying {
    private let uuid: UUID

    init(_ id: PeripheralID) {
        uuid = UUID(id)
        super.init()
    }

    /// Unavailable: peers are obtained from a manager.
    @available(*, unavailable)
    public override init() {
        // Proof: the initializer is unavailable, so no code can call it.
        fatalError("CBPeer has no public initializer")
    }

    /// The identifier of the device: the same one in every run.
    open var identifier: UUID { uuid }

    /// Returns this object.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension UUID {
    /// Creates the `UUID` of a device's identifier.
    init(_ id: PeripheralID) {
        var octets = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            octets[index] = UInt8(truncatingIfNeeded: id.high >> UInt64(56 - index * 8))
            octets[index + 8] = UInt8(truncatingIfNeeded: id.low >> UInt64(56 - index * 8))
        }
        self = octets.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension PeripheralID {
    /// Creates the identifier of the device that a `UUID` stands for.
    init(_ uuid: UUID) {
        let (high, low) = withUnsafeBytes(of: uuid.uuid) { octets in
            (octets[..<8].reduce(0) { $0 << 8 | UInt64($1) }, octets[8...].reduce(0) { $0 << 8 | UInt64($1) })
        }
        self.init(high: high, low: low)
    }
}
