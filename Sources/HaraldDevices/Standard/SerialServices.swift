import BluetoothProfiles
import Harald

/// The Nordic UART Service: a serial port over GATT.
public struct NordicUARTService: ServiceDeclaration {
    /// The service UUID.
    public let uuid = SerialService.nordicUART.service
    /// The characteristic that the central writes to.
    public let receive = Attribute<SerialBytes>(SerialService.nordicUART.receive)
    /// The characteristic that the device notifies.
    public let transmit = Attribute<SerialBytes>(SerialService.nordicUART.transmit)

    /// Creates the service declaration.
    public init() {}
}

/// The ISSC Transparent UART Service: a serial port over GATT.
public struct TransparentUARTService: ServiceDeclaration {
    /// The service UUID.
    public let uuid = SerialService.isscTransparentUART.service
    /// The characteristic that the central writes to.
    public let receive = Attribute<SerialBytes>(SerialService.isscTransparentUART.receive)
    /// The characteristic that the device notifies.
    public let transmit = Attribute<SerialBytes>(SerialService.isscTransparentUART.transmit)

    /// Creates the service declaration.
    public init() {}
}
