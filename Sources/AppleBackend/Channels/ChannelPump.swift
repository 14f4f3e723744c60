import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// Transfers bytes between a channel's two streams and the loop.
///
/// Proof of `@unchecked Sendable`: all mutable state is accessed on the streams' thread only; the closures of the loop
/// are called on the loop, and their captures are released there.
final class ChannelPump: NSObject, StreamDelegate, @unchecked Sendable {
    static let pieceLength = 2048

    private let channel: CBL2CAPChannel
    private let loop: RadioLoop
    private let thread = StreamThread.shared

    // Confined to the streams' thread.
    private var input: InputStream?
    private var output: OutputStream?
    private var receive: LoopBound<(ByteView) -> Void>?
    private var closed: LoopBound<(RadioError?) -> Void>?
    /// True while the reader has a piece and has not requested the next one.
    private var isHeld = false
    /// Set when the peer or the link has ended the channel; the inner value is the error of an unintended end.
    private var ending: RadioError??
    private var isEnded = false
    private var outgoing: [(bytes: [UInt8], done: LoopBound<(Result<Void, RadioError>) -> Void>)] = []
    /// The number of bytes written of the first element.
    private var written = 0

    init(_ channel: CBL2CAPChannel, loop: RadioLoop) {
        self.channel = channel
        self.loop = loop
    }

    // MARK: From the loop

    func start(_ receive: LoopBound<(ByteView) -> Void>, _ closed: LoopBound<(RadioError?) -> Void>) {
        thread.perform { [self] in
            self.receive = receive
            self.closed = closed
            guard !isEnded else { return tellClosed(nil) }
            input = channel.inputStream
            output = channel.outputStream
            for stream in [input, output] as [Stream?] {
                guard let stream else { continue }
                stream.delegate = self
                thread.schedule(stream)
                stream.open()
            }
        }
    }

    func consumed() {
        thread.perform { [self] in
            isHeld = false
            readOn()
        }
    }

    func write(_ bytes: [UInt8], _ done: LoopBound<(Result<Void, RadioError>) -> Void>) {
        thread.perform { [self] in
            guard !isEnded else { return loop.execute { done.value(.failure(.notConnected)) } }
            outgoing.append((bytes, done))
            writeOn()
        }
    }

    func close(_ error: RadioError? = nil) { thread.perform { [self] in end(error) } }

    // MARK: On the streams' thread

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasBytesAvailable: readOn()
        case .hasSpaceAvailable: writeOn()
        case .errorOccurred: isEnding(aStream.streamError.map { RadioError($0) } ?? .disconnected(.unspecified))
        case .endEncountered: isEnding(nil)
        default: break
        }
    }

    /// Records the end. Data received before it is read first.
    private func isEnding(_ error: RadioError?) {
        ending = .some(error)
        readOn()
    }

    private func readOn() {
        guard !isHeld, !isEnded, let input else { return }
        guard input.hasBytesAvailable else {
            if let ending { end(ending) }
            return
        }
        var piece = [UInt8](repeating: 0, count: Self.pieceLength)
        let count = input.read(&piece, maxLength: piece.count)
        guard count > 0, let receive else { return }
        isHeld = true
        let bytes = Array(piece.prefix(count))
        loop.execute { bytes.withByteView { receive.value($0) } }
    }

    private func writeOn() {
        guard let output else { return }
        while !isEnded, let first = outgoing.first, output.hasSpaceAvailable {
            let rest = Array(first.bytes.dropFirst(written))
            let count = rest.isEmpty ? 0 : output.write(rest, maxLength: rest.count)
            guard count >= 0 else { return }
            written += count
            guard written == first.bytes.count else {
                if count == 0 { return }
                continue
            }
            written = 0
            outgoing.removeFirst()
            loop.execute { first.done.value(.success(())) }
        }
    }

    private func end(_ error: RadioError?) {
        guard !isEnded else { return }
        isEnded = true
        for stream in [input, output] as [Stream?] {
            guard let stream else { continue }
            stream.delegate = nil
            thread.remove(stream)
            stream.close()
        }
        input = nil
        output = nil
        let unsent = outgoing
        outgoing = []
        for write in unsent { loop.execute { write.done.value(.failure(error ?? .notConnected)) } }
        tellClosed(error)
    }

    private func tellClosed(_ error: RadioError?) {
        receive = nil
        guard let closed else { return }
        self.closed = nil
        loop.execute { closed.value(error) }
    }
}
