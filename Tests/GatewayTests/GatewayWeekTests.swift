import BluetoothCipher
import BluetoothProfiles
import Explorer
import Forwarding
import Foundation
import Harald
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// A receiver that is away for some hours, and records what it gets.
private final class RecordingReceiver: SensorReceiver {
    let name = "recorder"
    let lanes = 8
    let connections = Wakes()
    let isAway = Mutex(false)
    let received = Mutex<[SensorMessage]>([])

    func deliver(_ message: SensorMessage) async -> Delivery {
        if isAway.withLock({ $0 }) { return .failed("away", after: nil) }
        received.withLock { $0.append(message) }
        return .delivered
    }

    func close() async {}
}

/// A house on a stepped clock, for a week: sensors come, go, change addresses and lie, and a receiver is away.
@Suite("A simulated week of a gateway", .timeLimit(.minutes(3)))
struct GatewayWeekTests {
    private static let step = Duration.seconds(120)
    private static let stepsOfHour = 30
    private static let outage = 60..<84
    private static let limit = 200

    private let receiver = RecordingReceiver()
    private let cellar: BluetoothAddress = "C0:48:E6:8F:80:A5"
    private let reader = AdvertisedReader()
    private var keys = AdvertisedKeys()
    private let irk = [UInt8](1...16)

    init() { keys.set([UInt8](16..<32), of: cellar) }

    /// An advertisement as an adapter hears it.
    private func sighting(_ data: AdvertisingData, _ address: BluetoothAddress, rssi: Int = -60) -> Sighting {
        Sighting(
            device: PeripheralID(high: 1, low: address.value), address: address, name: data.localName,
            identity: reader.name(of: address), rssi: rssi, adapter: rssi < -70 ? "attic" : "hall",
            values: reader.values(in: data, from: address))
    }

    private func data(_ value: some AdvertisedFormat) throws -> AdvertisingData {
        AdvertisingData(structures: [try value.structure()])
    }

    /// The data without its last three bytes.
    private func cut(_ data: AdvertisingData) -> AdvertisingData {
        let bytes = data.structures.flatMap { [UInt8($0.data.count + 1), $0.type.rawValue] + $0.data }
        return AdvertisingData(parsing: Array(bytes.dropLast(3)))
    }

    /// A frame of the cellar's sensor, encrypted with the keys.
    private func sealed(_ celsius: Int, _ counter: Int, _ keys: AdvertisedKeys) throws -> AdvertisingData {
        var value = BTHome([.init(0x02, ProfileNumber(Double(celsius), decimals: 2))])
        value.isEncrypted = true
        return AdvertisingData(structures: [
            try value.structure(counter: UInt32(counter), address: cellar) { keys.seal(&$0) }
        ])
    }

