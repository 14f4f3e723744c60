import BluetoothProfiles
import Foundation
import Harald
import TestSupport
import Testing

@testable import Gateway

/// Sightings of devices for tests.
enum Heard {
    static func thermometer(
        _ celsius: Double, address: String = "A4:C1:38:00:00:01", kind: BluetoothAddress.Kind = .public,
        name: String? = nil, identity: String? = nil, rssi: Int? = -60, adapter: String = "a", door: Bool? = nil
    ) -> Sighting {
        var objects = [BTHome.Object(0x02, ProfileNumber(celsius, decimals: 2))]
        if let door { objects.append(.init(0x1A, .code(door ? 1 : 0))) }
        return sighting(BTHome(objects), address, kind, name, identity, rssi, adapter)
    }

    static func sighting(
        _ value: some AdvertisedFormat, _ address: String = "A4:C1:38:00:00:01",
        _ kind: BluetoothAddress.Kind = .public, _ name: String? = nil, _ identity: String? = nil, _ rssi: Int? = -60,
        _ adapter: String = "a"
    ) -> Sighting {
        var data = AdvertisingData()
        if let structure = try? value.structure() { data.append(structure) }
        return sighting(data, address, kind, name, identity, rssi, adapter)
    }

    static func sighting(
        _ data: AdvertisingData, _ address: String, _ kind: BluetoothAddress.Kind = .public, _ name: String? = nil,
        _ identity: String? = nil, _ rssi: Int? = -60, _ adapter: String = "a"
    ) -> Sighting {
        let address = BluetoothAddress(address, kind: kind)
        return Sighting(
            device: PeripheralID(high: 1, low: address?.value ?? 0), address: address, name: name, identity: identity,
            rssi: rssi, adapter: adapter, values: data.values)
    }
}

@Suite("The table of sensors")
struct SensorTableTests {
    private static let id = "a4c138000001"

    private static func table(
        people: [String] = [], sensors: [String] = [], _ change: (inout GatewaySettings) -> Void = { _ in }
    ) -> SensorTable {
        var settings = GatewaySettings()
        change(&settings)
        return SensorTable(settings, people: people, sensors: sensors)
    }

    @Test("A sensor is published at once, then once in each interval, with its latest value")
    func interval() {
        var table = Self.table()
        #expect(table.note(Heard.thermometer(20), at: .zero) == [.online(Self.id), .readings(Self.id)])
        for second in 1..<30 { #expect(table.note(Heard.thermometer(20), at: .seconds(second)) == []) }
        #expect(table.note(Heard.thermometer(21.5), at: .seconds(30)) == [.readings(Self.id)])
        let values = table.sensors[Self.id]?.json(at: Date(timeIntervalSince1970: 0))
        #expect(values?["values"]?["temperature"]?.digits == "21.50")
        #expect(values?["address"]?.string == "A4:C1:38:00:00:01" && values?["rssi"]?.integer == -60)
        #expect(values?["time"]?.string == "1970-01-01T00:00:00Z")
    }

    @Test("A state that changes is published within a second, and none is lost")
    func states() {
        var table = Self.table()
        _ = table.note(Heard.thermometer(20, door: false), at: .zero)
        #expect(table.note(Heard.thermometer(20, door: true), at: .seconds(5)) == [.readings(Self.id)])
        #expect(table.note(Heard.thermometer(20, door: false), at: .milliseconds(5400)) == [])
        #expect(table.tick(at: .milliseconds(5500)) == [])
        #expect(table.tick(at: .seconds(6)) == [.readings(Self.id)])
        #expect(table.sensors[Self.id]?.json(at: .now)["values"]?["door"]?.flag == false)
        #expect(table.tick(at: .seconds(60)) == [])
    }

    @Test("A silent sensor is offline, and online again with the next advertisement")
    func silence() {
        var table = Self.table { $0.sensors.silence = .seconds(60) }
        _ = table.note(Heard.thermometer(20), at: .zero)
        #expect(table.tick(at: .seconds(59)) == [])
        #expect(table.tick(at: .seconds(60)) == [.offline(Self.id)])
        #expect(table.tick(at: .seconds(61)) == [])
        #expect(table.note(Heard.thermometer(20), at: .seconds(62)) == [.online(Self.id), .readings(Self.id)])
    }

    @Test("A sensor that two adapters hear is one; the better signal counts for a while")
    func adapters() {
        var table = Self.table()
        _ = table.note(Heard.thermometer(20, rssi: -60, adapter: "a"), at: .zero)
        #expect(table.note(Heard.thermometer(20, rssi: -80, adapter: "b"), at: .milliseconds(1)) == [])
        #expect(table.sensors.count == 1 && table.sensors[Self.id]?.signal?.adapter == "a")
        _ = table.note(Heard.thermometer(20, rssi: -80, adapter: "b"), at: .seconds(40))
        #expect(table.sensors[Self.id]?.signal?.adapter == "b" && table.sensors[Self.id]?.signal?.rssi == -80)
    }

    @Test("Fields of frames in turn are merged, and the shape changes with each new field")
    func merging() {
        var table = Self.table()
        _ = table.note(Heard.sighting(BTHome([.init(0x02, 20)])), at: .zero)
        let shape = table.sensors[Self.id]?.shape
        _ = table.note(Heard.sighting(BTHome([.init(0x03, 50)])), at: .seconds(1))
        let other = table.sensors[Self.id]?.shape
        #expect(shape != other)
        _ = table.note(Heard.sighting(BTHome([.init(0x02, 21)])), at: .seconds(2))
        #expect(table.sensors[Self.id]?.shape == other)
        #expect(table.sensors[Self.id]?.readings.map(\.name) == ["temperature", "humidity"])
    }

    @Test("An address that changes is ignored, unless the user has named the device or the frame has an address")
    func addresses() {
        var table = Self.table()
        let changing = "4A:00:00:00:00:01"
        #expect(table.note(Heard.thermometer(20, address: changing, kind: .random), at: .zero) == [])
        #expect(table.ignored[.address] == 1)
        let named = Heard.thermometer(20, address: changing, kind: .random, identity: "Küche 1")
        let other = Heard.thermometer(20, address: "4B:00:00:00:00:02", kind: .random, identity: "Küche 1")
        #expect(table.note(named, at: .zero).count == 2)
        #expect(table.note(other, at: .zero) == [] && table.sensors.count == 1)
        let ruuvi = Ruuvi5 {
            $0.temperature = 20; $0.address = [0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F]
        }
        #expect(
            table.note(Heard.sighting(ruuvi, changing, .random), at: .zero)
                == [.online("cbb8334c884f"), .readings("cbb8334c884f")])
    }

