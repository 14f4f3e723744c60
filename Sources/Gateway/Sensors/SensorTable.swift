import BluetoothProfiles
import Foundation
import Harald
import JSON

/// An advertisement of a device, heard by an adapter.
package struct Sighting: Sendable {
    package var device: PeripheralID
    /// The address; nil if the platform hides it.
    package var address: BluetoothAddress?
    package var name: String?
    /// The name that the user gave the device; nil for none.
    package var identity: String?
    /// The signal strength in dBm.
    package var rssi: Int?
    package var adapter: String
    package var values: [AdvertisedValue]

    package init(
        device: PeripheralID, address: BluetoothAddress?, name: String?, identity: String? = nil, rssi: Int?,
        adapter: String, values: [AdvertisedValue]
    ) {
        (self.device, self.address, self.name, self.identity) = (device, address, name, identity)
        (self.rssi, self.adapter, self.values) = (rssi, adapter, values)
    }
}

/// A change that receivers get.
package enum SensorEvent: Sendable, Hashable {
    /// A sensor was heard for the first time, or again after it was offline.
    case online(String)
    case offline(String)
    case readings(String)
    /// Something happened at a sensor: the reading, such as `button`, and what.
    case happened(String, reading: String, type: String)
    /// A named device came or went.
    case presence(String)
}

/// The reason why an advertisement was not published.
package enum IgnoredReason: String, Sendable, CaseIterable {
    /// The values cannot be decoded, or decrypted.
    case problem
    /// The signal is too weak.
    case signal
    /// The settings exclude the sensor.
    case excluded
    /// The address changes, and the user has not named the device.
    case address
    /// There are too many sensors.
    case limit
}

