import Forwarding
import HealthHub
import JSON

/// Delivers to an MQTT broker: readings with QoS 1, and retained configurations for Home Assistant.
final class MQTTReceiver: ReceiverClient {
    private let receiver: Receiver
    private let store: HubStore
    private let form: MQTTForm
    private let session: MQTTSession
    private let published: PublishedConfigurations
    private let births: Task<Void, Never>
    let connections: Wakes

    init(_ receiver: Receiver, store: HubStore) {
        (self.receiver, self.store) = (receiver, store)
        let form = MQTTForm(receiver)
        let session = MQTTSession(MQTTBroker(receiver), will: form.availability)
        let published = PublishedConfigurations()
        let connections = Wakes()
        (self.form, self.session, self.published, self.connections) = (form, session, published, connections)
        births = Task { [receiver, store, connections] in
            for await event in session.events {
                if event == .connected {
                    connections.wake()
                    _ = await session.publish("online", to: form.availability, retained: true)
                }
                // A broker may have lost its retained messages, and Home Assistant shows only messages received after
                // its start.
                for person in (try? await store.people(forwardedTo: receiver.id)) ?? [] {
                    let retractions = published.retractions(of: person.id)
                    guard let last = try? await store.lastMessages(of: person) else { continue }
                    let configuration = { published.text(of: person, adding: last, after: retractions, form) }
                    guard
                        await session.publish(configuration, to: form.discovery(person.id), retained: true)
                            == .delivered
                    else { break }
                    // The person was deleted meanwhile, and may have been cleaned before.
                    if (try? await store.perform { try $0.person(person.id) }) == .some(nil) {
                        try? await store.rememberDeparted(person.id, from: receiver.id)
                        guard await session.publish("", to: form.discovery(person.id), retained: true) == .delivered
                        else { break }
                        try? await store.forgetDeparted(person.id, from: receiver.id)
                        continue
                    }
                    guard event == .homeAssistantIsBack else { continue }
                    for message in last {
                        guard let kind = message.reading?.measurement?.kind else { continue }
                        _ = await session.publish(
                            published.payload(message, of: person, form), to: form.topic(person.id, kind),
                            retained: false)
                    }
                }
            }
        }
    }

    func deliver(_ message: OutboxMessage) async -> Delivery {
        let measurement = message.reading?.measurement
        // Only the measurement of a deleted reading is unknown.
        guard let person = message.person, measurement != nil || message.reading == nil else { return .delivered }
        do {
            if message.isRetraction, let failure = try await removeComponents(message, of: person) { return failure }
            if !published.knows(person.id) {
                _ = published.text(of: person, adding: try await store.lastMessages(of: person), form)
            }
            var text = published.text(of: person, adding: message.isRetraction ? [] : [message], form)
            if !published.isPublished(text, person.id) {
                let delivery = await session.publish(
                    {
                        text = published.text(of: person, adding: [], form)
                        return text
                    }, to: form.discovery(person.id), retained: true)
                guard delivery == .delivered else { return delivery }
                published.note(text, person.id)
            }
            if let measurement, !message.isRetraction {
                let delivery = await session.publish(
                    published.payload(message, of: person, form), to: form.topic(person.id, measurement),
                    retained: false)
                guard delivery == .delivered, measurement.isCounted,
                    try await store.isOutdated(message, at: receiver.id)
                else { return delivery }
                return try await publishLast(of: person, measurement.kind)
            }
            let retraction: JSONValue = ["id": .string(message.id), "reading": .string(String(message.readingID))]
            let delivery = await session.publish(
                retraction.text, to: form.retractions(person.id), retained: false)
            guard delivery == .delivered else { return delivery }
            // The reading that was shown last belonged to another person; the person's own last values replace it.
            return try await publishLast(of: person, measurement?.kind)
        } catch {
            return .failed("the store cannot be read", after: nil)
        }
    }

    /// Publishes a person's last values again.
    /// - Parameter kind: the kind of the readings; nil for all.
    private func publishLast(of person: Person, _ kind: MeasurementKind?) async throws -> Delivery {
        for last in try await store.lastMessages(of: person) {
            guard let lastKind = last.reading?.measurement?.kind, kind == nil || lastKind == kind else { continue }
            let delivery = await session.publish(
                published.payload(last, of: person, form), to: form.topic(person.id, lastKind), retained: false)
            guard delivery == .delivered else { return delivery }
        }
        return .delivered
    }

    /// Removes the components that a person no longer has. The retracted reading may have been the only one with its
    /// quantities.
    ///
    /// Home Assistant keeps a component that a configuration omits. It removes one that has only its platform; the next
    /// configuration, without it, is then retained.
    /// - Returns: the failure to publish; nil if there is none.
    private func removeComponents(_ message: OutboxMessage, of person: Person) async throws -> Delivery? {
        let last = try await store.lastMessages(of: person)
        let removed = published.restart(person.id, after: message, with: last, form)
        guard !removed.isEmpty else { return nil }
        let text = published.text(of: person, adding: [], removing: removed, form)
        let delivery = await session.publish(text, to: form.discovery(person.id), retained: true)
        guard delivery == .delivered else { return delivery }
        published.noteRemoved(removed, of: person.id)
        return nil
    }

    /// Clears the retained configurations of deleted people, with an empty retained message (MQTT 3.1.1, 3.3.1.3).
    func clean(except busy: Set<Int64>) async {
        for person in (try? await store.departed(from: receiver.id)) ?? [] where !busy.contains(person) {
            guard await session.publish("", to: form.discovery(person), retained: true) == .delivered else { return }
            published.forget(person)
            try? await store.forgetDeparted(person, from: receiver.id)
        }
    }

    func close() async {
        _ = await session.publish("offline", to: form.availability, retained: true)
        await end()
    }

    func retire() async {
        births.cancel()
        await clean(except: [])
        for person in (try? await store.perform { try $0.people() }) ?? [] {
            guard await session.publish("", to: form.discovery(person.id), retained: true) == .delivered else { break }
        }
        _ = await session.publish("", to: form.availability, retained: true)
        await end()
    }

    private func end() async {
        births.cancel()
        await session.close()
    }
}

extension MQTTBroker {
    init(_ receiver: Receiver) {
        self.init(
            url: receiver.url, password: receiver.options.token, certificates: receiver.options.certificates)
    }
}
