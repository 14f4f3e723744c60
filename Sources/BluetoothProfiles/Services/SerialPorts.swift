import BluetoothModel

/// The UUIDs of a GATT service that acts as a serial port.
public struct SerialService: Hashable, Sendable {
    /// The service UUID.
    public let service: BluetoothUUID
    /// The UUID of the characteristic that the central writes to.
    public let receive: BluetoothUUID
    /// The UUID of the characteristic that the peripheral notifies.
    public let transmit: BluetoothUUID

    /// Creates a serial service.
    public init(service: BluetoothUUID, receive: BluetoothUUID, transmit: BluetoothUUID) {
        self.service = service
        self.receive = receive
        self.transmit = transmit
    }

    /// The Nordic UART Service.
    public static let nordicUART = SerialService(
        service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", receive: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
        transmit: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    /// The Transparent UART Service of ISSC (Microchip), which many health devices have.
    public static let isscTransparentUART = SerialService(
        service: "49535343-FE7D-4AE5-8FA9-9FAFD205E455", receive: "49535343-8841-43F4-A8D4-ECBE34729BB3",
        transmit: "49535343-1E4D-4BD9-BA61-23C647249616")
}

/// Bytes of an unspecified format.
public struct SerialBytes: GATTValue {
    /// The bytes.
    public var bytes: [UInt8] = []
    public init() {}
    /// Creates a value from its bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bytes("data", &bytes)
    }
}
