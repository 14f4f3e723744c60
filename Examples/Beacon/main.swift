import Harald

// Advertises as a beacon: data of a manufacturer, to which nobody can connect. `swift run Beacon SECONDS`
let seconds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 60
let beacon = try await LocalPeripheral(name: "Beacon")
let data = AdvertisingData(
    localName: "Beacon", flags: .classicNotSupported,
    manufacturerData: [ManufacturerData(company: 0xFFFF, data: [1, 2, 3])])  // 0xFFFF is for tests
try await beacon.advertise(data, interval: .milliseconds(200), connectable: false)
print("advertising for \(seconds) s")
try await Task.sleep(for: .seconds(seconds))
await beacon.close()
