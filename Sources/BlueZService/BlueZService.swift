import BluetoothBackend
import BluetoothRuntime
import SystemBus

/// BlueZ's D-Bus API, `org.bluez`, on adapters of this program.
package final class BlueZService: Sendable {
    /// An adapter of the service, and the user in whose name it is used.
    package struct Adapter: Sendable {
        let backend: LoopBound<any RadioBackend>
        let user: LoopBound<RadioUser>

        /// Creates the description of an adapter.
        package init(backend: LoopBound<any RadioBackend>, user: LoopBound<RadioUser>) {
            self.backend = backend
            self.user = user
        }
    }

    private let server: LoopBound<BlueZServer>
    private let end: AsyncStream<BusError>

    private init(server: LoopBound<BlueZServer>, end: AsyncStream<BusError>) {
        self.server = server
        self.end = end
    }

    /// Serves adapters, as `hci0` and so on, on the bus at `address`. They share one loop.
    /// - Throws: ``BusError`` if there is no bus, or if another program owns `org.bluez`.
    package static func start(
        on address: String, adapters: [Adapter]
    ) async throws(BusError) -> BlueZService {
        guard let loop = adapters.first?.backend.loop, adapters.allSatisfy({ $0.backend.loop === loop }) else {
            throw BusError(BusError.invalidMessage, "the adapters of the service must be on one air")
        }
        let (end, continuation) = AsyncStream.makeStream(of: BusError.self)
        let result: Result<LoopBound<BlueZServer>, BusError> = await withCheckedContinuation { waiting in
            loop.execute {
                do throws(BusError) {
                    let opened = adapters.map { (backend: $0.backend.value, user: $0.user.value) }
                    let server = try BlueZServer(address: address, adapters: opened, loop: loop)
                    server.onEnd = { error in
                        continuation.yield(error)
                        continuation.finish()
                    }
                    let bound = LoopBound(confined: server, loop: loop)
                    server.start { waiting.resume(returning: $0.map { bound }) }
                } catch {
                    waiting.resume(returning: .failure(error))
                }
            }
        }
        return BlueZService(server: try result.get(), end: end)
    }

    /// Waits until the bus ends the connection, and returns the reason; nil if the task is cancelled.
    package func untilEnded() async -> BusError? { await end.first { _ in true } }

    /// Ends the service. The adapters stay open.
    package func stop() async {
        let server = server
        await server.loop.run { server.value.stop() }
    }
}
