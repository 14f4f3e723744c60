import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// An adapter that a backend of the caller's opens: the same object is the same adapter.
public final class BackendSource: Hashable, Sendable {
    /// The text that names the adapter.
    public let name: String
    let open: @Sendable (AdapterOptions) async throws(RadioError) -> LoopBound<any RadioBackend>

    /// An adapter that is opened by `open`.
    public init(
        name: String, open: @escaping @Sendable (AdapterOptions) async throws(RadioError) -> LoopBound<any RadioBackend>
    ) {
        self.name = name
        self.open = open
    }

    /// Whether both are the same adapter.
    public static func == (left: BackendSource, right: BackendSource) -> Bool { left === right }

    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
