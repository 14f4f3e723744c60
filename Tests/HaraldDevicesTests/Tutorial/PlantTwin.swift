import HaraldDevices

/// A plant without water: each value is two percent lower than the one before.
final class PlantTwin: Sendable {
    private let device: LocalPeripheral
    private let drying: Task<Void, any Error>

    init(on adapter: Adapter) async throws {
        let soil = PlantSensor.Soil()
        let (switches, flip) = AsyncStream<Bool>.makeStream()
        let device = try await LocalPeripheral(adapter: adapter, name: "Plant")
        let service = try await device.publish(
            ServiceDefinition(
                soil.uuid,
                [
                    CharacteristicDefinition(soil.moisture.uuid, .notify),
                    CharacteristicDefinition(
                        soil.power.uuid, .write, onWrite: { request in flip.yield(request.value == [1]) }),
                ]))
        try await device.publish(
            ServiceDefinition("180F", [CharacteristicDefinition(.read, value: BatteryLevel(85))]))
        try await device.advertise()
        self.device = device
        let subscriptions = device.events
        drying = Task {
            for await isOn in switches where isOn { break }
            for try await case .subscribed in subscriptions { break }
            for percent in stride(from: Int64(30), to: 0, by: -2) {
                try await service[soil.moisture.uuid]?.update(Moisture { $0.percent = ProfileNumber(percent) })
            }
        }
    }

    func close() async {
        drying.cancel()
        await device.close()
    }
}
