import TestSupport
import Testing

@testable import Harald

/// The elements that a consumer receives of a batch, and those that a full buffer drops.
@Suite(.timeLimit(.minutes(1))) struct StreamBufferTests {
    private static func rest(of buffer: StreamBuffer<Int>) async throws -> [Int] {
        buffer.finish()
        var elements: [Int] = []
        while let next = try await buffer.next() { elements.append(next) }
        return elements
    }

    @Test(arguments: [
        (BufferingPolicy.oldest(3), [1, 2, 3], 2), (.newest(3), [3, 4, 5], 2), (.oldest(5), [1, 2, 3, 4, 5], 0),
        (.newest(1), [5], 4),
    ])
    func aFullBufferDropsElements(_ policy: BufferingPolicy, kept: [Int], dropped: Int) async throws {
        let buffer = StreamBuffer<Int>(policy: policy)
        buffer.push(1)
        buffer.push(contentsOf: [2, 3, 4])
        buffer.push(contentsOf: [5])
        #expect(buffer.dropped == dropped)
        #expect(try await Self.rest(of: buffer) == kept)
    }

    @Test(arguments: [
        (BufferingPolicy.oldest(0), [1], 2), (.oldest(2), [1, 2], 1), (.newest(2), [2, 3], 1),
        (.newest(3), [1, 2, 3], 0),
    ])
    func aWaitingConsumerReceivesTheFirstElement(_ policy: BufferingPolicy, taken: [Int], dropped: Int) async throws {
        let buffer = StreamBuffer<Int>(policy: policy)
        let consumer = Task {
            var elements: [Int] = []
            while let next = try await buffer.next() { elements.append(next) }
            return elements
        }
        while buffer.state.withLock({ $0.waiting == nil }) { try await Task.pause() }
        // An empty batch wakes no consumer.
        buffer.push(contentsOf: [])
        #expect(buffer.state.withLock { $0.waiting != nil })
        buffer.push(contentsOf: [1, 2, 3])
        buffer.finish()
        #expect(try await consumer.value == taken)
        #expect(buffer.dropped == dropped)
    }
}
