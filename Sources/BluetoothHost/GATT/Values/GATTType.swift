import BluetoothModel

/// The attribute types that GATT and GAP define (Core 6.0, Vol 3, Part G, 3.4 and 3.5; Part C, 12).
package enum GATTType {
    package static let primaryService = BluetoothUUID(UInt16(0x2800)), secondaryService = BluetoothUUID(UInt16(0x2801))
    package static let include = BluetoothUUID(UInt16(0x2802)), characteristic = BluetoothUUID(UInt16(0x2803))
    package static let extendedProperties = BluetoothUUID(UInt16(0x2900)),
        userDescription = BluetoothUUID(UInt16(0x2901))
    package static let clientConfiguration = BluetoothUUID(UInt16(0x2902)),
        serverConfiguration = BluetoothUUID(UInt16(0x2903))
    package static let presentationFormat = BluetoothUUID(UInt16(0x2904)),
        aggregateFormat = BluetoothUUID(UInt16(0x2905))

    package static let gapService = BluetoothUUID(UInt16(0x1800)), gattService = BluetoothUUID(UInt16(0x1801))
    package static let deviceName = BluetoothUUID(UInt16(0x2A00)), appearance = BluetoothUUID(UInt16(0x2A01))
    package static let preferredParameters = BluetoothUUID(UInt16(0x2A04)),
        addressResolution = BluetoothUUID(UInt16(0x2AA6))
    package static let serviceChanged = BluetoothUUID(UInt16(0x2A05)), clientFeatures = BluetoothUUID(UInt16(0x2B29))
    package static let databaseHash = BluetoothUUID(UInt16(0x2B2A)), serverFeatures = BluetoothUUID(UInt16(0x2B3A))
}

/// The bits of Client Supported Features (Core 6.0, Vol 3, Part G, 7.2).
enum GATTClientFeatures {
    static let robustCaching: UInt8 = 0x01, enhancedBearer: UInt8 = 0x02, multipleNotifications: UInt8 = 0x04
    static let known: UInt8 = robustCaching | enhancedBearer | multipleNotifications
}
