import Harald

/// The bench service: the UUIDs and the meaning of its characteristics. `Tests/Peers/bench.py` describes it.
enum BenchService {
    static let uuid = uuid(0)
    static let read = uuid(0x01)
    static let readWrite = uuid(0x02)
    static let sink = uuid(0x03)
    static let counters = uuid(0x04)
    static let notify = uuid(0x05)
    static let indicate = uuid(0x06)
    static let encrypted = uuid(0x07)
    static let long = uuid(0x08)
    static let control = uuid(0x09)
    static let either = uuid(0x0A)
    static let twin = uuid(0x0B)
    static let note = uuid(0xD2)
    static let added = uuid(0x100)
    static let addedValue = uuid(0x101)

    static let readValue = (0..<20).map { UInt8($0) }
    static let longValue = (0..<512).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    static let userDescription = "read and write"
    static let psm: UInt16 = 0x80

    /// The characteristics in their order, with their properties.
    static let characteristics: [(uuid: BluetoothUUID, properties: CharacteristicProperties)] = [
        (read, .read), (readWrite, [.read, .write]), (sink, .writeWithoutResponse), (counters, .read),
        (notify, .notify), (indicate, .indicate), (encrypted, [.read, .write]), (long, .read), (control, .write),
        (either, [.notify, .indicate]), (twin, .read), (twin, .read),
    ]

    private static func uuid(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: 0x4841_5241_4C44_4000, low: 0x8000_0000_0000_0000 | number)
    }

    /// The value number `index` of a series: its index, then bytes that differ from one value to the next.
    static func pattern(_ index: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { place in
            UInt8(truncatingIfNeeded: place < 4 ? index >> (8 * place) : index + place)
        }
    }

    /// A value of the control point: a command and its arguments, 16 bits little-endian each.
    enum Command: Sendable, Hashable {
        case resetCounters
        case notify(count: Int, size: Int)
        case indicate(count: Int, size: Int)
        case requestParameters(ConnectionParametersRequest)
        case addService
        case disconnect

        /// Nil if the bytes are no command.
        init?(_ bytes: [UInt8]) {
            let numbers = stride(from: 1, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
            switch (bytes.first, numbers.count) {
            case (0, 0): self = .resetCounters
            case (1, 2): self = .notify(count: numbers[0], size: numbers[1])
            case (2, 2): self = .indicate(count: numbers[0], size: numbers[1])
            case (3, 4):
                guard numbers[0] <= numbers[1] else { return nil }
                self = .requestParameters(
                    ConnectionParametersRequest(
                        intervalUnits: UInt16(numbers[0])...UInt16(numbers[1]), latency: UInt16(numbers[2]),
                        timeoutUnits: UInt16(numbers[3])))
            case (4, 0): self = .addService
            case (5, 0): self = .disconnect
            default: return nil
            }
        }

        var encoded: [UInt8] {
            func bytes(_ kind: UInt8, _ numbers: Int...) -> [UInt8] {
                [kind] + numbers.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            }
            return switch self {
            case .resetCounters: bytes(0)
            case .notify(let count, let size): bytes(1, count, size)
            case .indicate(let count, let size): bytes(2, count, size)
            case .requestParameters(let wish):
                bytes(
                    3, Int(wish.intervalUnits.lowerBound), Int(wish.intervalUnits.upperBound), Int(wish.latency),
                    Int(wish.timeoutUnits))
            case .addService: bytes(4)
            case .disconnect: bytes(5)
            }
        }
    }

    /// The counters of data received on the sink.
    struct Counters: Hashable, Sendable {
        var commands = 0
        var bytes = 0
        var disordered = 0

        init(commands: Int = 0, bytes: Int = 0, disordered: Int = 0) {
            (self.commands, self.bytes, self.disordered) = (commands, bytes, disordered)
        }

        /// Nil if the length is wrong.
        init?(_ value: [UInt8]) {
            guard value.count == 12 else { return nil }
            let numbers = (0..<3).map { place in
                (0..<4).reduce(0) { $0 | Int(value[4 * place + $1]) << (8 * $1) }
            }
            self.init(commands: numbers[0], bytes: numbers[1], disordered: numbers[2])
        }

        mutating func take(_ value: [UInt8]) {
            if Array(value.prefix(4)) != pattern(commands, min(4, value.count)) { disordered += 1 }
            commands += 1
            bytes += value.count
        }

        var encoded: [UInt8] {
            [commands, bytes, disordered].flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
        }
    }
}
