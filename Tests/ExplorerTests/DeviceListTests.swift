import BluetoothRuntime
import Foundation
import Harald
import Testing
import VirtualDevices

@testable import Explorer

@Suite struct DeviceListTests {
    @Test(.timeLimit(.minutes(5))) func advertisementsAreCountedAndTheirIntervalsMeasured() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let id = try await rig.device("Lamp").id
            await rig.step(.seconds(25))
            let detail = try #require(await rig.model.detail(id))
            // 100 ms and a random delay of up to 10 ms (Core 6.0, Vol 6, Part B, 4.4.2.2).
            let interval = try #require(detail.device.interval) / .milliseconds(1)
            // On a busy machine a scan response may be taken some steps late, and counts as an event then.
            #expect((90...120).contains(interval), "\(interval)")
            #expect(detail.history.count == 200)
            #expect(detail.device.advertisementCount > 200)
            #expect(await rig.model.counters.advertisements == rig.model.device(id)?.advertisementCount)
            #expect(await rig.model.counters.dropped == 0)
            #expect(detail.device.company == "Polar Electro OY")
            #expect(detail.fields.contains { $0.field.value.contains("Lamp") })
            #expect(detail.device.lastSeen > detail.device.firstSeen)
        }
    }

    @Test(.timeLimit(.minutes(5))) func fieldsOfTheFirstScanResponseAreNotMarkedAsChanged() async throws {
        let yaml = """
            name: A name that takes the response
            advertise: {interval: 100 ms, manufacturerData: {company: 0x006B, data: {hex: "01 02 03"}}}
            """
        try await ExplorerRig.run([try DeviceFile(yaml: yaml)]) { rig in
            let events = await rig.model.events()
            let fields = try await rig.first(in: events) { event -> PeripheralID? in
                if case .device(let device) = event, device.name != nil { device.id } else { nil }
            }
            let detail = try #require(await rig.model.detail(fields))
            let name = try #require(detail.fields.first { $0.field.value.contains("A name that") })
            #expect(name.changed == nil)
        }
    }

    @Test(.timeLimit(.minutes(5))) func updatesOfADeviceAreLimitedToFourPerSecond() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let id = try await rig.device("Lamp").id
            let events = await rig.model.events()
            await rig.step(.seconds(10))
            await rig.model.close()
            var count = 0
            // Updates replace each other while no consumer takes them.
            for await event in events { if case .device(let device) = event, device.id == id { count += 1 } }
            #expect(count == 1)
        }
    }

    @Test(.timeLimit(.minutes(5))) func filtersHideDevicesAndCountThem() async throws {
        var beacon = DeviceFile(name: "Beacon")
        beacon.advertising.isConnectable = false
        try await ExplorerRig.run([try TestDevices.lamp(), beacon]) { rig in
            let lamp = try await rig.device("Lamp").id
            _ = try await rig.device("Beacon")
            func shown(_ filter: DeviceFilter) async -> [String] {
                let listing = await rig.model.devices(DeviceQuery(filter: filter, order: .init(.name)))
                return listing.devices.map { $0.name ?? "-" } + ["\(listing.hiddenCount) hidden"]
            }
            #expect(await shown(.init()) == ["Beacon", "Lamp", "0 hidden"])
            #expect(await shown(.init(name: "aM")) == ["Lamp", "1 hidden"])
            #expect(await shown(.init(minimumRSSI: 0)) == ["2 hidden"])
            #expect(await shown(.init(services: ["FFF0"])) == ["Lamp", "1 hidden"])
            #expect(await shown(.init(isConnectable: false)) == ["Beacon", "1 hidden"])
            let pattern = try DataPattern("6B 00 01 ??")
            #expect(await shown(.init(data: pattern)) == ["Lamp", "1 hidden"])
            try await rig.model.setFavourite(true, lamp)
            #expect(await shown(.init(favouritesOnly: true)) == ["Lamp", "1 hidden"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func devicesBeyondTheLimitReplaceTheOldest() async throws {
        var settings = ExplorerSettings()
        settings.deviceLimit = 2
        let files = (1...3).map { DeviceFile(name: "Device \($0)") }
        try await ExplorerRig.run(files, settings: settings) { rig in
            let events = await rig.model.events()
            _ = try await rig.first(in: events) { event -> PeripheralID? in
                if case .gone(let id) = event { id } else { nil }
            }
            #expect(await rig.model.devices().devices.count == 2)
        }
    }

    @Test(.timeLimit(.minutes(5))) func anAdapterThatIsOffIsReportedAndScansAgainWhenOn() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            _ = try await rig.device("Lamp")
            let events = await rig.model.events()
            try await rig.model.setPowered(false)
            let off = try await rig.first(in: events) { event -> RadioReport? in
                if case .radio(let radio) = event { radio } else { nil }
            }
            #expect(off.state == .poweredOff)
            #expect(off.canPowerOn)
            #expect(!off.advice.isEmpty)
            try await rig.model.setPowered(true)
            _ = try await rig.first(in: events) { event -> Bool? in
                if case .radio(let radio) = event, radio.state == .poweredOn { true } else { nil }
            }
            let before = await rig.model.counters.advertisements
            await rig.until { await rig.model.counters.advertisements > before }
        }
    }
}

