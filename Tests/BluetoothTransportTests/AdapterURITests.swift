import Testing

@testable import BluetoothTransport

@Suite struct AdapterURITests {
    @Test(arguments: [
        ("auto", AdapterURI.auto),
        ("virtual:", .virtual(scene: nil)),
        ("virtual", .virtual(scene: nil)),
        ("virtual:clinic", .virtual(scene: "clinic")),
        ("virtual:./scene.yaml", .virtual(scene: "./scene.yaml")),
        ("tcp:127.0.0.1:9001", .tcp(host: "127.0.0.1", port: 9001)),
        ("TCP:localhost:1", .tcp(host: "localhost", port: 1)),
        ("tcp:[::1]:9001", .tcp(host: "::1", port: 9001)),
        ("tcp-server:9001", .tcpServer(host: nil, port: 9001)),
        ("tcp-server:0.0.0.0:0", .tcpServer(host: "0.0.0.0", port: 0)),
        ("unix:/tmp/a:b", .unix(path: "/tmp/a:b")),
        ("seq:relative", .seq(path: "relative")),
        ("serial:/dev/ttyACM0", .serial(SerialSettings(path: "/dev/ttyACM0"))),
        ("serial:/dev/ttyACM0,115200", .serial(SerialSettings(path: "/dev/ttyACM0", baudRate: 115_200))),
        (
            "serial:/dev/ttyACM0,1000000,noflow",
            .serial(SerialSettings(path: "/dev/ttyACM0", baudRate: 1_000_000, flowControl: false))
        ),
        ("hci:0", .hci(index: 0)),
        ("hci:hci12", .hci(index: 12)),
        ("bluez:hci0", .bluez(adapter: "hci0")),
    ])
    func names(_ text: String, _ expected: AdapterURI) throws {
        let adapter = try AdapterURI(text)
        #expect(adapter == expected)
        #expect(try AdapterURI(adapter.description) == expected)
    }

    @Test(arguments: [
        ("", "the forms are auto, virtual:"),
        ("usb:0", "the forms are auto, virtual:"),
        ("auto:hci0", "'auto' takes no parameters"),
        ("tcp:", "'' is not a port"),
        ("tcp:9001", "expected tcp:HOST:PORT"),
        ("tcp:host:", "'' is not a port"),
        ("tcp:host:port", "'port' is not a port"),
        ("tcp:host:65536", "'65536' is not a port; expected a number from 0 to 65535"),
        ("tcp:host:0", "port 0 is not valid here"),
        ("tcp::9001", "the host before ':9001' is empty"),
        ("tcp:::1:9001", "[::1]:9001"),
        ("tcp-server:", "'' is not a port"),
        ("tcp-server:-1", "'-1' is not a port"),
        ("unix:", "expected unix:PATH"),
        ("seq", "expected seq:PATH"),
        ("serial:", "expected serial:PATH[,BAUD]"),
        ("serial:/dev/ttyACM0,fast", "'fast' is not a baud rate; expected one of 9600"),
        ("serial:/dev/ttyACM0,12345", "1000000"),
        ("hci:", "expected hci:N"),
        ("hci:x", "expected hci:N"),
        ("hci:65535", "expected hci:N"),
        ("bluez:", "expected bluez:hciN"),
        ("bluez:0", "expected bluez:hciN"),
    ])
    func invalidURIsHaveErrorsWithTheAllowedForms(_ text: String, _ words: String) {
        let error = #expect(throws: TransportError.self) { try AdapterURI(text) }
        let description = error.map(String.init(describing:)) ?? ""
        #expect(description.contains(words) && description.contains("'\(text)'"), "\(description)")
    }

    @Test(arguments: [
        ("tcp:127.0.0.1:9001", ListenAddress.tcp(host: "127.0.0.1", port: 9001)),
        ("tcp:0", .tcp(host: nil, port: 0)),
        ("tcp-server:[::]:9001", .tcp(host: "::", port: 9001)),
        ("unix:/tmp/a", .unix(path: "/tmp/a")),
        ("seq:/tmp/b", .seq(path: "/tmp/b")),
    ])
    func namesOfListenAddresses(_ text: String, _ expected: ListenAddress) throws {
        #expect(try ListenAddress(text) == expected)
    }

    @Test(arguments: [
        ("hci:0", "the forms are tcp:[HOST:]PORT, unix:PATH, seq:PATH"),
        ("nonsense", "the forms are tcp:[HOST:]PORT, unix:PATH, seq:PATH"),
        ("tcp:x", "'x' is not a port"),
        ("unix:", "expected unix:PATH"),
    ])
    func invalidListenAddressesHaveErrorsWithTheAllowedForms(_ text: String, _ words: String) {
        let error = #expect(throws: TransportError.self) { try ListenAddress(text) }
        #expect(error.map { "\($0)".contains(words) && "\($0)".contains("'\(text)'") } == true)
    }

    @Test func aListenAddressIsOpenedAsAnAdapter() throws {
        #expect(try AdapterURI("\(ListenAddress.tcp(host: nil, port: 9))") == .tcp(host: "127.0.0.1", port: 9))
        #expect(try AdapterURI("\(ListenAddress.tcp(host: "::1", port: 9))") == .tcp(host: "::1", port: 9))
        #expect(try AdapterURI("\(ListenAddress.seq(path: "p"))") == .seq(path: "p"))
    }
}
