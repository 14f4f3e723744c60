#if Programs
import CMosquitto
import Foundation
import HealthHub
import Synchronization

/// Delivers to an MQTT broker: readings with QoS 1, and retained configurations for Home Assistant.
final class MQTTReceiver: ReceiverClient {
    private let receiver: Receiver
    private let store: HubStore
    private let form: MQTTForm
    private let session: MQTTSession
    /// The components of the published configurations.
    private let published: PublishedConfigurations
    private let births: Task<Void, Never>

    init(_ receiver: Receiver, store: HubStore) {
        (self.receiver, self.store) = (receiver, store)
        let form = MQTTForm(receiver)
        let session = MQTTSession(receiver, will: form.availability)
        let published = PublishedConfigurations()
        (self.form, self.session, self.published) = (form, session, published)
        births = Task { [receiver, store] in
            for await event in session.events {
                if event == .connected { _ = await session.publish("online", to: form.availability, retained: true) }
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
                            form.payload(message).encoded, to: form.topic(person.id, kind), retained: false)
                    }
                }
            }
        }
    }

    func deliver(_ message: OutboxMessage) async -> Delivery {
        let kind = message.reading?.measurement?.kind
        // Only the kind of a deleted reading is unknown.
        guard let person = message.person, kind != nil || message.reading == nil else { return .delivered }
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
            if let kind, !message.isRetraction {
                let delivery = await session.publish(
                    form.payload(message).encoded, to: form.topic(person.id, kind), retained: false)
                guard delivery == .delivered, try await store.isOutdated(message, at: receiver.id) else {
                    return delivery
                }
                return try await publishLast(of: person, kind)
            }
            let retraction: JSONText = ["id": .text(message.id), "reading": .text(String(message.readingID))]
            let delivery = await session.publish(
                retraction.encoded, to: form.retractions(person.id), retained: false)
            guard delivery == .delivered else { return delivery }
            // The reading that was shown last belonged to another person; the person's own last values replace it.
            return try await publishLast(of: person, kind)
        } catch {
            return .failed("the store cannot be read", after: nil)
        }
    }

    /// Publishes a person's last values again.
    /// - Parameter kind: the kind of the readings; nil for all.
    private func publishLast(of person: Person, _ kind: ReadingKind?) async throws -> Delivery {
        for last in try await store.lastMessages(of: person) {
            guard let lastKind = last.reading?.measurement?.kind, kind == nil || lastKind == kind else { continue }
            let delivery = await session.publish(
                form.payload(last).encoded, to: form.topic(person.id, lastKind), retained: false)
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
            // In a task of its own, so that an acknowledged deletion is recorded even if the hub ends meanwhile.
            await Task { [store, receiver] in try? await store.forgetDeparted(person, from: receiver.id) }.value
        }
    }

    func close() async {
        _ = await session.publish("offline", to: form.availability, retained: true)
        await end()
    }

    func retire() async {
        births.cancel()
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

/// The configurations of people that a broker retains. A configuration is published again only after a change.
final class PublishedConfigurations: Sendable {
    private struct Configuration {
        var components: [String: MQTTForm.Component] = [:]
        var text: String?
        /// The components of earlier configurations that remain to be removed.
        var obsolete: Set<String> = []
        /// The components that were removed.
        var removed: Set<String> = []
        /// The number of retracted readings.
        var retractions = 0
    }

    private let people = Mutex<[Int64: Configuration]>([:])

    /// Returns true if the components of the person's stored readings were added.
    func knows(_ person: Int64) -> Bool { people.withLock { $0[person] != nil } }

    /// The number of retracted readings of a person since the start.
    func retractions(of person: Int64) -> Int { people.withLock { $0[person]?.retractions ?? 0 } }

    /// Replaces the components with those of a person's last messages.
    /// - Parameter retraction: the message that retracts a reading.
    /// - Returns: the components to remove. Without the earlier components, which are not known after a start of the
    ///   hub, these are all that the retracted reading may have had.
    func restart(
        _ person: Int64, after retraction: OutboxMessage, with messages: [OutboxMessage], _ form: MQTTForm
    ) -> Set<String> {
        var present: [String: MQTTForm.Component] = [:]
        for reading in messages.compactMap(\.reading) { form.add(reading, of: person, to: &present) }
        var retracted: [String: MQTTForm.Component] = [:]
        if let reading = retraction.reading { form.add(reading, of: person, to: &retracted) }
        let keys = retraction.reading == nil ? MQTTForm.allKeys : Set(retracted.keys)
        return people.withLock { [present] people in
            var configuration = people[person] ?? Configuration()
            configuration.obsolete.formUnion(configuration.components.keys)
            configuration.obsolete.formUnion(keys.subtracting(configuration.removed))
            configuration.obsolete.subtract(present.keys)
            configuration.removed.subtract(present.keys)
            configuration.components = present
            configuration.retractions += 1
            people[person] = configuration
            return configuration.obsolete
        }
    }

    /// Records the acknowledged removal of components.
    func noteRemoved(_ keys: Set<String>, of person: Int64) {
        people.withLock { people in
            people[person]?.obsolete.subtract(keys)
            people[person]?.removed.formUnion(keys)
            people[person]?.text = nil
        }
    }

    /// Adds the components of messages, and returns the configuration.
    ///
    /// - Parameters:
    ///   - retractions: ``retractions(of:)`` before the messages were read, unless no reading can be retracted
    ///     meanwhile. After a retraction the messages are not added: they may be those of the retracted reading.
    ///   - removed: the components that Home Assistant is to remove.
    func text(
        of person: Person, adding messages: [OutboxMessage], after retractions: Int? = nil,
        removing removed: Set<String> = [], _ form: MQTTForm
    ) -> String {
        let components = people.withLock { people in
            let isCurrent = retractions.map { $0 == people[person.id]?.retractions ?? 0 } ?? true
            for reading in isCurrent ? messages.compactMap(\.reading) : [] {
                form.add(reading, of: person.id, to: &people[person.id, default: Configuration()].components)
            }
            let configuration = people[person.id, default: Configuration()]
            people[person.id]?.removed.subtract(configuration.components.keys)
            return configuration.components
        }
        return form.configuration(person, components, removing: removed).encoded
    }

    /// Returns true if the broker has acknowledged this configuration last.
    func isPublished(_ text: String, _ person: Int64) -> Bool { people.withLock { $0[person]?.text == text } }

    /// Records the acknowledged configuration.
    func note(_ text: String, _ person: Int64) {
        people.withLock { $0[person, default: Configuration()].text = text }
    }

    func forget(_ person: Int64) { people.withLock { $0[person] = nil } }
}

/// A connection to a broker that is reestablished when it ends.
final class MQTTSession: Sendable {
    enum Event: Sendable { case connected, homeAssistantIsBack }

    private struct State {
        var isConnected = false
        var reason = "not connected yet"
        var waiting: [Int: CheckedContinuation<Delivery, Never>] = [:]
        var isClosed = false
    }

    /// The timeout for the broker's acknowledgement of a message.
    private static let patience = Duration.seconds(15)

    let events: AsyncStream<Event>
    private let event: AsyncStream<Event>.Continuation
    private let state = Mutex(State())
    /// Proof of `nonisolated(unsafe)`: libmosquitto's functions may be called from any thread once its own thread runs.
    /// The pointer is set once, before any other code has the session, and freed by ``close()``, after which `isClosed`
    /// prevents all access to it.
    nonisolated(unsafe) private let client: OpaquePointer?
    /// Retains the context of the handler until ``close()``.
    private let context: Unmanaged<Context>

    /// The context of the handler. The reference is weak, so that an unused session is released.
    private final class Context: Sendable {
        private let session = Mutex<WeakSession>(WeakSession())
        struct WeakSession { weak var value: MQTTSession? }
        var value: MQTTSession? {
            get { session.withLock { $0.value } }
            set { session.withLock { $0.value = newValue } }
        }
    }

    init(_ receiver: Receiver, will: String) {
        (events, event) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
        let context = Context()
        self.context = .passRetained(context)
        client = harald_mqtt_new(nil, self.context.toOpaque()) { context, event, value, topic, payload, length in
            guard let context else { return }
            let session = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().value
            let text = payload.map {
                String(decoding: UnsafeRawBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
            }
            session?.handle(event, Int(value), topic.map { String(cString: $0) }, text)
        }
        context.value = self
        guard let client else {
            let reason = harald_mqtt_problem().map { String(cString: $0) } ?? "no memory"
            state.withLock { $0.reason = reason }
            return
        }
        if let problem = Self.start(client, receiver, will: will) { state.withLock { $0.reason = problem } }
    }

    private static func start(_ client: OpaquePointer, _ receiver: Receiver, will: String) -> String? {
        guard let url = URLComponents(string: receiver.url), var host = url.host else { return "no address" }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        let isEncrypted = url.scheme?.lowercased() == "mqtts"
        var error: CInt = 0
        if let user = url.user { error = harald_mqtt_login(client, user, url.password ?? receiver.options.token) }
        if error == 0, isEncrypted {
            let own = receiver.options.certificates
            error = harald_mqtt_tls(client, own, own == nil ? "/etc/ssl/certs" : nil)
        }
        if error == 0 { error = harald_mqtt_will(client, will, "offline") }
        if error == 0 { error = harald_mqtt_start(client, host, CInt(url.port ?? (isEncrypted ? 8883 : 1883))) }
        return error == 0 ? nil : String(cString: harald_mqtt_text(error))
    }

    private func handle(_ kind: CInt, _ value: Int, _ topic: String?, _ text: String?) {
        switch UInt32(kind) {
        case HARALD_MQTT_CONNECTED.rawValue:
            let isConnected = value == 0
            state.withLock { state in
                state.isConnected = isConnected
                if !isConnected {
                    state.reason =
                        "the broker refused the connection: " + String(cString: harald_mqtt_refusal(CInt(value)))
                }
            }
            guard isConnected, let client else { return }
            _ = harald_mqtt_subscribe(client, "homeassistant/status")
            event.yield(.connected)
        case HARALD_MQTT_DISCONNECTED.rawValue:
            let waiting = state.withLock { state in
                if state.isConnected { state.reason = "the broker ended the connection" }
                state.isConnected = false
                defer { state.waiting = [:] }
                return state.waiting.values.map { $0 }
            }
            for continuation in waiting {
                continuation.resume(returning: .failed("the broker ended the connection", after: nil))
            }
        case HARALD_MQTT_PUBLISHED.rawValue:
            state.withLock { $0.waiting.removeValue(forKey: value) }?.resume(returning: .delivered)
        case HARALD_MQTT_MESSAGE.rawValue:
            if topic == "homeassistant/status", text == "online" { event.yield(.homeAssistantIsBack) }
        default: break
        }
    }

    /// Publishes with QoS 1.
    /// - Returns: `delivered` after the broker has acknowledged.
    func publish(_ text: String, to topic: String, retained: Bool) async -> Delivery {
        await publish({ text }, to: topic, retained: retained)
    }

    /// Publishes with QoS 1.
    ///
    /// The text is made when it is sent, so that of two texts about something that changes the broker receives the
    /// later one last.
    /// - Parameter text: makes the text, unless there is no connection. It must not use this session.
    /// - Returns: `delivered` after the broker has acknowledged.
    func publish(_ text: () -> String, to topic: String, retained: Bool) async -> Delivery {
        await withCheckedContinuation { send(text, topic, retained, $0) }
    }

    private func send(
        _ text: () -> String, _ topic: String, _ retained: Bool, _ continuation: CheckedContinuation<Delivery, Never>
    ) {
        // The lock blocks the handling of the acknowledgement until the message number is registered.
        let now: Delivery? = state.withLock { state in
            guard let client, !state.isClosed, state.isConnected else {
                return .failed("\(state.reason)", after: nil)
            }
            var number: CInt = 0
            let octets = Array(text().utf8)
            let error = octets.withUnsafeBytes {
                harald_mqtt_publish(client, &number, topic, $0.baseAddress, CInt($0.count), retained ? 1 : 0)
            }
            guard error == 0 else { return .failed(String(cString: harald_mqtt_text(error)), after: nil) }
            state.waiting[Int(number)] = continuation
            let key = Int(number)
            Task { [weak self] in
                try? await Task.sleep(for: Self.patience)
                self?.giveUp(key)
            }
            return nil
        }
        if let now { continuation.resume(returning: now) }
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?
            .resume(returning: .failed("the broker did not acknowledge", after: nil))
    }

    /// Disconnects.
    func close() async {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard wasOpen else { return }
        event.finish()
        let (client, context) = (SendablePointer(value: client), context)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            // `harald_mqtt_free` waits for the client's thread.
            DispatchQueue.global().async {
                if let client = client.value { harald_mqtt_free(client) }
                context.release()
                done.resume()
            }
        }
    }

    /// Proof of `@unchecked Sendable`: see ``client``.
    private struct SendablePointer: @unchecked Sendable { let value: OpaquePointer? }
}
#endif
