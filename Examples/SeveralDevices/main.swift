import BluetoothProfiles
import Harald

// Reads the batteries of all devices in range, at the same time.
try await withCentral { central in
    var peripherals: [Peripheral] = []
    for try await found in central.scan(duration: .seconds(2)) where found.isConnectable {
        peripherals.append(found.peripheral)
    }
    let levels = await withTaskGroup(of: String?.self) { group in
        for peripheral in peripherals {
            group.addTask {
                // A device without a battery, or one that does not answer, does not end the others.
                try? await peripheral.withConnection {
                    let level = try await peripheral.characteristic("180F", "2A19").read(as: BatteryLevel.self)
                    return "\(peripheral.name ?? "-"): \(level.level) %"
                }
            }
        }
        var lines: [String] = []
        for await case let line? in group { lines.append(line) }
        return lines
    }
    for line in levels.sorted() { print(line) }
}
