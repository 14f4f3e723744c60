import BluetoothModel
import Foundation

/// Another device.
open class CBPeer: NSObject, NSCopying {
    private let uuid: UUID

    init(_ id: PeripheralID) {
        uuid = UUID(id)
        super.init()
    }

    /// Peers are found, not made.
    @available(*, unavailable)
    public override init() {
        // Never called: it is unavailable.
        fatalError("peers are found, not made")
    }

    /// Names the device: the same one in every run.
    open var identifier: UUID { uuid }

    /// Itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension UUID {
    /// The identifier of a device, for Foundation.
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
    /// The device that an identifier of Foundation names.
    init(_ uuid: UUID) {
        let (high, low) = withUnsafeBytes(of: uuid.uuid) { octets in
            (octets[..<8].reduce(0) { $0 << 8 | UInt64($1) }, octets[8...].reduce(0) { $0 << 8 | UInt64($1) })
        }
        self.init(high: high, low: low)
    }
}
