import Foundation
import Harald

// A lamp: FFF1 switches it (0 or 1), and notifies each change. Ends after its first central has disconnected.
let lamp = try await LocalPeripheral(name: "Lamp")
let (switches, flip) = AsyncStream<UInt8>.makeStream()
let service = try await lamp.publish(
    ServiceDefinition(
        "FFF0",
        [
            CharacteristicDefinition(
                "FFF1", [.read, .write, .notify], value: [0],
                onWrite: { request in
                    guard let state = request.value.first, state < 2 else { throw ATTErrorCode.valueNotAllowed }
                    flip.yield(state)
                })
        ]))
let events = lamp.events
try await lamp.advertise()
print("advertising")
fflush(nil)

let switching = Task {
    for await state in switches {
        print(state == 1 ? "on" : "off")
        try await service["FFF1"]?.update([state])
    }
}
for try await event in events {
    if case .disconnected = event { break }
}
flip.finish()
try await switching.value
await lamp.close()
