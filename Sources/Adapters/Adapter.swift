/// The adapter that a central or a local peripheral uses.
///
/// A string literal is a URI: "auto", "virtual:", "tcp:127.0.0.1:9001", "tcp-server:9001", "unix:/run/hci",
/// "serial:/dev/ttyACM0,1000000", "hci:0". A URI that is opened twice in a program is one adapter. "virtual:" joins the
/// air that `harald air` or `harald simulate` offers. An air inside the program is a `VirtualRadio` of the product
/// `VirtualBluetooth`.
public struct Adapter: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The source of the adapter.
    package let source: AdapterSource

    /// Creates an adapter from its URI; an invalid one is reported when it is opened.
    public init(_ uri: String) { source = .uri(uri) }

    /// Creates an adapter from its URI.
    public init(stringLiteral uri: String) { self.init(uri) }

    /// Creates an adapter from its source.
    package init(source: AdapterSource) { self.source = source }

    /// The adapter that `HARALD_ADAPTER` names, else the first adapter of the machine that this program may use.
    public static let auto = Adapter("auto")

    /// The URI.
    public var description: String { source.description }
}