@Suite struct DeviceMeasureTests {
    @Test func missedAdvertisementsDoNotLengthenTheInterval() {
        var estimator = IntervalEstimator()
        var time = RadioInstant.start
        for step in [100, 100, 200, 100, 0, 300, 100, 100, 100] {
            time = time + .milliseconds(step)
            estimator.note(time)
        }
        #expect(estimator.interval == .milliseconds(100))
    }

    @Test func aRingBufferKeepsTheNewest() {
        var buffer = RingBuffer<Int>(limit: 3)
        for number in 1...5 { buffer.append(number) }
        #expect(buffer.elements == [3, 4, 5])
        #expect(buffer.suffix(2) == [4, 5])
        #expect(buffer.last == 5)
        #expect(buffer.droppedCount == 2)
    }

    @Test func beaconsAreDecoded() throws {
        let apple = ManufacturerData(
            company: .apple,
            data: [0x02, 0x15] + Array(repeating: 0xAB, count: 16) + [0x00, 0x01, 0x02, 0x00, 0xC5])
        let iBeacon = Beacon.beacons(in: AdvertisingData(manufacturerData: [apple]))
        let uuid = BluetoothUUID(high: 0xABAB_ABAB_ABAB_ABAB, low: 0xABAB_ABAB_ABAB_ABAB)
        #expect(iBeacon == [.iBeacon(uuid: uuid, major: 1, minor: 512, power: -59)])
        func eddystone(_ bytes: [UInt8]) -> [Beacon] {
            Beacon.beacons(in: AdvertisingData(serviceData: ["FEAA": bytes]))
        }
        #expect(
            eddystone([0x10, 0xEC, 0x03] + Array("a".utf8) + [0x07]) == [.eddystoneURL("https://a.com", power: -20)])
        #expect(
            eddystone([0x20, 0x00, 0x0B, 0xB8, 0x16, 0x80, 0, 0, 0, 5, 0, 0, 0, 20])
                == [.eddystoneTLM(volts: 3, celsius: 22.5, count: 5, uptime: 2)])
        #expect(
            eddystone([0x00, 0xEE] + Array(1...16))
                == [.eddystoneUID(namespace: Array(1...10), instance: Array(11...16), power: -18)])
        #expect(eddystone([0x20, 0x01, 1]).isEmpty)
        #expect(eddystone([0x10]).isEmpty)
    }

    @Test(
        arguments: [
            ("4C 00 02", [0x4C, 0, 2, 9], true), ("4C00??09", [0x4C, 0, 2, 9], true), ("00 02", [0x4C, 0, 2], false),
            ("* 00 02", [0x4C, 0, 2], true), ("4C 00 02 09 *", [0x4C, 0, 2], false),
        ] as [(String, [UInt8], Bool)])
    func patternsOfBytes(_ text: String, _ bytes: [UInt8], _ fits: Bool) throws {
        #expect(try DataPattern(text).matches(bytes) == fits)
    }

    @Test func anInvalidPatternIsAnErrorWithTheExpectedForm() {
        #expect(throws: InputError.self) { try DataPattern("4C 0") }
        #expect(throws: InputError.self) { try DataPattern("hello") }
    }

    @Test func namesAreReadFromAFile() throws {
        let names = try NameFile.names(
            in: "FFF1: Lamp\nF000AA00-0451-4000-B000-000000000000: \"Thermometer\\e[2J\"\n", file: "names.yaml")
        #expect(names["FFF1"] == "Lamp")
        #expect(names["F000AA00-0451-4000-B000-000000000000"]?.contains("\u{1B}") == false)
        let error = #expect(throws: InputError.self) { try NameFile.names(in: "FFF1: a\nFFF: b\n", file: "names.yaml") }
        #expect(error?.message.hasPrefix("names.yaml:2:1: 'FFF' is not a UUID") == true)
        #expect(throws: InputError.self) { try NameFile.names(in: "- a", file: "names.yaml") }
    }

    @Test func aSlowObserverReceivesTheNumberOfMissedEvents() async {
        let queue = EventQueue(viewer: nil, limit: 3)
        for number in 1...5 { queue.push(.missed(number)) }
        queue.finish()
        var counts: [Int] = []
        for await event in ExplorerEvents(queue: queue) { if case .missed(let count) = event { counts.append(count) } }
        // Two were dropped; the others followed.
        #expect(counts == [2, 3, 4, 5])
    }

    @Test func csvContainsNoFormulas() {
        #expect(CSVText.field("=1+1") == "'=1+1")
        #expect(CSVText.field("-60") == "-60")
        #expect(CSVText.field("\u{1B}[2J\n\u{202E}x") == "\\u{1B}[2J\\u{A}\\u{202E}x")
        #expect(CSVText.field("a,\"b\"") == "\"a,\"\"b\"\"\"")
        // A quote with a combining mark is another character.
        #expect(CSVText.field("\"\u{301},=") == "\"\"\"\u{301},=\"")
    }

    @Test func theLogKeepsTheNewestEntries() {
        var log = ActivityLog(limit: 2)
        for number in 1...3 {
            _ = log.add(
                LogEntry(sequence: 0, time: .now, kind: .scan, text: "\(number)", isError: false, advice: ""))
        }
        #expect(log.entries(after: 0, limit: 10).map(\.sequence) == [2, 3])
        #expect(log.entries(after: 2, limit: 10).map(\.text) == ["3"])
        #expect(log.droppedCount == 1)
    }
}
