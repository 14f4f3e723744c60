#if Programs
import ArgumentParser
import Explorer
import Harald
import Workbench

/// `harald dissect`
struct DissectCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "dissect", abstract: "Say what the packets of a capture file mean.",
        discussion: """
            FILE is a capture of HCI packets: btsnoop (datalinks 1001, 1002, 2001; Android's with truncated records), \
            pcap or pcapng (link types 187, 201, 254); '-' is standard input. Every command has --capture, which \
            writes one. One line a packet: its number as in Wireshark, the seconds since the first one and since the \
            one before, the way ('>' from the host), the connection handle, the innermost protocol, and what it says; \
            what is wrong stands behind '!!'. Keys are never shown.

            With --json it is one object a packet: number, time (seconds since 1970), delta, connection, direction \
            (sent, received), layers, summary, att with opcode and handle (that of the request for a response), error, \
            devices. A PDU that came in fragments belongs to the last one.

            Filters are joined by 'and'. --summary shows the links, why they ended, their procedures, how much they \
            carried, and the longest waits, of all packets that the filters let pass.

            A damaged file is read as far as it goes; then the offset of the damage is told, and the status is 65.

            EXAMPLES
              harald demo --capture demo.btsnoop; harald dissect demo.btsnoop --protocol att
              harald dissect btsnoop_hci.log --device C0:12:34 --errors
              harald dissect trace.pcapng --handle 0x0012 --json
              harald dissect demo.btsnoop --summary
            """)

    @Argument(help: ArgumentHelp("The capture.", valueName: "FILE"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Only what is about this device: its address or name, or the beginning of it."))
    var device: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "Only packets with this protocol: \(DissectionFilter.layers.joined(separator: ", ")).", valueName: "name"),
        completion: .list(DissectionFilter.layers))
    var layer: String?

    @Option(help: ArgumentHelp("Only packets of the attribute protocol that name this attribute.", valueName: "handle"))
    var handle: String?

    @Flag(help: "Only packets with something wrong.")
    var errors = false

    @Flag(help: "Show what the capture holds as a whole.")
    var summary = false

    @Flag(help: "Print JSON Lines, one object a line, on standard output.")
    var json = false

    @OptionGroup var naming: NamesOption

    func validate() throws { _ = try filter() }

    private func filter() throws -> DissectionFilter {
        var filter = DissectionFilter()
        if let layer, !DissectionFilter.layers.contains(layer) {
            throw ValidationError("--protocol is one of \(DissectionFilter.layers.joined(separator: ", "))")
        }
        if let handle {
            let digits = handle.drop { $0 == "#" }
            let isHex = digits.lowercased().hasPrefix("0x")
            guard let number = isHex ? UInt16(digits.dropFirst(2), radix: 16) : UInt16(digits) else {
                throw ValidationError("--handle is a number such as 0x0012 or 18, not '\(handle)'")
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
            throw ProgramError(.notFound, "\(file) cannot be read: \(error)")
        }
        var (dissector, whole, start) = (Dissector(), CaptureSummary(), Int64?.none)
        var (count, damage) = (0, CaptureDamage?.none)
        do throws(CaptureDamage) {
            var capture = try CaptureFile(source)
            while let record = try capture.next(), !Task.isCancelled {
                count += 1
                start = start ?? record.time
                let result = dissector.dissect(record)
                guard filter.matches(result, names: dissector.names) else { continue }
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
        if summary, json { Console.json(whole.json) }
        if summary, !json { whole.lines(names: dissector.names).forEach { Console.line($0) } }
        if let damage {
            let read =
                count == 0
                ? "nothing was read"
                : "\(count) record\(count == 1 ? "" : "s") before it \(count == 1 ? "was" : "were") read"
            throw ProgramError(.badFile, "\(file): \(damage); \(read)")
        }
    }
}
#endif
