import ArgumentParser
import Foundation
import HealthHub
import VirtualDevices
import WebServer

struct HubUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Add, list, change and remove the accounts of people who use the pages.",
        subcommands: [Add.self, List.self, Set.self, Remove.self], defaultSubcommand: List.self)

    struct Add: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add an account.",
            discussion: """
                The first line of the file is the password, of 8 characters or more; the store contains only a salted, \
                slow hash of it. A reader can read, an editor can also add people and assign devices, an administrator \
                can also delete.
                """)
        @Argument(help: "Name.") var name: String
        @Option(help: "The role of the account.") var role: AccountRole
        @Option(help: ArgumentHelp("The file with the password.", valueName: "file")) var passwordFile: String
        @OptionGroup var bound: BoundPeople
        @OptionGroup var place: HubPlace

        func perform() async throws {
            let hash = try HubUserCommand.hash(of: passwordFile)
            try await place.run(.addUser(name: name, role: role.role, hash: hash, people: bound.person))
        }
    }

    /// The roles of accounts; a gateway is a program.
    enum AccountRole: String, CaseIterable, ExpressibleByArgument {
        case reader, editor, administrator

        var role: Role {
            switch self {
            case .reader: .reader
            case .editor: .editor
            case .administrator: .administrator
            }
        }
    }

    struct Set: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the password of an account, which ends its sessions at once.")
        @Argument(help: "Name.") var name: String
        @Option(help: ArgumentHelp("The file with the new password.", valueName: "file")) var passwordFile: String
        @OptionGroup var place: HubPlace

        func perform() async throws {
            try await place.run(.changeUser(name: name, hash: try HubUserCommand.hash(of: passwordFile)))
        }
    }

    /// Returns the hash of the password in a file.
    /// - Throws: ``HubProblem`` if the file cannot be read; ``ProgramError`` for a short password; an error of scrypt.
    private static func hash(of file: String) throws -> String {
        let password = try SecretText.firstLine(of: file)
        let length = WebPassword.leastLength
        guard password.count >= length else {
            throw ProgramError(.usage, "a password must have \(length) characters or more")
        }
        return try WebPassword.hash(password)
    }

    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List accounts.")
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.listUsers) }
    }

    struct Remove: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove an account and end its sessions at once.")
        @Argument(help: "Name.") var name: String
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.removeUser(name: name)) }
    }
}

struct HubAuditCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show changes and logins, or who read the data of whom, newest first.",
        discussion: """
            With --reads an entry is an hour in which an account, a token or a browser read the data of a person; \
            entries are kept for 400 days.
            """)
    @Flag(help: "Show who read the data of whom.") var reads = false
    @Option(help: ArgumentHelp("With --reads, only the data of this person.", valueName: "id")) var person: Int64?
    @OptionGroup var place: HubPlace

    func validate() throws {
        if person != nil, !reads { throw ValidationError("--person is used with --reads") }
    }

    func perform() async throws { try await place.run(reads ? .listReads(person: person) : .listAudit) }
}
