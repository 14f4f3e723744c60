import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// An adapter of the caller's backend: the same object is the same adapter.
public final class BackendSource: Hashable, Sendable {
    /// The name of the adapter.
    public let name: String
    let open: @Sendable (AdapterOptions) async throws(RadioError) -> LoopBound<any RadioBackend>

    /// Creates the source of an adapter that `open` opens.
    public init(
        name: String, open: @escaping @Sendable (AdapterOptions) async throws(RadioError) -> LoopBound<any RadioBackend>
    ) {
        self.name = name
        self.open = open
    }

    /// Returns true if both are the same adapter.
    public static func == (left: BackendSource, right: BackendSource) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
