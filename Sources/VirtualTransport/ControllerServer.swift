import BluetoothRuntime
import BluetoothTransport
import VirtualBluetooth

/// Offers virtual controllers to other programs: every connection to one of its addresses is a host with its own
/// controller, which is removed from the air when the connection ends.
///
/// Confined to the loop of the air.
package final class ControllerServer {
    /// An event about a host.
    package enum Event {
        /// A host has connected to `address` and was given `controller`.
        case connected(VirtualController, ListenAddress)
        /// The connection of `controller` has ended, and it has left the air; nil if the server closed it.
        case disconnected(VirtualController, ListenAddress, TransportError?)
        /// A host was refused because ``ControllerServer/maximumHosts`` are connected already.
        case refused(ListenAddress)
    }

    /// The maximum number of hosts of a server, at all its addresses together.
    package static let maximumHosts = 256

    /// Called for each event.
    package var onEvent: ((Event) -> Void)?

    /// The addresses on which the server listens, with the ports that the system chose.
    package var addresses: [ListenAddress] { listeners.map(\.address) }

    /// The number of connected hosts.
    package var hostCount: Int { hosts.count }

    private let air: VirtualAir
    private let makeController: (ListenAddress) -> VirtualController
    private var listeners: [HostListener] = []
    private var hosts: [ObjectIdentifier: ServedHost] = [:]
    private var isClosed = false

    /// Creates a server for `air`, which does not listen yet.
    ///
    /// - Parameter makeController: creates the controller for a host at an address; nil gives each host a plain
    ///   controller.
    package init(air: VirtualAir, makeController: ((ListenAddress) -> VirtualController)? = nil) {
        self.air = air
        // Proof of `unowned`: this object retains the air, and alone calls the closure.
        self.makeController = makeController ?? { [unowned air] _ in air.makeController() }
    }

    deinit { close() }

    /// Listens on a further address.
    ///
    /// - Parameter completion: called on the loop, never inside this call, with the address that hosts connect to.
    package func listen(
        on address: ListenAddress, completion: @escaping (Result<ListenAddress, TransportError>) -> Void
    ) {
        HostListener.open(address, on: air.loop) { [weak self] channel, address in
            guard let self else { return channel.close() }
            accept(channel, at: address)
        } completion: { [weak self] result in
            switch result {
            case .success(let listener):
                guard let self, !isClosed else {
                    listener.close()
                    completion(.failure(.cancelled(address.description)))
                    return
                }
                listeners.append(listener)
                completion(.success(listener.address))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Stops listening, closes all connections and removes their controllers from the air.
    package func close() {
        isClosed = true
        for listener in listeners { listener.close() }
        listeners = []
        for host in hosts.values { host.close() }
    }

    private func accept(_ channel: any HCIChannel, at address: ListenAddress) {
        guard hosts.count < Self.maximumHosts else {
            channel.close()
            onEvent?(.refused(address))
            return
        }
        let controller = makeController(address)
        let host = ServedHost(channel: channel, controller: controller) { [weak self, air] host, error in
            air.remove(controller)
            guard let self else { return }
            hosts[ObjectIdentifier(host)] = nil
            onEvent?(.disconnected(controller, address, error))
        }
        hosts[ObjectIdentifier(host)] = host
        onEvent?(.connected(controller, address))
    }
}
