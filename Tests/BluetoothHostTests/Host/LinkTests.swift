import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct LinkTests {
    private func makeFixture(_ features: LEFeatures = [.encryption]) throws -> (HostFixture, LELink) {
        let fixture = HostFixture.ready(ScriptedController(features: features))
        let link = try #require(fixture.makeLink(handle: 0x40, peer: 9))
        fixture.controller.forget()
        return (fixture, link)
    }

    /// A link on which this host is the peripheral.
    private func makePeripheral(_ features: LEFeatures) throws -> (HostFixture, LELink) {
        let fixture = HostFixture.ready(ScriptedController(features: features))
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        set.start(data: []) { _ in }
        fixture.settle()
        fixture.connected(handle: 0x40, role: 1, peer: 9)
        fixture.controller.forget()
        return (fixture, try #require(fixture.links.first))
    }

    private let wish = ConnectionParametersRequest(intervalUnits: 40...50, latency: 1, timeoutUnits: 300)

    @Test func theCentralUpdatesParameters() throws {
        let (fixture, link) = try makeFixture()
        var results: [Result<ConnectionParameters, RadioError>] = []
        for _ in 0..<2 { link.updateParameters(wish) { results.append($0) } }
        fixture.settle()
        #expect(fixture.controller.sent == [bytes("01 1320 0E 4000 2800 3200 0100 2C01 0000 0000")])
        fixture.leEvent(.connectionUpdateComplete, bytes("00 4000 3200 0100 2C01"))
        let parameters = ConnectionParameters(intervalUnits: 50, latency: 1, timeoutUnits: 300)
        #expect(results == [.success(parameters)] && link.parameters == parameters)
        #expect(fixture.changes == [.parameters] && fixture.controller.sent.count == 2)
        fixture.leEvent(.connectionUpdateComplete, bytes("3B 4000 3200 0100 2C01"))
        #expect(results.last == .failure(.controller(.unacceptableParameters)))
        link.updateParameters(ConnectionParametersRequest(intervalUnits: 3...4, timeoutUnits: 1)) {
            results.append($0)
        }
        #expect(results.count == 3)
    }

    @Test func thePeripheralRequestsParametersByTheLinkLayerIfBothSupportIt() throws {
        let features: LEFeatures = [.connectionParametersRequest, .peripheralInitiatedFeaturesExchange]
        let (fixture, link) = try makePeripheral(features)
        var result: Result<ConnectionParameters, RadioError>?
        link.updateParameters(wish) { result = $0 }
        fixture.settle()
        #expect(fixture.controller.opcodes == [.leReadRemoteFeatures])
        fixture.leEvent(.readRemoteFeaturesComplete, bytes("00 4000 0200000000000000"))
        #expect(fixture.controller.opcodes == [.leReadRemoteFeatures, .leConnectionUpdate])
        fixture.leEvent(.connectionUpdateComplete, bytes("00 4000 2800 0100 2C01"))
        #expect((try? result?.get())?.intervalUnits == 40)
    }

    @Test func thePeripheralRequestsParametersByL2CAPOtherwise() throws {
        let (fixture, link) = try makePeripheral([])
        var result: Result<ConnectionParameters, RadioError>?
        link.updateParameters(wish) { result = $0 }
        fixture.settle()
        let request = try #require(fixture.controller.data.first)
        #expect(Array(request[7...9]) == [5, 0, 0x12])
        #expect(Array(request[11...]) == bytes("0800 2800 3200 0100 2C01"))
        fixture.receive(bytes("02 4020 0A00 0600 0500 13") + [request[10]] + bytes("0200 0000"))
        #expect(result == nil)
        fixture.leEvent(.connectionUpdateComplete, bytes("00 4000 2800 0100 2C01"))
        #expect((try? result?.get())?.intervalUnits == 40)
    }

    @Test func aRefusedParameterRequestIsAnError() throws {
        let (fixture, link) = try makePeripheral([])
        var result: Result<ConnectionParameters, RadioError>?
        link.updateParameters(wish) { result = $0 }
        let request = try #require(fixture.controller.data.first)
        fixture.receive(bytes("02 4020 0A00 0600 0500 13") + [request[10]] + bytes("0200 0100"))
        guard case .failure = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func theCentralAcceptsParametersThatThePolicyAllows() throws {
        var configuration = HostConfiguration()
        configuration.acceptsParameters = { $0.latency == 1 }
        let fixture = HostFixture.ready(ScriptedController(), configuration)
        _ = fixture.makeLink(handle: 0x40, peer: 9)
        fixture.controller.forget()
        fixture.receive("02 4020 1000 0C00 0500 1207 0800 2800 3200 0100 2C01")
        #expect(fixture.controller.data == [bytes("02 4000 0A00 0600 0500 1307 0200 0000")])
        #expect(fixture.controller.opcodes == [.leConnectionUpdate])
        fixture.controller.forget()
        fixture.receive("02 4020 1000 0C00 0500 1208 0800 2800 3200 0000 2C01")
        #expect(fixture.controller.data == [bytes("02 4000 0A00 0600 0500 1308 0200 0100")])
        // Requests of the link layer are handled in the same way.
        fixture.controller.forget()
        fixture.leEvent(.remoteConnectionParameterRequest, bytes("4000 2800 3200 0100 2C01"))
        fixture.leEvent(.remoteConnectionParameterRequest, bytes("4000 2800 3200 0000 2C01"))
        fixture.leEvent(.remoteConnectionParameterRequest, bytes("4000 3200 2800 0100 2C01"))
        #expect(
            fixture.controller.sent == [
                bytes("01 2020 0E 4000 2800 3200 0100 2C01 0000 0000"), bytes("01 2120 03 4000 3B"),
                bytes("01 2120 03 4000 3B"),
            ])
    }

    @Test func rssiPHYAndDataLengthProcedures() throws {
        let (fixture, link) = try makeFixture([.le2M, .dataPacketLengthExtension])
        fixture.controller.replies[.readRSSI] = bytes("00 4000 C4")
        var rssi: Result<Int8, RadioError>?
        link.readRSSI { rssi = $0 }
        fixture.settle()
        #expect(rssi == .success(-60))
        fixture.controller.replies[.readRSSI] = bytes("00 4000")
        link.readRSSI { rssi = $0 }
        fixture.settle()
        #expect(rssi == .failure(.faultyController("response to Read RSSI is too short")))

        fixture.controller.forget()
        var phy: Result<LinkPHY, RadioError>?
        link.setPHY(transmit: [.le2M], receive: []) { phy = $0 }
        fixture.settle()
        #expect(fixture.controller.sent == [bytes("01 3220 07 4000 02 02 00 0000")])
        fixture.leEvent(.phyUpdateComplete, bytes("00 4000 02 01"))
        #expect(phy == .success(LinkPHY(transmit: .le2M, receive: .le1M)) && link.phy.transmit == .le2M)
        fixture.controller.replies[.leReadPHY] = bytes("00 4000 01 01")
        link.readPHY { phy = $0 }
        fixture.settle()
        #expect(phy == .success(LinkPHY(transmit: .le1M, receive: .le1M)))

        fixture.leEvent(.dataLengthChange, bytes("4000 FB00 4808 1B00 4801"))
        #expect(link.dataLength.transmitOctets == 251 && link.dataLength.receiveOctets == 27)
        #expect(fixture.changes == [.phy, .phy, .dataLength])
    }

    @Test func anUnansweredCommandOnALinkTimesOutAndTheHostStaysReady() throws {
        let (fixture, link) = try makeFixture([.le2M])
        fixture.controller.silent = [.leSetPHY]
        var errors: [RadioError] = []
        link.setPHY(transmit: [.le2M], receive: [.le2M]) { if case .failure(let error) = $0 { errors.append(error) } }
        fixture.advance(by: .seconds(5))
        #expect(errors == [.timeout] && fixture.host.state == .ready && link.isOpen)
    }

    @Test func aRefusedCommandIsTracedWithItsLink() throws {
        let (fixture, link) = try makeFixture()
        fixture.controller.refusals = [.leSetDataLength: .unknownConnection, .leRand: .commandDisallowed]
        var refused: [(HCIOpcode, LELink?)] = []
        fixture.host.trace = { if case .commandFailed(let opcode, _, let link) = $0 { refused.append((opcode, link)) } }
        link.setDataLength { _ in }
        fixture.settle()
        #expect(refused.map(\.0) == [.leSetDataLength] && refused.first?.1 === link)
        fixture.host.commands.run(.leRand) { _ in }
        fixture.settle()
        #expect(refused.count == 2 && refused.last?.1 == nil)
    }

    @Test func anUnresponsiveControllerEndsEveryOperation() throws {
        let (fixture, link) = try makeFixture()
        fixture.controller.isDead = true
        var errors: [RadioError] = []
        link.readRSSI { if case .failure(let error) = $0 { errors.append(error) } }
        fixture.host.connect(to: address(1)) { if case .failure(let error) = $0 { errors.append(error) } }
        fixture.advance(by: .seconds(10))
        #expect(errors.count == 2 && fixture.endings.count == 1 && !link.isOpen)
        #expect(fixture.host.state.radioState == .poweredOff)
        #expect(fixture.host.nextDeadline == nil)
    }

    @Test func aProcedureThatNeverEndsTimesOut() throws {
        let (fixture, link) = try makeFixture()
        var error: RadioError?
        link.readRemoteVersion { if case .failure(let failure) = $0 { error = failure } }
        fixture.settle()
        fixture.advance(by: .seconds(45))
        #expect(error == .timeout)
    }

    @Test func featuresAndVersionOfThePeer() throws {
        let (fixture, link) = try makeFixture()
        var features: [LEFeatures] = []
        for _ in 0..<2 { link.readRemoteFeatures { _ = (try? $0.get()).map { features.append($0) } } }
        fixture.settle()
        fixture.leEvent(.readRemoteFeaturesComplete, bytes("00 4000 2100000000000000"))
        fixture.leEvent(.readRemoteFeaturesComplete, bytes("00 4000 2100000000000000"))
        #expect(features == [LEFeatures(rawValue: 0x21), LEFeatures(rawValue: 0x21)])
        var version: RemoteVersion?
        link.readRemoteVersion { version = try? $0.get() }
        fixture.settle()
        fixture.event(.readRemoteVersionComplete, bytes("00 4000 0D 5900 3412"))
        #expect(version == RemoteVersion(version: 13, company: CompanyIdentifier(rawValue: 0x59), subversion: 0x1234))
        var error: RadioError?
        link.readRemoteVersion { if case .failure(let failure) = $0 { error = failure } }
        fixture.event(.readRemoteVersionComplete, bytes("1A 4000 00 0000 0000"))
        #expect(error == .controller(.unsupportedRemoteFeature))
    }

    @Test func disconnectingEndsPendingOperations() throws {
        let (fixture, link) = try makeFixture()
        var errors: [RadioError] = []
        link.updateParameters(wish) { if case .failure(let error) = $0 { errors.append(error) } }
        let probe = ChannelProbe()
        link.l2cap.securityChannel = probe
        link.disconnect()
        link.disconnect()
        fixture.settle()
        #expect(fixture.controller.commands(.disconnect) == [[0x40, 0, 0x13]])
        #expect(!link.isOpen && errors.isEmpty)
        fixture.disconnected(handle: 0x40, reason: 0x16)
        #expect(errors == [.disconnected(.localHostTerminated)] && probe.ended == errors)
        #expect(fixture.endings.map(\.reason) == [.localHostTerminated])
        link.readRSSI { if case .failure(let error) = $0 { errors.append(error) } }
        #expect(errors.last == .notConnected)
        fixture.disconnected(handle: 0x40, reason: 0x16)
        #expect(fixture.endings.count == 1 && fixture.host.allLinks.isEmpty)
    }

    @Test func aDisconnectionWithoutAnEventTimesOut() throws {
        let (fixture, link) = try makeFixture()
        link.disconnect()
        fixture.advance(by: .seconds(15))
        #expect(fixture.endings.count == 1)
    }

    @Test func encryptionIsReflectedInTheSecurityOfTheLink() throws {
        let (fixture, link) = try makeFixture()
        var security: LinkSecurity?
        link.startEncryption(key: (0..<16).map { $0 }, randomNumber: 0x0102, diversifier: 3) {
            security = try? $0.get()
        }
        fixture.settle()
        #expect(
            fixture.controller.sent == [
                bytes("01 1920 1C 4000 0201000000000000 0300 000102030405060708090A0B0C0D0E0F")
            ])
        fixture.event(.encryptionChange, bytes("00 4000 01"))
        #expect(security?.level == .encrypted && security?.keySize == 16 && link.security.level == .encrypted)
        fixture.event(.encryptionKeyRefreshComplete, bytes("00 4000"))
        fixture.event(.encryptionChangeV2, bytes("00 4000 00 00"))
        #expect(link.security.level == .none && fixture.changes == [.security, .security])
    }

    @Test func keyRequestsWithoutAKeyAreRefused() throws {
        let (fixture, _) = try makePeripheral([])
        let request = bytes("4000 0807060504030201 0A00")
        fixture.leEvent(.longTermKeyRequest, request)
        #expect(fixture.controller.sent == [bytes("01 1B20 02 4000")])
        var asked: [(UInt64, UInt16)] = []
        fixture.host.longTermKeyProvider = { request, answer in
            asked.append((request.randomNumber, request.diversifier))
            answer([UInt8](repeating: 7, count: 16))
            answer(nil)
        }
        fixture.leEvent(.longTermKeyRequest, request)
        #expect(fixture.controller.sent.count == 2)
        #expect(fixture.controller.sent.last == bytes("01 1A20 12 4000") + [UInt8](repeating: 7, count: 16))
        #expect(asked.count == 1 && asked.first?.0 == 0x0102_0304_0506_0708 && asked.first?.1 == 10)
    }

    @Test func randomBytesDoNotCrash() throws {
        var random = SplitMix(state: 42)
        for isExtended in [false, true] {
            let controller = ScriptedController(extended: isExtended)
            let fixture = HostFixture.ready(controller)
            fixture.host.startScan()
            for handle in 1...3 { _ = fixture.makeLink(handle: UInt16(handle), peer: UInt8(handle)) }
            let codes: [UInt8] = [5, 8, 0x0C, 0x0E, 0x0F, 0x13, 0x30, 0x3E, 0x3E, 0x3E, 0x3E, 0x59, 0xFF]
            for _ in 0..<20_000 {
                let length = Int(random.next() % 48)
                var packet: [UInt8] =
                    switch random.next() % 4 {
                    case 0: [2, UInt8(random.next() % 4), UInt8(random.next() & 0x30), UInt8(length), 0]
                    case 1: [UInt8(truncatingIfNeeded: random.next())]
                    default: [4, codes[Int(random.next() % UInt64(codes.count))], UInt8(length)]
                    }
                for _ in 0..<length {
                    packet.append(random.next() % 7 == 0 ? 0xFF : UInt8(random.next() % 24))
                }
                fixture.receive(packet)
                if random.next() % 64 == 0 { fixture.advance(by: .milliseconds(100)) }
            }
            #expect(fixture.host.acl.free >= 0 && fixture.host.acl.free <= fixture.host.acl.total)
            fixture.host.stop(now: fixture.host.now)
            #expect(fixture.links.count == fixture.endings.count)
        }
    }

    /// At power-off the peers are disconnected before the controller is reset; the host's users see the end at once.
    @Test(arguments: [false, true]) func stoppingDisconnectsThePeers(isAcknowledged: Bool) throws {
        let (fixture, _) = try makeFixture()
        fixture.controller.forget()
        fixture.host.powerOff(now: fixture.host.now)
        #expect(fixture.endings.count == 1 && fixture.states.last == .stopped)
        fixture.settle()
        #expect(fixture.controller.commands(.disconnect) == [[0x40, 0, HCIStatus.remotePowerOff.rawValue]])
        #expect(!fixture.controller.opcodes.contains(.reset))
        if isAcknowledged {
            fixture.disconnected(handle: 0x40, reason: 0x16)
        } else {
            fixture.advance(by: PowerOffSequence.patience)
        }
        #expect(fixture.controller.opcodes.last == .reset)
        // No event is reported twice, and the host can be started again.
        fixture.advance(by: .seconds(5))
        #expect(fixture.controller.commands(.reset).count == 1)
        #expect(fixture.endings.count == 1 && fixture.host.nextDeadline == nil)
        fixture.host.start(now: fixture.host.now)
        fixture.settle()
        #expect(fixture.host.state == .ready)
    }

    /// A controller that no longer responds is reset without waiting for its outstanding responses.
    @Test func stoppingDoesNotRequireAResponsiveController() throws {
        let (fixture, _) = try makeFixture()
        fixture.controller.isDead = true
        fixture.host.powerOff(now: fixture.host.now)
        fixture.advance(by: PowerOffSequence.patience)
        #expect(fixture.controller.opcodes.last == .reset && fixture.host.nextDeadline == nil)
        fixture.advance(by: .seconds(10))
        #expect(fixture.host.state == .stopped)
    }

    @Test func restartingDoesNotWaitForDisconnections() throws {
        let (fixture, _) = try makeFixture()
        fixture.host.powerOff(now: fixture.host.now)
        fixture.host.start(now: fixture.host.now)
        fixture.settle()
        #expect(fixture.host.state == .ready)
        fixture.controller.forget()
        fixture.advance(by: .seconds(5))
        #expect(fixture.host.state == .ready && fixture.controller.opcodes.isEmpty)
    }

    /// A peer that acknowledges nothing does not delay a disconnection: the host sends the command.
    @Test func aDisconnectionIsSentEvenIfDataCannotDrain() throws {
        let (fixture, link) = try makeFixture()
        [UInt8](repeating: 7, count: 20).withByteView { link.send(cid: 0x40, $0) }
        fixture.controller.forget()
        link.disconnect()
        #expect(fixture.controller.opcodes.isEmpty)
        fixture.advance(by: .seconds(1))
        #expect(fixture.controller.opcodes == [.disconnect] && fixture.endings.isEmpty)
        fixture.disconnected(handle: 0x40, reason: 0x16)
        #expect(fixture.endings.map(\.reason) == [.localHostTerminated])
    }

    /// No resource of a link remains, for all operations on it and all ways in which it ends.
    @Test func aLinkThatEndedIsReleased() throws {
        let fixture = HostFixture.ready()
        weak var link: LELink?
        weak var channels: L2CAPLink?
        do {
            let made = try #require(fixture.makeLink(handle: 0x40, peer: 9))
            (link, channels) = (made, made.l2cap)
            made.l2cap.gatt.start(GATTClientSetup()) { _ in }
            made.l2cap.gatt.read(3, timeout: .seconds(5)) { _ in }
            fixture.disconnected(handle: 0x40, reason: 0x08)
            fixture.links = []
            fixture.endings = []
        }
        #expect(link == nil && channels == nil)
    }
}

/// Random numbers that are the same in every run.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
