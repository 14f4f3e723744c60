import Harald
import VirtualTransport

let radio = VirtualRadio()
let battery = try await LocalPeripheral(adapter: radio.adapter(), name: "Battery")
try await battery.publish(ServiceDefinition("180F", [CharacteristicDefinition("2A19", .read, value: [87])]))
try await battery.advertise()

let central = try await Central(adapter: radio.adapter())
for try await found in central.scan(for: ["180F"], duration: .seconds(10)) {
    let level = try await found.peripheral.withConnection {
        try await found.peripheral.characteristic("180F", "2A19").read()
    }
    print("\(found.name ?? "?") says \(level[0]) %")
    break
}
