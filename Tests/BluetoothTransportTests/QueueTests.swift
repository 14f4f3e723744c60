import BluetoothModel
import Testing

@testable import BluetoothTransport

@Suite struct QueueTests {
    @Test func bytesKeepTheirOrder() {
        var random = SystemRandomNumberGenerator()
        var queue = OutgoingBytes()
        var expected: [UInt8] = []
        for _ in 0..<3000 {
            if Bool.random(using: &random) {
                let bytes = (0..<Int.random(in: 0...300)).map { _ in UInt8.random(in: 0...255) }
                bytes.withUnsafeBytes { queue.append($0) }
                expected += bytes
            } else {
                let length = Int.random(in: 0...250)
                #expect(queue.withFront(length: length) { Array($0) } == Array(expected.prefix(length)))
                queue.consume(length)
                expected.removeFirst(min(length, expected.count))
            }
            guard queue.count == expected.count, queue.isEmpty == expected.isEmpty else {
                Issue.record("\(queue.count) bytes in place of \(expected.count)")
                return
            }
        }
        #expect(queue.withFront { Array($0) } == expected)
    }

    @Test func packetsKeepTheirBoundariesAndOrder() {
        var queue = OutgoingPackets()
        var expected: [[UInt8]] = []
        var length = 0
        for number in 0..<6000 {
            let packet = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 + number % 70)
            packet.withByteView { queue.append($0) }
            expected.append(packet)
            length += packet.count
            if number % 3 != 0 {
                if queue.withFirst({ $0.array }) != expected.first { Issue.record("packet \(number) is another") }
                queue.removeFirst()
                length -= expected.removeFirst().count
            }
            if queue.count != length { Issue.record("\(queue.count) bytes in place of \(length)") }
        }
        var rest: [[UInt8]] = []
        queue.forEach { packet in
            rest.append(packet.array)
            return rest.count < 1000
        }
        #expect(rest == Array(expected.prefix(1000)))
        queue.removeAllKeepingMemory()
        #expect(queue.isEmpty && queue.withFirst { _ in } == nil)
        queue.removeFirst()
        #expect(queue.count == 0)
    }
}
