import BluetoothBackend
import Foundation

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

    /// What names the device for good.
    public var id: PeripheralID { peripheral.id }
    /// The advertised name; else the one it was known by before.
    public var name: String? { advertisement.localName ?? peripheral.name }
    /// The advertised services.
    public var services: [BluetoothUUID] { advertisement.serviceUUIDs }

    /// The distance in metres by the log-distance model: rough, indoors easily wrong by a factor of two.
    /// - Parameter exponent: how fast the signal fades: 2 in the open, 3 or more behind walls.
    public func estimatedDistance(exponent: Double = 2) -> Double? {
        guard let rssi else { return nil }
        // Small antennas on a body or a desk lose about 50 dB over the first metre.
        let atOneMetre = Double(advertisement.txPower ?? 0) - 50
        return pow(10, (atOneMetre - Double(rssi)) / (10 * exponent))
    }

    /// Name, address and signal strength.
    public var description: String { "\(peripheral) \(rssi.map { "\($0) dBm" } ?? "")" }
}

