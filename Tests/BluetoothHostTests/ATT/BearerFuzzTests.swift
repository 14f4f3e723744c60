import BluetoothModel
import Testing

@testable import BluetoothHost

/// Random packets for both halves of a bearer: nothing traps, loops or grows, and every request ends once.
@Suite struct BearerFuzzTests {
    /// A generator that always gives the same numbers.
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    /// Valid packets, for mutation.
    private static let seeds = [
        "020502", "0301 02", "040100FFFF", "05010300002A", "060100FFFF00280D18", "0720002700", "080100FFFF0328",
        "090702000203 00002A", "0A0300", "0B010203", "0C03001600", "0D0102", "0E03000500", "0F0102", "100100FFFF0028",
        "11060100070000180800110001 18", "12030001", "13", "1603000000 0102", "17030000000102", "1801", "1800", "19",
        "1B0300AA", "1D0300AA", "1D0A000100FFFF", "1E", "200300 0500", "2101000200 01", "2303000100AA", "520300AA",
        "D20300AA000000000011223344556677", "010A030001", "0110010 00A", "0108010012", "01120B0005",
    ].map { octets($0) }

    private func packet(_ numbers: inout Numbers) -> [UInt8] {
        if Int.random(in: 0..<4, using: &numbers) == 0 {
            let length = Int.random(in: 0...40, using: &numbers)
            return (0..<length).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        }
        var packet = Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &numbers)]
        for _ in 0..<Int.random(in: 0...3, using: &numbers) where !packet.isEmpty {
            let index = Int.random(in: 0..<packet.count, using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: packet[index] = UInt8.random(in: 0...255, using: &numbers)
            case 1: packet[index] = UInt8.random(in: 0...12, using: &numbers)
            case 2: packet.removeLast(Int.random(in: 0...packet.count, using: &numbers))
            default: packet += Array(repeating: packet[index], count: Int.random(in: 0...30, using: &numbers))
            }
        }
        return packet
    }

    /// Starts a random operation; calls `ended` when it completes.
    private func ask(_ client: GATTClient, _ numbers: inout Numbers, _ ended: @escaping () -> Void) {
        let handle = UInt16.random(in: 1...30, using: &numbers)
        let timeout: Duration? = Bool.random(using: &numbers) ? .seconds(3) : nil
        let service = GATTService(uuid: "180D", range: handle...handle + 20)
        let characteristic = GATTCharacteristic(
            uuid: "2A37", declarationHandle: handle, valueHandle: handle + 1, endHandle: handle + 4,
            properties: [.notify, .indicate])
        let id: LinkOperationID
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0: id = client.read(handle, timeout: timeout) { _ in ended() }
        case 1: id = client.write(handle, [1, 2], timeout: timeout) { _ in ended() }
        case 2: id = client.write(handle, [UInt8](repeating: 7, count: 60), timeout: timeout) { _ in ended() }
        case 3: id = client.discoverServices(timeout: timeout) { _ in ended() }
        case 4: id = client.discoverServices(["180D", "180F"], timeout: timeout) { _ in ended() }
        case 5: id = client.discoverIncludedServices(of: service, timeout: timeout) { _ in ended() }
        case 6: id = client.discoverCharacteristics(of: service, timeout: timeout) { _ in ended() }
        case 7: id = client.discoverDescriptors(of: characteristic, timeout: timeout) { _ in ended() }
        case 8: id = client.readMultiple([1, 2], variableLength: true, timeout: timeout) { _ in ended() }
        case 9: id = client.readValues(of: "2A00", timeout: timeout) { _ in ended() }
        case 10: id = client.writeCommand(handle, [1], timeout: timeout) { _ in ended() }
        default:
            return client.configure(
                characteristic, .notifications, isNext: Bool.random(using: &numbers), completion: { _ in ended() })
        }
        if Int.random(in: 0..<5, using: &numbers) == 0 { client.cancel(id) }
    }

    @Test(arguments: 1...8) func randomPDUsDoNoHarm(_ seed: Int) throws {
        var numbers = Numbers(state: UInt64(seed))
        var left = 25_000
        while left > 0 {
            let server = GATTServer()
            _ = try server.add(
                GATTServiceDefinition(
                    uuid: "180D",
                    characteristics: [
                        GATTCharacteristicDefinition(
                            uuid: "2A37", properties: [.notify, .read, .write, .writeWithoutResponse],
                            value: .kept([1, 2, 3])),
                        GATTCharacteristicDefinition(uuid: "2A38", properties: [.read, .write], value: .dynamic),
                    ]))
            let delegate = RecordingDelegate()
            server.delegate = Bool.random(using: &numbers) ? delegate : nil
            let side = OneSide(role: .peripheral, server: server)
            side.client.start(
                GATTClientSetup(cache: InMemoryGATTCacheStore(), peer: PeripheralID(high: 0, low: 1))
            ) { _ in }
            var asked = 0, endings: [Int: Int] = [:]
            for _ in 0..<500 {
                left -= 1
                if asked < 100, Int.random(in: 0..<8, using: &numbers) == 0 {
                    let number = asked
                    asked += 1
                    ask(side.client, &numbers) { endings[number, default: 0] += 1 }
                }
                packet(&numbers).withByteView { side.link.receive(cid: 4, $0) }
                switch Int.random(in: 0..<30, using: &numbers) {
                case 0: side.time.advance(by: .seconds(1))
                case 1: side.fake.room = Int.random(in: 0...3, using: &numbers)
                case 2:
                    side.fake.room = .max
                    side.link.roomAvailable()
                case 3: delegate.reads.popLast()?.respond(.success([9]))
                case 4: delegate.writes.popLast()?.respond(.success(()))
                default: break
                }
                // A packet is answered by a bounded number of packets.
                #expect(side.fake.frames.count < 300)
                side.fake.frames = []
            }
            side.link.linkClosed(.disconnected(.connectionTimeout))
            #expect(endings.count == asked && endings.values.allSatisfy { $0 == 1 })
            #expect(server.sessions.isEmpty)
        }
    }

    @Test func randomPDUsOnOtherChannelsDoNoHarm() throws {
        var numbers = Numbers(state: 77)
        let services = L2CAPServiceRegistry()
        for _ in 0..<40 {
            _ = try? services.publish(psm: 0x80) { channel in
                channel.attach(receive: { _ in channel.consumed() }, closed: { _ in })
            }
            let side = OneSide(configuration: L2CAPLinkConfiguration(services: services))
            var asked = 0, ended = 0
            for _ in 0..<1000 {
                if asked < 20, Int.random(in: 0..<50, using: &numbers) == 0 {
                    asked += 1
                    side.link.openChannel(psm: 0x81, timeout: .seconds(2)) { result in
                        ended += 1
                        if case .success(let channel) = result { channel.write([1, 2, 3]) { _ in } }
                    }
                }
                var packet = (0..<Int.random(in: 0...30, using: &numbers)).map { _ in
                    UInt8.random(in: 0...255, using: &numbers)
                }
                var cid = UInt16.random(in: 0x3E...0x48, using: &numbers)
                if Bool.random(using: &numbers) {
                    cid = 5
                    let codes: [UInt8] = [1, 6, 7, 0x12, 0x13, 0x14, 0x15, 0x16]
                    let values: [UInt8] = [0, 1, 2, 0x17, 0x40, 0x41, 0x80, 0xFF]
                    let body = (0..<5).flatMap { _ in
                        [
                            values[Int.random(in: 0..<8, using: &numbers)],
                            UInt8.random(in: 0...9, using: &numbers) == 0 ? 1 : 0,
                        ]
                    }
                    let code = codes[Int.random(in: 0..<8, using: &numbers)]
                    let length = [1: 2, 6: 4, 7: 4, 0x12: 8, 0x13: 2, 0x16: 4][code] ?? 10
                    packet = [code, UInt8.random(in: 1...20, using: &numbers), UInt8(length), 0] + body.prefix(length)
                }
                packet.withByteView { side.link.receive(cid: cid, $0) }
                if Int.random(in: 0..<40, using: &numbers) == 0 { side.time.advance(by: .seconds(1)) }
                #expect(side.fake.frames.count < 300)
                side.fake.frames = []
            }
            side.link.linkClosed(.notConnected)
            #expect(asked == ended && side.link.channels.isEmpty)
        }
    }

    /// A hundred thousand round trips leave no state.
    @Test func roundTripsLeakNothing() {
        let side = OneSide()
        let response = octets("0B 01020304")
        var ended = 0
        for _ in 0..<100_000 {
            side.client.read(3, timeout: .seconds(5)) { result in
                if case .success(let value) = result, value.count == 4 { ended += 1 }
            }
            side.fake.frames.removeAll(keepingCapacity: true)
            response.withByteView { side.link.receive(cid: 4, $0) }
        }
        #expect(ended == 100_000)
        let bearer = side.link.att
        #expect(bearer.queue.isEmpty(upTo: .background) && bearer.awaitedRequest == 0)
        #expect(bearer.writer.bytes.capacity < 2048)
        // The timers of the last requests have no caller, and are not armed again.
        side.time.advance(by: .seconds(60))
        #expect(side.time.timers.nextDeadline == nil && side.link.att.isOpen)
        #expect(side.link.faults.total == 0)
    }

    /// The end of a link releases everything that belonged to it, including pending requests.
    @Test func theEndOfALinkReleasesIt() throws {
        final class Parts {
            weak var link: L2CAPLink?
            weak var client: GATTClient?
            weak var session: GATTServerSession?
            weak var bearer: ATTBearer?
            weak var channel: CreditBasedChannel?
        }
        let parts = Parts(), server = GATTServer(), services = L2CAPServiceRegistry(), time = SteppedTime()
        _ = try services.publish(psm: 0x80) { parts.channel = $0 }
        do {
            let fake = FakeLink(role: .peripheral, time: time)
            let link = L2CAPLink(
                transmitter: fake, server: server, configuration: L2CAPLinkConfiguration(services: services))
            parts.link = link
            parts.client = link.gatt
            parts.session = link.serverSession
            parts.bearer = link.att
            link.gatt.start(GATTClientSetup()) { _ in }
            link.gatt.read(3, timeout: .seconds(9)) { _ in }
            link.gatt.discoverServices { _ in }
            link.gatt.write(3, [UInt8](repeating: 1, count: 100)) { _ in }
            let characteristic = GATTCharacteristic(
                uuid: "2A37", declarationHandle: 4, valueHandle: 5, endHandle: 6, properties: .notify)
            link.gatt.configure(characteristic, .notifications, completion: { _ in })
            link.receive("12 0B00 0200")
            link.receive("14 01 0A00 8000 4000 6400 3200 0100", cid: 5)
            link.openChannel(psm: 0x81, timeout: .seconds(3)) { _ in }
            #expect(parts.channel != nil)
            link.linkClosed(.disconnected(.connectionTimeout))
        }
        time.advance(by: .seconds(60))
        #expect(parts.link == nil && parts.client == nil && parts.session == nil)
        #expect(parts.bearer == nil && parts.channel == nil && server.sessions.isEmpty)
    }
}
