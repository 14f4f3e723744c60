#if os(Linux)
import HaraldDevices
import PeerSupport
import Testing

@testable import VirtualDevices

extension PeerSuites {
    /// Our twins under Bumble's profile classes, and our drivers with Bumble's services.
    @Suite("Profiles with Bumble's profiles")
    struct ProfilesWithBumbleTests {
        @Test("Bumble's profile proxies read three twins", .timeLimit(.minutes(1)))
        func twinsAreRead() async throws {
            try await OfferedAir.with { air in
                let names = ["polar-h7", "sensortag-cc2650", "health-scale"]
                let scene = try await VirtualScene(
                    SceneFile(
                        name: "three",
                        devices: try names.map { SceneDevice(try #require(try BuiltIn.device(named: $0))) }),
                    on: air.radio)
                let devices = scene.devices.map(\.file.name)
                let said = try await Peers.with(.profiles, [air.controller, "read"] + devices) { bumble, _ in
                    try await bumble.event("end", timeout: .seconds(50))
                    var said: [String: PeerLine] = [:]
                    for await line in bumble.lines {
                        if line.event == "read" { said[line["name"]?.text ?? ""] = line }
                        if line.event == "end" { break }
                    }
                    return said
                }
                let strap = try #require(said["Polar H7 4C1A2B"])
                #expect(strap["battery"]?.int == 85)
                #expect(strap["location"]?.text == "CHEST")
                #expect(strap["manufacturer"]?.text == "Polar Electro Oy")
                let rates = strap["rates"]?.list?.compactMap(\.int) ?? []
                #expect(rates.count == 2 && rates.allSatisfy { (64...92).contains($0) })
                let tag = try #require(said["CC2650 SensorTag"])
                #expect(tag["battery"]?.int == 83 && tag["manufacturer"]?.text == "Texas Instruments")
                let scale = try #require(said["Health Scale"])
                #expect(scale["battery"]?.int == 58 && scale["model"]?.text == "HS-1")
                await scene.close()
            }
        }

        @Test("our drivers use Bumble's services", .timeLimit(.minutes(1)))
        func servicesAreUsed() async throws {
            try await OfferedAir.with { air in
                try await Peers.with(.profiles, [air.controller, "serve"]) { bumble, _ in
                    try await withCentral(adapter: air.radio.adapter(named: "central"), options: .init(storage: .none))
                    {
                        central in
                        let peripheral = try await central.find(HeartRateStrap.self, within: .seconds(20))
                        let strap = try await Driver<HeartRateStrap>(peripheral)
                        #expect(try await strap.heartRate.location.read().location == .wrist)
                        #expect(try await strap.battery.level.read() == BatteryLevel(87))
                        #expect(try await strap.information.manufacturerName.read() == "Bumble")
                        #expect(try await strap.information.firmwareRevision.read() == "2.0")
                        let id = try await strap.information.systemID.read()
                        #expect(id.organizationallyUniqueIdentifier == 0x123456)
                        #expect(id.manufacturerIdentifier == 0x11_2233_4455)
                        try await strap.resetEnergyExpended()
                        var values = try strap.heartRate.measurement.values().makeAsyncIterator()
                        // After the response to this read the subscription is active.
                        _ = try await strap.battery.level.read()
                        try bumble.send("beat 123")
                        let value = try #require(try await values.next())
                        #expect(value.rate == 123 && value.sensorContact == .detected && value.energyExpended == 12)
                        #expect(value.rrSeconds == [0.5, 1])
                        await peripheral.disconnect()
                    }
                }
            }
        }
    }
}
#endif
