import ArgumentParser
import BluetoothProfiles
import Explorer
import Foundation
import Harald

/// `harald decode`
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode the value of a characteristic, offline.",
        discussion: """
            CHARACTERISTIC is a UUID or a name; the bytes have the form of values of 'harald write'. With --json, one \
            object: the fields, with the names of the specification in lower camel case. A number with a unit is \
            {"value": 36.4, "unit": "°C"}; a special value such as NaN is null, with its name in "special"; a code or \
            a set of bits has its number in "value" and its meaning in "name" or "names".

            Glucose concentrations and intervals between heart beats also have "display", the value in the units that \
            people use.

            Bytes that are not a value of the characteristic end with status 65 and the name of the invalid field; \
            with --json the object contains only "problem".

            EXAMPLES
              harald decode 2A37 0648
              harald decode blood-pressure-measurement 1E780050005D00EA070B15052402480001 0400 --json
              harald decode --list
            """)

    @Argument(
        help: ArgumentHelp("The characteristic, and the bytes.", valueName: "CHARACTERISTIC BYTES"),
        completion: Completions.decodable)
    var words: [String] = []

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "List the characteristics that can be decoded.")
    var list = false

    @OptionGroup var naming: NamesOption

    func validate() throws {
        if !list, words.count < 2 {
            throw ValidationError("expected a characteristic and its bytes, such as 2A37 0648")
        }
        if list, !words.isEmpty { throw ValidationError("--list takes no arguments") }
    }

    func run() throws {
        do {
            try list ? printList() : decode()
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
