#if Programs
import ArgumentParser
import Foundation
import HealthHub
import VirtualDevices

extension Receiver.Kind: ExpressibleByArgument {}

/// `harald hub forward`
struct HubForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward", abstract: "Forward readings to other systems.",
        subcommands: [Add.self, List.self, Remove.self, Retry.self], defaultSubcommand: List.self)

    struct Add: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Forward readings from now on.",
            discussion: """
                fhir is the base address of a FHIR R4 server, which gets transactions with conditional create. webhook \
                is the address of a program, which gets signed posts (Standard Webhooks 1.0); the secret is printed \
                once. mqtt is a broker, mqtt://USER@HOST:1883 or mqtts://, which Home Assistant may listen to; \
                --token-file has the password. A reading is forwarded when it belongs to a person; when it turns out \
                to be another's, it is retracted. What a receiver cannot take now is sent again; what it refuses (4xx \
                but 408 and 429) is parked until 'retry'.

                EXAMPLES
                  harald hub forward add fhir https://fhir.example/r4 --token-file token
                  harald hub forward add mqtt mqtts://harald@broker.example --token-file password
                  harald hub forward add webhook http://127.0.0.1:9000/readings
                """)
        @Argument(help: ArgumentHelp("fhir, mqtt or webhook.", valueName: "KIND")) var kind: Receiver.Kind
        @Argument(help: ArgumentHelp("The address.", valueName: "URL")) var url: String
        @Option(help: "Name of the receiver (default: the address).") var name: String?
        @Option(help: ArgumentHelp("The file of a bearer token, or of the broker's password.", valueName: "file"))
        var tokenFile: String?
        @Option(
            name: .customLong("tls-ca"),
            help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"))
        var tlsCA: String?
        @Flag(help: "Allow an address beyond this machine that does not encrypt.") var plain = false
        @OptionGroup var place: HubPlace

        func perform() async throws {
            var options = Receiver.Options()
            if let tokenFile {
                guard let text = try? TextFile.read(tokenFile) else {
                    throw ProgramError(.notFound, "the file \(tokenFile) cannot be read")
                }
                let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
                guard !token.isEmpty, token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                    throw ProgramError(.usage, "\(tokenFile) has no token")
                }
                options.token = token
            }
            if let tlsCA {
                guard FileManager.default.isReadableFile(atPath: tlsCA) else {
                    throw ProgramError(.notFound, "the file \(tlsCA) cannot be read")
                }
                options.certificates = absolutePath(tlsCA)
            }
            try await place.run(.addReceiver(kind: kind, url: url, name: name, options: options, isPlain: plain))
        }
    }

    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List receivers, with what waits, what is parked and the latest problem.")
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.listReceivers) }
    }

    struct Remove: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Forward no more, and drop what waits.")
        @Argument(help: "Name or address of the receiver.") var name: String
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.removeReceiver(name: name)) }
    }

    struct Retry: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Try everything again now, parked messages included.")
        @Argument(help: "Name or address of the receiver (default: all).") var name: String?
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.retryReceivers(name: name)) }
    }
}
#endif
