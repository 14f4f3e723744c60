import BluetoothModel
import HostBackend
import VirtualBluetooth

/// The adapter that a central or a local peripheral uses.
///
/// A string literal is a URI: "auto", "virtual:", "tcp:127.0.0.1:9001", "tcp-server:9001", "unix:/run/hci",
/// "serial:/dev/ttyACM0,1000000", "hci:0". A URI that is opened twice in a program is one adapter. "virtual:" joins the
/// air that `harald air` or `harald simulate` offers; without one, an empty air in the program.
public struct Adapter: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    let source: AdapterSource

    /// Creates an adapter from its URI; an invalid one is reported when it is opened.
    public init(_ uri: String) { source = .uri(uri) }

    /// Creates an adapter from its URI.
    public init(stringLiteral uri: String) { self.init(uri) }

    init(source: AdapterSource) { self.source = source }

    /// The adapter that `HARALD_ADAPTER` names, else the first adapter of the machine that this program may use.
    public static let auto = Adapter("auto")

    /// The URI.
    public var description: String { source.description }
}

extension VirtualRadio {
    /// Returns a new adapter on this air. Each call makes a distinct adapter; keep the value to open the same one
    /// twice.
    public func adapter(
        named name: String? = nil, configuration: VirtualControllerConfiguration = .init()
    ) -> Adapter {
        Adapter(source: source(named: name, configuration: configuration))
    }
}
