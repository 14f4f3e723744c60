import BluetoothBackend

/// A peripheral that a scan heard.
public struct Discovery: Sendable, Identifiable, CustomStringConvertible {
    /// The peripheral; connect to it.
    public let peripheral: Peripheral
    /// The advertisement, with the scan response where one was heard.
    public let advertisement: AdvertisingData
    /// Signal strength in dBm; nil where the adapter does not know.
    public let rssi: Int?
    /// Whether it accepts connections.
    public let isConnectable: Bool
    /// The bytes of the one packet that was heard, without what others said; nil where the platform does not show them.
    package let packet: [UInt8]?
    /// Whether this packet was a scan response.
    package let isScanResponse: Bool

    /// What names the device for good.
    public var id: PeripheralID { peripheral.id }
    /// The advertised name; else the one it was known by before.
    public var name: String? { advertisement.localName ?? peripheral.name }
    /// The advertised services.
    public var services: [BluetoothUUID] { advertisement.serviceUUIDs }

    /// How far away it is; nil where the adapter does not know the signal strength.
    /// - Parameter exponent: how fast the signal fades: 2 in the open, 3 or more behind walls.
    public func distance(exponent: Double = 2) -> DistanceEstimate? {
        rssi.map {
            DistanceEstimate(
                rssi: Double($0), powerAtOneMetre: advertisement.powerAtOneMetre, exponent: exponent)
        }
    }

    /// The distance in metres by the log-distance model: rough, indoors easily wrong by a factor of two.
    /// - Parameter exponent: how fast the signal fades: 2 in the open, 3 or more behind walls.
    public func estimatedDistance(exponent: Double = 2) -> Double? { distance(exponent: exponent)?.metres }

    /// Name, address and signal strength.
    public var description: String { "\(peripheral) \(rssi.map { "\($0) dBm" } ?? "")" }
}
