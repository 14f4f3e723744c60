import CoreBluetooth
import Testing
import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct ChannelTests {
    /// Runs streams on a run loop of its own and records their events and data.
    ///
    /// Proof of `@unchecked Sendable`: `received` is accessed on the thread, and by the test after the log has the
    /// event.
    final class Reader: NSObject, StreamDelegate, @unchecked Sendable {
        let log = EventLog()
        let input: InputStream, output: OutputStream
        var received = Data()
        private var isOver = false
        let wanted: Int
        /// True for a delegate that reads once for each event.
        let readsOnce: Bool

        init(_ channel: CBL2CAPChannel, wanted: Int, readsOnce: Bool = false) {
            input = channel.inputStream
            output = channel.outputStream
            self.wanted = wanted
            self.readsOnce = readsOnce
            super.init()
            let reader = self
            Thread.detachNewThread { reader.run() }
        }

        private func run() {
            for stream in [input as Stream, output as Stream] {
                stream.delegate = self
                stream.schedule(in: .current, forMode: .default)
                stream.open()
            }
            while !isOver, input.streamStatus != .closed {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
            }
        }

        func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
            let name = aStream === input ? "input" : "output"
            switch eventCode {
            case .openCompleted: log.add("\(name) open")
            case .hasSpaceAvailable: log.add("\(name) space")
            case .endEncountered:
                if aStream === input { isOver = true }
                log.add("\(name) end")
            case .errorOccurred:
                isOver = true
                log.add("\(name) error")
            case .hasBytesAvailable:
                var buffer = [UInt8](repeating: 0, count: 4096)
                while input.hasBytesAvailable {
                    let count = input.read(&buffer, maxLength: buffer.count)
                    guard count > 0 else { break }
                    received.append(contentsOf: buffer[..<count])
                    if readsOnce { break }
                }
                if received.count >= wanted { log.add("received") }
            default: break
            }
        }
    }

    @Test func streamsTransferInBothDirectionsOnARunLoop() async {
        let bench = await Bench()
        await bench.openChannel()
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let ours = bench.central.channels[0], theirs = bench.device.channels[0]
        #expect(ours.psm == bench.device.psm)
        #expect(ours.peer === bench.peripheral)
        let reader = Reader(theirs, wanted: bytes.count)
        let writer = Reader(ours, wanted: .max)
        await writer.log.next("output open")
        await writer.log.next("output space")
        let done = Transferred(ours)
        Thread.detachNewThread {
            var rest = bytes
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { bytes in
                    done.value.outputStream.write(bytes.bindMemory(to: UInt8.self).baseAddress!, maxLength: bytes.count)
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
        await reader.log.next("received")
        #expect(reader.received == bytes)
        bench.central.channels = []
        done.value.inputStream.close()
        done.value.outputStream.close()
        await reader.log.next("input end")
        bench.deviceManager.unpublishL2CAPChannel(bench.device.psm)
        await bench.device.log.next("unpublished ok")
    }

    /// More messages than a channel queues, and the end right after them.
    @Test func manySmallWritesArriveWholeAlsoIfTheStreamsAreClosed() async {
        let bench = await Bench()
        await bench.openChannel()
        let bytes = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let reader = Reader(bench.device.channels[0], wanted: bytes.count)
        let writer = Reader(bench.central.channels[0], wanted: .max)
        await writer.log.next("output space")
        let done = Transferred(bench.central.channels[0])
        bench.central.channels = []
        Thread.detachNewThread {
            let channel = done.value
            for start in stride(from: 0, to: bytes.count, by: 5) {
                let count = bytes[start..<start + 5].withUnsafeBytes { piece in
                    channel.outputStream.write(piece.bindMemory(to: UInt8.self).baseAddress!, maxLength: piece.count)
                }
                guard count == 5 else { return }
            }
            channel.inputStream.close()
            channel.outputStream.close()
        }
        await reader.log.next("received")
        #expect(reader.received == bytes)
        await reader.log.next("input end")
    }

    /// A delegate that reads once for each event, and closes at the end.
    @Test func theEndComesAfterTheLastOctet() async {
        let bench = await Bench()
        await bench.openChannel()
        let writer = Transferred(bench.central.channels[0])
        bench.central.channels = []
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let channel = writer.value
                channel.outputStream.open()
                channel.inputStream.open()
                for number in UInt8(0)..<5 {
                    _ = [number].withUnsafeBufferPointer { channel.outputStream.write($0.baseAddress!, maxLength: 1) }
                }
                channel.inputStream.close()
                channel.outputStream.close()
                continuation.resume()
            }
        }
        // The reader begins when everything has arrived.
        let channel = bench.device.channels[0]
        channel.outputStream.open()
        while channel.outputStream.streamStatus == .open { await Task.yield() }
        let reader = Reader(channel, wanted: .max, readsOnce: true)
        await reader.log.next("input end")
        #expect(reader.received == Data([0, 1, 2, 3, 4]))
    }

    /// The device refuses the channel on a link without encryption; the central pairs and tries again.
    @Test func aChannelThatRequiresEncryptionPairs() async {
        let bench = await Bench()
        bench.deviceManager.publishL2CAPChannel(withEncryption: true)
        await bench.device.log.next("published ok true")
        await bench.connect()
        bench.peripheral.openL2CAPChannel(bench.device.psm)
        #expect(await bench.central.log.next("channel") == "channel ok")
        bench.central.channels = []
    }

    @Test func anUnpublishedPSMIsAnError() async {
        let bench = await Bench()
        await bench.connect()
        bench.peripheral.openL2CAPChannel(0xF0)
        #expect(await bench.central.log.next("channel").hasPrefix("channel CBError"))
    }
}

/// Passes a value to another thread.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
