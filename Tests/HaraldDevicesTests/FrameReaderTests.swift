import Testing

@testable import HaraldDevices

@Suite struct FrameReaderTests {
    private let format: FrameFormat = {
        var format = VendorProtocol.format
        format.patience = .seconds(2)
        return format
    }()
    private let plain = FrameFormat(lengthAt: 3, payloadAt: 5, overhead: 7, longestPayload: 64)

    private func frames(_ events: [FrameReader.Event]) -> [[UInt8]] {
        events.compactMap { if case .frame(let frame) = $0 { frame.payload } else { nil } }
    }

    private func dropped(_ events: [FrameReader.Event]) -> Int {
        events.reduce(0) { if case .dropped(let dropped) = $1 { $0 + dropped.count } else { $0 } }
    }

    @Test func theLengthOfAFrameIsItsLengthFieldPlusSeven() {
        let bytes: [UInt8] = [1, 2, 3, 0, 4, 0xA, 0xB, 0xC, 0xD, 9, 9]
        var reader = FrameReader(plain)
        #expect(frames(reader.read(bytes.dropLast())) == [])
        let events = reader.read(bytes.suffix(1))
        #expect(frames(events) == [[0xA, 0xB, 0xC, 0xD]])
        guard case .frame(let frame) = events.first else { return }
        #expect(frame.header == [1, 2, 3])
        #expect(frame.bytes == bytes)
    }

    @Test func framesAreFoundInAnyChunks() {
        let payloads: [[UInt8]] = [[1, 2, 3], [], Array(0..<100), [0xAA, 0x55, 0xAA]]
        let stream = payloads.flatMap { format.frame(header: [0x82], payload: $0) }
        for first in 0...stream.count {
            for second in stride(from: first, through: stream.count, by: 7) {
                var reader = FrameReader(format)
                var events = reader.read(stream[..<first])
                events += reader.read(stream[first..<second])
                events += reader.read(stream[second...])
                if frames(events) != payloads || dropped(events) != 0 { Issue.record("cut at \(first) and \(second)") }
            }
        }
        var reader = FrameReader(format)
        #expect(stream.flatMap { frames(reader.read([$0])) } == payloads)
    }

    @Test func noiseIsDroppedAndReported() {
        var reader = FrameReader(format)
        let events = reader.read(
            [0, 1, 0xAA, 2] + format.frame(payload: [7]) + [0xAA, 0xAA] + format.frame(payload: [8]))
        #expect(frames(events) == [[7], [8]])
        #expect(
            events.first == .dropped(.init(count: 4, first: [0, 1, 0xAA, 2], reason: .noise)), "\(events)")
        #expect(dropped(events) == 6)
        #expect(reader.droppedCount == 6)
        #expect(reader.pendingCount == 0)
    }

    @Test func invalidLengthsAreDropped() {
        var reader = FrameReader(format)
        // Longer than any frame: dropped at once.
        var events = reader.read([0xAA, 0x55, 0x82, 0xFF, 0xFF] + format.frame(payload: [1]))
        #expect(frames(events) == [[1]])
        #expect(dropped(events) == 5)
        // A possible but wrong length: the frames inside it are found.
        events = reader.read([0xAA, 0x55, 0x82, 0x00, 0x10] + format.frame(payload: [2]) + format.frame(payload: [3]))
        events += reader.read(format.frame(payload: [4]))
        #expect(frames(events) == [[2], [3], [4]])
        #expect(dropped(events) == 5)
        // Too short a length: the checksum is wrong.
        var short = format.frame(payload: [5, 6, 7])
        short[4] = 1
        events = reader.read(short + format.frame(payload: [8]))
        #expect(frames(events) == [[8]])
    }

    @Test func anIncompleteFrameTimesOut() {
        var reader = FrameReader(format)
        #expect(reader.read([0xAA, 0x55, 0x82, 0x00, 0x40] + format.frame(payload: [1]), at: .seconds(10)).isEmpty)
        #expect(reader.deadline == .seconds(12))
        #expect(reader.expire(at: .seconds(11)).isEmpty)
        let events = reader.expire(at: .seconds(12))
        // The frame after the wrong length is found.
        #expect(frames(events) == [[1]])
        #expect(events.contains { if case .dropped(let dropped) = $0 { dropped.reason == .timeout } else { false } })
        #expect(reader.pendingCount == 0 && reader.deadline == nil)
        // Late data begins a new frame.
        _ = reader.read([0xAA, 0x55, 0x82], at: .seconds(20))
        #expect(frames(reader.read(format.frame(payload: [2]), at: .seconds(30))) == [[2]])
    }

    @Test func theBufferIsBounded() {
        var random = SystemRandomNumberGenerator()
        var reader = FrameReader(format)
        for _ in 0..<400 {
            _ = reader.read((0..<50).map { _ in UInt8.random(in: 0...255, using: &random) & 0xFF })
            _ = reader.read([0xAA, 0x55, 0x82, 0x00, 0xFF])
            if reader.pendingCount > format.longestFrame { Issue.record("\(reader.pendingCount) bytes") }
        }
        // After any data, frames are found again once the invalid ones are full or have timed out.
        _ = reader.read([], at: .seconds(1))
        _ = reader.read([], at: .seconds(100))
        #expect(reader.pendingCount == 0)
        #expect(frames(reader.read(format.frame(payload: [1, 2]))) == [[1, 2]])
    }

    @Test func mutatedFramesAreNeverAccepted() {
        let frame = format.frame(header: [0x82], payload: Array(1...20))
        for position in frame.indices {
            for bit in 0..<8 {
                var bytes = frame
                bytes[position] ^= 1 << bit
                var reader = FrameReader(format)
                var events = reader.read(bytes, at: .zero)
                events += reader.read(frame, at: .seconds(5))
                events += reader.expire(at: .seconds(10))
                if frames(events) != [Array(1...20)] { Issue.record("bit \(bit) of byte \(position): \(events)") }
            }
        }
    }

    @Test func otherFormatsCanBeDeclared() {
        // The length first, in two bytes with the least significant first, and a byte of exclusive or at the end.
        let other = FrameFormat(
            start: [0x7E], lengthAt: 1, lengthBytes: 2, isBigEndian: false, payloadAt: 3, overhead: 4, trailer: .xor8)
        var reader = FrameReader(other)
        #expect(other.frame(payload: [1, 2]) == [0x7E, 2, 0, 1, 2, 0x7E ^ 2 ^ 1 ^ 2])
        #expect(frames(reader.read(other.frame(payload: [1, 2]) + other.frame(payload: []))) == [[1, 2], []])
        let ended = FrameFormat(
            start: [0x02], lengthAt: 1, lengthBytes: 1, payloadAt: 2, overhead: 3, trailer: .bytes([0x03]))
        var second = FrameReader(ended)
        #expect(frames(second.read([0x02, 0x01, 0x41, 0x04, 0x02, 0x01, 0x42, 0x03])) == [[0x42]])
    }
}
