#if os(Linux)
import Harald
import PeerSupport
import Testing

extension PeerSuites {
    /// The central with Bumble's peripheral: discovery, reads and writes.
    @Suite("Our central with Bumble's peripheral: attributes")
    struct CentralWithBumblePeripheralTests {
        @Test("scans, connects and discovers everything", .timeLimit(.minutes(1)), arguments: PeerAir.available)
        func explores(air: PeerAir) async throws {
            try await BenchVisit.with(air) { visit in
                #expect(visit.discovery.name == BenchVisit.name)
                #expect(Set(visit.discovery.services).isSuperset(of: ["180D", "180F"]))
                #expect(visit.discovery.isConnectable)
                #expect(visit.discovery.rssi != nil)
                let peripheral = visit.peripheral
                #expect(peripheral.address == BluetoothAddress("F2:00:00:00:00:01", kind: .random))
                try await peripheral.connect()
                try await visit.bumble.event("connected")
                let mtu = try await visit.bumble.event("mtu")
                #expect(mtu["value"]?.int == 517)
                #expect(peripheral.mtu == 517)

                let services = try await peripheral.discoverAll()
                #expect(services.map(\.uuid) == ["1800", "1801", "180D", "180F", "180A", BenchService.uuid])
                let bench = try #require(peripheral[AttributeKey(BenchService.uuid)])
                #expect(bench.characteristics.map(\.uuid) == BenchService.characteristics.map(\.uuid))
                #expect(bench.characteristics.map(\.properties) == BenchService.characteristics.map(\.properties))
                #expect(bench.includedServices.map(\.uuid) == ["180A"])
                let readWrite = try #require(bench[AttributeKey(BenchService.readWrite)])
                #expect(readWrite.descriptors.map(\.uuid) == ["2901", BenchService.note])
                #expect(bench[AttributeKey(BenchService.notify)]?.descriptors.map(\.uuid) == ["2902"])
                #expect(bench[AttributeKey(BenchService.read)]?.descriptors.isEmpty == true)
                #expect(peripheral["heart rate"]?["body sensor location"]?.uuid == "2A38")
            }
        }

        @Test(
            "reads values of every length, twins and descriptors", .timeLimit(.minutes(1)), arguments: PeerAir.available
        )
        func reads(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                #expect(try await visit.peripheral.characteristic("1800", "2A00").read() == Array(BenchVisit.name.utf8))
                #expect(try await visit.peripheral.characteristic("180F", "2A19").read() == [87])
                #expect(try await visit.bench(BenchService.read).read() == BenchService.readValue)
                #expect(try await visit.bench(BenchService.long).read() == BenchService.longValue)
                let bench = try await visit.peripheral.service(AttributeKey(BenchService.uuid))
                var twins: [[UInt8]] = []
                for twin in bench.characteristics where twin.uuid == BenchService.twin {
                    twins.append(try await twin.read())
                }
                #expect(twins == [[1], [2]])
                let readWrite = try await visit.bench(BenchService.readWrite)
                try await readWrite.discoverDescriptors()
                #expect(try await readWrite["2901"]?.read() == Array(BenchService.userDescription.utf8))
                let note = try #require(readWrite[AttributeKey(BenchService.note)])
                try await note.write([1, 2, 3])
                #expect(try await note.read() == [1, 2, 3])
            }
        }

