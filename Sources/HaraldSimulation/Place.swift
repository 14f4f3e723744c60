import Harald

/// A characteristic of the service that each device offers.
enum Place: Int, CaseIterable, Sendable {
    /// A short value, read and written.
    case stored = 1
    /// A value of up to 512 octets, read and written.
    case long
    /// Takes writes without response.
    case sink
    case notifying
    case indicating
    /// Notifies and indicates.
    case both
    /// A value that is read on encrypted links only.
    case secret

    /// The number of the service for channels.
    static let psm: UInt16 = 0x90
    static let service: BluetoothUUID = "51AE0000-1234-5678-9ABC-DEF012345678"
    /// A service that comes and goes.
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
        case .secret: .read
        }
    }
}
