import BluetoothBackend
import BluetoothModel

/// The service that both sides of a measurement know: FFF0 with five characteristics.
enum BenchService {
    static let control: BluetoothUUID = 0xFFF4
    static let stats: BluetoothUUID = 0xFFF5
    /// The PSM of the server's L2CAP channel. It receives messages like the sink.
    static let psm: UInt16 = 0x80
    /// The octets of one transfer through the channel.
    static let transferSize = 65_536

    /// An operation of the control characteristic; it is followed by a size and a count, least significant byte first.
    enum Operation: UInt8 {
        /// Resets the statistics.
        case mark = 1
        /// Sends `count` notifications of `size` bytes.
        case notify = 3
        /// Ends the program.
        case quit = 9
    }

    static let service = LocalService(
        uuid: 0xFFF0,
        characteristics: [
            LocalCharacteristic(
                uuid: 0xFFF1, properties: .read, permissions: .readable, value: [UInt8](repeating: 0, count: 20)),
            LocalCharacteristic(uuid: 0xFFF2, properties: .notify, permissions: []),
            LocalCharacteristic(
                uuid: 0xFFF3, properties: .writeWithoutResponse, permissions: .writeable),
            LocalCharacteristic(uuid: control, properties: .write, permissions: .writeable),
            LocalCharacteristic(uuid: stats, properties: .read, permissions: .readable),
        ])

    /// Returns the bytes for the control characteristic.
    static func command(_ operation: Operation, size: Int = 0, count: Int = 0) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(operation.rawValue)
        writer.uint16(UInt16(size))
        writer.uint32(UInt32(count))
        return writer.bytes
    }
}
