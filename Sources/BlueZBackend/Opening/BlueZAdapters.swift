import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// The adapters of the machine's `bluetoothd`.
package struct BlueZAdapters: SystemAdapters {
    /// The address of the bus; nil for the system bus.
    private let address: String?

    /// Creates access to the adapters of the `bluetoothd` on the system bus, or on the bus at `address`.
    package init(address: String? = nil) { self.address = address }

    /// The optional features of BlueZ: it offers no physical layers, no connection parameters and no choice between
    /// notifications and indications, and an adapter has one identity. L2CAP channels are sockets of the kernel, which
    /// may be unavailable in a container.
    package static let capabilities: BackendCapabilities =
        L2CAPSocket.isAvailable
        ? [.addresses, .peripheralRole, .pairing, .power, .channels] : [.addresses, .peripheralRole, .pairing, .power]

    /// The description of an adapter.
    package struct Listing: Hashable, Sendable {
        /// The name, such as "hci0".
        package var name: String
        /// The public or static random address.
        package var address: BluetoothAddress?
        /// The name that remote devices see.
        package var alias: String
        /// True if the adapter is switched on.
        package var isPowered: Bool
        /// The version of `bluetoothd`.
        package var version: BlueZVersion?
        /// The roles, as BlueZ names them: "central", "peripheral", "central-peripheral".
        package var roles: [String]
    }

    /// Opens an adapter by its name, or the first that is switched on, else the first.
    /// - Throws: ``RadioError`` if the bus refuses the connection or cannot be reached.
    package func open(
        _ name: String?, uri: String, on loop: RadioLoop
    ) async throws(RadioError) -> LoopBound<any RadioBackend>? {
        let client = try await Self.started(on: loop, address: address)
        return await loop.run {
            let client = client.value
            guard let name = name ?? Self.list(client).first?.name else {
                client.close()
                return nil
            }
            return LoopBound(
                confined: BlueZRadio(client: client, name: name, uri: uri.isEmpty ? "bluez:\(name)" : uri), loop: loop)
        }
    }

    /// Returns the adapters, those that are switched on first; none if `bluetoothd` does not run.
    /// - Throws: ``RadioError`` if the bus refuses the connection or cannot be reached.
    package func list(on loop: RadioLoop = .shared) async throws(RadioError) -> [Listing] {
        let client = try await Self.started(on: loop, address: address)
        return await loop.run {
            defer { client.value.close() }
            return Self.list(client.value)
        }
    }

    private static func list(_ client: BlueZClient) -> [Listing] {
        client.objects.paths(of: BlueZ.adapter).compactMap { path in
            guard let properties = client.objects[path, BlueZ.adapter], let name = path.split(separator: "/").last
            else {
                return nil
            }
            return Listing(
                name: String(name), address: properties.bluezAddress, alias: properties["Alias"]?.text ?? "",
                isPowered: properties["Powered"]?.bool ?? false,
                version: BlueZVersion(modalias: properties["Modalias"]?.text ?? ""),
                roles: properties["Roles"]?.texts ?? [])
        }.sorted { ($0.isPowered ? 0 : 1, $0.name) < ($1.isPowered ? 0 : 1, $1.name) }
    }

    private static func started(
        on loop: RadioLoop, address: String?
    ) async throws(RadioError) -> LoopBound<BlueZClient> {
        let result: Result<LoopBound<BlueZClient>, BusError> = await withCheckedContinuation { continuation in
            loop.execute {
                do throws(BusError) {
                    let client = try BlueZClient(address: address ?? BusConnection.systemAddress, loop: loop)
                    let bound = LoopBound(confined: client, loop: loop)
                    client.start { result in
                        if case .failure = result { bound.value.close() }
                        continuation.resume(returning: result.map { bound })
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        switch result {
        case .success(let client): return client
        case .failure(let error): throw error.radioError()
        }
    }
}
