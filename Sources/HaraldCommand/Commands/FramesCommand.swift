import ArgumentParser
import Explorer
import Harald
import Workbench

struct FramesCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "Send framed commands over a serial service, and print decoded messages.",
        discussion: """
            Many devices have their own protocol over two characteristics. --protocol names a YAML file that declares \
            it (Documentation/Workbench.md):

              write: 6E400002-B5A3-F393-E0A9-E50E24DCCA9E
              notify: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E
              frame: {start: "AA", length: u8, checksum: crc16}
              commands: {version: "01", rate: [{hex: "02"}, {u16: "${hertz}"}]}
              messages: {version: {match: "81 *", fields: [{skip: 1}, {major: u8}, {minor: u8}]}}

            Subscribes, sends the COMMAND, or with --hex a payload, as one frame, and prints received messages: \
            --count of them (default: 1 after a command), for --for seconds, or without limit, until Ctrl-C. Octets \
            outside of frames are reported. With --json a message is {message, fields, rest, hex}, or {garbage}.

            EXAMPLES
              harald frames gadget --protocol gadget.yaml version
              harald frames gadget --protocol gadget.yaml rate hertz=50 --json
              harald frames gadget --protocol gadget.yaml --for 10
            """)

    @Argument(
        help: ArgumentHelp("The device, a command and its variables.", valueName: "DEVICE COMMAND NAME=VALUE"),
        completion: Completions.devices)
    var words: [String] = []

    @Option(
        name: .customLong("protocol"), help: ArgumentHelp("The file that declares the protocol.", valueName: "file"),
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Send this payload, as for 'harald write'.", valueName: "value"))
    var hex: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this number of messages.", valueName: "messages"))
    var count: Int?

    @OptionGroup var length: TimeOption

    @OptionGroup var device: DeviceOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        let (_, rest) = try device.split(words, needing: [])
        if hex != nil, !rest.isEmpty { throw ValidationError("COMMAND and --hex cannot be combined") }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    func perform() async throws {
        let (selector, rest) = try device.split(words, needing: [])
        let declared = try FrameProtocol(path: file) { _ = try AttributePath($0) }
        let payload = try payload(rest, declared)
        let frame = try payload.map { payload in
            guard let frame = declared.format.frame(payload) else {
                throw ProgramError(
                    .usage, "the payload has \(payload.count) octets, more than the length field of a frame can hold")
            }
            return frame
        }
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(selector, on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let finder = AttributeFinder(peripheral: peripheral, timeout: shared.patience)
                let source = try await finder.findCharacteristic(try AttributePath(declared.notify))
                let target = try await finder.findCharacteristic(try AttributePath(declared.write))
                let values = try await source.subscribe(buffering: .newest(65_536))
                if let frame { try await send(frame, to: target) }
                try await print(values, declared, of: peripheral, isAnswer: frame != nil)
            }
        }
    }

    private func payload(_ words: [String], _ declared: FrameProtocol) throws -> [UInt8]? {
        if let hex { return try ValueInput.bytes([hex]) }
        guard let name = words.first else { return nil }
        var values: [String: String] = [:]
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw ProgramError(.usage, "'\(word)' is not NAME=VALUE") }
            values[parts[0]] = parts[1]
        }
        return try declared.payload(name, values)
    }

    /// Writes a frame, in as many values as the link needs.
    private func send(_ frame: [UInt8], to target: Characteristic) async throws {
        let type: WriteType = target.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
        let room = max(1, min(target.peripheral.maximumWriteLength(for: type), target.peripheral.mtu - 3))
        var rest = frame[...]
        while !rest.isEmpty {
            try await target.write(rest.prefix(room), type: type, timeout: shared.pairingPatience)
            rest = rest.dropFirst(room)
        }
    }

    private func print(
        _ values: BluetoothStream<[UInt8]>, _ declared: FrameProtocol, of peripheral: Peripheral, isAnswer: Bool
    ) async throws {
        let wanted = count ?? (isAnswer && length.limit == nil ? 1 : .max)
        if wanted == .max, length.limit == nil { Console.message("waiting for messages without limit; Ctrl-C stops") }
        let end = length.limit.map { ContinuousClock.now + $0 }
        var (decoder, number, iterator) = (FrameDecoder(declared.format), 0, values.makeAsyncIterator())
        while number < wanted {
            // An answer has a time limit; messages that come by themselves have none.
            let patience = end.map { $0 - .now } ?? (isAnswer ? shared.patience : .seconds(1e9))
            guard patience > .zero,
                case .value(let bytes) = try await iterator.next(within: patience, clock: peripheral.clock)
            else { break }
            CommandDeadline.shared.progress()
            for part in decoder.add(bytes) {
                switch part {
                case .payload(let payload):
                    number += 1
                    let message = declared.decoded(payload)
                    if shared.json {
                        Console.json(message.json)
                    } else {
                        Console.line(TerminalText.safe(message.line), indent: 4)
                    }
                case .garbage(let bytes):
                    if shared.json {
                        Console.json(["garbage": .string(bytes.hexText())])
                    } else {
                        Console.message("octets outside of frames: \(bytes.hexText(separator: " "))")
                    }
                }
                if number == wanted { break }
            }
        }
        try Task.checkCancellation()
        if number < wanted, end == nil {
            throw ProgramError(
                .timeout, "\(number == 0 ? "no message" : number.counted("message")) in \(shared.patience.secondsText)")
        }
    }
}
