import HealthHub
import Synchronization

/// The configurations of people that a broker retains. A configuration is published again only after a change.
final class PublishedConfigurations: Sendable {
    private struct Configuration {
        var components: [String: MQTTForm.Component] = [:]
        var text: String?
        /// The components of earlier configurations that remain to be removed.
        var obsolete: Set<String> = []
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
        return form.configuration(person, components, removing: removed).text
    }

    /// Returns the payload of a reading of a person, in the units of the configuration.
    func payload(_ message: OutboxMessage, of person: Person, _ form: MQTTForm) -> String {
        form.payload(message, in: people.withLock { $0[person.id]?.components ?? [:] }).text
    }

    /// Returns true if the broker has acknowledged this configuration last.
    func isPublished(_ text: String, _ person: Int64) -> Bool { people.withLock { $0[person]?.text == text } }

    /// Records the acknowledged configuration.
    func note(_ text: String, _ person: Int64) {
        people.withLock { $0[person, default: Configuration()].text = text }
    }

    func forget(_ person: Int64) { people.withLock { $0[person] = nil } }
}
