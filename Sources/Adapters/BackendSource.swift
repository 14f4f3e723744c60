import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// An adapter of the caller's backend.
public final class BackendSource: Hashable, Sendable {
    /// The name of the adapter.
    public let name: String
    let open: @Sendable (AdapterOptions) async throws(RadioError) -> LoopBound<any RadioBackend>
    /// The radio that the adapter belongs to; nil if the source itself is the adapter. Retained, so that no other
    /// object can have its identity meanwhile.
    private let radio: (any AnyObject & Sendable)?
    /// True for an adapter of a radio that exists only in this program: the options of an adapter apply to it, and by
    /// default nothing is stored.
    package var isVirtual: Bool { radio != nil }

    /// Creates the source of an adapter that `open` opens. The same object is the same adapter.
    package init(
        name: String, open: @escaping @Sendable (AdapterOptions) async throws(RadioError) -> LoopBound<any RadioBackend>
    ) {
        self.name = name
        self.open = open
        radio = nil
    }

    /// Creates the source of an adapter of `radio`, which applies the options itself. Equal names are the same adapter.
    package init(
        name: String, on radio: any AnyObject & Sendable,
        open: @escaping @Sendable (AdapterOptions) async throws(RadioError) -> LoopBound<any RadioBackend>
    ) {
        self.name = name
        self.open = open
        self.radio = radio
    }

    /// Returns true if both are the same adapter.
    public static func == (left: BackendSource, right: BackendSource) -> Bool {
        guard let radio = left.radio else { return left === right }
        return radio === right.radio && left.name == right.name
    }

    /// Hashes the identity of the adapter.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(radio ?? self))
        if radio != nil { hasher.combine(name) }
    }
}
