import BluetoothRuntime
import Foundation
import Harald
import Testing
import VirtualBluetooth
import VirtualTransport

/// Pairing through the public interface, on the virtual radio.
@Suite(.closesRigs, .timeLimit(.minutes(3))) struct PairingTests {
    private typealias Answer = @Sendable (PairingQuestion) async -> PairingAnswer

    /// Returns the answers of the user that reads a displayed passkey and of the one that enters it.
    private func relay() -> (shows: Answer, enters: Answer) {
        let (stream, continuation) = AsyncStream<UInt32>.makeStream()
        return (
            { question in
                if case .display(let passkey) = question { continuation.yield(passkey) }
                return .accept
            },
            { question in
                guard question == .enterPasskey else { return .accept }
                for await passkey in stream { return .passkey(passkey) }
                return .refuse
            }
        )
    }

    @Test func withoutADelegateOnlyExplicitPairingIsPermitted() async throws {
        let rig = try await PairingRig()
        let peripheral = try await rig.connected()
        let refused = await #expect(throws: BluetoothError.self) {
            try await rig.read(PairingRig.encrypted, peripheral)
        }
        #expect(refused?.code == .att(.insufficientAuthentication))
        #expect(refused?.advice.contains("pair()") == true)
        #expect(peripheral.security.level == .none)
        #expect(try await peripheral.pair() == LinkSecurity(level: .encrypted, keySize: 16, isBonded: true))
        #expect(try await rig.read(PairingRig.encrypted, peripheral) == [2])
        #expect(try await rig.read(PairingRig.longKey, peripheral) == [5])
        #expect(await peripheral.isBonded)
    }

    @Test func numbersAreCompared() async throws {
        let (here, there) = (PairingUser(), PairingUser(.displayYesNo))
        let rig = try await PairingRig(central: here, device: there)
        let peripheral = try await rig.connected()
        #expect(try await peripheral.pair().level == .secureConnections)
        #expect(here.questions.value == there.questions.value && here.questions.value.count == 1)
        guard case .compare? = here.questions.value.first else {
            Issue.record("\(here.questions.value.first)")
            return
        }
        #expect(try await rig.read(PairingRig.authenticated, peripheral) == [3])
    }

    @Test(arguments: [true, false])
    func aPasskeyIsDisplayedOnOneSideAndEnteredOnTheOther(centralShows: Bool) async throws {
        let relay = relay()
        let shower = PairingUser(.displayOnly, answer: relay.shows)
        let typist = PairingUser(.keyboardOnly, answer: relay.enters)
        let rig = try await PairingRig(central: centralShows ? shower : typist, device: centralShows ? typist : shower)
        let peripheral = try await rig.connected()
        #expect(try await peripheral.pair().level == .secureConnections)
        #expect(typist.questions.value == [.enterPasskey])
    }

    @Test func aWrongPasskeyHasItsOwnError() async throws {
        let user = PairingUser(.keyboardOnly) { _ in .passkey(123_456) }
        let rig = try await PairingRig(central: user, device: PairingUser(.displayOnly, passkey: 654_321))
        let peripheral = try await rig.connected()
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.pair() }
        #expect(error?.code == .wrongPasskey)
        #expect(peripheral.security.level == .none)
        #expect(await rig.central.bonds.isEmpty)
    }

    @Test func thePasskeyOfADeviceWithoutADisplayIsPrintedOnIt() async throws {
        let user = PairingUser(.keyboardOnly) { _ in .passkey(654_321) }
        let rig = try await PairingRig(central: user, device: PairingUser(.displayOnly, passkey: 654_321))
        let peripheral = try await rig.connected()
        #expect(try await peripheral.pair().level == .secureConnections)
    }

    @Test func aProtectedValuePairsOnDemand() async throws {
        let user = PairingUser()
        let rig = try await PairingRig(central: user)
        let peripheral = try await rig.connected()
        #expect(try await rig.read(PairingRig.encrypted, peripheral) == [2])
        // There was nothing to compare, and the program had not requested pairing itself.
        #expect(user.questions.value == [.confirm])
        #expect(peripheral.security == LinkSecurity(level: .encrypted, keySize: 16, isBonded: true))
    }

    @Test func writesAndSubscriptionsPairOnDemandToo() async throws {
        for isWrite in [true, false] {
            let rig = try await PairingRig(central: PairingUser())
            let peripheral = try await rig.connected()
            if isWrite {
                try await rig.characteristic(PairingRig.encrypted, peripheral).write([9])
                #expect(try await rig.read(PairingRig.encrypted, peripheral) == [9])
            } else {
                var events = rig.device.events.makeAsyncIterator()
                let values = try await rig.characteristic(PairingRig.sending, peripheral).notifications()
                while let event = try await events.next() { if case .subscribed = event { break } }
                try await rig.published[PairingRig.sending]?.update([7])
                for try await value in values {
                    #expect(value == [7])
                    break
                }
            }
            #expect(peripheral.security.level == .encrypted)
        }
    }

    @Test func manyReadsPairOnce() async throws {
        let (here, there) = (PairingUser(), PairingUser())
        let rig = try await PairingRig(central: here, device: there)
        let peripheral = try await rig.connected()
        let characteristic = try await rig.characteristic(PairingRig.authenticated, peripheral)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 { group.addTask { try await characteristic.read() } }
            for try await value in group { #expect(value == [3]) }
        }
        #expect(here.questions.value.count == 1)
    }

    @Test func anUnauthenticatedLinkIsRaisedForAValueThatNeedsMore() async throws {
        // The first pairing has nothing to compare; the value then requires a level that the device does not support.
        let rig = try await PairingRig(central: PairingUser())
        let peripheral = try await rig.connected()
        try await peripheral.pair()
        let error = await #expect(throws: BluetoothError.self) {
            try await rig.read(PairingRig.authenticated, peripheral)
        }
        #expect(error?.code == .security)
    }

    /// The program requires a higher level than the stored keys have.
    @Test func aWeakBondIsReplacedIfMoreIsRequired() async throws {
        let user = PairingUser(.keyboardOnly) { $0 == .enterPasskey ? .passkey(654_321) : .accept }
        let rig = try await PairingRig(
            central: PairingUser(.noInputNoOutput), device: PairingUser(.displayOnly, passkey: 654_321),
            keepsBonds: true)
        #expect(try await rig.connected().pair().level == .encrypted)
        try await rig.reopen(central: user)
        let peripheral = try await rig.connected()
        #expect(try await peripheral.pair().level == .encrypted && user.questions.value.isEmpty)
        let raised = LinkSecurity(level: .secureConnections, keySize: 16, isBonded: true)
        #expect(try await peripheral.pair(to: .authenticated) == raised)
        #expect(user.questions.value == [.enterPasskey] && peripheral.security == raised)
        #expect(await rig.central.bonds.map(\.level) == [.secureConnections])
        #expect(await rig.device.bonds.map(\.level) == [.secureConnections])
        // A user with fewer capabilities keeps the better key, and does not pair again.
        try await rig.reopen(central: PairingUser(.noInputNoOutput))
        #expect(try await rig.connected().pair() == raised)
    }

    @Test func anUnreachableLevelKeepsTheExistingBond() async throws {
        let rig = try await PairingRig(central: PairingUser())
        let peripheral = try await rig.connected()
        let first = await #expect(throws: BluetoothError.self) { try await peripheral.pair(to: .authenticated) }
        #expect(first?.code == .security && first?.advice.contains("pairing delegate") == true)
        #expect(await rig.central.bonds.isEmpty && peripheral.security.level == .none)
        try await peripheral.pair()
        let second = await #expect(throws: BluetoothError.self) { try await peripheral.pair(to: .secureConnections) }
        #expect(second?.code == .security)
        #expect(await rig.central.bonds.map(\.level) == [.encrypted] && peripheral.security.level == .encrypted)
        #expect(try await rig.read(PairingRig.encrypted, peripheral) == [2])
    }

    @Test func descriptionsContainNoPasskeys() {
        var text = ""
        for question in [PairingQuestion.display(passkey: 4711), .compare(number: 4711)] { dump(question, to: &text) }
        dump(PairingAnswer.passkey(4711), to: &text)
        text += "\(PairingQuestion.compare(number: 4711))\(String(reflecting: PairingAnswer.passkey(4711)))"
        #expect(!text.contains("4711"))
    }

    @Test func persistenceOfBondsCanBeQueried() async throws {
        let forgetful = try await PairingRig()
        await #expect(throws: BluetoothError.self) { try await forgetful.central.checkBondStorage() }
        let rig = try await PairingRig(keepsBonds: true)
        try await rig.central.checkBondStorage()
        #expect(await rig.central.bonds.isEmpty)
        // The directory is replaced with something else: later bonds last as long as the program.
        let store = try #require(rig.directory).appendingPathComponent("central")
        try FileManager.default.removeItem(at: store)
        try Data().write(to: store)
        let peripheral = try await rig.connected()
        #expect(try await peripheral.pair().level == .encrypted)
        let error = await #expect(throws: BluetoothError.self) { try await rig.central.checkBondStorage() }
        #expect(error?.reason.contains(store.path) == true, "\(error as Any)")
        #expect(await rig.central.bonds.count == 1)
    }

    @Test func refusingEndsTheOperation() async throws {
        let user = PairingUser { _ in .refuse }
        let rig = try await PairingRig(central: user)
        let peripheral = try await rig.connected()
        let error = await #expect(throws: BluetoothError.self) { try await rig.read(PairingRig.encrypted, peripheral) }
        #expect(error?.code == .pairingRefused)
        #expect(peripheral.isConnected)
        #expect(try await rig.read(PairingRig.open, peripheral) == [1])
    }

    @Test func thePeerMayRefuse() async throws {
        let rig = try await PairingRig(central: PairingUser(), device: PairingUser(.noInputNoOutput) { _ in .refuse })
        let peripheral = try await rig.connected()
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.pair() }
        #expect(error?.code == .pairingFailed)
        let deaf = try await PairingRig(central: PairingUser(), device: nil)
        let other = try await deaf.connected()
        let reason = await #expect(throws: BluetoothError.self) { try await other.pair() }
        #expect(reason?.reason.contains("not supported") == true)
    }

    @Test func aReadThatWaitsForTheUserCanBeCancelled() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let user = PairingUser { _ in
            ask.yield()
            try? await Task.sleep(for: .seconds(600))
            return .refuse
        }
        let rig = try await PairingRig(central: user)
        let peripheral = try await rig.connected()
        let characteristic = try await rig.characteristic(PairingRig.encrypted, peripheral)
        let reading = Task { try await characteristic.read() }
        for await _ in asked { break }
        reading.cancel()
        let result = await reading.result
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect((error as? BluetoothError)?.code == .cancelled)
    }

    /// The device refuses although the link has the requested security: no pairing would help.
    @Test func aRefusalThatPairingCannotResolveIsTheResult() async throws {
        let user = PairingUser()
        let rig = try await PairingRig(central: user)
        let refusing = CharacteristicDefinition(
            "FFE9", .read, onRead: { _ in throw ATTErrorCode.insufficientKeySize })
        try await rig.device.publish(ServiceDefinition("FFE8", [refusing]))
        let peripheral = try await rig.connected()
        try await peripheral.pair()
        let asked = user.questions.value.count
        let characteristic = try await peripheral.characteristic("FFE8", "FFE9")
        let error = await #expect(throws: BluetoothError.self) { try await characteristic.read() }
        #expect(error?.code == .att(.insufficientKeySize) && user.questions.value.count == asked)
    }

    @Test func aDeviceMayRequireSecurity() async throws {
        let user = PairingUser()
        let rig = try await PairingRig(central: user, requiredSecurity: .encrypted)
        let peripheral = try await rig.connected()
        for try await security in peripheral.securityChanges where security.level == .encrypted { break }
        #expect(user.questions.value == [.confirm])
        // A central that does not reach it is disconnected.
        let strict = try await PairingRig(central: PairingUser { _ in .refuse }, requiredSecurity: .encrypted)
        let stranger = try await strict.connected()
        for try await state in stranger.states { if case .disconnected = state { break } }
    }

    /// Also where another program's local device, which has a handler, was connected first: the handler answers for
    /// that device only.
    @Test func aProgramWithoutAHandlerDoesNotPairOnTheLinkOfALocalDevice() async throws {
        let radio = VirtualRadio()
        let (adapter, options) = (radio.adapter(named: "device"), AdapterOptions(storage: .none))
        let user = PairingUser()
        let device = try await LocalPeripheral(adapter: adapter, name: "Lock", pairing: user, options: options)
        try await device.advertise()
        let beside = try await Central(adapter: adapter, options: options)
        let visitor = try await Central(adapter: radio.adapter(named: "visitor"), options: options)
        let events = device.events
        let found = try await visitor.peripheral(of: device)
        let raw = try await found.connectRaw(timeout: .seconds(10))
        await raw.takeSecurity(true)
        // The visitor has a battery level, which demands encryption, and refuses to pair.
        let visit = Task {
            var isAskedToPair = false
            while case .frame(let frame) = await raw.next(until: found.clock.now + .seconds(50)) {
                if frame.channel == RawLink.security {
                    isAskedToPair = true
                    _ = await raw.send([0x05, 0x05], on: RawLink.security)
                } else if frame.channel == RawLink.attribute, let answer = Self.answer(of: frame.bytes) {
                    _ = await raw.send(answer)
                }
            }
            return isAskedToPair
        }
        _ = try await events.first { if case .connected = $0 { true } else { false } }
        let central = try #require(await device.centrals.first)
        let peripheral = try #require(await beside.peripheral(id: central))
        try await peripheral.connect()
        let battery = try await peripheral.characteristic("180F", "2A19")
        let error = await #expect(throws: BluetoothError.self) { try await battery.read() }
        #expect(error?.code == .att(.insufficientEncryption))
        await peripheral.disconnect()
        await found.disconnect()
        await visitor.close()
        #expect(await !visit.value && user.questions.value.isEmpty)
        await beside.close()
        await device.close()
    }

    /// Returns the response of a server with the service 180F at the handles 1 to 3, whose value 2A19 cannot be read.
    private static func answer(of request: [UInt8]) -> [UInt8]? {
        guard request.count >= 3, request[0] % 2 == 0, request[0] < 0x1E else { return nil }
        switch (request[0], request[1], Array(request.suffix(2))) {
        case (0x10, 1, _): return [0x11, 6, 1, 0, 3, 0, 0x0F, 0x18]
        case (0x06, 1, [0x0F, 0x18]): return [0x07, 1, 0, 3, 0]
        case (0x08, ...2, [0x03, 0x28]): return [0x09, 7, 2, 0, 2, 3, 0, 0x19, 0x2A]
        case (0x0A, _, _): return [0x01, 0x0A, 3, 0, 0x0F]
        default: return [0x01, request[0], request[1], request[2], 0x0A]
        }
    }
}
