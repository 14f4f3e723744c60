import BluetoothTransport

/// Where an adapter comes from: a URI, or a virtual radio in this program.
public enum AdapterSource: Hashable, Sendable, CustomStringConvertible {
    /// By its URI.
    case uri(String)
    /// On an air of this program; the number names one controller of it.
    case virtual(VirtualRadio, name: String)
    /// By a backend of the caller's.
    case backend(BackendSource)

    /// The text that names the adapter.
    public var description: String {
        switch self {
        case .uri(let uri): uri
        case .virtual(_, let name): "virtual:\(name)"
        case .backend(let source): source.name
        }
    }
}
