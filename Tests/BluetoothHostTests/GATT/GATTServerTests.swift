import BluetoothModel
import Testing

@testable import BluetoothHost

/// The server, packet by packet. Its own services lie at handles 1 to 7 and 8 to 17.
@Suite struct GATTServerTests {
    /// 180D at 0x20 with 2A37 (notify), 2A38 (read, dynamic), 2A39 (write); a vendor service at 0x30 with a value for
    /// reads and writes and one that demands encryption.
    private func makeServer() throws -> GATTServer {
        let server = GATTServer(GATTServerConfiguration(name: "Strap", appearance: Appearance(rawValue: 0x0341)))
        _ = try server.add(
            GATTServiceDefinition(
                uuid: "180D",
                characteristics: [
                    GATTCharacteristicDefinition(uuid: "2A37", properties: .notify, value: .kept([])),
                    GATTCharacteristicDefinition(uuid: "2A38", properties: .read, value: .dynamic),
                    GATTCharacteristicDefinition(uuid: "2A39", properties: .write, value: .dynamic),
                ], handle: 0x20))
        _ = try server.add(
            GATTServiceDefinition(
                uuid: "12345678-9ABC-DEF0-1122-334455667788",
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: "FFF1", properties: [.read, .write, .writeWithoutResponse], value: .kept([1, 2, 3])),
                    GATTCharacteristicDefinition(
                        uuid: "FFF2", properties: [.read, .write],
                        permissions: [.readable, .writeable, .readEncryptionRequired, .writeAuthenticationRequired],
                        value: .kept([4])),
                    GATTCharacteristicDefinition(
                        uuid: "FFF3", properties: [.notify, .indicate], value: .kept([]),
                        descriptors: [GATTDescriptorDefinition(uuid: "2901", value: .kept([0x41]))]),
                ], handle: 0x30))
        return server
    }

    private func makeSide(_ server: GATTServer) -> OneSide { OneSide(role: .peripheral, server: server) }

    @Test func hasTheGenericServices() throws {
        let side = makeSide(try makeServer())
        #expect(side.answer(to: "10 0100 FFFF 0028") == "11060100070000180800110001182000270" + "00D18")
        #expect(side.answer(to: "0A 0300") == "0B5374726170")
        #expect(side.answer(to: "0A 0500") == "0B4103")
        #expect(side.answer(to: "0A 0700") == "0B00")
        #expect(side.answer(to: "0A 1100") == "0B00")
        #expect(side.answer(to: "08 0100 FFFF 002A") == "090703005374726170")
        #expect(side.answer(to: "10 2800 FFFF 0028") == "1114300038008877665544332211F0DEBC9A78563412")
        #expect(side.answer(to: "10 3100 FFFF 0028") == "011031000A")
        #expect(side.answer(to: "10 0100 FFFF 0128") == "011001000A")
        #expect(side.answer(to: "10 0100 FFFF 0328") == "0110010010")
        #expect(side.answer(to: "10 0000 FFFF 0028") == "0110000001")
        #expect(side.answer(to: "10 0500 0100 0028") == "0110050001")
    }

    @Test func findsInformationAndTypesWithValues() throws {
        let side = makeSide(try makeServer())
        #expect(side.answer(to: "04 2000 2300") == "05012000002821000328" + "2200372A23000229")
        // Longer types do not share a response with short ones.
        #expect(side.answer(to: "04 3000 3200") == "050130000028310003283200F1FF")
        #expect(side.answer(to: "04 4000 FFFF") == "010440000A")
        #expect(side.answer(to: "06 0100 FFFF 0028 0D18") == "0720002700")
        #expect(side.answer(to: "06 0100 FFFF 0028 FB349B5F80000080001000000D180000") == "0720002700")
        #expect(side.answer(to: "06 0100 FFFF 0028 8877665544332211F0DEBC9A78563412") == "0730003800")
        #expect(side.answer(to: "06 0100 FFFF F1FF 010203") == "0732003200")
        #expect(side.answer(to: "06 0100 FFFF F1FF 0102") == "010601000A")
        // A value without read permission is not found either.
        #expect(side.answer(to: "06 0100 FFFF F2FF 04") == "010601000A")
        #expect(side.answer(to: "08 2000 2700 0328") == "09072100102200372A2400022500382A2600082700392A")
        #expect(side.answer(to: "08 3000 FFFF 0128") == "010830000A")
    }

    @Test func readsLongValuesInParts() throws {
        let server = try makeServer()
        let side = makeSide(server)
        server.setValue((0..<50).map { UInt8($0) }, of: 0x32)
        let all = (0..<50).map { UInt8($0) }.hexText()
        #expect(side.answer(to: "0A 3200") == "0B" + all.prefix(44))
        #expect(side.answer(to: "0C 3200 1600") == "0D" + all.dropFirst(44).prefix(44))
        #expect(side.answer(to: "0C 3200 2C00") == "0D" + all.dropFirst(88))
        #expect(side.answer(to: "0C 3200 3200") == "0D")
        #expect(side.answer(to: "0C 3200 3300") == "010C320007")
        #expect(side.answer(to: "0A 9900") == "010A990001")
        #expect(side.answer(to: "0A 2200") == "010A220002")
        #expect(side.answer(to: "0E 3200 0500") == "0F" + all.prefix(44))
        #expect(side.answer(to: "20 0500 0700 3200") == "2102004103010000" + "3200" + all.prefix(26))
        #expect(side.answer(to: "0E 0500 9900") == "010E990001")
    }

    // MARK: Permissions

    @Test func checksSecurityInTheOrderOfTheSpecification() throws {
        let side = makeSide(try makeServer())
        #expect(side.answer(to: "0A 3400") == "010A340005")
        side.fake.security = LinkSecurity(level: .none, isBonded: true)
        #expect(side.answer(to: "0A 3400") == "010A34000F")
        #expect(side.answer(to: "12 3400 01") == "011234000F")
        side.fake.security = LinkSecurity(level: .encrypted, keySize: 6)
        #expect(side.answer(to: "0A 3400") == "010A34000C")
        side.fake.security = LinkSecurity(level: .encrypted, keySize: 16)
        #expect(side.answer(to: "0A 3400") == "0B04")
        #expect(side.answer(to: "12 3400 01") == "0112340005")
        #expect(side.answer(to: "16 3400 0000 01") == "0116340005")
        side.fake.security = LinkSecurity(level: .authenticated, keySize: 16)
        #expect(side.answer(to: "12 3400 07") == "13")
        #expect(side.answer(to: "0A 3400") == "0B07")
        // If the first attribute of a list cannot be read, the response has its error; a later one ends the list.
        side.fake.security = LinkSecurity()
        #expect(side.answer(to: "08 3000 3400 F2FF") == "0108340005")
    }

    @Test func writesOnlyAsThePropertiesPermit() throws {
        let server = try makeServer()
        let side = makeSide(server)
        #expect(side.answer(to: "12 3200 0908") == "13")
        #expect(server.value(of: 0x32) == [9, 8])
        side.link.receive("52 3200 07")
        #expect(server.value(of: 0x32) == [7] && side.fake.take().isEmpty)
        side.link.receive("52 3400 07")
        side.link.receive("52 9900 07")
        #expect(side.link.faults.count(of: .ignoredCommand) == 2)
        #expect(side.answer(to: "12 2200 01") == "0112220003")
        #expect(side.answer(to: "12 2000 01") == "0112200003")
        #expect(side.answer(to: "12 0300 01") == "0112030003")
        #expect(side.answer(to: "12 9900 01") == "0112990001")
        side.agree(mtu: 517)
        #expect(side.answer(to: "12 3200" + String(repeating: "00", count: 513)) == "011232000D")
    }

    // MARK: Prepared writes

    @Test func preparedWritesOfTwoValuesMayAlternate() throws {
        let server = GATTServer()
        let placed = try server.replaceDatabase(
            [
                GATTServiceDefinition(
                    uuid: "FFF0",
                    characteristics: [
                        GATTCharacteristicDefinition(uuid: "FFF1", properties: .write, value: .kept([])),
                        GATTCharacteristicDefinition(uuid: "FFF2", properties: .write, value: .kept([])),
                    ])
            ], addsGenericServices: false)
        #expect(placed.first?.range == 1...5)
        let side = makeSide(server)
        for (handle, offset) in [(3, 0), (5, 0), (3, 2), (5, 2), (3, 1)] {
            let part = "0\(handle)000\(offset)000A0B"
            #expect(side.answer(to: "16" + part) == "17" + part)
        }
        #expect(side.answer(to: "18 01") == "19")
        // The last part overlaps the previous ones, and is the end of the value.
        #expect(server.value(of: 3) == [0x0A, 0x0A, 0x0B] && server.value(of: 5) == [0x0A, 0x0B, 0x0A, 0x0B])
    }

    @Test func extendedPropertiesAllowReliableWrites() throws {
        for (bits, answer) in [(UInt8(1), "1703000000AA"), (0, "0116030003")] {
            let server = GATTServer()
            _ = try server.replaceDatabase(
                [
                    GATTServiceDefinition(
                        uuid: "FFF0",
                        characteristics: [
                            GATTCharacteristicDefinition(
                                uuid: "FFF1", properties: [.read, .extendedProperties],
                                permissions: [.readable, .writeable], value: .kept([1]),
                                descriptors: [GATTDescriptorDefinition(uuid: "2900", value: .kept([bits, 0]))])
                        ])
                ], addsGenericServices: false)
            let side = makeSide(server)
            #expect(side.answer(to: "16 0300 0000 AA") == answer)
            #expect(side.answer(to: "12 0300 AA") == "0112030003")
        }
    }

    @Test func preparedWritesAreExecutedAtomically() throws {
        let server = try makeServer()
        let side = makeSide(server)
        #expect(side.answer(to: "16 3200 0000 AABB") == "1732000000AABB")
        #expect(side.answer(to: "16 3200 0200 CC") == "1732000200CC")
        #expect(server.value(of: 0x32) == [1, 2, 3])
        #expect(side.answer(to: "18 01") == "19")
        #expect(server.value(of: 0x32) == [0xAA, 0xBB, 0xCC])
        #expect(side.answer(to: "16 3200 0000 DD") == "1732000000DD")
        #expect(side.answer(to: "18 00") == "19")
        #expect(side.answer(to: "18 01") == "19")
        #expect(server.value(of: 0x32) == [0xAA, 0xBB, 0xCC])
        // Offset and length are checked in the end, and the queue is empty after that.
        #expect(side.answer(to: "16 3200 0900 DD") == "1732000900DD")
        #expect(side.answer(to: "18 01") == "0118320007")
        #expect(side.answer(to: "16 3200 FF01 DDDD") == "173200FF01DDDD")
        #expect(side.answer(to: "18 01") == "011832000D")
        #expect(side.answer(to: "18 01") == "19")
        #expect(side.answer(to: "16 9900 0000 DD") == "0116990001")
    }

    /// The response repeats the part; a request that is longer than the MTU would make it longer too.
    @Test func aPreparedWriteTooLongForItsResponseIsRefused() throws {
        let side = makeSide(try makeServer())
        let longest = String(repeating: "AA", count: 18)
        #expect(side.answer(to: "16 3200 0000" + longest) == "1732000000" + longest)
        #expect(side.answer(to: "16 3200 0000" + longest + "AA") == "0116320004")
    }

    @Test func thePrepareQueueIsBounded() throws {
        let side = makeSide(try makeServer())
        for index in 0..<PrepareQueue.capacity {
            #expect(side.answer(to: "16 3200 0000 01").hasPrefix("17"), "\(index)")
        }
        #expect(side.answer(to: "16 3200 0000 01") == "0116320009")
        #expect(side.answer(to: "18 00") == "19")
        #expect(side.answer(to: "16 3200 0000 01").hasPrefix("17"))
    }

    @Test func eachLinkHasItsOwnPrepareQueue() throws {
        let server = try makeServer()
        let first = makeSide(server), second = makeSide(server)
        #expect(first.answer(to: "16 3200 0000 AA").hasPrefix("17"))
        #expect(second.answer(to: "18 01") == "19")
        #expect(server.value(of: 0x32) == [1, 2, 3])
        first.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(first.link.serverSession.prepared.parts.isEmpty)
        #expect(server.sessions == [second.link.serverSession])
    }

    // MARK: The delegate

    @Test func theDelegateRespondsImmediatelyOrLater() throws {
        let server = try makeServer()
        let delegate = RecordingDelegate()
        server.delegate = delegate
        let side = makeSide(server)
        side.link.receive("0A 2500")
        #expect(side.fake.take().isEmpty)
        // A client that sends a request before the response violates the protocol.
        side.link.receive("0A 0300")
        #expect(side.fake.take().isEmpty && side.link.faults.count(of: .requestTooEarly) == 1)
        delegate.reads[0].respond(.success([0x42]))
        delegate.reads[0].respond(.success([0x43]))
        #expect(side.fake.take() == ["0B42"])
        side.link.receive("0C 2500 0500")
        #expect(delegate.reads[1].offset == 5)
        delegate.reads[1].respond(.failure(.invalidOffset))
        #expect(side.fake.take() == ["010C250007"])
        side.link.receive("08 2000 2700 382A")
        delegate.reads[2].respond(.success([1, 2]))
        #expect(side.fake.take() == ["090425000102"])
        side.link.receive("0E 2500 0500")
        delegate.reads[3].respond(.success([1, 2]))
        #expect(side.fake.take() == ["0F01024103"])
        side.link.receive("12 2700 01")
        #expect(delegate.writes[0].writes == [GATTAttributeWrite(handle: 0x27, offset: 0, value: [1])])
        delegate.writes[0].respond(.failure(ATTErrorCode(rawValue: 0x80)))
        #expect(side.fake.take() == ["0112270080"])
    }

    @Test func withoutADelegateDynamicValuesFailWithUnlikelyError() throws {
        let side = makeSide(try makeServer())
        #expect(side.answer(to: "0A 2500") == "010A25000E")
        #expect(side.answer(to: "12 2700 01") == "011227000E")
    }

    @Test func anUnansweredRequestEndsBeforeTheClientGivesUp() throws {
        let server = try makeServer()
        let delegate = RecordingDelegate()
        server.delegate = delegate
        let side = makeSide(server)
        side.link.receive("0A 2500")
        side.time.advance(by: .milliseconds(24_999))
        #expect(side.fake.take().isEmpty)
        side.time.advance(by: .milliseconds(1))
        #expect(side.fake.take() == ["010A25000E"])
        delegate.reads[0].respond(.success([1]))
        #expect(side.fake.take().isEmpty)
        #expect(side.answer(to: "0A 0700") == "0B00")
    }

    @Test func responsesAfterTheEndOfTheLinkAreIgnored() throws {
        let server = try makeServer()
        let delegate = RecordingDelegate()
        server.delegate = delegate
        let side = makeSide(server)
        side.link.receive("0A 2500")
        side.link.linkClosed(.disconnected(.connectionTimeout))
        delegate.reads[0].respond(.success([1]))
        side.time.advance(by: .seconds(60))
        #expect(side.fake.take().isEmpty)
    }

    @Test func queuedWritesReachTheDelegateAsOneBatch() throws {
        let server = try makeServer()
        let delegate = RecordingDelegate()
        server.delegate = delegate
        let side = makeSide(server)
        for packet in ["16 2700 0000 0102", "16 2700 0200 03", "16 3200 0000 09"] { side.link.receive(packet) }
        _ = side.fake.take()
        side.link.receive("18 01")
        #expect(
            delegate.writes[0].writes == [
                GATTAttributeWrite(handle: 0x27, offset: 0, value: [1, 2, 3]),
                GATTAttributeWrite(handle: 0x32, offset: 0, value: [9]),
            ])
        #expect(server.value(of: 0x32) == [1, 2, 3])
        delegate.writes[0].respond(.success(()))
        #expect(server.value(of: 0x32) == [9] && side.fake.take() == ["19"])
        side.link.receive("52 3200 0A0B")
        #expect(delegate.commands == ["0032 0A0B"])
    }

    // MARK: Subscriptions

    @Test func valuesAreSentToSubscribers() throws {
        let server = try makeServer()
        let delegate = RecordingDelegate()
        server.delegate = delegate
        let first = makeSide(server), second = makeSide(server)
        let nobody = Outcome<Void>(), outcome = Outcome<Void>()
        server.send([1], for: 0x36, completion: nobody.callAsFunction)
        #expect(nobody.isSuccess)
        #expect(first.answer(to: "12 3700 0100") == "13")
        #expect(second.answer(to: "12 3700 0200") == "13")
        #expect(first.answer(to: "0A 3700") == "0B0100")
        #expect(second.answer(to: "0A 3700") == "0B0200")
        #expect(delegate.subscriptions == ["0036 0 1", "0036 0 2"])
        #expect(server.subscribers(of: 0x36).count == 2)
        server.send([0xAB], for: 0x36, completion: outcome.callAsFunction)
        #expect(first.fake.take() == ["1B3600AB"])
        #expect(second.fake.take() == ["1D3600AB"])
        #expect(outcome.count == 0)
        second.link.receive("1E")
        #expect(outcome.isSuccess)
        let one = Outcome<Void>()
        server.send([0xCD], for: 0x36, to: [first.link.serverSession], completion: one.callAsFunction)
        #expect(first.fake.take() == ["1B3600CD"] && second.fake.take().isEmpty && one.isSuccess)
        first.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(delegate.subscriptions.last == "0036 1 0")
    }

    @Test func theSubscriptionsOfARemovedServiceEnd() throws {
        let server = try makeServer()
        let side = makeSide(server)
        _ = side.answer(to: "12 2300 0100")
        #expect(side.link.serverSession.subscription(to: 0x22) == .notifications)
        server.remove(0x20)
        #expect(side.link.serverSession.subscription(to: 0x22) == [])
        // Another service at its place begins without subscribers.
        _ = try server.add(
            GATTServiceDefinition(
                uuid: "180F",
                characteristics: [GATTCharacteristicDefinition(uuid: "2A19", properties: .notify, value: .kept([1]))],
                handle: 0x20))
        #expect(side.answer(to: "0A 2300") == "0B0000")
    }

    @Test func clientConfigurationsAreValidated() throws {
        let side = makeSide(try makeServer())
        #expect(side.answer(to: "12 2300 0200") == "0112230013")
        #expect(side.answer(to: "12 2300 01") == "011223000D")
        #expect(side.answer(to: "12 2300 010000") == "011223000D")
        #expect(side.answer(to: "12 2300 0100") == "13")
        #expect(side.answer(to: "16 2300 0000 0000") == "17230000000000")
        #expect(side.answer(to: "18 01") == "19")
        #expect(side.answer(to: "0A 2300") == "0B0000")
    }

    @Test func oneIndicationIsOutstandingAndAMissingConfirmationEndsTheLink() throws {
        let server = try makeServer()
        let side = makeSide(server)
        _ = side.answer(to: "12 3700 0200")
        let first = Outcome<Void>(), second = Outcome<Void>(), third = Outcome<Void>()
        server.send([1], for: 0x36, completion: first.callAsFunction)
        server.send([2], for: 0x36, completion: second.callAsFunction)
        #expect(side.fake.take() == ["1D360001"])
        side.link.receive("1E")
        #expect(first.isSuccess && side.fake.take() == ["1D360002"])
        server.send([3], for: 0x36, completion: third.callAsFunction)
        side.link.receive("1E00")
        #expect(second.count == 0)
        side.time.advance(by: .seconds(30))
        #expect(side.fake.disconnection != nil)
        #expect(second.count == 1 && third.count == 1)
    }

    @Test func notificationsAreQueuedAndTruncatedToTheMTU() throws {
        let server = try makeServer()
        let delegate = RecordingDelegate()
        server.delegate = delegate
        let side = makeSide(server)
        _ = side.answer(to: "12 3700 0100")
        side.fake.room = 0
        let outcome = Outcome<Void>()
        #expect(!side.link.serverSession.canNotify)
        server.send([UInt8](repeating: 7, count: 30), for: 0x36, completion: outcome.callAsFunction)
        #expect(outcome.count == 0 && side.fake.take().isEmpty)
        side.fake.room = 10
        side.link.roomAvailable()
        #expect(outcome.isSuccess && delegate.ready == 1)
        #expect(side.fake.take() == ["1B3600" + String(repeating: "07", count: 20)])
    }

    /// A value has 512 octets at most, also where a packet has room for more (Core 6.0, Vol 3, Part F, 3.2.9).
    @Test(arguments: [(1, "1B"), (2, "1D")]) func updatesAreTruncatedTo512Octets(kind: Int, opcode: String) throws {
        let server = try makeServer()
        let side = makeSide(server)
        #expect(side.answer(to: "02 0502") == "030502")
        _ = side.answer(to: "12 3700 0\(kind)00")
        #expect(side.link.serverSession.maximumUpdateLength == 512)
        server.send([UInt8](repeating: 7, count: 600), for: 0x36) { _ in }
        #expect(side.fake.take() == [opcode + "3600" + String(repeating: "07", count: 512)])
    }

    @Test func multipleNotificationsRequireTheClientsFeature() throws {
        let server = try makeServer()
        let side = makeSide(server)
        _ = side.answer(to: "12 2300 0100")
        _ = side.answer(to: "12 3700 0100")
        let values: [(handle: UInt16, bytes: [UInt8])] = [(0x22, [1, 2]), (0x36, [3]), (0x25, [4])]
        server.sendMultiple(values) { _ in }
        #expect(side.fake.take() == ["1B22000102", "1B360003"])
        #expect(side.answer(to: "12 0D00 04") == "13")
        #expect(side.link.serverSession.takesMultipleNotifications)
        server.sendMultiple(values) { _ in }
        #expect(side.fake.take() == ["232200020001023600010003"])
        let long: [(handle: UInt16, bytes: [UInt8])] = [
            (0x22, [1]), (0x36, [UInt8](repeating: 9, count: 30)), (0x22, [2]), (0x36, [3]),
        ]
        server.sendMultiple(long) { _ in }
        #expect(
            side.fake.take() == [
                "1B220001", "1B3600" + String(repeating: "09", count: 20), "2322000100023600010003",
            ])
    }

    @Test func clientFeaturesCannotBeCleared() throws {
        let side = makeSide(try makeServer())
        #expect(side.answer(to: "0A 0D00") == "0B00")
        #expect(side.answer(to: "12 0D00 05") == "13")
        #expect(side.answer(to: "12 0D00 04") == "01120D0013")
        #expect(side.answer(to: "12 0D00") == "01120D000D")
        #expect(side.answer(to: "12 0D00 F700") == "13")
        #expect(side.answer(to: "0A 0D00") == "0B07")
    }
}

/// Records requests and events.
final class RecordingDelegate: GATTServerDelegate {
    var reads: [GATTReadRequest] = []
    var writes: [GATTWriteRequest] = []
    var commands: [String] = []
    var subscriptions: [String] = []
    var ready = 0

    private func hex(_ handle: UInt16) -> String { [UInt8(handle >> 8), UInt8(handle & 0xFF)].hexText() }

    func server(_ server: GATTServer, received request: GATTReadRequest) { reads.append(request) }

    func server(_ server: GATTServer, received request: GATTWriteRequest) { writes.append(request) }

    func server(
        _ server: GATTServer, received command: ByteView, for handle: UInt16, from session: GATTServerSession
    ) {
        commands.append("\(hex(handle)) \(command)")
    }

    func server(
        _ server: GATTServer, _ session: GATTServerSession, changedSubscriptionTo valueHandle: UInt16,
        from old: GATTSubscription, to new: GATTSubscription
    ) {
        subscriptions.append("\(hex(valueHandle)) \(old.rawValue) \(new.rawValue)")
    }

    func server(_ server: GATTServer, isReadyToSendTo session: GATTServerSession) { ready += 1 }
}
