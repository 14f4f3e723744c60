import BluetoothModel
import BluetoothRuntime
import Harald

/// Exchanges that several rules use.
extension CheckRun {
    /// Sends a PDU that needs no answer, then a Find Information Request as a probe. Returns nil if the answer to the
    /// probe arrives first; otherwise the packet that preceded it, or no packet if neither arrived.
    func silence(after pdu: [UInt8], on channel: UInt16 = RawLink.attribute) async throws -> CheckAnswer? {
        try await ready()
        try await send(pdu, on: channel)
        let probe: [UInt8] = .findInformation(1, 1)
        try await send(probe)
        let deadline = clock.now + options.patience
        guard let first = try await receiveAnswer(until: deadline, after: pdu) else {
            await close()
            return CheckAnswer(request: pdu, bytes: nil)
        }
        if first.first == 0x05 || (first.first == 0x01 && first.count > 1 && first[1] == 0x04 && pdu.first != 0x04) {
            return nil
        }
        // The answer to the probe is still pending.
        _ = try await receiveAnswer(until: deadline, after: probe)
        return CheckAnswer(request: pdu, bytes: first)
    }

    /// Sends a signalling packet, and returns the response with its identifier, or no response.
    func signal(
        _ code: UInt8, _ identifier: UInt8, _ body: [UInt8], within time: Duration? = nil
    ) async throws -> CheckAnswer {
        try await connect()
        let pdu = [code, identifier] + le(UInt16(body.count)) + body
        try await send(pdu, on: RawLink.signalling)
        let deadline = clock.now + (time ?? options.patience)
        while let frame = try await receive(until: deadline, after: pdu) {
            if frame.channel == RawLink.signalling, frame.bytes.count > 1, frame.bytes[1] == identifier {
                return CheckAnswer(request: pdu, bytes: frame.bytes)
            }
        }
        return CheckAnswer(request: pdu, bytes: nil)
    }

    /// Sends a packet of the Security Manager protocol if `pdu` is not nil, and returns the device's next packet of it.
    func security(_ pdu: [UInt8]?) async throws -> CheckAnswer {
        try await connect()
        if let pdu { try await send(pdu, on: RawLink.security) }
        let deadline = clock.now + options.patience
        while let frame = try await receive(until: deadline, after: pdu ?? []) {
            if frame.channel == RawLink.security { return CheckAnswer(request: pdu ?? [], bytes: frame.bytes) }
        }
        return CheckAnswer(request: pdu ?? [], bytes: nil)
    }

    /// Receives values for a duration, or until `isEnough` returns true, and returns them.
    func observe(_ time: Duration, isEnough: ([ReceivedValue]) -> Bool = { _ in false }) async throws -> [ReceivedValue]
    {
        let count = values.count
        let deadline = clock.now + time
        while deadline > clock.now, !isEnough(Array(values[count...])) {
            guard let frame = try await receive(until: deadline, after: [], stopsAtValues: true) else { break }
            if ![0x1B, 0x1D, 0x23].contains(frame.bytes.first ?? 0) { noteStray(frame) }
        }
        return Array(values[count...])
    }

    /// Sends a request twice without waiting for the first answer, and returns the first answer.
    func sendTwice(_ pdu: [UInt8]) async throws -> CheckAnswer {
        try await ready()
        try await send(pdu)
        try await send(pdu)
        let first = try await receiveAnswer(until: clock.now + options.patience, after: pdu)
        if first == nil { await close() } else { await drain(.milliseconds(300)) }
        return CheckAnswer(request: pdu, bytes: first)
    }

    /// Receives frames for a duration and discards the answers in them.
    func drain(_ time: Duration) async {
        let deadline = clock.now + time
        while (try? await receive(until: deadline, after: [])) != nil {}
    }

    /// Runs `body` without confirming indications, then confirms the last one.
    func withholdingConfirmations<Result>(_ body: () async throws -> Result) async throws -> Result {
        confirms = false
        defer { confirms = true }
        let count = values.count
        let result = try await body()
        if link?.isOpen == true, values[min(count, values.count)...].contains(where: \.isIndication) {
            try await send([0x1E])
        }
        return result
    }

    /// Reads a complete value, with Read Blob Requests if it is long. Returns nil if the device does not answer.
    func read(_ handle: UInt16) async throws -> CheckDatabase.Value? {
        let first = try await request(.read(handle))
        guard let bytes = first.bytes else { return nil }
        guard var value = first.body else { return .refused(bytes) }
        while value.count < 512, value.count % (mtu - 1) == 0, !value.isEmpty {
            let next = try await request(.readBlob(handle, offset: UInt16(value.count)))
            guard let more = next.body, !more.isEmpty else { break }
            value += more
        }
        return .bytes(value)
    }

    /// Writes the Client Characteristic Configuration with this handle.
    func configure(_ handle: UInt16, _ bits: UInt16) async throws -> CheckAnswer {
        try await request(.write(handle, le(bits)))
    }

    /// Subscribes, runs `body` and unsubscribes. Returns nil if the device refuses the subscription.
    func subscribing<Result>(
        _ sender: (item: CheckDatabase.Characteristic, configuration: UInt16), _ body: () async throws -> Result
    ) async throws -> Result? {
        let bits: UInt16 = sender.item.has(0x10) ? 1 : 2
        let answer = try await configure(sender.configuration, bits)
        guard answer.isAccepted else { return nil }
        let result = try await body()
        if link?.isOpen == true { _ = try await configure(sender.configuration, 0) }
        return result
    }

    /// Writes 0 to all configurations that are still enabled.
    func restore() async {
        guard link?.isOpen == true else { return }
        for handle in subscribed.sorted() { _ = try? await configure(handle, 0) }
    }
}
