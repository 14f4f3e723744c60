import BluetoothRuntime
import Harald
import TestSupport
import Testing
import VirtualTransport

/// Two hosts on one virtual air: a central, and a bench device that offers something of everything.
struct Rig {
    static let service: BluetoothUUID = "B0000000-1234-5678-9ABC-DEF012345678"
    static func uuid(_ number: UInt8) -> BluetoothUUID {
        BluetoothUUID(high: 0xB000_0000_1234_5678 | UInt64(number) << 32, low: 0x9ABC_DEF0_1234_5678)
    }
    static let fixed: BluetoothUUID = uuid(1), stored = uuid(2), sink = uuid(3), notifying = uuid(4),
        indicating = uuid(5), long = uuid(9), computed = uuid(10), refusing = uuid(11), never = uuid(12)
    static let longValue = (0..<512).map { UInt8(truncatingIfNeeded: $0) }

    let radio: VirtualRadio
    let clock: RadioClock
    private let isManual: Bool
    let stack: RigStack
    let central: Central
    let device: LocalPeripheral
    let published: PublishedService
    let sunk: Locked<[[UInt8]]>
    /// The same, one by one.
    let sinking: AsyncStream<[UInt8]>
    /// Yields when a read arrives that is never answered.
    let asked: AsyncStream<Void>

    init(
        _ stack: RigStack = .host, manualClock: Bool = false, name: String = "Bench", pace: AirPace = .unpaced
    ) async throws {
        isManual = manualClock
        self.stack = stack
        clock = manualClock ? .manual() : .real
        radio = VirtualRadio(pace: pace, clock: clock)
        central = try await Central(adapter: stack.central(on: radio, named: "central"))
        // CoreBluetooth tells its state after it was created.
        try await central.waitUntilPoweredOn()
        device = try await LocalPeripheral(adapter: stack.device(on: radio, named: "peripheral"), name: name)
        let sunk = Locked<[[UInt8]]>([])
        self.sunk = sunk
        let (sinking, sink) = AsyncStream<[UInt8]>.makeStream()
        self.sinking = sinking
        let (asked, ask) = AsyncStream<Void>.makeStream()
        self.asked = asked
        published = try await device.publish(
            ServiceDefinition(
                Self.service,
                [
                    CharacteristicDefinition(Self.fixed, .read, value: Array(0..<20)),
                    CharacteristicDefinition(
                        Self.stored, [.read, .write], value: [1], description: "read/write"),
                    CharacteristicDefinition(
                        Self.sink, .writeWithoutResponse,
                        onWrite: { request in
                            sunk.with { $0.append(request.value) }
                            sink.yield(request.value)
                        }),
                    CharacteristicDefinition(Self.notifying, [.read, .notify], value: [0]),
                    CharacteristicDefinition(Self.indicating, .indicate),
                    CharacteristicDefinition(Self.long, [.read, .write], value: Self.longValue),
                    CharacteristicDefinition(Self.computed, .read, onRead: { _ in [42] }),
                    CharacteristicDefinition(
                        Self.refusing, [.read, .write], onRead: { _ in throw ATTErrorCode.insufficientAuthorization },
                        onWrite: { _ in throw ATTErrorCode.valueNotAllowed }),
                    CharacteristicDefinition(
                        Self.never, .read,
                        onRead: { _ in
                            ask.yield()
                            let (never, continuation) = AsyncStream<Void>.makeStream()
                            for await _ in never {}
                            withExtendedLifetime(continuation) {}
                            return []
                        }),
                ]))
        try await device.publish(
            ServiceDefinition("180F", [CharacteristicDefinition("2A19", [.read, .notify], value: [87])]))
        try await device.advertise()
        try ClosesRigs.atEnd { [central, device, clock] in
            await Self.close(central, device, manualClock ? clock : nil)
        }
    }

    /// Finds the bench device.
    func find() async throws -> Peripheral {
        for try await found in central.scan(filter: ScanFilter(namePrefix: device.name)) { return found.peripheral }
        throw BluetoothError(.notFound, operation: "find the bench device", reason: "the scan ended")
    }

    /// Finds the bench device and connects to it.
    func connected(reconnect: ReconnectPolicy = .never) async throws -> Peripheral {
        let peripheral = try await find()
        try await peripheral.connect(reconnect: reconnect)
        return peripheral
    }

    /// Closes both ends before the test ends.
    func close() async { await Self.close(central, device, isManual ? clock : nil) }

    private static func close(_ central: Central, _ device: LocalPeripheral, _ manualClock: RadioClock?) async {
        let isClosed = Locked(false)
        // A wait for a supervision timeout needs time, which a manual clock does not provide by itself.
        let ticking = manualClock.map { clock in
            Task { while !isClosed.value { await clock.advance(by: .milliseconds(100)) } }
        }
        await central.close()
        await device.close()
        isClosed.with { $0 = true }
        await ticking?.value
    }
}
