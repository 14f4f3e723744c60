import BluetoothProfiles
import BluetoothRuntime
import Foundation
import Harald
import Testing
import VirtualTransport

@testable import VirtualDevices

/// Scenes on a virtual radio, with a central in the middle.
@Suite(.timeLimit(.minutes(2))) struct VirtualSceneTests {
    private func withScene(
        _ file: SceneFile, _ body: (VirtualScene, Central) async throws -> Void
    ) async throws {
        let scene = try await VirtualScene(file, on: VirtualRadio())
        let central = try await Central(adapter: scene.radio.adapter(named: "central"))
        try await body(scene, central)
        await central.close()
        await scene.close()
    }

    private func find(_ name: String, _ central: Central) async throws -> Peripheral {
        for try await found in central.scan() where found.name == name { return found.peripheral }
        throw CancellationError()
    }

    @Test func signalStrengthsFollowThePositions() async throws {
        let file = try #require(try BuiltIn.scene(named: "default"))
        try await withScene(file) { _, central in
            var heard: [PeripheralID: ScanResult] = [:]
            for try await found in central.scan() {
                heard[found.id] = found
                if heard.count == 4 { break }
            }
            let strap = try #require(heard.values.first { $0.name == "Polar H7 4C1A2B" })
            let gadget = try #require(heard.values.first { $0.name == "Gadget FFF0" })
            #expect(strap.services == ["180D"])
            #expect(strap.rssi == -50)
            #expect(try #require(gadget.rssi) < -50)
            #expect(heard.values.filter { !$0.isConnectable }.count == 2)
            #expect(heard.values.contains { $0.advertisement.manufacturerData.first?.company == 0x004C })
        }
    }

    @Test func aBrokenLinkReconnects() async throws {
        let file = try #require(try BuiltIn.scene(named: "default"))
        try await withScene(file) { scene, central in
            let strap = try await find("Polar H7 4C1A2B", central)
            try await strap.connect(reconnect: .always)
            var rates = try await strap.characteristic("180D", "2A37").notifications().makeAsyncIterator()
            #expect(try await rates.next() != nil)
            let states = strap.states
            await scene.breakLinks(of: try #require(scene.devices.first { $0.file.name == strap.name }))
            var wasLost = false
            for try await state in states {
                if case .reconnecting(_, let error) = state {
                    wasLost = true
                    #expect(error.code == .disconnected(.connectionTimeout))
                }
                if wasLost, state == .connected { break }
            }
            #expect(try await rates.next() != nil)
            #expect(try await rates.next() != nil)
            await strap.disconnect()
        }
    }

    /// A link breaks also where no packet passes.
    @Test func anIdleLinkBreaks() async throws {
        let file = try SceneFile(yaml: "devices: [{device: {name: Idle}}]")
        try await withScene(file) { scene, central in
            let idle = try await find("Idle", central)
            try await idle.connect(reconnect: .always)
            let states = idle.states
            await scene.breakLinks(of: try #require(scene.devices.first))
            for try await state in states { if case .reconnecting = state { break } }
            await idle.disconnect()
        }
    }

    @Test func silentDeviceEndsItsLinks() async throws {
        var faults = SceneFaults()
        faults.silentAfter = .seconds(120)
        let file = SceneFile(name: "silence", devices: [SceneDevice(DeviceFile(name: "Mute"), faults: faults)])
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let scene = try await VirtualScene(file, on: radio)
        let central = try await Central(adapter: scene.radio.adapter(named: "central"))
        let stepping = Task { while !Task.isCancelled { await clock.advance(by: .milliseconds(10)) } }
        // On the loop, so that the clock waits for it.
        let mute = try await Task(executorPreference: central.executor) {
            let mute = try await find("Mute", central)
            try await mute.connect()
            return mute
        }.value
        stepping.cancel()
        await stepping.value
        let states = mute.states
        #expect(mute.state == .connected)
        // The silence, and then the supervision timeout of the link.
        await clock.advance(by: .seconds(140))
        for try await state in states {
            if case .disconnected(let error) = state {
                #expect(error?.code == .disconnected(.connectionTimeout))
                break
            }
        }
        await central.close()
        await scene.close()
    }

    @Test func twoScenesShareAnAir() async throws {
        let radio = VirtualRadio()
        let file = SceneFile(name: "one", devices: [SceneDevice(DeviceFile(name: "Lamp"))])
        let (first, second) = (try await VirtualScene(file, on: radio), try await VirtualScene(file, on: radio))
        let central = try await Central(adapter: radio.adapter(named: "central"))
        var heard: Set<PeripheralID> = []
        for try await found in central.scan() where found.name == "Lamp" {
            heard.insert(found.id)
            if heard.count == 2 { break }
        }
        #expect(heard.count == 2)
        await central.close()
        await first.close()
        await second.close()
    }

    /// The values in `ScanResult` of the sensors and beacons of a house.
    @Test func theHouseAdvertisesValues() async throws {
        try await withScene(try #require(try BuiltIn.scene(named: "home"))) { _, central in
            var values: [String: [String]] = [:]
            var beacon: ScanResult?
            for try await found in central.scan(duplicates: true) {
                for value in found.values {
                    #expect(value.problem == nil)
                    values[value.kind, default: []].append(value.text)
                    if value.kind == "iBeacon", value["minor"]?.value == .integer(1016) { beacon = found }
                }
                if values.count >= 13, beacon != nil { break }
            }
            #expect(values["ruuvi-5"]?.first?.hasPrefix("temperature -4.250 °C, humidity 81.2500 %") == true)
            #expect(values["eddystone-url"]?.first?.contains("https://example.org/") == true)
            // The distance follows from the power that the beacon states: -59 dBm at one metre.
            let found = try #require(beacon)
            let (rssi, estimate) = (try #require(found.rssi), try #require(found.distance()))
            #expect(abs(20 * log10(estimate.metres) - Double(-59 - rssi)) < 0.01)
        }
    }
}
