import HaraldDevices

/// Waits until the soil is dry, and returns its moisture.
func waitForDrySoil(_ central: Central) async throws -> Double {
    let peripheral = try await central.find(PlantSensor.self)
    return try await peripheral.withDriver(for: PlantSensor.self) { plant in
        try await plant.soil.turnOn()
        for try await moisture in try plant.soil.moisture.values() {
            if let percent = moisture.percent.value, percent < 20 { return percent }
        }
        throw BluetoothError(.notConnected, operation: "wait for dry soil", reason: "the plant is gone")
    }
}
