import CoreBluetooth
import Harald
import Testing
import VirtualTransport

@testable import ViewModel

@Test @MainActor func theScreenShowsTheHeartRate() async throws {
    let radio = VirtualRadio()
    HaraldDefaults.adapter = radio.source(named: "phone")
    let strap = try await LocalPeripheral(adapter: radio.adapter(named: "strap"), name: "Strap")
    let events = strap.events
    let service = try await strap.publish(
        ServiceDefinition("180D", [CharacteristicDefinition("2A37", .notify, value: [])]))
    try await strap.advertise()

    let model = HeartRateModel()
    model.start()
    for try await case .subscribed in events { break }
    try await service["2A37"]?.update([0, 72])
    while model.state != .connected(72) { await Task.yield() }
    await strap.close()
}
