import BluetoothProfiles
import Harald
import HaraldDevices
import TerminalScreen

struct DashboardState: Sendable {
    /// The connection state of a tag.
    enum Link: Hashable, Sendable {
        case seen
        case connecting
        case connected
        case failed(String)

        var text: String {
            switch self {
            case .seen: "seen"
            case .connecting: "connecting"
            case .connected: "connected"
            case .failed(let reason): reason
            }
        }
    }

    struct Sensor: Sendable {
        var sensor: SensorTag.Sensor
        var isOn = false
        var period: Duration?
        var reading: SensorTag.Reading?
        var history = Sparkline()
        var isCalibrated = false
    }

    struct Tag: Sendable {
        var id: PeripheralID
        var name: String
        var model: SensorTag.Model
        var address: String
        var rssi: Int?
        var link = Link.seen
        var sensors: [Sensor] = []
        /// The device information, one fact each.
        var information: [String] = []
    }

    /// A device in range that is no SensorTag.
    struct Other: Sendable {
        var id: PeripheralID
        var name: String
        var address: String
        var rssi: Int?
    }

    var tags: [Tag] = []
    var others: [Other] = []
    var selectedTag = 0
    var selectedSensor = 0
    var message = ""

    var tag: Tag? { tags.indices.contains(selectedTag) ? tags[selectedTag] : nil }

    mutating func withTag(_ id: PeripheralID, _ body: (inout Tag) -> Void) {
        if let index = tags.firstIndex(where: { $0.id == id }) { body(&tags[index]) }
    }

    mutating func withSensor(_ id: PeripheralID, _ sensor: SensorTag.Sensor, _ body: (inout Sensor) -> Void) {
        withTag(id) { tag in
            if let index = tag.sensors.firstIndex(where: { $0.sensor == sensor }) { body(&tag.sensors[index]) }
        }
    }
}
