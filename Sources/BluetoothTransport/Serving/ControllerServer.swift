import BluetoothRuntime
import VirtualBluetooth

/// Offers virtual controllers to other programs: every connection to one of its addresses is a host with its own
/// controller, which is removed from the air when the connection ends.
///
/// Confined to the loop of the air.
public final class ControllerServer {
    /// An event about a host.
    public enum Event {
        /// A host has connected to `address` and was given `controller`.
        case connected(VirtualController, ListenAddress)
        /// The connection of `controller` has ended, and it has left the air; nil where the server closed it.
        case disconnected(VirtualController, ListenAddress, TransportError?)
        /// A host was refused because ``ControllerServer/maximumHosts`` are connected already.
        case refused(ListenAddress)
    }

    /// The maximum number of hosts of a server, at all its addresses together.
    public static let maximumHosts = 256

    /// Called for each event.
    public var onEvent: ((Event) -> Void)?

    /// The addresses on which the server listens, with the ports that the system chose.
    public var addresses: [ListenAddress] { listeners.map(\.address) }

    /// The number of connected hosts.
    public var hostCount: Int { hosts.count }

    private let air: VirtualAir
    private let makeController: (ListenAddress) -> VirtualController
    private var listeners: [Listener] = []
    private var hosts: [ObjectIdentifier: ServedHost] = [:]
    private var isClosed = false

    /// Creates a server for `air`, which does not listen yet.
    ///
    /// - Parameter makeController: creates the controller for a host at an address; nil gives each host a plain
    ///   controller.
    public init(air: VirtualAir, makeController: ((ListenAddress) -> VirtualController)? = nil) {
        self.air = air
        self.makeController = makeController ?? { [unowned air] _ in air.makeController() }
    }

    deinit { close() }

    /// Listens on a further address.
    ///
    /// - Parameter completion: called on the loop, never inside this call, with the address that hosts connect to.
    public func listen(
        on address: ListenAddress, completion: @escaping (Result<ListenAddress, TransportError>) -> Void
    ) {
        // The actual port, which differs from a requested port 0.
        var actual = address
        Listener.open(address, on: air.loop) { [weak self] descriptor in
            guard let self else { return SystemCall.close(descriptor) }
            accept(descriptor, at: actual)
        } completion: { [weak self] result in
            switch result {
            case .success(let listener):
                guard let self, !isClosed else {
                    listener.close()
                    completion(.failure(.cancelled(address.description)))
                    return
                }
                actual = listener.address
                listeners.append(listener)
                completion(.success(listener.address))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Stops listening, closes all connections and removes their controllers from the air.
    public func close() {
        isClosed = true
        for listener in listeners { listener.close() }
        listeners = []
        for host in hosts.values { host.close() }
    }

    private func accept(_ descriptor: Int32, at address: ListenAddress) {
        guard hosts.count < Self.maximumHosts else {
            SystemCall.close(descriptor)
            onEvent?(.refused(address))
            return
        }
        let name = "host at \(address)"
        let channel: any HCIChannel
        switch address {
        case .tcp: channel = StreamChannel(.tcp, descriptor: descriptor, name: name, loop: air.loop)
        case .unix: channel = StreamChannel(.unix, descriptor: descriptor, name: name, loop: air.loop)
        case .seq: channel = PacketChannel(descriptor: descriptor, name: name, loop: air.loop)
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
