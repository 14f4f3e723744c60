/// The URI of an adapter, as programs take it in `--adapter` and `HARALD_ADAPTER`.
package enum AdapterURI: Hashable, Sendable {
    /// `auto`: BlueZ, then a free HCI device.
    case auto
    /// `virtual:`, `virtual:clinic`, `virtual:./scene.yaml`: the virtual radio, with a scene or none.
    case virtual(scene: String?)
    /// `tcp:HOST:PORT`: a controller that listens.
    case tcp(host: String, port: UInt16)
    /// `tcp-server:[HOST:]PORT`: a controller that connects to this program; without a host on the loopback interface
    /// only.
    ///
    /// With port 0 the system chooses a free one.
    case tcpServer(host: String?, port: UInt16)
    /// `unix:PATH`: a controller on a Unix stream socket.
    case unix(path: String)
    /// `seq:PATH`: a controller on a Unix packet socket (SEQPACKET), one H4 packet per datagram.
    case seq(path: String)
    /// `serial:PATH[,BAUD][,noflow]`: a controller behind a serial port.
    case serial(SerialSettings)
    /// `hci:N`: the Linux user channel of adapter `hciN`, which must be down.
    case hci(index: UInt16)
    /// `bluez:hciN`: the adapter of the system's `bluetoothd`.
    case bluez(adapter: String)
}

/// The settings of a serial port, with eight data bits, no parity and one stop bit (Core 6.0, Vol 4, Part A, 3).
package struct SerialSettings: Hashable, Sendable {
    /// The device, such as `/dev/ttyACM0`.
    package var path: String
    /// Bits per second.
    package var baudRate: Int
    /// True for flow control with RTS and CTS, which H4 requires.
    package var flowControl: Bool

    /// Creates settings for the port at `path`.
    package init(path: String, baudRate: Int = 1_000_000, flowControl: Bool = true) {
        self.path = path
        self.baudRate = baudRate
        self.flowControl = flowControl
    }
}

extension AdapterURI {
    /// All forms, for messages.
    package static let forms =
        "auto, virtual:[SCENE], tcp:HOST:PORT, tcp-server:[HOST:]PORT, unix:PATH, seq:PATH, "
        + "serial:PATH[,BAUD][,noflow], hci:N, bluez:hciN"

    /// Parses the URI `text`.
    /// - Throws: ``TransportError`` that names the valid forms.
    package init(_ text: String) throws(TransportError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0].lowercased()
        let rest = parts.count > 1 ? String(parts[1]) : ""
        func wrong(_ reason: String) -> TransportError { .invalidAdapter(text, reason: reason) }

        switch scheme {
        case "auto":
            guard parts.count == 1 else { throw wrong("'auto' takes no parameters") }
            self = .auto
        case "virtual":
            self = .virtual(scene: rest.isEmpty ? nil : rest)
        case "tcp":
            let (host, port) = try Self.endpoint(rest, of: text)
            guard let host else { throw wrong("expected tcp:HOST:PORT, such as tcp:127.0.0.1:9001") }
            guard port != 0 else { throw wrong("port 0 is not valid here; expected 1 to 65535") }
            self = .tcp(host: host, port: port)
        case "tcp-server":
            let (host, port) = try Self.endpoint(rest, of: text)
            self = .tcpServer(host: host, port: port)
        case "unix", "seq":
            guard !rest.isEmpty else { throw wrong("expected \(scheme):PATH, such as \(scheme):/tmp/controller") }
            self = scheme == "unix" ? .unix(path: rest) : .seq(path: rest)
        case "serial":
            self = .serial(try Self.serial(rest, of: text))
        case "hci":
            let digits = rest.hasPrefix("hci") ? rest.dropFirst(3) : rest[...]
            guard let index = UInt16(digits), index < UInt16.max else {
                throw wrong("expected hci:N, such as hci:0 for the adapter hci0")
            }
            self = .hci(index: index)
        case "bluez":
            guard rest.hasPrefix("hci"), UInt16(rest.dropFirst(3)) != nil else {
                throw wrong("expected bluez:hciN, such as bluez:hci0")
            }
            self = .bluez(adapter: rest)
        default:
            throw wrong("unknown form; the forms are \(Self.forms)")
        }
    }

    /// Parses `[HOST:]PORT`, where an IPv6 host is in brackets.
    private static func endpoint(
        _ rest: String, of text: String
    ) throws(TransportError) -> (host: String?, port: UInt16) {
        var host: Substring?
        var digits = rest[...]
        if let colon = rest.lastIndex(of: ":") {
            host = rest[..<colon]
            digits = rest[rest.index(after: colon)...]
        }
        guard let port = UInt16(digits) else {
            throw .invalidAdapter(text, reason: "'\(digits)' is not a port; expected a number from 0 to 65535")
        }
        guard var host else { return (nil, port) }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw .invalidAdapter(text, reason: "an IPv6 address must be in brackets: [::1]:9001")
        }
        guard !host.isEmpty else { throw .invalidAdapter(text, reason: "the host before ':\(port)' is empty") }
        return (String(host), port)
    }

    private static func serial(_ rest: String, of text: String) throws(TransportError) -> SerialSettings {
        let fields = rest.split(separator: ",", omittingEmptySubsequences: false)
        guard let path = fields.first, !path.isEmpty else {
            throw .invalidAdapter(text, reason: "expected serial:PATH[,BAUD], such as serial:/dev/ttyACM0,1000000")
        }
        var settings = SerialSettings(path: String(path))
        for field in fields.dropFirst() {
            switch field {
            case "noflow": settings.flowControl = false
            case "flow": settings.flowControl = true
            default:
                guard let rate = Int(field), SerialSettings.baudRates.contains(rate) else {
                    let rates = SerialSettings.baudRates.map(String.init).joined(separator: ", ")
                    throw .invalidAdapter(
                        text, reason: "'\(field)' is not a baud rate; expected one of \(rates), or 'noflow'")
                }
                settings.baudRate = rate
            }
        }
        return settings
    }
}

extension SerialSettings {
    /// The supported speeds of a serial port, in bits per second.
    package static let baudRates = [
        9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000, 1_152_000,
        1_500_000, 2_000_000, 2_500_000, 3_000_000, 3_500_000, 4_000_000,
    ]
}

extension AdapterURI: CustomStringConvertible {
    /// The text of the URI.
    package var description: String {
        switch self {
        case .auto: "auto"
        case .virtual(let scene): "virtual:\(scene ?? "")"
        case .tcp(let host, let port): "tcp:\(Self.bracketed(host)):\(port)"
        case .tcpServer(let host?, let port): "tcp-server:\(Self.bracketed(host)):\(port)"
        case .tcpServer(nil, let port): "tcp-server:\(port)"
        case .unix(let path): "unix:\(path)"
        case .seq(let path): "seq:\(path)"
        case .serial(let settings):
            "serial:\(settings.path),\(settings.baudRate)\(settings.flowControl ? "" : ",noflow")"
        case .hci(let index): "hci:\(index)"
        case .bluez(let adapter): "bluez:\(adapter)"
        }
    }

    static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
