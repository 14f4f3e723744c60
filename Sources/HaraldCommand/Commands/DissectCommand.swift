import ArgumentParser
import Explorer
import Harald
import Workbench

struct DissectCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "dissect", abstract: "Decode the packets of a capture file.",
        discussion: """
            FILE is a capture of HCI packets: btsnoop (datalinks 1001, 1002, 2001; also Android's with truncated \
            records), pcap or pcapng (link types 187, 201, 254), Apple's PacketLogger (.pklg), or the text of an \
            Android bug report with packets (btsnooz); or a sniffer's capture of the air (link types 251, 256, 272), \
            which --keys decrypts. '-' is standard input. Every command writes a capture with --capture. Each packet is one line: its number as in Wireshark, the seconds since the first packet and \
            since the previous one, the direction ('>' from the host), the connection handle, the innermost protocol, \
            and the content; errors follow '!!'. Keys are never shown, nor are packets that the specification does not \
            define and that may contain one: their length is.

            With --json, one object per packet: number, time (seconds since 1970), delta, connection, direction (sent, \
            received), layers, summary, att with opcode and handle (for a response, that of the request), error, \
            devices. A fragmented PDU is reported with its last fragment.

            Filters are combined with 'and'. --summary shows, for the packets that pass the filters, the links and why \
            they ended, their procedures, their amounts of data, and the longest waiting times.

            A damaged file is read up to the damage; then the offset of the damage is reported, and the status is 65.

            EXAMPLES
              harald demo --capture demo.btsnoop; harald dissect demo.btsnoop --protocol att
              harald dissect btsnoop_hci.log --device C0:12:34 --errors
              harald dissect trace.pcapng --handle 0x0012 --json
              harald dissect demo.btsnoop --summary
            """)

    @Argument(help: ArgumentHelp("The capture.", valueName: "FILE"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Only packets of this device: its address or name, or a prefix of it."))
    var device: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "Only packets with this protocol: \(DissectionFilter.layers.joined(separator: ", ")).", valueName: "name"),
        completion: .list(DissectionFilter.layers))
    var layer: String?

    @Option(help: ArgumentHelp("Only ATT packets that contain this attribute handle.", valueName: "handle"))
    var handle: String?

    @Flag(help: "Only packets with errors.")
    var errors = false

    @Flag(help: "Show a summary of the capture.")
    var summary = false

    @Flag(help: "Print JSON Lines, one object per line, on standard output.")
    var json = false

    @Flag(name: [.customShort("v"), .long], help: "Report the format, the counts and the devices on standard error.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Decrypt packets of the air with the long term keys of this file: every word of 32 hexadecimal digits, as "
                + "in a list or in the file bonds.json of a store.", valueName: "file"), completion: .file())
    var keys: String?

    @OptionGroup var naming: NamesOption

    func validate() throws { _ = try filter() }

    private func filter() throws -> DissectionFilter {
        var filter = DissectionFilter()
        if let layer, !DissectionFilter.layers.contains(layer) {
            throw ValidationError("--protocol must be one of \(DissectionFilter.layers.joined(separator: ", "))")
        }
        if let handle {
            guard let number = UInt16(decimalOrHex: handle.drop { $0 == "#" }) else {
                throw ValidationError("--handle must be a number such as 0x0012 or 18, not '\(handle)'")
            }
            filter.handle = number
        }
        (filter.device, filter.layer, filter.hasError) = (device, layer, errors)
        return filter
    }

    func perform() async throws {
        let filter = try filter()
        let source: ByteSource
        do throws(ByteSource.OpenError) { source = try ByteSource(path: file) } catch {
            throw ProgramError(.notFound, "cannot read \(file): \(error)")
        }
        var dissector = Dissector(airKeys: try airKeys())
        var (whole, start) = (CaptureSummary(), Int64?.none)
        var (count, shown, damage) = (0, 0, CaptureDamage?.none)
        do throws(CaptureDamage) {
            var capture = try CaptureFile(source)
            if verbose { Console.message("\(file) is a capture in the format \(capture.formatName)") }
            while let record = try capture.next(), !Task.isCancelled {
                count += 1
                start = start ?? record.time
                let result = dissector.dissect(record)
                guard filter.matches(result, names: dissector.names) else { continue }
                shown += 1
                if summary {
                    whole.add(result)
                } else if json {
                    Console.json(result.json)
                } else {
                    Console.line(result.line(since: start), indent: 8)
                }
            }
        } catch { damage = error }
        try Task.checkCancellation()
        if verbose { printTotals(count, shown, dissector.names) }
        if summary, json { Console.json(whole.json) }
        if summary, !json { whole.lines(names: dissector.names).forEach { Console.line($0) } }
        if let damage {
            let read =
                count == 0
                ? "nothing was read" : "\(count.counted("record")) before it \(count == 1 ? "was" : "were") read"
            throw ProgramError(.badFile, "\(file): \(damage); \(read)")
        }
    }

    /// Reads the keys of `--keys`.
    private func airKeys() throws -> [[UInt8]] {
        guard let keys else { return [] }
        let source: ByteSource
        do throws(ByteSource.OpenError) { source = try ByteSource(path: keys) } catch {
            throw ProgramError(.notFound, "cannot read \(keys): \(error)")
        }
        let found = AirKeys.keys(in: source.read(1 << 20))
        guard !found.isEmpty else {
            throw ProgramError(.badFile, "\(keys) contains no key; a long term key has 32 hexadecimal digits")
        }
        return found
    }

    private func printTotals(_ count: Int, _ shown: Int, _ names: [BluetoothAddress: String]) {
        Console.message("\(count.counted("record")), of which \(shown) passed the filters")
        for (address, name) in names.sorted(by: { $0.key.text < $1.key.text }) {
            Console.message("device \(address.text): '\(name)'")
        }
    }
}
