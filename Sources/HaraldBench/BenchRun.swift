import Adapters
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import Harald

/// Runs one side of a measurement.
enum BenchRun {
    /// The address that the referee assigns to the advertising host.
    static let server = BluetoothAddress(value: 0xC655_4433_2202, kind: .public)

    /// Serves until the client sends the quit operation.
    static func serve(_ lease: AdapterLease) async throws {
        try await untilReady(lease)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            lease.loop.execute {
                let ended = Once { continuation.resume() }
                let server = SeamServer(backend: lease.backend.value) { ended.run() }
                server.start { result in
                    switch result {
                    case .success(let handles):
                        print("HANDLES", handles.map(String.init).joined(separator: " "))
                        flushOutput()
                    case .failure(let error):
                        print("FAILED \(error)")
                        ended.run()
                    }
                }
                ended.keep(server)
            }
        }
    }

    static func clientOnSeam(_ lease: AdapterLease, _ plan: ClientPlan) async throws {
        try await untilReady(lease)
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<RadioError?, Never>) in
            lease.loop.execute {
                let backend = lease.backend.value
                guard let peer = backend.peripheral(at: server) else {
                    return continuation.resume(returning: .notConnected)
                }
                _ = backend.connect(peer, ConnectRequest(timeout: .seconds(10))) { result in
                    switch result {
                    case .failure(let error): continuation.resume(returning: error)
                    case .success(let link):
                        let ended = Once()
                        let client = SeamClient(link: link, plan: plan, loop: backend.loop) { error in
                            ended.run { continuation.resume(returning: error) }
                        }
                        ended.keep(client)
                        client.run()
                    }
                }
            }
        }
        if let error { throw BenchFailure("\(error)") }
    }

    static func clientOnFrontDoor(
        _ address: String, _ plan: ClientPlan, onExecutor: Bool
    ) async throws {
        let uri = UInt16(address.dropFirst(4)) == nil ? address : "tcp:127.0.0.1:\(address.dropFirst(4))"
        let central = try await Central(adapter: Adapter(uri), options: AdapterOptions(storage: .none))
        try await central.waitUntilPoweredOn()
        guard let peripheral = await central.peripheral(address: server) else { throw BenchFailure("no such address") }
        try await peripheral.connect()
        let client = try await AsyncClient(peripheral, plan: plan)
        if onExecutor {
            try await withTaskExecutorPreference(central.executor) { try await client.run() }
        } else {
            try await client.run()
        }
    }

    static func clientOnCoreBluetooth(_ address: String, _ plan: ClientPlan) async throws {
        #if os(Linux)
        let lease = try await open(address)
        try await untilReady(lease)
        let peer = await lease.loop.run { lease.backend.value.peripheral(at: server)?.description }
        guard let peer, let identifier = UUID(uuidString: peer) else { throw BenchFailure("no such address") }
        let uri = UInt16(address.dropFirst(4)) == nil ? address : "tcp:127.0.0.1:\(address.dropFirst(4))"
        if let failure = await CoreBluetoothClient.run(.uri(uri), plan: plan, identifier: identifier) {
            throw BenchFailure(failure)
        }
        withExtendedLifetime(lease) {}
        #else
        throw BenchFailure("this system does not use our CoreBluetooth", status: 64)
        #endif
    }

    private static func untilReady(_ lease: AdapterLease) async throws {
        let failure = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
            lease.loop.execute {
                let watcher = ReadyWatcher { continuation.resume(returning: $0) }
                lease.backend.value.addObserver(watcher)
                watcher.radioStateChanged(lease.backend.value)
            }
        }
        if let failure { throw BenchFailure(failure) }
    }
}

/// Waits on the loop until an adapter is ready or has failed; retains itself until then.
private final class ReadyWatcher: RadioObserver {
    private var done: ((String?) -> Void)?
    private var itself: ReadyWatcher?

    init(done: @escaping (String?) -> Void) {
        self.done = done
        itself = self
    }

    func radioStateChanged(_ backend: any RadioBackend) {
        switch backend.state {
        case .poweredOn: end(nil)
        case .unknown, .resetting: break
        case .unsupported, .unauthorized, .poweredOff: end(backend.stateReason)
        }
    }

    private func end(_ failure: String?) {
        done?(failure)
        done = nil
        itself = nil
    }

    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

/// Runs a closure once, and retains an object until then. Confined to the loop.
private final class Once {
    private var body: (() -> Void)?
    private var isDone = false
    private var kept: AnyObject?

    init(_ body: (() -> Void)? = nil) { self.body = body }

    func keep(_ object: AnyObject) { if !isDone { kept = object } }

    func run() { run { self.body?() } }

    func run(_ body: () -> Void) {
        guard !isDone else { return }
        isDone = true
        body()
        kept = nil
    }
}
