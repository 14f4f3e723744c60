import HaraldDevices
import Testing
import VirtualTransport

@Suite struct PlantTests {
    @Test func plantDries() async throws {
        let radio = VirtualRadio()
        let twin = try await PlantTwin(on: radio.adapter(named: "plant"))
        try await withCentral(adapter: radio.adapter(named: "gardener")) { central in
            let percent = try await waitForDrySoil(central)
            #expect(percent == 18)
        }
        await twin.close()
    }
}
