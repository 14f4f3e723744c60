import BluetoothModel

/// The attribute types that GATT and GAP define (Core 6.0, Vol 3, Part G, 3.4 and 3.5; Part C, 12).
enum GATTType {
    static let primaryService = BluetoothUUID(UInt16(0x2800)), secondaryService = BluetoothUUID(UInt16(0x2801))
    static let include = BluetoothUUID(UInt16(0x2802)), characteristic = BluetoothUUID(UInt16(0x2803))
    static let extendedProperties = BluetoothUUID(UInt16(0x2900)), userDescription = BluetoothUUID(UInt16(0x2901))
    static let clientConfiguration = BluetoothUUID(UInt16(0x2902)),
        serverConfiguration = BluetoothUUID(UInt16(0x2903))
    static let presentationFormat = BluetoothUUID(UInt16(0x2904)), aggregateFormat = BluetoothUUID(UInt16(0x2905))

    static let gapService = BluetoothUUID(UInt16(0x1800)), gattService = BluetoothUUID(UInt16(0x1801))
    static let deviceName = BluetoothUUID(UInt16(0x2A00)), appearance = BluetoothUUID(UInt16(0x2A01))
    static let preferredParameters = BluetoothUUID(UInt16(0x2A04)),
        addressResolution = BluetoothUUID(UInt16(0x2AA6))
    static let serviceChanged = BluetoothUUID(UInt16(0x2A05)), clientFeatures = BluetoothUUID(UInt16(0x2B29))
    static let databaseHash = BluetoothUUID(UInt16(0x2B2A)), serverFeatures = BluetoothUUID(UInt16(0x2B3A))
}

/// The bits of Client Supported Features (Core 6.0, Vol 3, Part G, 7.2).
enum GATTClientFeatures {
    static let robustCaching: UInt8 = 0x01, enhancedBearer: UInt8 = 0x02, multipleNotifications: UInt8 = 0x04
    static let known: UInt8 = robustCaching | enhancedBearer | multipleNotifications
}
