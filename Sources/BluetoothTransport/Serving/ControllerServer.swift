import BluetoothRuntime
import VirtualBluetooth

/// Offers virtual controllers to other programs: every connection to one of its addresses is a host with a controller of
/// its own, which leaves the air when the connection ends.
///
/// Confined to the loop of the air.
public final class ControllerServer {
    /// What a server tells about its hosts.
    public enum Event {
        /// A host has connected to `address` and was given `controller`.
        case connected(VirtualController, ListenAddress)
        /// The connection of `controller` has ended, and it has left the air; nil where the server closed it.
        case disconnected(VirtualController, ListenAddress, TransportError?)
        /// A host was turned away: ``ControllerServer/maximumHosts`` are there already.
        case refused(ListenAddress)
    }

    /// How many hosts a server serves at once, at all its addresses together.
    public static let maximumHosts = 256

    /// Told of hosts that come and go.
    public var onEvent: ((Event) -> Void)?

    /// The addresses at which the server listens, with the ports that the system chose.
    public var addresses: [ListenAddress] { listeners.map(\.address) }

    /// How many hosts are connected.
    public var hostCount: Int { hosts.count }

    private let air: VirtualAir
    private let makeController: (ListenAddress) -> VirtualController
    private var listeners: [Listener] = []
    private var hosts: [ObjectIdentifier: ServedHost] = [:]
    private var isClosed = false

    /// A server for `air`, which listens nowhere yet.
    ///
    /// - Parameter makeController: makes the controller for a host at an address; nil gives each one a plain controller.
    public init(air: VirtualAir, makeController: ((ListenAddress) -> VirtualController)? = nil) {
        self.air = air
        self.makeController = makeController ?? { [unowned air] _ in air.makeController() }
    }

    deinit { close() }

    /// Listens on one more address.
    ///
    /// - Parameter completion: called on the loop, never inside this call, with the address that hosts connect to.
    public func listen(
        on address: ListenAddress, completion: @escaping (Result<ListenAddress, TransportError>) -> Void
    ) {
        // The connection knows which port it came in on, not the 0 that was asked for.
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

    /// Listens no more, closes all connections and takes their controllers off the air.
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
