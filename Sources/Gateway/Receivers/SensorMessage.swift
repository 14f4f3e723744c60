import Forwarding
import Foundation
import JSON

/// A message for the receivers of a gateway.
package struct SensorMessage: Sendable {
    package enum Kind: Sendable, Hashable {
        case readings
        case availability(Bool)
        case happened(reading: String, type: String)
        case presence(Bool)
    }

    /// A stable identifier, the same in each attempt.
    package let id: String
    package let kind: Kind
    /// The identifier of the sensor or of the named device.
    package let subject: String
    /// The number of the configuration that describes the message.
    package let shape: Int
    /// The object of the sensor or of the named device, as JSON.
    package let text: String
    package let time: Date

    package init(_ kind: Kind, of subject: String, shape: Int, text: String, time: Date) {
        (self.kind, self.subject, self.shape, self.text, self.time) = (kind, subject, shape, text, time)
        id = "msg_" + UUID().uuidString.lowercased()
    }

    package var webhook: String {
        let type: String
        var event = ""
        switch kind {
        case .readings: type = "sensor.readings"
        case .availability(let isOnline): type = isOnline ? "sensor.online" : "sensor.offline"
        case .happened(let reading, let what):
            type = "sensor.event"
            event = #","event":"# + JSONValue.object(["name": .string(reading), "type": .string(what)]).text
        case .presence(let isHome): type = isHome ? "presence.home" : "presence.away"
        }
        return #"{"type":"\#(type)","id":"\#(id)","timestamp":"\#(time.formatted(.iso8601))"\#(event),"data":\#(text)}"#
    }
}

package protocol SensorReceiver: Sendable {
    /// The name in metrics and messages: `mqtt`.
    var name: String { get }
    /// The maximum number of messages that are delivered concurrently, of different subjects.
    var lanes: Int { get }
    /// Woken when a delivery that has failed may succeed.
    var connections: Wakes { get }
    func deliver(_ message: SensorMessage) async -> Delivery
    func close() async
}
