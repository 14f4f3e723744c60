import Forwarding
import Synchronization

/// Publishes sensors to an MQTT broker. Configurations, readings, availability and presence are retained, so that Home
/// Assistant has them after its start.
final class MQTTSensorReceiver: SensorReceiver {
    let name = "mqtt"
    let lanes = 16
    let connections = Wakes()
    private let topics: SensorTopics
    private let session: MQTTSession
    /// Returns the configuration of a subject as text; nil for a subject that is not known any more.
    private let configuration: @Sendable (_ subject: String, _ isPerson: Bool) async -> String?
    private let published = PublishedShapes()
    private let events: Task<Void, Never>

    init(
        _ settings: GatewaySettings.MQTT, _ topics: SensorTopics,
        configuration: @escaping @Sendable (_ subject: String, _ isPerson: Bool) async -> String?
    ) {
        (self.topics, self.configuration) = (topics, configuration)
        let session = MQTTSession(settings.broker, will: topics.status)
        self.session = session
        events = Task { [connections, published] in
            for await event in session.events where event == .connected {
                // A broker may have lost its retained messages.
                published.clear()
                _ = await session.publish("online", to: topics.status, retained: true)
                connections.wake()
            }
        }
    }

    func deliver(_ message: SensorMessage) async -> Delivery {
        let subject = message.subject
        let isPerson = if case .presence = message.kind { true } else { false }
        let key = isPerson ? "presence/" + subject : subject
        if published[key] != message.shape {
            if let topic = isPerson ? topics.configuration(ofPerson: subject) : topics.configuration(subject),
                let text = await configuration(subject, isPerson)
            {
                let delivery = await session.publish(text, to: topic, retained: true)
                guard delivery == .delivered else { return delivery }
            }
            if case .readings = message.kind {
                let delivery = await session.publish("online", to: topics.availability(subject), retained: true)
                guard delivery == .delivered else { return delivery }
            }
            published[key] = message.shape
        }
        switch message.kind {
        case .readings: return await session.publish(message.text, to: topics.readings(subject), retained: true)
        case .availability(let isOnline):
            return await session.publish(
                isOnline ? "online" : "offline", to: topics.availability(subject), retained: true)
        case .happened(let reading, let type):
            return await session.publish(
                #"{"event_type":"\#(type)"}"#, to: topics.event(subject, reading), retained: false)
        case .presence(let isHome):
            return await session.publish(
                isHome ? "home" : "not_home", to: topics.presence(subject), retained: true)
        }
    }

    func close() async {
        _ = await session.publish("offline", to: topics.status, retained: true)
        events.cancel()
        await session.close()
    }
}

/// The number of the configuration of each subject that the broker has.
private final class PublishedShapes: Sendable {
    private let shapes = Mutex<[String: Int]>([:])

    subscript(key: String) -> Int? {
        get { shapes.withLock { $0[key] } }
        set { shapes.withLock { $0[key] = newValue } }
    }

    func clear() { shapes.withLock { $0 = [:] } }
}