    @Test("The settings exclude weak signals, formats and devices; weights and beacons are not published unasked")
    func filters() {
        var table = Self.table { settings in
            settings.sensors.minimumRSSI = -70
            settings.sensors.except = ["a4:c1:38:00:00:09", "attic"]
        }
        #expect(table.note(Heard.thermometer(20, rssi: -71), at: .zero) == [])
        #expect(table.note(Heard.thermometer(20, address: "A4:C1:38:00:00:09"), at: .zero) == [])
        #expect(table.note(Heard.thermometer(20, name: "Attic"), at: .zero) == [])
        #expect(table.ignored == [.signal: 1, .excluded: 2])
        let scale = Heard.sighting(XiaomiScale { $0.weight = 72 })
        #expect(table.note(scale, at: .zero) == [] && table.sensors.isEmpty)
        var asked = Self.table { $0.sensors.formats = ["xiaomi-scale"] }
        #expect(asked.note(scale, at: .zero).count == 2)
        #expect(asked.note(Heard.thermometer(20, address: "A4:C1:38:00:00:02"), at: .zero) == [])
        var only = Self.table { $0.sensors.only = ["attic"] }
        #expect(only.note(Heard.thermometer(20), at: .zero) == [])
        #expect(only.note(Heard.thermometer(20, name: "Attic"), at: .zero).count == 2)
    }

