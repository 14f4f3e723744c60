import ArgumentParser
import Explorer
import Foundation
import Harald

struct IdentitiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identities", abstract: "Name devices by their addresses or keys.",
        discussion: """
            A named device has its name in every list. A phone, whose address changes, is recognized by its identity \
            resolving key (IRK); a sensor with encrypted values needs its address and its bind key. Keys are stored in \
            the user's data directory, or in --store, in a file that only the user may read, and are never printed.
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    /// `harald identities list`
    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the named devices.",
            discussion: """
                With --json, one object per device: name, address, hasIRK, hasKey.

                EXAMPLES
                  harald identities
                """)

        @OptionGroup var place: BondPlace

        func perform() async throws {
            let identities = try IdentityFile.read(place.storage())
            if identities.isEmpty, !place.json {
                Console.message("no device is named; 'harald identities add' names one")
            }
            for identity in identities { identity.show(json: place.json) }
        }
    }

    /// `harald identities add`
    struct Add: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Name a device.",
            discussion: """
                A file of a key has 32 hexadecimal digits, and no other user may read it; - is standard input. A name \
                that exists is replaced.

                EXAMPLES
                  harald identities add 'My phone' --irk-file phone.irk
                  harald identities add Kitchen --address A4:C1:38:12:34:56 --key-file kitchen.key
                """)

        @Argument(help: ArgumentHelp("The name.", valueName: "NAME"))
        var name: String

        @Option(help: ArgumentHelp("The file of the identity resolving key.", valueName: "file"), completion: .file())
        var irkFile: String?

        @Option(help: ArgumentHelp("The address.", valueName: "address"))
        var address: String?

        @Option(
            help: ArgumentHelp("The file of the key of encrypted values.", valueName: "file"), completion: .file())
        var keyFile: String?

        @OptionGroup var place: BondPlace

        func validate() throws {
            if irkFile == nil, address == nil { throw ValidationError("expected --irk-file or --address") }
            if keyFile != nil, address == nil { throw ValidationError("--key-file requires --address") }
            if let address, BluetoothAddress(address) == nil {
                throw ValidationError("'\(address)' is not an address such as A4:C1:38:12:34:56")
            }
            if name.trimmingCharacters(in: .whitespaces).isEmpty { throw ValidationError("the name is empty") }
        }

        func perform() async throws {
            let storage = try place.storage()
            var identities = try IdentityFile.read(storage).filter { $0.name != name }
            let identity = DeviceIdentity(
                name: name, address: address.flatMap { BluetoothAddress($0) }, irk: try irkFile.map(Self.key),
                key: try keyFile.map(Self.key))
            identities.append(identity)
            try IdentityFile.write(identities, storage)
            identity.show(json: place.json)
        }

        private static func key(_ path: String) throws(ProgramError) -> [UInt8] {
            let data =
                path == "-"
                ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: path)
            guard let data else { throw ProgramError(.notFound, "cannot read \(path)") }
            var status = stat()
            if path != "-", stat(path, &status) == 0 { try IdentityFile.checkIsPrivate(status, path) }
            let digits = String(decoding: data.prefix(200), as: UTF8.self).filter { !$0.isWhitespace && $0 != ":" }
            guard let key = [UInt8](hexDigits: digits), key.count == 16 else {
                throw ProgramError(.badFile, "\(path) does not have 32 hexadecimal digits")
            }
            return key
        }
    }

    /// `harald identities remove`
    struct Remove: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Forget the name and the keys of a device.",
            discussion: """
                EXAMPLES
                  harald identities remove 'My phone'
                """)

        @Argument(help: ArgumentHelp("The name.", valueName: "NAME"))
        var name: String

        @OptionGroup var place: BondPlace

        func perform() async throws {
            let storage = try place.storage()
            let identities = try IdentityFile.read(storage)
            guard let identity = identities.first(where: { $0.name == name }) else {
                throw ProgramError(.notFound, "no device is named '\(name)'; 'harald identities' lists the names")
            }
            try IdentityFile.write(identities.filter { $0.name != name }, storage)
            identity.show(json: place.json)
        }
    }
}

extension DeviceIdentity {
    /// Prints the device without its keys.
    fileprivate func show(json: Bool) {
        guard !json else {
            return Console.json([
                "name": .string(name), "address": .optional(address?.text), "hasIRK": .bool(irk != nil),
                "hasKey": .bool(key != nil),
            ])
        }
        let parts = [address?.text, irk == nil ? nil : "private addresses", key == nil ? nil : "encrypted values"]
        Console.line("\(TerminalText.safe(name)): \(parts.compactMap { $0 }.joined(separator: ", "))")
    }
}