    @Test("What the receiver has follows from what was on the air", .blocksThread)
    func week() async throws {
        let identities = [
            DeviceIdentity(name: "Cellar", address: cellar, key: [UInt8](16..<32)),
            DeviceIdentity(name: "Phone", irk: irk),
        ]
        reader.use(identities)
        var settings = GatewaySettings()
        settings.sensors.interval = .seconds(600)
        settings.absence = .seconds(1200)
        let outbox = SensorOutbox(receiver, limit: Self.limit) { _ in }
        let time = Mutex(Duration.zero)
        let gateway = Gateway(
            settings, identities: identities, reader: reader, outboxes: [outbox], clock: { time.withLock { $0 } }
        ) { _ in }
        let phone = try #require(IdentityResolvingKey(littleEndian: irk.reversed()))
        var stranger = AdvertisedKeys()
        stranger.set([UInt8](repeating: 9, count: 16), of: cellar)
        var generator = SplitMix(state: 20_261_129)
        // Ten sensors, each on the air in some hours; the receiver misses more than its outbox holds.
        let hours = (0..<10).map { _ in (0..<168).map { _ in Int.random(in: 0..<4, using: &generator) > 0 } }
        var phoneAddress = phone.makeAddress(using: &generator)
        var recorded: AdvertisingData?
        for step in 0..<(168 * Self.stepsOfHour) {
            let hour = step / Self.stepsOfHour
            time.withLock { $0 = Self.step * step }
            receiver.isAway.withLock { $0 = Self.outage.contains(hour) }
            for number in 0..<10 where hours[number][hour] {
                let address = BluetoothAddress(value: 0xA4C1_3800_0100 + UInt64(number), kind: .public)
                let frame = try data(BTHome([.init(0x02, ProfileNumber(Double(hour % 40), decimals: 2))]))
                // Two adapters hear it.
                await gateway.note(sighting(frame, address))
                await gateway.note(sighting(frame, address, rssi: -80))
            }
            // The cellar, encrypted; a recording of it from the first hour, the key of another, and a frame cut short.
            let frame = try sealed(10 + hour % 10, 1000 + step, keys)
            recorded = recorded ?? frame
            await gateway.note(sighting(frame, cellar))
            if step > 10, let recorded { await gateway.note(sighting(recorded, cellar)) }
            await gateway.note(sighting(try sealed(99, 2000 + step, stranger), cellar))
            await gateway.note(sighting(cut(frame), cellar))
            // A phone whose address changes every quarter of an hour, at home at night, and a liar with changing ones.
            if step % 8 == 0 { phoneAddress = phone.makeAddress(using: &generator) }
            if hour % 24 < 8 { await gateway.note(sighting(AdvertisingData(), phoneAddress)) }
            let liar = BluetoothAddress(value: 0x4A00_0000_0000 + UInt64(step), kind: .random)
            await gateway.note(sighting(try data(BTHome([.init(0x02, 99)])), liar))
            await gateway.tick()
            await outbox.flush()
        }
        check(outbox.counts, hours)
        let metrics = await gateway.metrics
        #expect(
            metrics.contains(#"harald_gateway_ignored_total{reason="problem"} \#(3 * 168 * Self.stepsOfHour - 11)"#))
        #expect(metrics.contains(#"harald_gateway_ignored_total{reason="address"} \#(168 * Self.stepsOfHour)"#))
    }

    private func check(_ counts: SensorOutbox.Counts, _ hours: [[Bool]]) {
        let messages = receiver.received.withLock { $0 }
        // All but what exceeded the bound of the outbox in the outage.
        #expect(counts.waiting == 0 && counts.refused == 0 && counts.dropped > 0)
        #expect(counts.delivered == messages.count)
        // Neither the liar, nor the recording, nor the other key.
        let readings = messages.filter { $0.kind == .readings }.map { message in
            (message.subject, (try? JSONValue(parsing: Array(message.text.utf8)))?["values"]?["temperature"]?.number)
        }
        for (subject, value) in readings { #expect((0..<40).contains(value ?? -1), "\(subject)") }
        #expect(Set(messages.map(\.subject)).count == 12)
        // The values of a sensor, in their order, of the hours in which it was on the air.
        for number in 0..<10 {
            let id = "a4c1380001" + [UInt8(number)].hexText().lowercased()
            var values = readings.filter { $0.0 == id }.compactMap(\.1)[...]
            for hour in 0..<168 where hours[number][hour] {
                let count = values.prefix { $0 == Double(hour % 40) }.count
                values = values.dropFirst(count)
                // One for each interval, unless the outbox dropped it.
                #expect(count == 6 || Self.outage.contains(hour) && count < 6, "sensor \(number), hour \(hour)")
            }
            #expect(values.isEmpty, "sensor \(number)")
            // The last state is that of the last hour.
            let states = messages.filter { $0.subject == id }.compactMap { message -> Bool? in
                if case .availability(let isOnline) = message.kind { isOnline } else { nil }
            }
            #expect(!states.isEmpty && states.last == hours[number][167], "sensor \(number)")
        }
        let presences = messages.compactMap { message -> Bool? in
            if case .presence(let isHome) = message.kind { isHome } else { nil }
        }
        // Seven nights; the outage takes at most what it dropped.
        #expect(presences.count >= 12 && presences.first == true && presences.last == false)
        #expect(zip(presences, presences.dropFirst()).filter { $0 == $1 }.count <= 1)
    }
}
