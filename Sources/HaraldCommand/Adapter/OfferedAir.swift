import BluetoothRuntime
import BluetoothTransport
import Harald
import VirtualDevices
import VirtualTransport

/// An air of this process that other programs join through sockets.
final class OfferedAir: Sendable {
    let radio: VirtualRadio
    private let server: LoopBound<ControllerServer?>

    private init(pace: AirPace) {
        radio = VirtualRadio(pace: pace)
        server = LoopBound(nil, loop: radio.loop)
    }

    /// Offers an air at `addresses`. `report` receives messages about programs that join and leave.
    /// - Throws: ``ProgramError`` if an address cannot be listened on.
    static func open(
        _ addresses: [ListenAddress], pace: AirPace = .unpaced, report: @escaping @Sendable (String) -> Void
    ) async throws -> (air: OfferedAir, addresses: [ListenAddress]) {
        let air = OfferedAir(pace: pace)
        let (radio, server) = (air.radio, air.server)
        await radio.loop.run {
            let controllers = ControllerServer(air: radio.air.value)
            controllers.onEvent = { event in
                switch event {
                case .connected(let controller, let address):
                    report("a host joined at \(address) with address \(controller.publicAddress)")
                case .disconnected(let controller, let address, _):
                    report("the host \(controller.publicAddress) at \(address) left")
                case .refused(let address): report("a host at \(address) was refused: too many hosts are connected")
                }
            }
            server.value = controllers
        }
        var offered: [ListenAddress] = []
        for address in addresses {
            let result: Result<ListenAddress, TransportError> = await withCheckedContinuation { continuation in
                radio.loop.execute {
                    guard let controllers = server.value else {
                        return continuation.resume(returning: .failure(.cancelled("\(address)")))
                    }
                    controllers.listen(on: address) { continuation.resume(returning: $0) }
                }
            }
            switch result {
            case .success(let address): offered.append(address)
            case .failure(let error):
                await air.close()
                throw ProgramError(.failed, "cannot serve the air at \(address): \(error)")
            }
        }
        return (air, offered)
    }

    /// Stops listening and disconnects all programs.
    func close() async {
        let server = server
        await radio.loop.run {
            server.value?.close()
            server.value = nil
        }
    }
}