        @Test(
            "writes values of every length, and commands in order", .timeLimit(.minutes(1)),
            arguments: PeerAir.available)
        func writes(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                let readWrite = try await visit.bench(BenchService.readWrite)
                for length in [0, 1, 20, 512] {
                    let value = BenchService.pattern(length, length)
                    try await readWrite.write(value)
                    let written = try await visit.bumble.event("written")
                    #expect(written["hex"]?.text?.uppercased() == value.hexText())
                    #expect(try await readWrite.read() == value)
                }
                try await visit.order(.resetCounters)
                let sink = try await visit.bench(BenchService.sink)
                let (count, size) = (300, 20)
                for index in 0..<count { try await sink.write(BenchService.pattern(index, size)) }
                // The read follows the commands on the same bearer, so its value counts all of them.
                let counters = try await visit.bench(BenchService.counters).read()
                #expect(BenchService.Counters(counters) == .init(commands: count, bytes: count * size))
                let large = visit.peripheral.maximumWriteLength(for: .withoutResponse)
                // An MTU of 517 has room for 514 bytes, but a value has 512 at most, and Bumble drops a longer one.
                #expect(large == min(512, visit.peripheral.mtu - 3))
                try await visit.order(.resetCounters)
                for index in 0..<20 { try await sink.write(BenchService.pattern(index, large)) }
                _ = try await visit.bench(BenchService.counters).read()
                let heard = try await visit.bumble.command("counters")
                #expect(heard["commands"]?.int == 20, "\(heard)")
                #expect(heard["octets"]?.int == 20 * large && heard["disordered"]?.int == 0, "\(heard)")
            }
        }

        @Test("receives notifications and indications in order", .timeLimit(.minutes(1)), arguments: PeerAir.available)
        func hears(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                typealias Bench = BenchService
                try await visit.expectSeries(Bench.notify, .notify(count: 50, size: 20), count: 50, size: 20)
                try await visit.expectSeries(Bench.notify, .notify(count: 20, size: 512), count: 20, size: 512)
                try await visit.expectSeries(Bench.indicate, .indicate(count: 10, size: 20), count: 10, size: 20)
                try await visit.expectSeries(
                    Bench.either, .notify(count: 5, size: 20), as: .notifications, count: 5, size: 20)
                try await visit.expectSeries(
                    Bench.either, .indicate(count: 5, size: 20), as: .indications, count: 5, size: 20)
                // The values that the device notifies.
                let battery = try await visit.peripheral.characteristic("180F", "2A19").notifications()
                try await visit.subscribed(to: "2A19")
                try await visit.bumble.command("battery 42")
                #expect(try await battery.first { _ in true } == [42])
            }
        }

        @Test("refusals have advice", .timeLimit(.minutes(1)), arguments: PeerAir.available)
        func refusals(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                let encrypted = try await visit.bench(BenchService.encrypted)
                let error = await #expect(throws: BluetoothError.self) { _ = try await encrypted.read() }
                // Bumble refuses with 0x0F if encryption is required; other devices refuse with 0x05.
                switch error?.code {
                case .security, .att(.insufficientEncryption), .att(.insufficientAuthentication): break
                default: Issue.record("\(String(describing: error))")
                }
                let sink = try await visit.bench(BenchService.sink)
                let write = await #expect(throws: BluetoothError.self) {
                    try await sink.write([1], type: .withResponse)
                }
                #expect(write?.code == .unsupported)
                // The link remains usable.
                #expect(try await visit.bench(BenchService.read).read() == BenchService.readValue)
            }
        }

        @Test(
            "a changed database is announced and discovered again", .timeLimit(.minutes(1)),
            arguments: PeerAir.available)
        func serviceChanged(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                let peripheral = visit.peripheral
                try await peripheral.discoverAll()
                let changes = peripheral.serviceChanges
                try await visit.bumble.command("add-service")
                _ = try await changes.first { _ in true }
                let added = try await peripheral.characteristic(
                    AttributeKey(BenchService.added), AttributeKey(BenchService.addedValue))
                #expect(try await added.read() == Array("new".utf8))
                try await visit.bumble.command("remove-service")
                // If the client reads the new Database Hash before the first announcement, that is a second event,
                // which removes nothing.
                let gone = try await changes.first { !$0.isEmpty }
                #expect(gone == [BenchService.added])
                await #expect(throws: BluetoothError.self) { _ = try await added.read() }
            }
        }
    }
}
#endif
