import Harald
import Synchronization

/// A service like those of many measurement tools, for programs that support it instead of ``BenchService``: short and
/// long values, a sink with counters, and a control point that requests notifications (a count, 32 bits, and a size, 16
/// bits, little-endian).
enum MeasuredService {
    static let notifying = uuid(4)

    static func uuid(_ number: UInt8) -> BluetoothUUID {
        BluetoothUUID(high: 0xB000_0000_1234_5678 | UInt64(number) << 32, low: 0x9ABC_DEF0_1234_5678)
    }

    /// - Parameter order: takes how many notifications of which size are wanted.
    static func definition(order: @escaping @Sendable (_ count: Int, _ size: Int) -> Void) -> ServiceDefinition {
        let sink = Sink()
        let encrypted: AttributePermissions = [
            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
        ]
        return ServiceDefinition(
            uuid(0),
            [
                CharacteristicDefinition(uuid(1), .read, value: (0..<20).map { UInt8($0) }),
                CharacteristicDefinition(
                    uuid(2), [.read, .write], value: Array("hello".utf8), description: "read/write"),
                CharacteristicDefinition(uuid(3), .writeWithoutResponse, onWrite: { sink.take($0.value.count) }),
                CharacteristicDefinition(notifying, [.read, .notify], value: Array(repeating: 0, count: 20)),
                CharacteristicDefinition(uuid(5), .indicate),
                CharacteristicDefinition(uuid(6), [.read, .write], value: [1], permissions: encrypted),
                CharacteristicDefinition(
                    uuid(7), [.read, .write], value: [1],
                    permissions: encrypted.union([.readAuthenticationRequired, .writeAuthenticationRequired])),
                CharacteristicDefinition(uuid(8), .read, onRead: { _ in sink.takeOut() }),
                CharacteristicDefinition(uuid(9), .read, value: (0..<512).map { UInt8(truncatingIfNeeded: $0) }),
                CharacteristicDefinition(
                    uuid(10), [.write, .writeWithoutResponse],
                    onWrite: { request in
                        guard request.value.count == 6 else { throw ATTErrorCode.invalidValueLength }
                        let numbers = request.value.map { Int($0) }
                        order(
                            numbers[0] | numbers[1] << 8 | numbers[2] << 16 | numbers[3] << 24,
                            numbers[4] | numbers[5] << 8)
                    }),
            ])
    }

    /// Counts commands and their bytes, and the time between the first and the last.
    private final class Sink: Sendable {
        private struct Counters {
            var commands: UInt64 = 0
            var bytes: UInt64 = 0
            var first: ContinuousClock.Instant?
            var last: ContinuousClock.Instant?
        }

        private let counters = Mutex(Counters())

        func take(_ length: Int) {
            counters.withLock { counters in
                let now = ContinuousClock.now
                counters.first = counters.first ?? now
                counters.last = now
                counters.commands += 1
                counters.bytes += UInt64(length)
            }
        }

        /// Commands and bytes (64 bits each) and seconds (a double), all little-endian; counts anew.
        func takeOut() -> [UInt8] {
            counters.withLock { counters in
                defer { counters = Counters() }
                var seconds = 0.0
                if let first = counters.first, let last = counters.last { seconds = (last - first) / .seconds(1) }
                return [counters.commands, counters.bytes, seconds.bitPattern].flatMap { number in
                    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                }
            }
        }
    }
}
