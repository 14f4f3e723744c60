import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct AdvertisingTests {
    private func start(
        _ set: AdvertisingSet, _ fixture: HostFixture, _ parameters: AdvertisingParameters = .init(),
        data: [UInt8] = [2, 1, 6], scanResponse: [UInt8] = []
    ) -> RadioError? {
        var ended: RadioError??
        set.start(parameters: parameters, data: data, scanResponse: scanResponse) { result in
            if case .failure(let error) = result { ended = .some(error) } else { ended = .some(nil) }
        }
        fixture.settle()
        return ended ?? .timeout
    }

    @Test func advertisesWithLegacyCommands() throws {
        let fixture = HostFixture.ready()
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        #expect(start(set, fixture, scanResponse: [1, 9]) == nil)
        #expect(set.isAdvertising)
        let zeros = String(repeating: "00", count: 28)
        #expect(
            fixture.controller.sent == [
                bytes("01 0620 0F A000 A000 00 00 00 000000000000 07 00"), bytes("01 0820 20 03 020106" + zeros),
                bytes("01 0920 20 02 010900" + zeros), bytes("01 0A20 01 01"),
            ])
        #expect(throws: RadioError.self) { try fixture.host.makeAdvertiser(LocalIdentity(server: nil)) }
        var stopped = 0
        set.stop { _ in stopped += 1 }
        fixture.settle()
        #expect(stopped == 1 && !set.isAdvertising && fixture.controller.sent.last == bytes("01 0A20 01 00"))
        set.remove()
        _ = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
    }

    @Test func advertisesWithExtendedCommands() throws {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        fixture.controller.replies[.leSetExtendedAdvertisingParameters] = [0, 0xF8]
        let own = BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .random)
        let set = try fixture.host.makeAdvertiser(LocalIdentity(address: .staticRandom(own), server: nil))
        #expect(start(set, fixture, scanResponse: [1, 9]) == nil)
        #expect(
            fixture.controller.sent == [
                bytes("01 3620 19 00 1300 A00000 A00000 07 01 00 000000000000 00 7F 01 00 01 00 00"),
                bytes("01 3520 07 00 010000EEFFC0"), bytes("01 3720 07 00 03 01 03 020106"),
                bytes("01 3820 06 00 03 01 02 0109"), bytes("01 3920 06 01 01 00 0000 00"),
            ])
        #expect(set.selectedTxPower == -8 && set.address == own)
        fixture.controller.forget()
        #expect(start(set, fixture, data: []) == nil)
        #expect(fixture.controller.sent == [bytes("01 3720 04 00 03 01 00"), bytes("01 3820 04 00 03 01 00")])
        fixture.controller.forget()
        set.remove()
        fixture.settle()
        #expect(fixture.controller.sent == [bytes("01 3920 06 00 01 00 0000 00"), bytes("01 3C20 01 00")])
    }

    /// Core 6.0, Vol 4, Part E, 7.8.5 and table 7.8.53: the kinds of legacy packets.
    @Test(
        arguments: [
            (AdvertisingParameters(), 0, 0x13),
            (AdvertisingParameters(isConnectable: false), 2, 0x12),
            (AdvertisingParameters(isConnectable: false, isScannable: false), 3, 0x10),
            (AdvertisingParameters(directedTo: address(9)), 4, 0x15),
            (AdvertisingParameters(directedTo: address(9), isHighDuty: true), 1, 0x1D),
        ] as [(AdvertisingParameters, UInt8, UInt8)])
    func kindsOfLegacyPackets(_ parameters: AdvertisingParameters, _ type: UInt8, _ properties: UInt8) throws {
        for isExtended in [false, true] {
            let fixture = HostFixture.ready(ScriptedController(extended: isExtended))
            let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
            #expect(start(set, fixture, parameters, data: []) == nil)
            let command = try #require(fixture.controller.sent.first)
            // Behind the type of the packet, the opcode, the length, and both ends of the interval or the handle.
            #expect(isExtended ? command[5] == properties && command[6] == 0 : command[8] == type, "\(command)")
        }
    }

    @Test func longDataIsFragmentedInExtendedPackets() throws {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        #expect(start(set, fixture, data: data) == nil)
        let fragments = fixture.controller.commands(.leSetExtendedAdvertisingData)
        #expect(fragments.map { Array($0[..<4]) } == [[0, 1, 1, 251], [0, 0, 1, 251], [0, 2, 1, 98]])
        #expect(fragments.flatMap { $0[4...] } == data)
        // Connectable, with packets that are not legacy.
        #expect(fixture.controller.commands(.leSetExtendedAdvertisingParameters).first?[1] == 1)
    }

    @Test func advertisingOfAnotherTypeReplacesTheSet() throws {
        let controller = ScriptedController(extended: true)
        let fixture = HostFixture.ready(controller)
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        #expect(start(set, fixture) == nil)
        controller.refusals[.leRemoveAdvertisingSet] = .unknownAdvertisingIdentifier
        controller.forget()
        #expect(start(set, fixture, AdvertisingParameters(directedTo: address(9)), data: []) == nil)
        #expect(
            controller.opcodes == [
                .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .leSetExtendedAdvertisingParameters,
                .leSetExtendedAdvertisingEnable,
            ])
        controller.forget()
        #expect(start(set, fixture, data: []) == nil)
        #expect(!controller.opcodes.contains(.leSetExtendedAdvertisingData))
    }

    /// The controller keeps the data of an advertisement that it refuses, and refuses legacy packets with that data.
    @Test func theDataOfARefusedAdvertisementIsRemoved() throws {
        let controller = ScriptedController(extended: true)
        let fixture = HostFixture.ready(controller)
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        controller.refusals[.leSetExtendedAdvertisingEnable] = .packetTooLong
        #expect(start(set, fixture, data: [UInt8](repeating: 1, count: 300)) == .controller(.packetTooLong))
        controller.refusals[.leSetExtendedAdvertisingEnable] = nil
        controller.forget()
        #expect(start(set, fixture) == nil)
        #expect(controller.opcodes.first == .leRemoveAdvertisingSet)
    }

    @Test func invalidArgumentsAreRefused() throws {
        let legacy = HostFixture.ready()
        let set = try legacy.host.makeAdvertiser(LocalIdentity(server: nil))
        let long = [UInt8](repeating: 0, count: 32)
        guard case .limit = start(set, legacy, data: long) else {
            Issue.record("invalid parameters are accepted")
            return
        }
        let fast = AdvertisingParameters(intervalRange: 10...20)
        guard case .invalidArgument = start(set, legacy, fast) else {
            Issue.record("invalid parameters are accepted")
            return
        }
        let directed = AdvertisingParameters(directedTo: address(1))
        guard case .invalidArgument = start(set, legacy, directed) else {
            Issue.record("invalid parameters are accepted")
            return
        }
        let extended = AdvertisingParameters(usesExtendedPackets: true)
        guard case .unsupported = start(set, legacy, extended) else {
            Issue.record("invalid parameters are accepted")
            return
        }
        #expect(legacy.controller.sent.isEmpty)

        let other = HostFixture.ready(ScriptedController(extended: true))
        let second = try other.host.makeAdvertiser(LocalIdentity(server: nil))
        guard case .invalidArgument = start(second, other, data: long, scanResponse: [1]) else {
            Issue.record("invalid parameters are accepted")
            return
        }
        guard case .limit = start(second, other, data: [UInt8](repeating: 0, count: 1651)) else {
            Issue.record("invalid parameters are accepted")
            return
        }
        #expect(throws: RadioError.self) {
            try other.host.makeAdvertiser(LocalIdentity(address: .staticRandom(address(1)), server: nil))
        }
    }

    @Test func theErrorForTooManySetsNamesTheLimit() throws {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        #expect(fixture.host.advertisingSetLimit == 2)
        let sets = try (0..<2).map { _ in try fixture.host.makeAdvertiser(LocalIdentity(server: nil)) }
        #expect(Set(sets.map(\.handle)) == [0, 1])
        do {
            _ = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
            Issue.record("there are more sets than the controller supports")
        } catch {
            guard case .limit(let text) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(text.contains("2 advertising sets"))
        }
    }

    @Test func aRefusedSetDoesNotAdvertise() throws {
        let controller = ScriptedController()
        controller.refusals[.leSetAdvertisingData] = .invalidParameters
        let fixture = HostFixture.ready(controller)
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        #expect(start(set, fixture) == .controller(.invalidParameters))
        #expect(!set.isAdvertising && !controller.opcodes.contains(.leSetAdvertisingEnable))
        controller.refusals = [:]
        #expect(start(set, fixture) == nil)
    }

    @Test func aLinkIsAssignedToTheOnlySet() throws {
        let fixture = HostFixture.ready()
        let server = GATTServer()
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: server))
        var terminations: [LELink] = []
        set.onTerminated = { if case .connected(let link) = $0 { terminations.append(link) } }
        _ = start(set, fixture)
        fixture.connected(handle: 7, role: 1, peer: 9)
        let link = try #require(fixture.links.first)
        #expect(terminations == [link] && link.role == .peripheral && link.identity?.server === server)
        #expect(link.ownAddress == fixture.host.ownAddress && !set.isAdvertising)
        // Restarting is the caller's decision, and costs one command: the controller has the rest.
        fixture.controller.forget()
        #expect(start(set, fixture) == nil)
        #expect(fixture.controller.opcodes == [.leSetAdvertisingEnable])
    }

    @Test(arguments: [false, true]) func aLinkIsAssignedToTheSetThatItTerminated(isLate: Bool) throws {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        let addresses = (1...2).map { BluetoothAddress(value: 0xC0FF_EE00_0000 | $0, kind: .random) }
        let sets = try addresses.map {
            try fixture.host.makeAdvertiser(LocalIdentity(address: .staticRandom($0), server: nil))
        }
        for set in sets { #expect(start(set, fixture) == nil) }
        let terminated = bytes("00 01 0700 00")
        if !isLate { fixture.leEvent(.advertisingSetTerminated, terminated) }
        fixture.connected(handle: 7, role: 1, peer: 9)
        #expect(fixture.links.isEmpty == isLate)
        if isLate { fixture.leEvent(.advertisingSetTerminated, terminated) }
        #expect(fixture.links.map(\.ownAddress) == [addresses[1]])
        #expect(sets[0].isAdvertising && !sets[1].isAdvertising)
        // Repeated, as a controller might: the set that was started again continues.
        #expect(start(sets[1], fixture) == nil)
        fixture.leEvent(.advertisingSetTerminated, terminated)
        #expect(sets[1].isAdvertising)
    }

    @Test func dataBeforeTheTerminationIsNotLost() throws {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        let sets = try (0..<2).map { _ in try fixture.host.makeAdvertiser(LocalIdentity(server: nil)) }
        for set in sets { #expect(start(set, fixture) == nil) }
        fixture.connected(handle: 7, role: 1, peer: 9)
        fixture.receive("02 0720 0500 0100 0600 55")
        #expect(fixture.links.count == 1 && fixture.host.counters.strayPackets == 0)
        // And without data, the wait is one second at most, where two sets advertise again.
        #expect(start(sets[0], fixture) == nil && sets.allSatisfy(\.isAdvertising))
        fixture.connected(handle: 8, role: 1, peer: 10)
        fixture.advance(by: .milliseconds(999))
        #expect(fixture.links.count == 1)
        fixture.advance(by: .milliseconds(1))
        #expect(fixture.links.count == 2)
    }

    @Test func aConnectionWithoutASetIsRefused() throws {
        let fixture = HostFixture.ready(ScriptedController(extended: true))
        let sets = try (0..<2).map { _ in try fixture.host.makeAdvertiser(LocalIdentity(server: nil)) }
        for set in sets { #expect(start(set, fixture) == nil) }
        fixture.connected(handle: 7, role: 1, peer: 9)
        for set in sets { set.stop { _ in } }
        fixture.settle()
        fixture.controller.forget()
        fixture.receive("02 0720 0500 0100 0600 55")
        #expect(fixture.links.isEmpty && fixture.host.counters.unwantedConnections == 1)
        #expect(fixture.controller.sent == [bytes("01 0604 03 0700 13")])
    }

    @Test func advertisingStopsAfterItsDuration() throws {
        let legacy = HostFixture.ready()
        let set = try legacy.host.makeAdvertiser(LocalIdentity(server: nil))
        var ends = 0
        set.onTerminated = { if case .timeout = $0 { ends += 1 } }
        #expect(start(set, legacy, AdvertisingParameters(duration: .seconds(3))) == nil)
        legacy.advance(by: .seconds(3))
        #expect(ends == 1 && !set.isAdvertising && legacy.controller.sent.last == bytes("01 0A20 01 00"))

        let extended = HostFixture.ready(ScriptedController(extended: true))
        let other = try extended.host.makeAdvertiser(LocalIdentity(server: nil))
        other.onTerminated = { if case .timeout = $0 { ends += 1 } }
        #expect(start(other, extended, AdvertisingParameters(duration: .seconds(3))) == nil)
        #expect(extended.controller.commands(.leSetExtendedAdvertisingEnable).last == bytes("01 01 00 2C01 00"))
        extended.leEvent(.advertisingSetTerminated, bytes("3C 00 0000 00"))
        #expect(ends == 2 && !other.isAdvertising)
    }

    @Test func aDirectedLegacyAdvertisementTimesOut() throws {
        let fixture = HostFixture.ready()
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        var ends = 0
        set.onTerminated = { if case .timeout = $0 { ends += 1 } }
        let parameters = AdvertisingParameters(directedTo: address(9), isHighDuty: true)
        #expect(start(set, fixture, parameters, data: []) == nil)
        #expect(fixture.controller.sent.first == bytes("01 0620 0F A000 A000 01 00 00 0900000000C0 07 00"))
        fixture.connected(handle: 0, role: 1, peer: 0, status: 0x3C)
        #expect(ends == 1)
    }

    @Test func theEndOfTheControllerEndsTheSets() throws {
        let fixture = HostFixture.ready()
        let set = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
        var failures = 0
        set.onTerminated = { if case .failed = $0 { failures += 1 } }
        #expect(start(set, fixture) == nil)
        fixture.event(.hardwareError, [1])
        #expect(failures == 1 && !set.isAdvertising && fixture.host.state == .ready)
        #expect(start(set, fixture) != nil)
        _ = try fixture.host.makeAdvertiser(LocalIdentity(server: nil))
    }
}
