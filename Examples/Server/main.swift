import Harald
import Hummingbird
import Synchronization

// A web server with Harald inside: GET /devices lists the devices in range.
struct Device: ResponseEncodable {
    let name: String?
    let rssi: Int?
}

let seen = Mutex<[PeripheralID: Device]>([:])
let router = Router()
router.get("devices") { _, _ in seen.withLock { Array($0.values) } }
let server = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8080)))

try await withCentral { central in
    try await withThrowingTaskGroup { group in
        group.addTask {
            for try await found in central.scan(duplicates: true) {
                let device = Device(name: found.name, rssi: found.rssi)
                seen.withLock { $0[found.peripheral.id] = device }
            }
        }
        try await server.runService()  // until SIGTERM or Ctrl-C
        group.cancelAll()
    }
}
