import BluetoothTransport

/// The source of an adapter: a URI, a virtual radio in this program, or a backend of the caller.
public enum AdapterSource: Hashable, Sendable, CustomStringConvertible {
    /// The adapter with this URI.
    case uri(String)
    /// A controller on an air of this program; the name identifies the controller.
    case virtual(VirtualRadio, name: String)
    /// An adapter of the caller's backend.
    case backend(BackendSource)

    /// The name of the adapter.
    public var description: String {
        switch self {
        case .uri(let uri): uri
        case .virtual(_, let name): "virtual:\(name)"
        case .backend(let source): source.name
        }
    }
}
