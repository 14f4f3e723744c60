import BluetoothRuntime
import Harald

/// The L2CAP channels of a central.
extension World {
    /// Opens and closes `step.amount` channels one after the other: more than can be open at the same time.
    func churn(_ step: Step, _ peripheral: Peripheral) {
        operate(step, limit: .seconds(131)) { [self] _ in
            try await peripheral.withTimeout(.seconds(120), "open and close channels") {
                [self] () async throws(BluetoothError) in
                for _ in 0..<step.amount {
                    let channel = try await openChannel(step, peripheral)
                    await channel.close()
                }
            }
        }
    }

    /// Opens a channel, and checks that this ends within its timeout of 10 s.
    private func openChannel(_ step: Step, _ peripheral: Peripheral) async throws(BluetoothError) -> L2CAPChannel {
        let start = now
        defer {
            if now > start + .milliseconds(10_500) { fail(.time, "'\(step)' has opened a channel for \(now - start)") }
        }
        return try await peripheral.openL2CAPChannel(psm: Place.psm)
    }

    /// Opens a channel, sends messages and receives the echo of each.
    func channel(_ step: Step, _ peripheral: Peripheral) {
        writeCount += 1
        let number = writeCount
        operate(step, limit: .seconds(131)) { [self] operation in
            let channel = try await openChannel(step, peripheral)
            objects.append(WeakObject(name: "channel of h\(step.host)", object: channel))
            let breaks = breaks(step.host, step.target)
            let start = now
            watch(operation, breaks)
            let isDelayed = program.isPaced || program.steps.contains { $0.verb == .delay }
            do {
                // A lost packet is never retransmitted, so the echo may never arrive.
                let isComplete = try await peripheral.withTimeout(.seconds(isDelayed ? 120 : 30), "receive the echo") {
                    [self] () async throws(BluetoothError) in
                    step.amount == Self.flood
                        ? try await exchangeAllAtOnce(step, channel, number)
                        : try await exchange(step, channel, number)
                }
                let isWhole = breaks == self.breaks(step.host, step.target)
                // The messages also end when the operation is cancelled.
                if !isComplete, !operation.isCancelled, isWhole, lasts(step, since: start) {
                    fail(.missing, "the channel of '\(step)' has ended before the last echo, though the link lasts")
                }
            } catch {
                await channel.close()
                let isWhole = breaks == self.breaks(step.host, step.target)
                if case .timeout? = (error as? BluetoothError)?.code, isWhole, !isDelayed {
                    fail(.missing, "'\(step)' has received no echo, though the link lasts")
                }
                throw error
            }
            await channel.close()
        }
    }

    /// Checks that the exchange of messages of an operation does not stop on a link that lasts. On a link with long
    /// intervals the messages of several channels may take minutes.
    private func watch(_ operation: Operation, _ breaks: Int) {
        let isSlow = program.steps.contains { $0.verb == .delay || program.isPaced && $0.verb == .parameters }
        guard !isSlow else { return }
        let pair = [hosts[operation.step.host], hosts[operation.step.target]]
        _ = task { [self] in
            await scheduler.sleep(.seconds(60))
            guard operation.end == nil, breaks == self.breaks(operation.step.host, operation.step.target), !isOver,
                !pair.contains(where: \.isDisturbed)
            else { return }
            fail(.missing, "'\(operation.step)' has received no echo for a minute, though the link lasts")
        }
    }

    /// True if nothing that the counts do not contain can have ended the link of a step.
    private func lasts(_ step: Step, since start: RadioInstant) -> Bool {
        let pair = [hosts[step.host], hosts[step.target]]
        let verbs: Set<Verb> = [.lose, .stall, .hardware, .die]
        return !program.steps.contains { verbs.contains($0.verb) }
            && pair.allSatisfy { $0.lastEnding < start.nanoseconds }
    }

    /// The number of messages that makes a channel send everything before it receives anything.
    private static let flood = 7

    /// Sends messages, and receives the echo of each before the next one. Returns false if the channel ends before.
    private func exchange(_ step: Step, _ channel: L2CAPChannel, _ number: Int) async throws(BluetoothError) -> Bool {
        let messages = channel.messages
        for count in 0..<step.amount {
            let stamp = Stamp(host: step.host, place: count, number: number, length: 40 * step.amount)
            try await channel.send(stamp.bytes)
            guard let echo = try await messages.next() else { return false }
            if echo != stamp.bytes { fail(.order, "'\(step)' sent \(stamp.bytes) and received \(echo)") }
        }
        guard step.amount > 3 else { return true }
        let longest = longest(of: channel, number)
        try await channel.send(longest)
        guard let echo = try await messages.next() else { return false }
        if echo != longest { fail(.order, "'\(step)' sent \(longest.count) octets and received \(echo.count)") }
        return true
    }

    /// Sends many short messages and one of the maximum length, and begins to receive the echoes after a second: the
    /// credits of both sides run out.
    private func exchangeAllAtOnce(
        _ step: Step, _ channel: L2CAPChannel, _ number: Int
    ) async throws(BluetoothError) -> Bool {
        var sent = (0..<60).map { Stamp(host: step.host, place: $0, number: number, length: 8).bytes }
        sent.append(longest(of: channel, number))
        let all = sent
        let sender = task {
            do throws(BluetoothError) {
                for message in all { try await channel.send(message) }
            } catch {
                // The link or the channel has ended; the receiver ends too.
            }
        }
        await scheduler.sleep(.seconds(1))
        let messages = channel.messages
        var left = all[...]
        while let message = left.first, let echo = try await messages.next() {
            // A lost packet takes its message with it.
            guard let index = left.firstIndex(of: echo), index == left.startIndex || losesPackets else {
                fail(.order, "'\(step)' sent \(message.prefix(16)) and received \(echo.prefix(16))")
                return true
            }
            left = left[(index + 1)...]
        }
        // A sender whose credits were lost waits until it is cancelled, or the link ends.
        await withTaskCancellationHandler {
            await sender.value
        } onCancel: {
            sender.cancel()
        }
        return left.isEmpty
    }

    /// A message of the maximum length.
    private func longest(of channel: L2CAPChannel, _ number: Int) -> [UInt8] {
        (0..<channel.maximumMessageLength).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    }
}
