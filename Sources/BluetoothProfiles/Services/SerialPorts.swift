import BluetoothModel

/// A service that carries bytes both ways, as a serial line does.
public struct SerialService: Hashable, Sendable {
    /// The service.
    public let service: BluetoothUUID
    /// What the central writes to.
    public let receive: BluetoothUUID
    /// What the device notifies with.
    public let transmit: BluetoothUUID

    /// A service.
    public init(service: BluetoothUUID, receive: BluetoothUUID, transmit: BluetoothUUID) {
        self.service = service
        self.receive = receive
        self.transmit = transmit
    }

    /// The UART service of Nordic Semiconductor.
    public static let nordicUART = SerialService(
        service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", receive: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
        transmit: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    /// The transparent UART of ISSC (Microchip), which many health devices have.
    public static let isscTransparentUART = SerialService(
        service: "49535343-FE7D-4AE5-8FA9-9FAFD205E455", receive: "49535343-8841-43F4-A8D4-ECBE34729BB3",
        transmit: "49535343-1E4D-4BD9-BA61-23C647249616")
}

/// Bytes whose meaning is their sender's.
public struct SerialBytes: GATTValue {
    /// The bytes.
    public var bytes: [UInt8] = []
    /// Nothing is set yet.
    public init() {}
    /// Some bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bytes("data", &bytes)
    }
}
