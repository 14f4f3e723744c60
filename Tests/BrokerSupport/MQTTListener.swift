#if os(Linux)
import CMosquitto
import Forwarding
import Foundation
import Synchronization

/// A client of a broker that receives all messages.
package final class MQTTListener: Sendable {
    /// A message.
    package struct Heard: Sendable, Equatable {
        package var topic: String
        package var text: String

        package init(topic: String, text: String) { (self.topic, self.text) = (topic, text) }
    }

    private let heard = Mutex<[Heard]>([])
    private let wakes = Wakes()
    /// Proof of `nonisolated(unsafe)`: the initializer sets it before `harald_mqtt_start` creates the client's thread,
    /// which only reads it, and ``close()`` clears it after `harald_mqtt_free` has joined that thread. The test that
    /// owns the listener calls ``publish(_:to:)`` and ``close()`` in turn, and nothing after ``close()``.
    nonisolated(unsafe) private var client: OpaquePointer?

    /// Connects to a broker of this machine.
    package init(port: Int) {
        client = harald_mqtt_new(nil, Unmanaged.passUnretained(self).toOpaque()) {
            context, event, _, topic, payload, length in
            guard let context else { return }
            let listener = Unmanaged<MQTTListener>.fromOpaque(context).takeUnretainedValue()
            if UInt32(event) == HARALD_MQTT_CONNECTED.rawValue, let client = listener.client {
                _ = harald_mqtt_subscribe(client, "#")
            }
            guard let topic else { return }
            let text = payload.map {
                String(decoding: UnsafeRawBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
            }
            listener.heard.withLock { $0.append(Heard(topic: String(cString: topic), text: text ?? "")) }
            listener.wakes.wake()
        }
        if let client { _ = harald_mqtt_start(client, "127.0.0.1", CInt(port)) }
    }

    /// Publishes a message.
    package func publish(_ text: String, to topic: String) {
        guard let client else { return }
        let octets = Array(text.utf8)
        octets.withUnsafeBytes {
            _ = harald_mqtt_publish(client, nil, topic, $0.baseAddress, CInt($0.count), 0)
        }
    }

    /// The messages once one of them is as wanted.
    package func messages(until isWanted: ([Heard]) -> Bool) async -> [Heard] {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            let seen = wakes.count
            let all = heard.withLock { $0 }
            if isWanted(all) || .now > end { return all }
            await wakes.wait(after: seen, atMost: .seconds(1))
        }
    }

    /// Disconnects.
    package func close() {
        if let client { harald_mqtt_free(client) }
        client = nil
    }
}
#endif
