import ArgumentParser
import BluetoothProfiles
import Explorer
import Foundation
import Harald

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode the value of a characteristic, or an advertisement, offline.",
        discussion: """
            CHARACTERISTIC is a UUID or a name; the bytes have the form of values of 'harald write'. With --json, one \
            object: the fields, with the names of the specification in lower camel case. A number with a unit is \
            {"value": 36.4, "unit": "°C"}; a special value such as NaN is null, with its name in "special"; a code or \
            a set of bits has its number in "value" and its meaning in "name" or "names".

            Glucose concentrations and intervals between heart beats also have "display", the value in the units that \
            people use.

            Bytes that are not a value of the characteristic end with status 65 and the name of the invalid field; \
            with --json the object contains only "problem".

            With --advertisement, the bytes are advertising data, and the values of known formats are shown: those of \
            beacons, thermometers and scales, of BTHome, Ruuvi, Xiaomi, Govee, Inkbird and SwitchBot. An encrypted \
            value needs the address of the device and its key, after the bytes. --advertisement - reads a line for \
            each advertisement from standard input, and prints a line for each. With --json, each is \
            {"values": [...]}; a value has kind, title, fields, and problem if its fields are unknown. With --list, \
            --advertisement lists the formats.

            EXAMPLES
              harald decode 2A37 0648
              harald decode --advertisement 1BFF99040512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F
              harald decode blood-pressure-measurement 1E780050005D00EA070B15052402480001 0400 --json
              harald decode --list
            """)

    @Argument(
        help: ArgumentHelp("The characteristic, and the bytes.", valueName: "CHARACTERISTIC BYTES"),
        completion: Completions.decodable)
    var words: [String] = []

    @Flag(help: "The bytes are advertising data; '-' reads lines from standard input.")
    var advertisement = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "List the characteristics that can be decoded.")
    var list = false

    @OptionGroup var naming: NamesOption

    func validate() throws {
        if advertisement {
            if !list, words.isEmpty { throw ValidationError("expected advertising data in hexadecimal, or -") }
        } else if !list, words.count < 2 {
            throw ValidationError("expected a characteristic and its bytes, such as 2A37 0648")
        }
        if list, !words.isEmpty { throw ValidationError("--list takes no arguments") }
    }

    func run() throws {
        do {
            if advertisement {
                try list ? printFormats() : decodeAdvertisements()
            } else {
                try list ? printList() : decode()
            }
        } catch let error as ProgramError {
            Console.message(error.message)
            throw ExitCode(error.status.rawValue)
        }
        // This command has no task that could be cancelled, so a failure of the output is reported here.
        if case .outputFailed(let code) = Interruption.shared.reason {
            Console.message("cannot write the output: \(String(cString: strerror(code)))")
            throw ExitCode(ExitStatus.failed.rawValue)
        }
    }

    private func printList() {
        for type in Profiles.types.sorted(by: { $0.uuid < $1.uuid }) {
            let name = AssignedNumbers.name(of: type.uuid) ?? "\(type)"
            if json {
                Console.json(["uuid": .string(type.uuid.description), "name": .string(name)])
            } else {
                Console.line("\(type.uuid)  \(name)")
            }
        }
    }

    private func printFormats() {
        for format in AdvertisedFormats.all.sorted(by: { $0.kind < $1.kind }) {
            if json {
                Console.json([
                    "kind": .string(format.kind), "title": .string(format.title), "source": .string(format.source),
                    "example": .optional(format.examples.first?.hex.filter { $0 != " " }),
                ])
            } else {
                Console.line(
                    "\(TerminalText.fit(format.kind, to: 22))  \(TerminalText.fit(format.title, to: 28))  \(format.source)"
                )
            }
        }
        for format in AdvertisedFormats.declared {
            if json {
                Console.json([
                    "kind": .string(format.kind), "title": .string(format.title), "source": "a file of the user",
                    "example": .null,
                ])
            } else {
                let title = TerminalText.fit(TerminalText.safe(format.title), to: 28)
                Console.line("\(TerminalText.fit(format.kind, to: 22))  \(title)  a file of the user")
            }
        }
    }

    private func decodeAdvertisements() throws {
        guard words == ["-"] else {
            let line = try Self.line(words.joined(separator: " "))
            return try show(line.values)
        }
        var number = 0
        while let text = readLine() {
            number += 1
            do {
                let values = try Self.line(text).values
                Console.line(json ? Self.object(values).text : values.map(\.description).joined(separator: "; "))
            } catch {
                throw ProgramError(error.status, "line \(number): \(error.message)")
            }
        }
    }

    private static func line(_ text: String) throws(ProgramError) -> AdvertisementLine {
        do throws(AdvertisementLine.Problem) { return try AdvertisementLine(text) } catch {
            throw ProgramError(.usage, error.message)
        }
    }

    private static func object(_ values: [AdvertisedValue]) -> JSONValue { ["values": .array(values.map(\.json))] }

    private func show(_ values: [AdvertisedValue]) throws {
        if json { Console.json(Self.object(values)) }
        guard !values.isEmpty else {
            throw ProgramError(
                .notFound, "no value of a known format; 'harald decode --advertisement --list' lists the formats")
        }
        for value in values {
            if !json {
                Console.line(value.problem.map { "\(value.title): \($0)" } ?? value.title)
                let width = value.fields.map { TerminalText.width($0.words) }.max() ?? 0
                for field in value.fields {
                    Console.line("  \(TerminalText.fit(field.words, to: width))  \(TerminalText.safe(field.valueText))")
                }
            }
        }
        if values.allSatisfy({ $0.problem != nil }) { throw ExitCode(ExitStatus.badFile.rawValue) }
    }

    private func decode() throws {
        let uuids = BluetoothUUID(words[0]).map { [$0] } ?? ServiceName.uuids(words[0], .characteristic)
        guard let uuid = uuids.first(where: { Profiles.type(of: $0) != nil }) ?? uuids.first else {
            throw ServiceName.unknown(words[0], .characteristic)
        }
        let bytes = try ValueInput.bytes(Array(words.dropFirst()))
        let fields: [Field]?
        do throws(ValueError) {
            fields = try Profiles.fields(of: bytes, uuid: uuid)
        } catch {
            if json { Console.json(["problem": .string("\(error)")]) }
            let name = [uuid.description, AssignedNumbers.name(of: uuid)].compactMap { $0 }.joined(separator: " ")
            throw ProgramError(.badFile, "\(name): \(error)")
        }
        guard let fields else {
            throw ProgramError(
                .notFound, "values of \(uuid) cannot be decoded; 'harald decode --list' lists known characteristics")
        }
        if json {
            Console.json(JSONValue(fields))
        } else {
            let width = fields.map { TerminalText.width($0.words) }.max() ?? 0
            for field in fields {
                Console.line("\(TerminalText.fit(field.words, to: width))  \(TerminalText.safe(field.valueText))")
            }
        }
    }
}
