import Foundation
import Harald
import HaraldDevices

/// The connection state of a device.
package enum ConnectionPhase: String, Hashable, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case disconnected, connecting, connected, reconnecting, disconnecting
}

/// A snapshot of a device as a list entry.
package struct ExplorerDevice: Sendable, Identifiable {
    /// The permanent identifier of the device.
    package var id: PeripheralID
    /// The name; nil if unknown.
    package var name: String?
    /// The name that the user gave the device; nil if there is none.
    package var alias: String?
    /// The kind of device.
    package var kind: DeviceKind
    /// The address, if the platform provides it.
    package var address: BluetoothAddress?
    /// The last received signal strength, in dBm.
    package var rssi: Int?
    /// The distance estimated from the smoothed signal strength; nil if the strength is unknown.
    package var distance: DistanceEstimate?
    /// The measured advertising interval; nil until two advertisements were received.
    package var interval: Duration?
    /// The time of the first advertisement.
    package var firstSeen: Date
    /// The time of the last advertisement.
    package var lastSeen: Date
    /// True if the device is connectable.
    package var isConnectable: Bool
    /// The latest advertisement, merged with the scan response if one was received.
    package var advertisement: AdvertisingData
    /// The number of received advertisements, without scan responses.
    package var advertisementCount: Int
    /// The number of received scan responses.
    package var scanResponseCount: Int
    /// The latest advertised values of each format.
    package var values: [AdvertisedValue]
    /// The names of the advertised services; the UUID of a service without a name.
    package var serviceNames: [String]
    /// The name of the company in the first manufacturer data, or its number as text.
    package var company: String?
    /// True if the user marked the device as a favourite.
    package var isFavourite: Bool
    /// The connection state.
    package var connection: ConnectionPhase
    /// The SensorTag model, derived from the name; nil for other devices.
    package var sensorTag: SensorTag.Model?

    /// The device in the form that `harald scan` prints.
    package var row: DeviceRow {
        var row = DeviceRow(
            id: id, name: name, address: address, rssi: rssi, isConnectable: isConnectable, advertisement: advertisement
        )
        row.values = values
        row.distance = distance
        return row
    }
}

/// A measured signal strength.
package struct RSSISample: Hashable, Sendable {
    /// The time of the measurement.
    package var time: Date
    /// The signal strength, in dBm.
    package var rssi: Int
}

/// The packet that carries advertising data.
package enum AdvertisingPart: String, Hashable, Sendable, CaseIterable {
    /// The advertisement.
    case advertisement
    /// The scan response, which a device sends on request.
    case scanResponse
    /// Both, where the platform merges them.
    case merged
}

/// A received advertisement or scan response.
package struct HeardPacket: Hashable, Sendable {
    /// The time of reception.
    package var time: Date
    /// The signal strength, in dBm.
    package var rssi: Int?
    /// The kind of packet.
    package var part: AdvertisingPart
    /// The advertising data of this packet alone.
    package var bytes: [UInt8]
}

/// A field of the latest advertisement or scan response.
package struct HeardField: Hashable, Sendable {
    /// The packet that contains the field.
    package var part: AdvertisingPart
    /// The field in words, with its bytes.
    package var field: AdvertisingField
    /// The time at which its bytes changed last; nil if they have not changed since the first advertisement.
    package var changed: Date?
}

/// All known data about a device's advertising.
package struct DeviceDetail: Sendable {
    /// The device as a list entry.
    package var device: ExplorerDevice
    /// True if the platform merges advertisements and scan responses.
    package var isMerged: Bool { history.last?.part == .merged }
    /// The fields of the latest advertisement, then those of the latest scan response.
    package var fields: [HeardField]
    /// The latest packets, at most 200, oldest first.
    package var history: [HeardPacket]
    /// Signal strengths, oldest first.
    package var rssiHistory: [RSSISample]
}
