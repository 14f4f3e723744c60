import BluetoothProfiles
import Forwarding
import WebServer

package struct GatewaySettings: Sendable, Hashable {
    /// The selection of sensors, and the times of their messages.
    package struct Sensors: Sendable, Hashable {
        /// The least time between two readings of a sensor. A changed state, such as that of a door, waits for at most
        /// a second.
        package var interval = Duration.seconds(30)
        /// The time after which a silent sensor is offline.
        package var silence = Duration.seconds(600)
        /// The least signal strength in dBm; nil for all.
        package var minimumRSSI: Int?
        /// The formats; nil for all that are readings of a sensor, and not of a beacon, a person or a phone.
        package var formats: Set<String>?
        /// The names and addresses of the sensors, in lower case; empty for all.
        package var only: Set<String> = []
        /// The names and addresses of the sensors that are ignored, in lower case.
        package var except: Set<String> = []
        /// The maximum number of sensors. Others are ignored while no known sensor is offline.
        package var limit = 5000
    }

    /// A device that the gateway connects to.
    package struct Connection: Sendable, Hashable {
        /// The name, or the address.
        package var device: String
        /// The time between two reads of values that the device does not send by itself.
        package var interval = Duration.seconds(60)
    }

    /// The messages that wait for a receiver.
    package struct Queue: Sendable, Hashable {
        /// The maximum number of messages that wait for the receiver. Beyond it, the oldest is dropped and counted.
        package var limit = 10_000
    }

    package struct MQTT: Sendable, Hashable {
        package var broker: MQTTBroker
        /// The prefix of Home Assistant's discovery topics; nil for no discovery.
        package var discovery: String? = "homeassistant"
        package var queue = Queue()
    }

    /// A program that receives signed posts.
    package struct Webhook: Sendable, Hashable {
        package var url: String
        package var token: String?
        /// The secret of the signature: `whsec_` and Base64; nil for none.
        package var secret: String?
        package var certificates: String?
        package var queue = Queue()
    }

    /// The name of the gateway in topics and metrics: lower case letters, digits, `_` and `-`.
    package var name = "harald"
    /// The adapters; empty for that of the command line.
    package var adapters: [String] = []
    /// True to scan without requesting scan responses, which saves the batteries of sensors.
    package var isPassive = false
    /// The file of the user's own formats.
    package var formats: String?
    package var sensors = Sensors()
    /// The time after which a silent named device is away; nil if presence is not published.
    package var absence: Duration? = .seconds(300)
    package var connections: [Connection] = []
    package var mqtt: MQTT?
    package var webhook: Webhook?
    /// The address at which Prometheus finds the metrics; nil for none.
    package var metrics: WebAddress?

    /// Creates settings without a receiver.
    package init() {}

    /// Formats that are no readings of a sensor: they identify beacons and phones, or are weights of people, which
    /// `harald monitor` sends to a hub. Published only if ``Sensors/formats`` names them.
    package static let unrequested = Set(AdvertisedFormats.all.filter { $0.subject != .sensor }.map { $0.kind })
}
