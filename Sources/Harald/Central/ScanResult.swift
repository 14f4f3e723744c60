import BluetoothBackend
import BluetoothProfiles

/// A peripheral that a scan received an advertisement from.
public struct ScanResult: Sendable, Identifiable, CustomStringConvertible {
    /// The peripheral, to connect to.
    public let peripheral: Peripheral
    /// The advertising data, with the scan response if one was received.
    public let advertisement: AdvertisingData
    /// RSSI in dBm; nil if the adapter does not report it.
    public let rssi: Int?
    /// True if the peripheral accepts connections.
    public let isConnectable: Bool
    /// The advertising data of this packet alone, without that of other packets; nil if the platform does not show it.
    package let packet: [UInt8]?
    /// True if this packet was a scan response.
    package let isScanResponse: Bool

    /// The permanent identifier of the device.
    public var id: PeripheralID { peripheral.id }
    /// The advertised name, else the name known from before.
    public var name: String? { advertisement.localName ?? peripheral.name }
    /// The advertised services.
    public var services: [BluetoothUUID] { advertisement.serviceUUIDs }

    /// The values of known formats in the advertisement, such as the readings of a sensor or the identity of a beacon;
    /// of an encrypted one, the reason that it is unknown.
    public var values: [AdvertisedValue] {
        var decoder = AdvertisedValueDecoder()
        return decoder.values(in: advertisement, name: name, from: peripheral.address)
    }

    /// Returns an estimate of the distance; nil if the adapter does not report the RSSI.
    /// - Parameter exponent: the path loss exponent: 2 in the open, 3 or more behind walls.
    public func distance(exponent: Double = 2) -> DistanceEstimate? {
        rssi.map {
            DistanceEstimate(
                rssi: Double($0), powerAtOneMetre: advertisement.powerAtOneMetre, exponent: exponent)
        }
    }

    /// Name, address and signal strength.
    public var description: String { "\(peripheral) \(rssi.map { "\($0) dBm" } ?? "")" }
}
