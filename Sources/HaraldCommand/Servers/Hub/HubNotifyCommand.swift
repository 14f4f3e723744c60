import ArgumentParser
import HealthHub

extension Notifier.Kind: ExpressibleByArgument {}

struct HubNotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Send urgent values and overdue measurements to people.",
        discussion: """
            A running hub sends an urgent value at once, and again every 15 minutes until somebody has seen it on the \
            pages; a measurement that is overdue once a day. What cannot be delivered is tried again each minute, and \
            the list shows why. The hub is no alarm system: a message may be late or lost.
            """,
        subcommands: [Add.self, List.self, Remove.self, Test.self], defaultSubcommand: List.self)

    struct Add: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add an address.",
            discussion: """
                ntfy is a topic of an ntfy server; webhook a program that receives signed posts (Standard Webhooks \
                1.0); homeassistant a notify service of Home Assistant; heartbeat a service that tells you when the \
                requests of the hub stay away, such as healthchecks.io: it notices a hub that is silent; mail a \
                mailbox: smtp:// begins TLS with STARTTLS, smtps:// has it from the beginning, and \
                without TLS nothing is sent.

                EXAMPLES
                  harald hub notify add ntfy https://ntfy.example/anna --token-file token --quiet 22:00-07:00
                  harald hub notify add homeassistant https://ha.example/api/services/notify/phone --token-file token
                  harald hub notify add mail smtp://mail.example --from hub@mail.example --to anna@mail.example \
                    --user hub --password-file password
                  harald hub notify add heartbeat https://hc.example/ping/UUID --every 5
                """)
        @Argument(help: ArgumentHelp("ntfy, webhook, homeassistant, mail or heartbeat.", valueName: "KIND"))
        var kind: Notifier.Kind
        @Argument(help: ArgumentHelp("The address.", valueName: "URL")) var url: String
        @Option(help: "Name (default: the address).") var name: String?
        @Option(help: ArgumentHelp("The file with a bearer token.", valueName: "file")) var tokenFile: String?
        @Option(help: ArgumentHelp("The sender of mails.", valueName: "address")) var from: String?
        @Option(help: ArgumentHelp("The recipient of mails.", valueName: "address")) var to: String?
        @Option(help: ArgumentHelp("The name of the account at the mail server.", valueName: "name")) var user: String?
        @Option(help: ArgumentHelp("The file with its password, mode 0600.", valueName: "file"))
        var passwordFile: String?
        @Option(help: ArgumentHelp("Hours in which overdue measurements are not told.", valueName: "HH:MM-HH:MM"))
        var quiet: String?
        @Option(
            help: ArgumentHelp(
                "Minutes until an urgent value is told again, 0 for never; the interval of a heartbeat.",
                valueName: "minutes"))
        var every = 15
        @Option(help: ArgumentHelp("Only about this person; can be repeated.", valueName: "id")) var person: [Int64] =
            []
        @Flag(help: "Send neither names nor values.") var discreet = false
        @Option(help: "The language of the texts: \(Language.all.map(\.code).joined(separator: ", ")).")
        var language: String?
        @Flag(help: "Allow an unencrypted address beyond this machine.") var plain = false
        @OptionGroup var place: HubPlace

        func perform() async throws {
            var options = Notifier.Options()
            options.token = try tokenFile.map(SecretText.token)
            (options.quiet, options.minutes, options.isDiscreet) = (quiet, every, discreet)
            options.language = language
            if let passwordFile { options.token = try SecretText.password(in: passwordFile) }
            if let from, let to { options.mail = Notifier.Mail(from: from, to: to, user: user) }
            options.mail?.isPlain = plain
            if !person.isEmpty { options.people = person }
            try await place.run(.addNotifier(kind: kind, url: url, name: name, options: options, isPlain: plain))
        }
    }

    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the addresses, with the last delivery or its problem.")
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.listNotifiers) }
    }

    struct Remove: ProgramCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove an address.")
        @Argument(help: "Name.") var name: String
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.removeNotifier(name: name)) }
    }

    struct Test: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Let the running hub send a test.")
        @Argument(help: "Name.") var name: String
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.testNotifier(name: name)) }
    }
}