/// The sensors that were heard, and the named devices. Time is that of a monotonic clock, so that the clock of the
/// system may be set.
package struct SensorTable: Sendable {
    package struct Sensor: Sendable {
        /// The identifier in topics and metrics: the address without colons.
        package let id: String
        /// The name that the user gave it, else the advertised one.
        package fileprivate(set) var name: String?
        package fileprivate(set) var address: BluetoothAddress?
        /// The titles of its formats.
        package fileprivate(set) var models: [String] = []
        /// The last readings, in the order in which they were first heard.
        package fileprivate(set) var readings: [SensorReading] = []
        /// The names of the events that it has sent, such as `button`.
        package var events: [String] { lastEvents.keys.sorted() }
        /// A number that changes with the names and units of the readings, and with the name of the sensor.
        package fileprivate(set) var shape = 1
        /// False after a silence.
        package fileprivate(set) var isOnline = false
        /// The time at which it was last heard.
        package fileprivate(set) var heard: Duration
        fileprivate var published: Duration?
        fileprivate var isDue = false
        fileprivate var signals: [String: (rssi: Int, time: Duration)] = [:]
        fileprivate var lastEvents: [String: String] = [:]

        fileprivate init(id: String, heard: Duration) { (self.id, self.heard) = (id, heard) }

        /// The name, or the format and the end of the identifier.
        package var title: String { name ?? "\(models.first ?? "Sensor") \(id.suffix(4).uppercased())" }

        /// The adapter that hears it best, and the signal strength.
        package var signal: (adapter: String, rssi: Int)? {
            signals.max { ($0.value.rssi, $1.key) < ($1.value.rssi, $0.key) }.map { ($0.key, $0.value.rssi) }
        }

        /// The object that receivers get.
        package func json(at time: Date) -> JSONValue {
            let signal = signal
            let values = Dictionary(readings.map { ($0.name, $0.json) }, uniquingKeysWith: { first, _ in first })
            return .known([
                "id": .string(id), "name": .string(title), "address": address.map { .string($0.text) },
                "model": .string(models.joined(separator: ", ")), "adapter": signal.map { .string($0.adapter) },
                "rssi": signal.map { .int($0.rssi) }, "time": .string(time.formatted(.iso8601)),
                "values": .object(values),
            ])
        }
    }

    /// A named device.
    package struct Person: Sendable {
        /// The identifier in topics.
        package let id: String
        package let name: String
        /// True if it was heard lately; nil while that is not known.
        package fileprivate(set) var isHome: Bool?
        /// The signal strength when it was last heard.
        package fileprivate(set) var rssi: Int?
        fileprivate var heard: Duration
    }

    /// A signal of another adapter counts for this time.
    private static let signalAge = Duration.seconds(30)
    /// The least time between two messages about changed states.
    private static let stateInterval = Duration.seconds(1)
    /// The silence after which a frame with an event that equals the last one is another event.
    private static let eventSilence = Duration.seconds(3)

    private let settings: GatewaySettings
    /// The names of devices that are sensors, and no people.
    private let named: Set<String>
    package private(set) var sensors: [String: Sensor] = [:]
    /// The named devices by name.
    package private(set) var people: [String: Person] = [:]
    /// The number of advertisements with values that were not published, by reason.
    package private(set) var ignored: [IgnoredReason: Int] = [:]
    /// The number of advertisements.
    package private(set) var heardCount = 0

    /// Creates an empty table.
    /// - Parameters:
    ///   - people: the names of the devices whose presence is published from the start.
    ///   - sensors: the names of the devices whose presence is not published.
    package init(
        _ settings: GatewaySettings, people: [String] = [], sensors: [String] = [], at now: Duration = .zero
    ) {
        (self.settings, named) = (settings, Set(sensors))
        guard settings.absence != nil else { return }
        for name in people { self.people[name] = Person(id: Slug.unique(name), name: name, heard: now) }
    }

    // MARK: Hearing

    /// Notes what an adapter heard.
    package mutating func note(_ sighting: Sighting, at now: Duration) -> [SensorEvent] {
        heardCount += 1
        let values = sighting.values.filter { value in
            settings.sensors.formats?.contains(value.kind) ?? !GatewaySettings.unrequested.contains(value.kind)
        }
        var events = notePresence(sighting, isSensor: !values.isEmpty, at: now)
        guard !values.isEmpty else { return events }
        let known = values.filter { $0.problem == nil && !$0.fields.isEmpty }
        guard !known.isEmpty else { return ignore(.problem, events) }
        guard sighting.rssi ?? 0 >= settings.sensors.minimumRSSI ?? .min else { return ignore(.signal, events) }
        guard isIncluded(sighting) else { return ignore(.excluded, events) }
        guard let id = Self.id(of: sighting, known) else { return ignore(.address, events) }
        if sensors[id] == nil, sensors.count >= settings.sensors.limit {
            guard let oldest = sensors.values.filter({ !$0.isOnline }).min(by: { $0.heard < $1.heard }) else {
                return ignore(.limit, events)
            }
            sensors[oldest.id] = nil
        }
        update(id, sighting, known, at: now, &events)
        return events
    }

    private mutating func ignore(_ reason: IgnoredReason, _ events: [SensorEvent]) -> [SensorEvent] {
        ignored[reason, default: 0] += 1
        return events
    }

    private func isIncluded(_ sighting: Sighting) -> Bool {
        let (only, except) = (settings.sensors.only, settings.sensors.except)
        guard !only.isEmpty || !except.isEmpty else { return true }
        let names = [sighting.identity, sighting.name, sighting.address?.text].compactMap { $0?.lowercased() }
        return (only.isEmpty || names.contains(where: only.contains)) && !names.contains(where: except.contains)
    }

    /// The identifier of a sensor: its address, if that does not change; else the name that the user gave it, or the
    /// address in its frame; nil if nothing identifies it.
    private static func id(of sighting: Sighting, _ values: [AdvertisedValue]) -> String? {
        guard let address = sighting.address else { return Slug.text(sighting.device.description) }
        if address.isIdentity { return address.value.hexText(digits: 12).lowercased() }
        if let identity = sighting.identity { return Slug.unique(identity) }
        for value in values {
            if case .bytes(let bytes)? = value["address"]?.value, bytes.count == 6 {
                return bytes.hexText().lowercased()
            }
        }
        return nil
    }

    private mutating func update(
        _ id: String, _ sighting: Sighting, _ values: [AdvertisedValue], at now: Duration,
        _ events: inout [SensorEvent]
    ) {
        var sensor = sensors[id] ?? Sensor(id: id, heard: now)
        let silence = sensors[id] == nil ? Self.eventSilence : now - sensor.heard
        (sensor.heard, sensor.address) = (now, sighting.address)
        if let rssi = sighting.rssi {
            if sensor.signals.count > 1 {
                sensor.signals = sensor.signals.filter { now - $0.value.time < Self.signalAge }
            }
            sensor.signals[sighting.adapter] = (rssi, now)
        }
        if let name = sighting.identity ?? sighting.name, name != sensor.name {
            sensor.name = name
            sensor.shape += 1
        }
        for value in values where !sensor.models.contains(value.title) {
            sensor.models.append(value.title)
            sensor.shape += 1
        }
        if !sensor.isOnline {
            (sensor.isOnline, sensor.published) = (true, nil)
            events.append(.online(id))
        }
        let change = Self.merge(values, into: &sensor, isNew: silence >= Self.eventSilence)
        for (reading, type) in change.events { events.append(.happened(id, reading: reading, type: type)) }
        let least =
            change.isState ? min(Self.stateInterval, settings.sensors.interval) : settings.sensors.interval
        if sensor.published.map({ now - $0 >= least }) ?? true {
            sensor.published = now
            sensor.isDue = false
            events.append(.readings(id))
        } else if change.isState {
            sensor.isDue = true
        }
        sensors[id] = sensor
    }

    /// Merges values into the readings of a sensor.
    /// - Parameter isNew: true if the frame is no repetition, even if it equals the last one.
    /// - Returns: the events among the values, and whether a state has changed.
    private static func merge(
        _ values: [AdvertisedValue], into sensor: inout Sensor, isNew: Bool
    ) -> (events: [(String, String)], isState: Bool) {
        var (events, isState, isChanged): ([(String, String)], Bool, Bool) = ([], false, isNew)
        for reading in values.flatMap(SensorReading.readings) {
            if let type = reading.event {
                if type.isEmpty { continue }
                events.append((reading.name, type))
                let former = sensor.lastEvents.updateValue(type, forKey: reading.name)
                if former == nil { sensor.shape += 1 }
                isChanged = isChanged || former != type
                continue
            }
            guard let index = sensor.readings.firstIndex(where: { $0.name == reading.name }) else {
                sensor.readings.append(reading)
                sensor.shape += 1
                (isState, isChanged) = (true, true)
                continue
            }
            let former = sensor.readings[index]
            guard former != reading else { continue }
            (isState, isChanged) = (isState || reading.isState, true)
            if former.field.unit != reading.field.unit || former.isBinary != reading.isBinary { sensor.shape += 1 }
            sensor.readings[index] = reading
        }
        return (isChanged ? events : [], isState)
    }

    // MARK: Presence

    private mutating func notePresence(
        _ sighting: Sighting, isSensor: Bool, at now: Duration
    ) -> [SensorEvent] {
        guard settings.absence != nil, let name = sighting.identity else { return [] }
        if people[name] == nil {
            // Some sensors also advertise without readings.
            let isSensor =
                isSensor || named.contains(name) || Self.id(of: sighting, []).map { sensors[$0] != nil } == true
            guard !isSensor else { return [] }
        }
        var person = people[name] ?? Person(id: Slug.unique(name), name: name, heard: now)
        let isNew = person.isHome != true
        (person.isHome, person.rssi, person.heard) = (true, sighting.rssi, now)
        people[name] = person
        return isNew ? [.presence(name)] : []
    }

    // MARK: Time

    /// Returns what the passing of time entails: silent sensors, absent devices, and changed states that have waited.
    package mutating func tick(at now: Duration) -> [SensorEvent] {
        var events: [SensorEvent] = []
        for (id, sensor) in sensors {
            if sensor.isOnline, now - sensor.heard >= settings.sensors.silence {
                sensors[id]?.isOnline = false
                events.append(.offline(id))
            } else if sensor.isDue, let published = sensor.published, now - published >= Self.stateInterval {
                sensors[id]?.isDue = false
                sensors[id]?.published = now
                events.append(.readings(id))
            }
        }
        guard let absence = settings.absence else { return events }
        for (name, person) in people where person.isHome != false && now - person.heard >= absence {
            people[name]?.isHome = false
            events.append(.presence(name))
        }
        return events
    }
}
