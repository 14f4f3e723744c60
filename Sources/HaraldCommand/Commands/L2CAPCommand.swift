import ArgumentParser
import Explorer
import Foundation
import Harald
import Synchronization

struct L2CAPCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "l2cap", abstract: "Send and receive on an L2CAP channel of a device, and measure it.",
        discussion: """
            Opens an LE credit-based channel to PSM (0x01 to 0xFF), sends each VALUE as a message, and prints received \
            messages: until the device closes the channel, --count messages or --for seconds, otherwise without limit, \
            until Ctrl-C. A VALUE is as in 'harald write'.

            --measure sends messages of the maximum length for that many seconds, and counts received data; with \
            --receive it only counts. --ping sends that many messages to a device that echoes them, and shows the \
            round-trip times. With --json a message is {hex, length, time}, a measurement {psm, length, seconds, sent, \
            received (octets), sentRate, receivedRate (octets per second)}, and --ping {count, lost, min, median, max} \
            in milliseconds.

            Device files can have such channels: 'l2cap: [{psm: 0x80, behaviour: echo}]', or source or sink.

            EXAMPLES
              harald l2cap gadget 0x80 text:hello --count 1
              harald l2cap gadget 0x80 --measure 10 --json
              harald l2cap gadget 0x80 --ping 100
            """)

    @Argument(
        help: ArgumentHelp("The device, the PSM and messages to send.", valueName: "DEVICE PSM VALUE"),
        completion: Completions.devices)
    var words: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this number of messages.", valueName: "messages"))
    var count: Int?

    @OptionGroup var length: TimeOption

    @Option(parsing: .unconditional, help: ArgumentHelp("Measure the throughput for this time.", valueName: "seconds"))
    var measure: Double?

    @Flag(help: "Only receive during the measurement.")
    var receive = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Measure this number of round trips.", valueName: "messages"))
    var ping: Int?

    @OptionGroup var device: DeviceOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        _ = try arguments()
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
        if let ping, !(1...1_000_000).contains(ping) {
            throw ValidationError("--ping must be a number from 1 to 1000000")
        }
        if let measure, !(measure > 0 && measure <= 1e6) {
            throw ValidationError("--measure must be a number of seconds above 0")
        }
        if receive, measure == nil { throw ValidationError("--receive requires --measure") }
        if measure != nil, ping != nil { throw ValidationError("--measure and --ping cannot be combined") }
        if measure != nil || ping != nil, count != nil || length.limit != nil {
            throw ValidationError("--count and --for cannot be combined with --measure and --ping")
        }
    }

    private func arguments() throws -> (selector: DeviceSelector, psm: UInt16, values: [[UInt8]]) {
        let (selector, rest) = try device.split(words, needing: ["PSM"])
        guard let psm = UInt16(decimalOrHex: rest[0]), (1...0xFF).contains(psm) else {
            throw ValidationError("'\(rest[0])' is not a PSM of a channel: 0x01 to 0xFF")
        }
        let values: [[UInt8]]
        do { values = try rest.dropFirst().map { try ValueInput.bytes([$0]) } } catch {
            throw ValidationError("\(error)")
        }
        return (selector, psm, values)
    }

    func perform() async throws {
        let (selector, psm, values) = try arguments()
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(selector, on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let channel = try await open(psm, of: peripheral)
                shared.note("channel \(psm), messages of up to \(channel.maximumMessageLength) octets")
                for value in values { try await channel.send(value) }
                if let measure {
                    try await self.measure(channel, for: .seconds(measure))
                } else if let ping {
                    try await self.ping(channel, ping)
                } else {
                    try await print(channel)
                }
                await channel.close()
            }
        }
    }

    /// Opens the channel, and pairs first if the device requires it.
    private func open(_ psm: UInt16, of peripheral: Peripheral) async throws -> L2CAPChannel {
        do throws(BluetoothError) {
            return try await peripheral.openL2CAPChannel(psm: psm, timeout: shared.pairingPatience)
        } catch {
            // Insufficient authentication and insufficient encryption (Core 6.0, Vol 3, Part A, 4.23).
            guard [.channelRefused(5), .channelRefused(8)].contains(error.code), !pairing.refuse else { throw error }
        }
        let level: LinkSecurity.Level = pairing.passkey == nil ? .encrypted : .authenticated
        try await peripheral.pair(to: level, timeout: shared.pairingPatience)
        return try await peripheral.openL2CAPChannel(psm: psm, timeout: shared.pairingPatience)
    }

    // MARK: Messages

    private func print(_ channel: L2CAPChannel) async throws {
        if count == nil, length.limit == nil, shared.timeout == nil {
            Console.message("waiting for messages without limit; Ctrl-C stops")
        }
        let (asJSON, count, start) = (shared.json, count ?? .max, ContinuousClock.now)
        try await Self.limited(length.limit ?? .seconds(1e9)) {
            var number = 0
            for try await message in channel.messages {
                CommandDeadline.shared.progress()
                let time = ((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000
                if asJSON {
                    Console.json([
                        "hex": .string(message.hexText()), "length": .int(message.count), "time": .number(time),
                    ])
                } else {
                    Console.line(ValueText(message, of: 0).line, indent: 4)
                }
                number += 1
                if number == count { return }
            }
            try Task.checkCancellation()
            if count != .max {
                throw ProgramError(.failed, "the device closed the channel after \(number.counted("message"))")
            }
        }
    }

    /// Runs `body` for at most this time, whose end is no error.
    private static func limited(_ time: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask { try await Task.sleep(for: time) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    // MARK: Measurements

    private func measure(_ channel: L2CAPChannel, for time: Duration) async throws {
        let (counter, received, isReceiver) = (SharedCount(), SharedCount(), receive)
        let size = min(channel.maximumMessageLength, 2048)
        let start = ContinuousClock.now
        try await CommandDeadline.shared.whilePaused {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for try await message in channel.messages { received.add(message.count) }
                    return true
                }
                if !isReceiver {
                    group.addTask {
                        let message = [UInt8](repeating: 0x55, count: size)
                        while ContinuousClock.now - start < time, !Task.isCancelled {
                            try await channel.send(message)
                            counter.add(size)
                        }
                        return false
                    }
                }
                group.addTask {
                    try await Task.sleep(for: time)
                    return false
                }
                defer { group.cancelAll() }
                // Both the sender and the clock end then; the channel ends before only if the device closes it.
                for _ in 0..<(isReceiver ? 1 : 2) {
                    if try await group.next() == true {
                        try Task.checkCancellation()
                        throw ProgramError(.failed, "the device closed the channel")
                    }
                }
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rates = [counter.value, received.value].map { (Double($0) / seconds).rounded() }
        if shared.json {
            Console.json([
                "psm": .int(Int(channel.psm)), "length": .int(size),
                "seconds": .number((seconds * 1000).rounded() / 1000),
                "sent": .int(counter.value), "received": .int(received.value), "sentRate": .number(rates[0]),
                "receivedRate": .number(rates[1]),
            ])
        } else {
            Console.line(
                "sent \(counter.value) octets, \(Self.rate(rates[0])); received \(received.value) octets, "
                    + "\(Self.rate(rates[1])); messages of \(size) octets", indent: 4)
        }
    }

    private static func rate(_ octets: Double) -> String { "\((octets / 10).rounded() / 100) kB/s" }

    private func ping(_ channel: L2CAPChannel, _ count: Int) async throws {
        var (times, lost) = ([Double](), 0)
        let messages = channel.messages.makeAsyncIterator()
        for number in 1...count {
            let message = withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
            let start = ContinuousClock.now
            try await channel.send(message)
            let timeout = shared.patience
            let watch = Task {
                try await Task.sleep(for: timeout)
                await channel.close()
            }
            defer { watch.cancel() }
            var isBack = false
            while let answer = try await messages.next() {
                isBack = answer == message
                if isBack { break }
            }
            try Task.checkCancellation()
            if !isBack {
                lost = count - times.count
                break
            }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            CommandDeadline.shared.progress()
        }
        times.sort()
        func text(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
        if shared.json {
            let numbers: [JSONValue] =
                times.isEmpty
                ? [.null, .null, .null]
                : [times[0], times[times.count / 2], times[times.count - 1]].map { .number(text($0)) }
            Console.json([
                "count": .int(times.count), "lost": .int(lost), "min": numbers[0], "median": numbers[1],
                "max": numbers[2],
            ])
        } else if !times.isEmpty {
            Console.line(
                "\(times.count) round trips: minimum \(text(times[0])) ms, median \(text(times[times.count / 2])) ms, "
                    + "maximum \(text(times[times.count - 1])) ms", indent: 4)
        }
        if lost > 0 {
            throw ProgramError(
                .timeout, "\(lost.counted("message was", "messages were")) not echoed; does the device echo?")
        }
    }
}

/// A number that several tasks add to.
private final class SharedCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add(_ number: Int) { count.withLock { $0 += number } }
}
