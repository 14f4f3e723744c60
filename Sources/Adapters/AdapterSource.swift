/// The source of an adapter: a URI, or a backend of the caller, such as a virtual radio.
public enum AdapterSource: Hashable, Sendable, CustomStringConvertible {
    /// The adapter with this URI.
    case uri(String)
    /// An adapter of the caller's backend.
    case backend(BackendSource)

    /// The name of the adapter.
    public var description: String {
        switch self {
        case .uri(let uri): uri
        case .backend(let source): source.name
        }
    }
}
