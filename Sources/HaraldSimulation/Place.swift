import Harald

/// A characteristic of the service that each device offers.
enum Place: Int, CaseIterable, Sendable {
    /// A short value that can be read and written.
    case stored = 1
    /// A value of up to 512 octets that can be read and written.
    case long
    /// Accepts writes without response.
    case sink
    case notifying
    case indicating
    /// Notifies and indicates.
    case both
    /// A value that can be read, and notifies, on encrypted links only.
    case secret

    /// The PSM of the L2CAP channels.
    static let psm: UInt16 = 0x90
    static let service: BluetoothUUID = "51AE0000-1234-5678-9ABC-DEF012345678"
    /// A service that is added and removed at run time.
    static let passing: BluetoothUUID = "51AE0100-1234-5678-9ABC-DEF012345678"

    var uuid: BluetoothUUID {
        BluetoothUUID(high: 0x51AE_0000_1234_5678 | UInt64(rawValue) << 32, low: 0x9ABC_DEF0_1234_5678)
    }

    var properties: CharacteristicProperties {
        switch self {
        case .stored, .long: [.read, .write]
        case .sink: .writeWithoutResponse
        case .notifying: [.read, .notify]
        case .indicating: .indicate
        case .both: [.notify, .indicate]
        case .secret: [.read, .notify]
        }
    }
}