    @Test("A frame with a problem has no values, and changes nothing")
    func problems() throws {
        var table = Self.table()
        _ = table.note(Heard.thermometer(20), at: .zero)
        let sealed = AdvertisingData(parsing: try #require([UInt8](hexText: "1216D2FC41E445F3C9962B332211006C7C4519")))
        #expect(sealed.values.first?.problem != nil)
        #expect(table.note(Heard.sighting(sealed, "A4:C1:38:00:00:01"), at: .seconds(40)) == [])
        #expect(table.ignored[.problem] == 1 && table.sensors[Self.id]?.heard == .zero)
    }

    @Test("A button is an event for each press, not for each repetition of its frame")
    func events() {
        var table = Self.table()
        func press(_ packet: Int64, _ code: UInt32, at time: Duration) -> [SensorEvent] {
            table.note(
                Heard.sighting(BTHome([.init(0x00, ProfileNumber(packet, exponent: 0)), .init(0x3A, .code(code))])),
                at: time
            ).filter { if case .happened = $0 { true } else { false } }
        }
        #expect(press(1, 1, at: .zero) == [.happened(Self.id, reading: "button", type: "press")])
        #expect(press(1, 1, at: .milliseconds(100)) == [])
        #expect(press(2, 1, at: .milliseconds(200)) == [.happened(Self.id, reading: "button", type: "press")])
        #expect(press(3, 2, at: .milliseconds(300)) == [.happened(Self.id, reading: "button", type: "double press")])
        #expect(press(4, 0, at: .milliseconds(400)) == [])
        #expect(press(4, 0, at: .seconds(10)) == [])
        // Without a number, a frame after a silence is another press.
        #expect(press(4, 1, at: .seconds(20)) == [.happened(Self.id, reading: "button", type: "press")])
        #expect(press(4, 1, at: .seconds(24)) == [.happened(Self.id, reading: "button", type: "press")])
        #expect(table.sensors[Self.id]?.events == ["button"])
    }

    @Test("The presence of a phone by its key's name: unknown at the start, then home, then away")
    func presence() {
        var table = Self.table(people: ["Phone"], sensors: ["Kitchen"]) { $0.absence = .seconds(300) }
        let empty = AdvertisingData()
        func hear(_ name: String, _ address: String, at time: Duration) -> [SensorEvent] {
            table.note(Heard.sighting(empty, address, .random, nil, name), at: time)
        }
        #expect(table.people["Phone"]?.isHome == nil)
        #expect(table.tick(at: .seconds(299)) == [])
        #expect(table.tick(at: .seconds(300)) == [.presence("Phone")])
        #expect(table.people["Phone"]?.isHome == false)
        #expect(hear("Phone", "4A:00:00:00:00:01", at: .seconds(400)) == [.presence("Phone")])
        #expect(hear("Phone", "4B:00:00:00:00:02", at: .seconds(600)) == [])
        #expect(table.tick(at: .seconds(899)) == [] && table.people["Phone"]?.isHome == true)
        #expect(table.tick(at: .seconds(900)) == [.presence("Phone")])
        // A sensor with a key is no person, even if a frame of it has no readings.
        #expect(hear("Kitchen", "A4:C1:38:00:00:02", at: .seconds(900)) == [])
    }

    @Test("The number of sensors is limited; one that is offline makes room")
    func limit() {
        var table = Self.table { settings in
            settings.sensors.limit = 2
            settings.sensors.silence = .seconds(60)
        }
        _ = table.note(Heard.thermometer(20, address: "A4:C1:38:00:00:01"), at: .zero)
        _ = table.note(Heard.thermometer(20, address: "A4:C1:38:00:00:02"), at: .seconds(30))
        #expect(table.note(Heard.thermometer(20, address: "A4:C1:38:00:00:03"), at: .seconds(40)) == [])
        #expect(table.ignored[.limit] == 1)
        _ = table.tick(at: .seconds(60))
        #expect(table.note(Heard.thermometer(20, address: "A4:C1:38:00:00:03"), at: .seconds(61)).count == 2)
        #expect(table.sensors.keys.sorted() == ["a4c138000002", "a4c138000003"])
    }

    /// Sensors that come, go, change addresses and lie, for a week in steps of 30 s.
    @Test("A simulated week: what is published follows from what was on the air", .blocksThread)
    func week() {
        var table = Self.table(people: ["Phone"]) { settings in
            (settings.sensors.interval, settings.sensors.silence) = (.seconds(60), .seconds(600))
            settings.sensors.limit = 200
        }
        var random = SplitMix(state: 20_261_128)
        // Each of twenty sensors is on the air in some hours, and in no other.
        let hours = (0..<20).map { _ in (0..<168).map { _ in Int.random(in: 0..<4, using: &random) > 0 } }
        var (isOnline, readings) = ([String: Bool](), [String: Int]())
        var presences = 0
        for step in 0..<(7 * 24 * 120) {
            let now = Duration.seconds(step * 30)
            var events: [SensorEvent] = []
            for number in 0..<20 where hours[number][step / 120] {
                let address = "A4:C1:38:00:01:" + [UInt8(number)].hexText()
                events += table.note(Heard.thermometer(20 + Double(number), address: address), at: now)
            }
            // A liar with a new static address each time, one with changing addresses, and one without a key.
            if step % 20 == 0 {
                let end = [UInt8(truncatingIfNeeded: (step / 20) >> 8), UInt8(truncatingIfNeeded: step / 20)]
                let liar = Heard.thermometer(99, address: "C0:00:00:00:" + end.hexText(separator: ":"), kind: .random)
                events += table.note(liar, at: now)
                let shy = Heard.thermometer(99, address: "4A:00:00:00:" + end.hexText(separator: ":"), kind: .random)
                #expect(table.note(shy, at: now).isEmpty)
            }
            if step / 120 % 24 < 8, step % 2 == 0 {
                events += table.note(
                    Heard.sighting(AdvertisingData(), "4A:00:00:00:00:01", .random, nil, "Phone"), at: now)
            }
            events += table.tick(at: now)
            for event in events {
                switch event {
                case .online(let id): isOnline[id] = true
                case .offline(let id): isOnline[id] = false
                case .readings(let id): readings[id, default: 0] += 1
                case .presence: presences += 1
                case .happened: break
                }
            }
            // Half an hour into each hour, nothing is in transition.
            guard step % 120 == 60 else { continue }
            for number in 0..<20 {
                let id = "a4c1380001" + [UInt8(number)].hexText().lowercased()
                let expected = hours[number][step / 120]
                #expect(isOnline[id] ?? false == expected, "sensor \(number) in hour \(step / 120)")
            }
        }
        for number in 0..<20 {
            let id = "a4c1380001" + [UInt8(number)].hexText().lowercased()
            let heard = hours[number].filter { $0 }.count
            #expect(readings[id] == heard * 60, "sensor \(number)")
        }
        #expect(table.sensors.count <= 200)
        // Home each morning, and away later.
        #expect(presences == 14)
        #expect(table.ignored[.address] == 7 * 24 * 120 / 20)
    }
}

/// A generator whose numbers depend on nothing but its seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
