import BluetoothModel
import HostBackend
import VirtualBluetooth

/// Names the adapter that a central or a local peripheral uses.
///
/// A string literal is a URI: "auto", "virtual:", "tcp:127.0.0.1:9001", "tcp-server:9001", "unix:/run/hci",
/// "serial:/dev/ttyACM0,1000000", "hci:0". One URI opened twice in a program is one adapter. "virtual:" is on the air
/// that `harald air` or `harald simulate` offers; where there is none, on an empty one in the program.
public struct Adapter: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    let source: AdapterSource

    /// An adapter by its URI; a wrong one is an error when it is opened.
    public init(_ uri: String) { source = .uri(uri) }

    /// An adapter by its URI.
    public init(stringLiteral uri: String) { self.init(uri) }

    init(source: AdapterSource) { self.source = source }

    /// What `HARALD_ADAPTER` names, else the first adapter of the machine that this program may use.
    public static let auto = Adapter("auto")

    /// The URI.
    public var description: String { source.description }
}

extension VirtualRadio {
    /// A new adapter on this air. Each call is an adapter of its own; keep it to open it twice.
    public func adapter(
        named name: String? = nil, configuration: VirtualControllerConfiguration = .init()
    ) -> Adapter {
        Adapter(source: source(named: name, configuration: configuration))
    }
}
