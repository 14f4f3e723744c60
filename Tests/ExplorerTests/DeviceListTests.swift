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

    /// It has no scan response, which would describe it once more.
    @Test(.timeLimit(.minutes(5))) func aBeaconIsKnownByItsFirstAdvertisement() async throws {
        let beacon = try #require(try BuiltIn.device(named: "ibeacon"))
        try await ExplorerRig.run([beacon]) { rig in
            let events = await rig.model.events()
            let device = try await rig.first(in: events) { event -> ExplorerDevice? in
                if case .device(let device) = event { device } else { nil }
            }
            // As it is copied from another program.
            let query = DeviceQuery(filter: try DeviceFilter("5a4bcfce-174e-4bac-a814-092e77f6b7e5"))
            #expect(await rig.model.devices(query).devices.count == 1)
            #expect(device.title.hasPrefix("iBeacon ") && device.kind == .beacon, "\(device.title) \(device.kind)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func fieldsOfTheFirstScanResponseAreNotMarkedAsChanged() async throws {
        let yaml = """
            name: A name that takes a response
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

    @Test(.timeLimit(.minutes(5))) func advertisementsAndScanResponsesAreKeptApart() async throws {
        let yaml = """
            name: A name that takes a response
            advertise: {interval: 100 ms, manufacturerData: {company: 0x006B, data: {hex: "01 02 03"}}}
            """
        try await ExplorerRig.run([try DeviceFile(yaml: yaml)]) { rig in
            let id = try await rig.device("A name that takes a response").id
            await rig.step(.seconds(3))
            let detail = try #require(await rig.model.detail(id))
            let (own, responses) = (
                detail.history.filter { $0.part == .advertisement }, detail.history.filter { $0.part == .scanResponse }
            )
            #expect(own.count == detail.device.advertisementCount)
            #expect(responses.count == detail.device.scanResponseCount)
            #expect(!own.isEmpty && !responses.isEmpty && own.count + responses.count == detail.history.count)
            // A legacy packet has at most 31 octets (Core 6.0, Vol 6, Part B, 2.3.1).
            #expect(detail.history.allSatisfy { $0.bytes.count <= 31 })
            #expect(own.first?.bytes != responses.first?.bytes)
            func part(_ word: String) -> AdvertisingPart? {
                detail.fields.first { $0.field.value.contains(word) }?.part
            }
            #expect(part("A name that") == .scanResponse)
            #expect(part("01 02 03") == .advertisement)
            #expect(await rig.model.counters.advertisements == detail.device.advertisementCount)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aNameOfTheUserStandsInFrontAndIsStored() async throws {
        var settings = ExplorerSettings()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("aliases-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        settings.aliasesFile = directory.appendingPathComponent("aliases").path
        let kept = settings
        try await ExplorerRig.run([try TestDevices.lamp()], settings: kept) { rig in
            let id = try await rig.device("Lamp").id
            try await rig.model.setAlias("  Desk\n lamp ", id)
            let device = try #require(await rig.model.device(id))
            #expect(device.title == "Desk lamp" && device.name == "Lamp")
            for text in ["desk", "lamp"] {
                let query = DeviceQuery(filter: try DeviceFilter(text))
                #expect(await rig.model.devices(query).devices.count == 1, "\(text)")
            }
            await #expect(throws: InputError.self) {
                try await rig.model.setAlias(String(repeating: "x", count: 249), id)
            }
        }
        try await ExplorerRig.run([try TestDevices.lamp()], settings: kept) { rig in
            let id = try await rig.device("Lamp").id
            #expect(await rig.model.device(id)?.title == "Desk lamp")
            try await rig.model.setAlias(nil, id)
            #expect(await rig.model.device(id)?.title == "Lamp")
        }
    }

    @Test(.timeLimit(.minutes(5))) func theAirFadesOnlyOnRequestAndDevicesWalk() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let id = try await rig.device("Lamp").id
            func strengths() async -> Set<Int> { Set((await rig.model.detail(id)?.history ?? []).compactMap(\.rssi)) }
            _ = await rig.air.move("1", to: 4)
            await rig.step(.seconds(30), by: .milliseconds(50))
            #expect(await strengths() == [-65])
            await rig.air.setFading(depth: 4)
            await rig.step(.seconds(30), by: .milliseconds(50))
            let faded = await strengths()
            #expect(faded.count > 3)
            // At 4 m and 0 dBm the strength is -65 dBm.
            #expect(faded.allSatisfy { (-69 ... -61).contains($0) }, "\(faded)")
            await rig.air.setFading(depth: nil)
            #expect(await rig.air.setWalking(true, "1")?.isWalking == true)
            await rig.step(.seconds(25), by: .milliseconds(50))
            let walked = (await rig.model.detail(id)?.rssiHistory ?? []).suffix(80).map(\.rssi)
            #expect((walked.max() ?? 0) - (walked.min() ?? 0) > 8)
            #expect(await rig.air.setWalking(false, "1")?.isWalking == false)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aSecondDeviceWithOneAddressIsRefused() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            _ = try await rig.device("Lamp")
            let error = await #expect(throws: BluetoothError.self) { try await rig.air.add(try TestDevices.lamp()) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.reason.contains("'Lamp' has the address C0:00:00:00:00:01") == true)
            #expect(await rig.air.devices.count == 1)
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
            let address = try #require(await rig.model.device(lamp)?.address?.text)
            for part in [address, address.lowercased(), String(address.suffix(5))] {
                #expect(await shown(try DeviceFilter(part)) == ["Lamp", "1 hidden"], "\(part)")
            }
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

    @Test func aDeviceWithoutANameIsNamedByWhatItIs() throws {
        let id = try #require(PeripheralID("48415241-4C44-8000-8000-024841000001"))
        func named(_ advertisement: AdvertisingData, name: String? = nil) throws -> String {
            let address = try #require(BluetoothAddress("C0:00:00:00:4F:3A", kind: .random))
            let device = ExplorerDevice(
                id: id, name: name, alias: nil,
                kind: DeviceKind(advertisement, values: advertisement.values, isSensorTag: false), address: address,
                firstSeen: .now, lastSeen: .now, isConnectable: true, advertisement: advertisement,
                advertisementCount: 1, scanResponseCount: 0, values: advertisement.values, serviceNames: [],
                company: advertisement.manufacturerData.first?.company.name, isFavourite: false,
                connection: .disconnected)
            return "\(device.title), \(device.kind.rawValue)"
        }
        let apple = ManufacturerData(company: .apple, data: [0x10, 0x05])
        #expect(try named(AdvertisingData(manufacturerData: [apple])) == "Apple device 4F:3A, phone")
        let ring = ManufacturerData(
            company: .apple,
            data: [0x02, 0x15] + Array(repeating: 0xAB, count: 16) + [0x00, 0x01, 0x00, 0x1B, 0xC5])
        #expect(try named(AdvertisingData(manufacturerData: [ring])) == "iBeacon 1/27, beacon")
        let url = AdvertisingData(serviceData: ["FEAA": [0x10, 0xEC, 0x03] + Array("a".utf8) + [0x00]])
        #expect(try named(url) == "a.com/, link")
        #expect(try named(AdvertisingData(serviceUUIDs: ["FFF0"])) == "Gadget FFF0, device")
        #expect(try named(AdvertisingData(serviceUUIDs: ["180D"])) == "Heart Rate 4F:3A, heart")
        #expect(try named(AdvertisingData()) == "Device 4F:3A, device")
        #expect(try named(AdvertisingData(), name: "Lamp") == "Lamp, device")
        let measured = try #require([UInt8](hexText: "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F"))
        let ruuvi = ManufacturerData(company: CompanyIdentifier(rawValue: 0x0499), data: measured)
        #expect(try named(AdvertisingData(manufacturerData: [ruuvi])) == "Ruuvi sensor 4F:3A, environment")
    }

    @Test func aRingBufferKeepsTheNewest() {
        var buffer = RingBuffer<Int>(limit: 3)
        for number in 1...5 { buffer.append(number) }
        #expect(buffer.elements == [3, 4, 5])
        #expect(buffer.suffix(2) == [4, 5])
        #expect(buffer.last == 5)
        #expect(buffer.droppedCount == 2)
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
