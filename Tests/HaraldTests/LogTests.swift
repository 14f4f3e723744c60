import Foundation
import Harald
import Testing
import VirtualBluetooth
import VirtualTransport

/// The log of an adapter has the reason why a device cannot be connected.
@Suite(.closesRigs, .timeLimit(.minutes(3))) struct LogTests {
    /// A central whose log is recorded, on the air of a rig.
    private func central(
        _ name: String, on radio: VirtualRadio, configuration: VirtualControllerConfiguration = .init(),
        pairing: (any PairingDelegate)? = nil
    ) async throws -> Central {
        LogRecorder.follow("virtual:\(name)")
        return try await Central(adapter: radio.adapter(named: name, configuration: configuration), pairing: pairing)
    }

    /// Checks that the events contain these texts, in this order.
    private func expect(_ texts: [String], in adapter: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let events = LogRecorder.events(of: adapter)
        var rest = events[...]
        for text in texts {
            guard let place = rest.firstIndex(where: { $0.contains(text) }) else {
                Issue.record("no '\(text)' in:\n\(events.joined(separator: "\n"))", sourceLocation: sourceLocation)
                return
            }
            rest = rest[(place + 1)...]
        }
    }

    @Test func aDeviceThatIsGone() async throws {
        let rig = try await Rig()
        let central = try await central("log-gone", on: rig.radio)
        let peripheral = try await central.peripheral(of: rig.device)
        await rig.device.stopAdvertising()
        await #expect(throws: BluetoothError.self) { try await peripheral.connect(timeout: .milliseconds(100)) }
        let address = try #require(peripheral.address)
        let peer = "peer=\(address)"
        expect(
            ["the adapter is switched on", "[debug] connecting \(peer)", "s: no answer in time; is it in range"],
            in: "virtual:log-gone")
        await central.close()
    }

    @Test func aLinkThatFailsToBeEstablished() async throws {
        let rig = try await Rig()
        let central = try await central("log-0x3E", on: rig.radio)
        let peripheral = try await central.peripheral(of: rig.device)
        await rig.radio.loop.run { rig.radio.controller(named: "peripheral")?.faults.failedEstablishments = 100 }
        await #expect(throws: BluetoothError.self) { try await peripheral.connect() }
        let retry = "[notice] the link failed to be established (0x3E); connecting again"
        expect(
            ["[debug] connecting", retry, retry, retry, "s: the link failed to be established (0x3E)"],
            in: "virtual:log-0x3E")
        await central.close()
    }

    @Test func anAdapterWithoutRoom() async throws {
        let rig = try await Rig()
        var configuration = VirtualControllerConfiguration()
        configuration.linkCount = 1
        let central = try await central("log-full", on: rig.radio, configuration: configuration)
        let first = try await central.peripheral(of: rig.device)
        try await first.connect()
        let nobody = try #require(BluetoothAddress("C0:00:00:00:00:0E"))
        let other = try #require(await central.device(at: nobody))
        await #expect(throws: BluetoothError.self) { try await other.connect() }
        expect(
            [
                "[debug] the controller refused LE",
                "[info] connecting failed after 0.0 s: the controller refused: too many connections (0x09)",
            ], in: "virtual:log-full")
        await central.close()
    }

    @Test func aDeviceWithAnotherKey() async throws {
        let rig = try await Rig()
        let lock = try await LocalPeripheral(
            adapter: rig.radio.adapter(named: "lock"), name: "Lock", pairing: PairingUser(.noInputNoOutput))
        try await lock.publish(ServiceDefinition("FFE0", [CharacteristicDefinition("FFE1", .read, value: [1])]))
        try await lock.advertise()
        let central = try await central("log-key", on: rig.radio, pairing: PairingUser(.noInputNoOutput))
        let peripheral = try await central.peripheral(of: lock)
        try await peripheral.connect()
        try await peripheral.pair()
        for bond in await lock.bonds { await lock.forgetBond(bond.id) }
        for try await state in peripheral.states { if case .disconnected = state { break } }
        await #expect(throws: BluetoothError.self) { try await peripheral.connect() }
        expect(
            [
                "securing the link to the level encrypted, by pairing", "pairing: exchange of features",
                "pairing: authentication by Just Works, LE Secure Connections", "pairing: encryption",
                "pairing: distribution of keys", "[info] paired", "link ended", "connecting",
                "encrypting with the key of the bond", "[warning] the device no longer has the key of its bond",
                "[info] connecting failed",
            ], in: "virtual:log-key")
        await central.close()
        await lock.close()
    }

    @Test func valuesThatTheProgramReadsTooSlowly() async throws {
        let rig = try await Rig()
        let central = try await central("log-slow", on: rig.radio)
        let peripheral = try await central.peripheral(of: rig.device)
        try await peripheral.connect()
        let characteristic = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let values = try await characteristic.subscribe(buffering: .oldest(2))
        for number in 0..<6 as Range<UInt8> { try await rig.published[Rig.notifying]?.update([number]) }
        // Its response follows the values.
        _ = try await characteristic.read()
        #expect(values.droppedCount == 4)
        // The first drop is logged, and each doubling of the number.
        for count in [1, 2, 4] {
            expect(
                ["[notice] dropped values of \(characteristic), \(count) so far: the program reads them too slowly"],
                in: "virtual:log-slow")
        }
        #expect(LogRecorder.events(of: "virtual:log-slow").filter { $0.contains("so far") }.count == 3)
        await central.close()
    }

    @Test func thePhasesOfADiscovery() async throws {
        let rig = try await Rig()
        let central = try await central("log-discovery", on: rig.radio)
        let peripheral = try await central.peripheral(of: rig.device)
        try await peripheral.connect()
        try await peripheral.discoverAll()
        expect(
            ["link is ready, MTU", "discovering all attributes", "discovered all attributes in"],
            in: "virtual:log-discovery")
        // The cache provides the rest, which is not logged as a phase.
        let events = LogRecorder.events(of: "virtual:log-discovery").filter { $0.contains("discover") }
        #expect(events.count == 2, "\(events)")
        await central.close()
    }
}
