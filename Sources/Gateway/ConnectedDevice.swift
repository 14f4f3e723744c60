import BluetoothProfiles
import Forwarding
import Harald
import HaraldDevices

/// A device that the gateway connects to: a SensorTag, or one with characteristics whose values are known.
struct ConnectedDevice: Sendable {
    let settings: GatewaySettings.Connection
    /// The pause after a failed visit.
    static let rest = Duration.seconds(10)
    private static let patience = Duration.seconds(10)
    /// Services without readings: Generic Access, Generic Attribute, Device Information, Current Time.
    private static let withoutReadings: Set<BluetoothUUID> = ["1800", "1801", "180A", "1805"]

    init(_ settings: GatewaySettings.Connection) { self.settings = settings }

    /// Returns true if the settings name the device.
    func matches(_ sighting: Sighting) -> Bool {
        let names = [sighting.identity, sighting.name, sighting.address?.text].compactMap { $0?.lowercased() }
        return names.contains(settings.device.lowercased())
    }

    /// Connects, and notes values until the connection ends.
    /// - Throws: an error of connecting, discovery or the connection.
    func visit(_ peripheral: Peripheral, note: @escaping @Sendable ([AdvertisedValue]) async -> Void) async throws {
        try await ending {
            try await peripheral.connect(timeout: Self.patience)
            let isTag = SensorTag.model(named: peripheral.name) != nil
            try await isTag ? follow(tag: peripheral, note) : follow(peripheral, note)
        } with: {
            // Not part of the task, which may be cancelled.
            await Task { await peripheral.disconnect() }.value
        }
    }

    /// Switches all sensors on, and notes their readings.
    private func follow(
        tag peripheral: Peripheral, _ note: @escaping @Sendable ([AdvertisedValue]) async -> Void
    ) async throws {
        let tag = try await SensorTag(peripheral)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sensor in tag.sensors {
                try await tag.turnOn(sensor)
                let readings = try tag.readings(of: sensor)
                group.addTask {
                    for try await reading in readings {
                        await note([Self.value("SensorTag", reading.fields.map { Self.named($0, of: sensor) })])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The field of a sensor under a name that no other sensor has.
    private static func named(_ field: Field, of sensor: SensorTag.Sensor) -> Field {
        var field = field
        guard field.name != sensor.rawValue, field.name != "pressure" else { return field }
        field.name = sensor.rawValue + field.name.prefix(1).uppercased() + field.name.dropFirst()
        return field
    }

    /// Subscribes to the known values that the device sends, and reads the others from time to time.
    private func follow(
        _ peripheral: Peripheral, _ note: @escaping @Sendable ([AdvertisedValue]) async -> Void
    ) async throws {
        var (sent, read): ([Characteristic], [Characteristic]) = ([], [])
        for service in try await peripheral.discoverServices(timeout: Self.patience) {
            guard !Self.withoutReadings.contains(service.uuid) else { continue }
            for characteristic in try await service.discoverCharacteristics(timeout: Self.patience) {
                guard Profiles.type(of: characteristic.uuid) != nil else { continue }
                let properties = characteristic.properties
                if !properties.isDisjoint(with: [.notify, .indicate]), !properties.contains(.write) {
                    sent.append(characteristic)
                }
                if properties.contains(.read) { read.append(characteristic) }
            }
        }
        guard !sent.isEmpty || !read.isEmpty else {
            throw BluetoothError(
                .notFound, operation: "read \(peripheral)", reason: "it has no characteristic with a known value",
                advice: "'harald tree' lists its characteristics")
        }
        let model = peripheral.name ?? "Device"
        try await withThrowingTaskGroup(of: Void.self) { [settings] group in
            for characteristic in sent {
                group.addTask {
                    for try await bytes in characteristic.notifications() {
                        guard let value = Self.value(model, characteristic.uuid, bytes) else { continue }
                        await note([value])
                    }
                }
            }
            group.addTask { [read] in
                while true {
                    var values: [AdvertisedValue] = []
                    for characteristic in read {
                        guard let bytes = try await Self.bytes(of: characteristic) else { continue }
                        if let value = Self.value(model, characteristic.uuid, bytes) { values.append(value) }
                    }
                    if !values.isEmpty { await note(values) }
                    try await Task.sleep(for: settings.interval)
                }
            }
            // The streams end with the connection.
            _ = try await group.next()
            group.cancelAll()
        }
    }

    /// Reads a value; nil if the device refuses.
    private static func bytes(of characteristic: Characteristic) async throws -> [UInt8]? {
        do throws(BluetoothError) { return try await characteristic.read(timeout: patience) } catch {
            if case .att = error.code { return nil }
            throw error
        }
    }

    private static func value(_ model: String, _ uuid: BluetoothUUID, _ bytes: [UInt8]) -> AdvertisedValue? {
        guard let fields = try? Profiles.fields(of: bytes, uuid: uuid) else { return nil }
        // The fields of simple values are called "value".
        let name = AssignedNumbers.name(of: uuid).map(camelCase) ?? "value"
        return value(
            model,
            fields.map { field in
                var field = field
                if field.name == "value" { field.name = name }
                return field
            })
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        return (words.first?.lowercased() ?? "")
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }

    private static func value(_ model: String, _ fields: [Field]) -> AdvertisedValue {
        AdvertisedValue(kind: "connected", title: model, fields: fields)
    }
}
