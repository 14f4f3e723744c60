#if os(Linux)
import BluetoothRuntime
import BluetoothTransport
import Harald
import VirtualTransport

/// A virtual radio that other programs join through a TCP port; each connection has its own controller.
struct OfferedAir: Sendable {
    let radio: VirtualRadio
    /// The port as Bumble names it.
    let controller: String
    private let server: LoopBound<ControllerServer?>

    /// Offers an air while the body runs.
    static func with<Result>(
        pace: AirPace = .unpaced, _ configuration: VirtualControllerConfiguration = .init(), port: UInt16 = 0,
        isolation: isolated (any Actor)? = #isolation, _ body: (OfferedAir) async throws -> sending Result
    ) async throws -> sending Result {
        let air = try await OfferedAir(pace: pace, configuration, port: port)
        do {
            let result = try await body(air)
            await air.close()
            return result
        } catch {
            await air.close()
            throw error
        }
    }

    private init(pace: AirPace, _ configuration: VirtualControllerConfiguration, port: UInt16) async throws {
        let radio = VirtualRadio(pace: pace)
        let server = LoopBound<ControllerServer?>(nil, loop: radio.loop)
        let result: Result<ListenAddress, TransportError> = await withCheckedContinuation { continuation in
            radio.loop.execute {
                let air = radio.air.value
                let controllers = ControllerServer(air: air) { [unowned air] _ in air.makeController(configuration) }
                server.value = controllers
                controllers.listen(on: .tcp(host: nil, port: port)) { continuation.resume(returning: $0) }
            }
        }
        self.radio = radio
        self.server = server
        controller = "tcp-client:" + "\(try result.get())".dropFirst("tcp:".count)
    }

    private func close() async {
        let server = server
        await radio.loop.run {
            server.value?.close()
            server.value = nil
        }
    }
}
#endif
