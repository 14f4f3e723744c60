#if os(Linux)
import Harald
import PeerSupport
import Testing

extension PeerSuites {
    /// Our central with Bumble's peripheral: channels, parameters, and the end of links.
    @Suite("Our central with Bumble's peripheral: links")
    struct LinkWithBumblePeripheralTests {
        @Test("a credit-based channel echoes all data", .timeLimit(.minutes(1)), arguments: PeerAir.available)
        func channel(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                let refusal = await #expect(throws: BluetoothError.self) {
                    _ = try await visit.peripheral.openL2CAPChannel(psm: 0x81)
                }
                // Result 2: the PSM is not in use.
                #expect(refusal?.code == .channelRefused(2))
                let channel = try await visit.peripheral.openL2CAPChannel(psm: BenchService.psm)
                try await visit.bumble.event("channelOpened")
                #expect(channel.maximumMessageLength == 2048)
                // One byte, one long message, then more than the credits of both sides can carry at once.
                for lengths in [[1], [1000], Array(repeating: 333, count: 30), [2048]] {
                    let sent = lengths.enumerated().map { BenchService.pattern($0.offset, $0.element) }
                    async let received = receive(sent.joined().count, from: channel)
                    for message in sent { try await channel.send(message) }
                    #expect(try await received == Array(sent.joined()))
                }
                await channel.close()
                try await visit.bumble.event("channelClosed")
            }
        }

        /// Bumble may distribute the echoed octets over other messages than the received ones.
        private func receive(_ count: Int, from channel: L2CAPChannel) async throws -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count, let message = try await channel.messages.next() { bytes += message }
            return bytes
        }

        @Test("both sides can change connection parameters", .timeLimit(.minutes(1)), arguments: PeerAir.available)
        func parameters(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                let (peripheral, bumble) = (visit.peripheral, visit.bumble)
                let ours = ConnectionParametersRequest(
                    interval: .milliseconds(30) ... .milliseconds(30), latency: 2, supervisionTimeout: .seconds(1))
                let agreed = try await peripheral.updateConnectionParameters(ours)
                #expect(
                    agreed
                        == ConnectionParameters(
                            interval: .milliseconds(30), latency: 2, supervisionTimeout: .seconds(1)))
                #expect(peripheral.connectionParameters == agreed)
                // Bumble prints milliseconds.
                let heard = try await bumble.event("parameters") { $0["interval"]?.number == 30 }
                #expect(heard["latency"]?.int == 2 && heard["timeout"]?.number == 1000)

                try await bumble.command("update-parameters 15 15 0 2000 l2cap")
                try await bumble.event("parameters") { $0["interval"]?.number == 15 }
                // Data sent after the change arrives after it.
                _ = try await visit.bench(BenchService.read).read()
                #expect(
                    peripheral.connectionParameters
                        == ConnectionParameters(interval: .milliseconds(15), supervisionTimeout: .seconds(2)))
            }
        }

        // Bumble's controllers have no RSSI and never answer LE Set PHY.
        @Test("signal strength and PHYs", .timeLimit(.minutes(1)), arguments: PeerAir.faithful)
        func radio(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                #expect((-127...20).contains(try await visit.peripheral.readRSSI()))
                #expect(try await visit.peripheral.phy() == LinkPHY(transmit: .le1M, receive: .le1M))
                let now = try await visit.peripheral.setPHY(transmit: [.le2M], receive: [.le2M])
                #expect(now == LinkPHY(transmit: .le2M, receive: .le2M))
                try await visit.bumble.event("phy") { $0["transmit"]?.int == 2 && $0["receive"]?.int == 2 }
                #expect(try await visit.bench(BenchService.read).read() == BenchService.readValue)
            }
        }

        @Test("Bumble's GATT client reads our name", .timeLimit(.minutes(1)), arguments: PeerAir.available)
        func serverOfTheCentral(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                let answer = try await visit.bumble.command("peer-name")
                #expect(answer["name"]?.text?.isEmpty == false)
            }
        }

        @Test(
            "both sides can end a link, and the next one works", .timeLimit(.minutes(1)), arguments: PeerAir.available
        )
        func ends(air: PeerAir) async throws {
            try await BenchVisit.connected(air) { visit in
                let (peripheral, bumble) = (visit.peripheral, visit.bumble)
                #expect(try await visit.bench(BenchService.read).read() == BenchService.readValue)
                await peripheral.disconnect()
                #expect(peripheral.state == .disconnected(nil))
                #expect(try await bumble.event("disconnected")["reason"]?.int == 0x13)

                try await peripheral.connect()
                let values = try await visit.bench(BenchService.notify).notifications()
                try await visit.order(.disconnect)
                // The stream ends with the reason that the device gave.
                let error = await #expect(throws: BluetoothError.self) { for try await _ in values {} }
                #expect(error?.code == .disconnected(.remoteUserTerminated))
                try await bumble.event("disconnected")
                guard case .disconnected(let reason?) = peripheral.state else {
                    Issue.record("the state is \(peripheral.state)")
                    return
                }
                #expect(reason.code == .disconnected(.remoteUserTerminated))

                try await peripheral.connect()
                #expect(try await visit.bench(BenchService.long).read() == BenchService.longValue)
            }
        }

        @Test(
            "a lost link reconnects with its subscriptions", .timeLimit(.minutes(1)),
            arguments: PeerAir.available)
        func comesBack(air: PeerAir) async throws {
            try await BenchVisit.connected(air, reconnect: .always) { visit in
                let (peripheral, bumble) = (visit.peripheral, visit.bumble)
                let values = try await peripheral.characteristic("180F", "2A19").notifications()
                try await visit.subscribed(to: "2A19")
                for percent in [41, 42] {
                    try await bumble.command("disconnect")
                    try await bumble.event("disconnected")
                    try await visit.subscribed(to: "2A19")
                    try await bumble.command("battery \(percent)")
                    #expect(try await values.first { _ in true } == [UInt8(percent)])
                }
                #expect(try await visit.bench(BenchService.read).read() == BenchService.readValue)
            }
        }

        // On Bumble's controllers a cancelled connection never ends: no event follows LE Create Connection Cancel.
        @Test(
            "connecting to an absent device times out, and delays no other", .timeLimit(.minutes(1)),
            arguments: PeerAir.faithful)
        func absent(air: PeerAir) async throws {
            try await BenchVisit.with(air) { visit in
                let address = try #require(BluetoothAddress("FA:00:00:00:00:0A", kind: .random))
                let absent = try #require(await visit.central.peripheral(address: address))
                let error = await #expect(throws: BluetoothError.self) {
                    try await absent.connect(timeout: .milliseconds(300))
                }
                #expect(error?.code == .timeout)
                let waiting = Task { try await absent.connect(timeout: nil) }
                try await visit.peripheral.connect()
                #expect(try await visit.bench(BenchService.read).read() == BenchService.readValue)
                waiting.cancel()
                let end = await #expect(throws: BluetoothError.self) { try await waiting.value }
                #expect(end?.code == .cancelled)
                #expect(try await visit.bench(BenchService.read).read() == BenchService.readValue)
                await visit.peripheral.disconnect()
                // The attempt has no effect on the next one.
                try await visit.peripheral.connect()
            }
        }

        @Test("extended advertisements arrive complete", .timeLimit(.minutes(1)), arguments: PeerAir.faithful)
        func extendedAdvertising(air: PeerAir) async throws {
            let octets = 180
            try await BenchVisit.connected(
                air, ["--advertising", "extended", "--advertising-octets", "\(octets)"]
            ) { visit in
                let data = visit.discovery.advertisement.manufacturerData
                #expect(data.first?.data == (0..<octets).map { UInt8($0) })
                let value = try await visit.bench(BenchService.read).read()
                #expect(value == BenchService.readValue)
            }
        }
    }
}
#endif
