#if Programs
import Foundation
import Harald
import HaraldDevices

/// How a device is connected, in one word.
package enum ConnectionPhase: String, Hashable, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case disconnected, connecting, connected, reconnecting, disconnecting
}

/// A device as a list shows it: a value, as of the moment in which it was asked for.
package struct ExplorerDevice: Sendable, Identifiable {
    /// What names the device for good.
    package var id: PeripheralID
    /// The name; nil where nothing told one.
    package var name: String?
    /// The address, where the platform shows it.
    package var address: BluetoothAddress?
    /// The signal strength heard last, in dBm.
    package var rssi: Int?
    /// The distance, from the smoothed signal strength; nil where the strength is not known.
    package var distance: DistanceEstimate?
    /// The measured advertising interval; nil before the device was heard twice.
    package var interval: Duration?
    /// When it was heard first.
    package var firstSeen: Date
    /// When it was heard last.
    package var lastSeen: Date
    /// Whether it accepts connections.
    package var isConnectable: Bool
    /// The newest advertisement, with the scan response where one was heard.
    package var advertisement: AdvertisingData
    /// How many advertisements were heard.
    package var advertisementCount: Int
    /// The newest beacon frame of each kind.
    package var beacons: [Beacon]
    /// The names of the advertised services, or their UUIDs where they have none.
    package var serviceNames: [String]
    /// The company of the first manufacturer data: its name, or its number in words.
    package var company: String?
    /// Whether the user marked it.
    package var isFavourite: Bool
    /// How it is connected.
    package var connection: ConnectionPhase
    /// Which SensorTag it is, by its name.
    package var sensorTag: SensorTag.Model?

    /// A row, as `harald scan` prints it.
    package var row: DeviceRow {
        var row = DeviceRow(
            id: id, name: name, address: address, rssi: rssi, isConnectable: isConnectable, advertisement: advertisement
        )
        row.distance = distance
        return row
    }
}

/// A measured signal strength.
package struct RSSISample: Hashable, Sendable {
    /// When.
    package var time: Date
    /// dBm.
    package var rssi: Int
}

/// One advertisement as it was heard.
package struct HeardAdvertisement: Hashable, Sendable {
    /// When.
    package var time: Date
    /// The signal strength in dBm.
    package var rssi: Int?
    /// What it said.
    package var data: AdvertisingData
}

/// A field of the newest advertisement.
package struct HeardField: Hashable, Sendable {
    /// The field in words, with its bytes.
    package var field: AdvertisingField
    /// When its bytes changed last; nil where they did not since the device was heard first.
    package var changed: Date?
}

/// Everything that is known of what a device advertises.
package struct DeviceDetail: Sendable {
    /// The device as a list shows it.
    package var device: ExplorerDevice
    /// The fields of the newest advertisement, in order.
    package var fields: [HeardField]
    /// The newest 200 advertisements, the oldest first.
    package var history: [HeardAdvertisement]
    /// Signal strengths, the oldest first.
    package var rssiHistory: [RSSISample]
}
#endif
