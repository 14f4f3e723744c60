import BlueZService
import Harald

/// `org.bluez` of this package on the bus at an address, until it is killed: what `harald bluez --bus` does, in a
/// program of which an optimised build is quick.
enum ServicePart {
    static func run(_ address: String) async {
        await Checks.step("serve \(address)") {
            let central = try await Central(options: .init(storage: .none))
            try await central.waitUntilPoweredOn()
            let service = try await BlueZService.start(
                on: address, adapters: [BlueZService.Adapter(backend: central.backend, user: central.user)])
            say("serving")
            if let error = await service.untilEnded() { throw error }
        }
    }
}
