import ArgumentParser
import Foundation
import HealthHub
import VirtualDevices

extension Receiver.Kind: ExpressibleByArgument {}

struct HubForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward", abstract: "Forward readings to other systems.",
        subcommands: [Add.self, Set.self, List.self, Remove.self, Retry.self], defaultSubcommand: List.self)

    /// The options for the connection to a receiver.
    struct Connection: ParsableArguments {
        @Option(help: ArgumentHelp("The file with a bearer token, or with the broker's password.", valueName: "file"))
        var tokenFile: String?
        @Option(
            name: .customLong("tls-ca"),
            help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"))
        var tlsCA: String?
        @Flag(help: "Allow an unencrypted address beyond this machine.") var plain = false

        /// Reads the files.
        /// - Throws: ``HubProblem`` for a file that cannot be read, or contains something else.
        func options(hasPassword: Bool) throws -> Receiver.Options {
            var options = Receiver.Options()
            options.token = try tokenFile.map { file in
                try hasPassword ? SecretText.brokerPassword(in: file) : SecretText.token(in: file)
            }
            if let tlsCA {
                try ReadableFile.check(tlsCA)
                options.certificates = absolutePath(tlsCA)
            }
            return options
        }
    }

    struct Add: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a receiver; new readings are forwarded to it.",
            discussion: """
                \(Receiver.Kind.allCases.map(\.form.help).joined(separator: " ")) \
                A reading is forwarded when it is assigned to a person, and \
                retracted when it is assigned to another. Messages that a receiver temporarily cannot accept are sent \
                again; messages that it refuses (4xx except 408 and 429) are parked until 'retry'.

                EXAMPLES
                  harald hub forward add fhir https://fhir.example/r4 --token-file token
                  harald hub forward add mqtt mqtts://harald@broker.example --token-file password
                  harald hub forward add webhook http://127.0.0.1:9000/readings
                """)
        @Argument(help: ArgumentHelp("The kind of receiver.", valueName: "KIND")) var kind: Receiver.Kind
        @Argument(help: ArgumentHelp("The address.", valueName: "URL")) var url: String
        @Option(help: "Name of the receiver (default: the address).") var name: String?
        @OptionGroup var connection: Connection
        @OptionGroup var place: HubPlace

        func perform() async throws {
            try await place.run(
                .addReceiver(
                    kind: kind, url: url, name: name,
                    options: try connection.options(hasPassword: kind.form.hasPassword),
                    isPlain: connection.plain))
        }
    }

    struct Set: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the address, the token or the certificates of a receiver.",
            discussion: """
                The receiver keeps its queued and parked messages. A new token is in effect at once; 'retry' sends \
                parked messages again.

                EXAMPLES
                  harald hub forward set https://fhir.example/r4 --token-file token
                """)
        @Argument(help: "Name or address of the receiver.") var name: String
        @Option(help: ArgumentHelp("The new address.", valueName: "URL")) var url: String?
        @OptionGroup var connection: Connection
        @OptionGroup var place: HubPlace

        func validate() throws {
            guard url != nil || connection.tokenFile != nil || connection.tlsCA != nil else {
                throw ValidationError("there is nothing to change; use --url, --token-file or --tls-ca")
            }
        }

        func perform() async throws {
            // The store knows whether it is a broker, and checks a token.
            let options = try connection.options(hasPassword: true)
            try await place.run(
                .changeReceiver(name: name, url: url, options: options, isPlain: connection.plain))
        }
    }

    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List receivers, with queued and parked messages and the latest problem.")
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.listReceivers) }
    }

    struct Remove: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a receiver and its queued messages.")
        @Argument(help: "Name or address of the receiver.") var name: String
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.removeReceiver(name: name)) }
    }

    struct Retry: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Send all queued and parked messages again now.")
        @Argument(help: "Name or address of the receiver (default: all).") var name: String?
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.retryReceivers(name: name)) }
    }
}
