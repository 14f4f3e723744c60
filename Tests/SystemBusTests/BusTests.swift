import BluetoothRuntime
import Foundation
import PeerSupport
import SystemBus
import Testing

/// Messages, calls and signals through a real `dbus-daemon`.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BusTests {
    let bus: PrivateBus
    let loop = RadioLoop()

    init() async throws { bus = try await PrivateBus() }

    /// A connection that answers every call at `/echo` with its arguments.
    private func server() async throws -> LoopBound<BusConnection> {
        let (address, loop) = (bus.address, loop)
        return try await loop.run {
            let connection = try BusConnection(address: address, loop: loop)
            connection.onCall = { [unowned connection] call in
                guard call.path == "/echo" else { return false }
                switch call.member {
                case "Echo": call.respond(.success(call.arguments))
                case "Fail": call.respond(.failure(BusError("test.Error.Refused", "not today, 100 %s")))
                case "Shout": connection.emit("/echo", "test.Echo", "Shouted", call.arguments)
                case "Silence": break
                default: return false
                }
                return true
            }
            return LoopBound(confined: connection, loop: loop)
        }
    }

    private func call(
        _ member: String, _ arguments: [BusValue] = [], path: String = "/echo", timeout: Duration? = .seconds(10),
        to server: LoopBound<BusConnection>
    ) async throws -> Result<[BusValue], BusError> {
        let (address, loop) = (bus.address, loop)
        let client = try await loop.run {
            LoopBound(confined: try BusConnection(address: address, loop: loop), loop: loop)
        }
        let name = await withCheckedContinuation { continuation in
            loop.execute {
                server.value.bus("GetId", []) { _ in continuation.resume(returning: server.value.uniqueName) }
            }
        }
        return await withCheckedContinuation { continuation in
            loop.execute {
                client.value.call(name, path, "test.Echo", member, arguments, timeout: timeout) {
                    continuation.resume(returning: $0)
                    client.value.close()
                }
            }
        }
    }

    static let values: [[BusValue]] = [
        [],
        [.byte(7), .bool(true), .bool(false), .int16(-3), .uint16(65535), .int32(-70000), .uint32(4_000_000_000)],
        [
            .int64(.min), .uint64(.max), .double(-0.5), .string("Grüße"), .string(""), .path("/org/bluez"),
            .signature("a{sv}"),
        ],
        [.bytes([]), .bytes([0, 1, 255]), .bytes([UInt8](repeating: 9, count: 600))],
        [.strings([]), .strings(["a", "b"]), .array([.path("/a")], of: "o")],
        [.structure([.string("x"), .structure([.byte(1)])]), .variant(.variant(.uint16(3)))],
        [.properties([:]), .properties(["Offset": .uint16(3), "Data": .bytes([1]), "Names": .strings(["n"])])],
        [.dictionary([.uint16(0x004C): .variant(.bytes([2, 0x15]))], key: "q", value: "v")],
        [
            .dictionary(
                [.path("/a"): .dictionary([.string("i"): .properties(["p": .bool(true)])], key: "s", value: "a{sv}")],
                key: "o", value: "a{sa{sv}}")
        ],
    ]

    @Test("Every D-Bus type survives a round trip", arguments: values)
    func echoes(_ values: [BusValue]) async throws {
        let server = try await server()
        #expect(try await call("Echo", values, to: server) == .success(values))
    }

    @Test("A message carries a file descriptor, which is duplicated")
    func passesDescriptor() async throws {
        let server = try await server()
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let answer = try await call("Echo", [.descriptor(BusDescriptor(owning: ends[0]))], to: server).get()
        guard case .descriptor(let received)? = answer.first else {
            Issue.record("no descriptor: \(answer)")
            return
        }
        let descriptor = try #require(received.takeSocket())
        #expect(received.takeSocket() == nil)
        #expect(write(descriptor, "x", 1) == 1)
        close(descriptor)
        var byte = UInt8(0)
        #expect(read(ends[1], &byte, 1) == 1 && byte == UInt8(ascii: "x"))
        // A loop cannot watch a file.
        let file = BusDescriptor(owning: open("/dev/null", O_RDWR | O_CLOEXEC))
        #expect(file.takeSocket() == nil)
    }

    @Test("An error keeps its name and its text")
    func fails() async throws {
        let server = try await server()
        let expected = BusError("test.Error.Refused", "not today, 100 %s")
        #expect(try await call("Fail", to: server) == .failure(expected))
        let unknown = try await call("Nothing", to: server)
        #expect(throws: BusError.self) { try unknown.get() }
    }

    @Test("Invalid message values are errors")
    func refusesNonsense() async throws {
        let server = try await server()
        for value in [BusValue.path("no path"), .string("a\u{0}b"), .array([.byte(1)], of: "s"), .signature("(")] {
            let result = try await call("Echo", [value], to: server)
            let error = #expect(throws: BusError.self) { try result.get() }
            #expect(error?.name == BusError.invalidMessage)
        }
    }

    @Test("A call without a reply ends at its timeout")
    func timesOut() async throws {
        let server = try await server()
        let result = try await call("Silence", timeout: .milliseconds(20), to: server)
        let error = #expect(throws: BusError.self) { try result.get() }
        #expect(error?.name == BusError.timeout)
    }

    @Test("A signal reaches its subscriber")
    func signals() async throws {
        let (address, loop) = (bus.address, loop)
        let server = try await server()
        let listener = try await loop.run {
            LoopBound(confined: try BusConnection(address: address, loop: loop), loop: loop)
        }
        let heard = await withCheckedContinuation { continuation in
            loop.execute {
                listener.value.onSignal = { signal in
                    // The bus sends NameAcquired to a new connection.
                    if signal.member == "Shouted" { continuation.resume(returning: signal.arguments) }
                }
                listener.value.addMatch("type='signal',interface='test.Echo'") { _ in
                    listener.value.call(server.value.uniqueName, "/echo", "test.Echo", "Shout", [.string("hello")]) {
                        _ in
                    }
                }
            }
        }
        #expect(heard == [.string("hello")])
        await loop.run { listener.value.close() }
    }

    @Test("The end of the bus ends every call, and is reported once")
    func endsWithBus() async throws {
        let server = try await server()
        let (bus, loop) = (bus, loop)
        let ends: [String] = await withCheckedContinuation { continuation in
            loop.execute {
                nonisolated(unsafe) var ends: [String] = []
                server.value.onClosed = { error in
                    ends.append("closed")
                    continuation.resume(returning: ends)
                }
                server.value.bus("GetId", []) { _ in
                    let own = server.value.uniqueName
                    server.value.call(own, "/echo", "test.Echo", "Silence", timeout: nil) { result in
                        if case .failure = result { ends.append("call") }
                    }
                    bus.stop()
                }
            }
        }
        #expect(ends == ["call", "closed"])
    }

    @Test("A missing bus is an error with its address")
    func noBus() async {
        let loop = loop
        let error = await #expect(throws: BusError.self) {
            try await loop.run { _ = try BusConnection(address: "unix:path=/nowhere/bus", loop: loop) }
        }
        #expect(error?.text.contains("/nowhere/bus") == true)
    }
}
