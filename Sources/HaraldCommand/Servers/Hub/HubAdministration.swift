import ArgumentParser
import Foundation
import HealthHub
import HealthHubWeb
import TerminalScreen

extension HubPlace {
    /// Runs an administration command and prints its answer.
    /// - Throws: ``ProgramError`` or ``HubProblem`` if the command fails.
    func run(_ command: HubCommand) async throws {
        let answer = try await AdministrationSocket.perform(command, store: path())
        if let code = answer.code { throw ProgramError(code.exitStatus, answer.problem ?? "\(code)") }
        for item in answer.items {
            Console.line(json ? item.json : TerminalText.safe(item.text, keepingNewlines: true))
        }
    }
}

extension HubProblem.Code {
    var exitStatus: ExitStatus {
        switch self {
        case .invalid, .tooLarge: .usage
        case .notFound: .notFound
        case .conflict, .full, .busy, .unavailable: .failed
        }
    }
}

extension Role: ExpressibleByArgument {}
extension Rule.Guideline: ExpressibleByArgument {}
extension Rule.Setting: ExpressibleByArgument {}
extension ExportFormat: ExpressibleByArgument {}

struct HubTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Create, list and revoke the tokens of programs.",
        subcommands: [Add.self, List.self, Revoke.self], defaultSubcommand: List.self)

    struct Add: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Create a token and show it once.",
            discussion: """
                A gateway posts readings and reads the states of the people whose readings it sends. A reader can \
                read, an editor can also add people and assign devices, an administrator can also delete. A gateway \
                that is bound to devices posts their readings only, and reads no states; one that is bound to people \
                posts readings of their devices, and of devices that belong to nobody, and reads their states only. \
                A reader and an editor that are bound have access to the data of these people only.

                EXAMPLES
                  harald hub token add kitchen --person 1 --person 2
                  harald hub token add ward-3 --device BP-17
                """)
        @Argument(help: "Name of the token, shown as the origin of readings.") var name: String
        @Option(help: "gateway, reader, editor or administrator.") var role = Role.gateway
        @OptionGroup var bound: BoundPeople
        @Option(help: ArgumentHelp("A device to which it is bound; can be repeated.", valueName: "device"))
        var device: [String] = []
        @OptionGroup var place: HubPlace
        func perform() async throws {
            try await place.run(.addToken(name: name, role: role, people: bound.person, devices: device))
        }
    }

    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List tokens, without their text.")
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.listTokens) }
    }

    struct Revoke: ProgramCommand {
        static let configuration = CommandConfiguration(commandName: "revoke", abstract: "Revoke a token at once.")
        @Argument(help: "Name of the token.") var name: String
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.revokeToken(name: name)) }
    }
}

/// The people to whom a token or an account is bound.
struct BoundPeople: ParsableArguments {
    @Option(
        help: ArgumentHelp("A person to whom it is bound; can be repeated (default: all people).", valueName: "id"))
    var person: [Int64] = []
}

struct HubPersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "Add, list and delete people.",
        subcommands: [Add.self, Set.self, List.self, Delete.self], defaultSubcommand: List.self)

    /// The options of a new person, which can be changed too.
    struct Settings: ParsableArguments {
        @Option(help: "Guideline that classifies blood pressure: acc-aha or esc (default: esc).")
        var guideline: Rule.Guideline?
        @Option(help: "Where blood pressure is measured: home or office (default: home).") var setting: Rule.Setting?
        @Flag(
            inversion: .prefixedNo,
            help: "The person is pregnant or gave birth in the last six weeks; only urgent values are assessed.")
        var pregnant: Bool?
        @Flag(inversion: .prefixedNo, help: "The person has diabetes; ranges of glucose depend on it.")
        var diabetes: Bool?
        @Option(
            help: ArgumentHelp("Height, such as '1.72 m' or '172 cm', for the body mass index.", valueName: "height"))
        var height: String?
        @Option(help: ArgumentHelp("A target; can be repeated.", valueName: "QUANTITY=MIN..MAX UNIT"))
        var target: [String] = []
        @Option(help: ArgumentHelp("Days between readings of a kind.", valueName: "KIND=DAYS")) var every: [String] = []

        func change(name: String?, born: String?) -> PersonChange {
            var change = PersonChange(name: name, born: born)
            (change.guideline, change.setting, change.pregnant) = (guideline, setting, pregnant)
            (change.diabetes, change.height) = (diabetes, height.map { .init(stringLiteral: $0) })
            if !target.isEmpty { change.targets = target }
            if !every.isEmpty { change.every = every }
            return change
        }
    }

    struct Add: ProgramCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a person.")
        @Argument(help: "Name.") var name: String
        @Option(help: ArgumentHelp("Date of birth, such as 1961-04-30.", valueName: "date")) var born: String
        @OptionGroup var settings: Settings
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.addPerson(settings.change(name: name, born: born))) }
    }

    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List people.")
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.listPeople) }
    }

    struct Set: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a person: name, date of birth, guideline, setting, targets, intervals.",
            discussion: """
                A target is agreed with a doctor: 'systolic=120..129 mmHg', 'spO2=88..92 %', 'glucose=..8.0 mmol/L'. \
                It applies to values in its unit. With --every KIND=DAYS the state reports when a reading is overdue; \
                0 days removes the interval.

                EXAMPLES
                  harald hub person set 1 --target 'systolic=120..129 mmHg' --every bloodPressure=1
                """)
        @Argument(help: "Identifier of the person.") var id: Int64
        @Option(help: "Name.") var name: String?
        @Option(help: ArgumentHelp("Date of birth, such as 1961-04-30.", valueName: "date")) var born: String?
        @OptionGroup var settings: Settings
        @Option(help: ArgumentHelp("Remove the targets of a quantity.", valueName: "quantity"))
        var withoutTarget: [String] = []
        @OptionGroup var place: HubPlace

        private var change: PersonChange {
            var change = settings.change(name: name, born: born)
            if !withoutTarget.isEmpty { change.withoutTargets = withoutTarget }
            return change
        }

        func validate() throws {
            guard change == PersonChange() else { return }
            throw ValidationError("there is nothing to change; use one of the options, such as --guideline")
        }

        func perform() async throws {
            try await place.run(.changePerson(id: id, change))
        }
    }

    struct Delete: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a person and all readings.",
            discussion: """
                The data is erased from the files, later if another program reads them now. A deleted reading that is \
                sent again later is not stored.
                """)
        @Argument(help: "Identifier of the person.") var id: Int64
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.deletePerson(id: id)) }
    }
}

struct HubAssignCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Assign the readings of a device to a person.",
        discussion: """
            DEVICE is a serial number, System ID, identifier, address or name; it does not need to be known yet. With \
            --user, only the readings of that user index of the device. All stored readings follow the assignment.
            """)
    @Argument(help: ArgumentHelp("The device.", valueName: "DEVICE")) var device: String
    @Argument(help: ArgumentHelp("Identifier of the person.", valueName: "PERSON")) var person: Int64
    @Option(help: ArgumentHelp("User index of the device, 0 to 254.", valueName: "index")) var user: Int?
    @OptionGroup var place: HubPlace
    func perform() async throws { try await place.run(.assign(device: device, person: person, user: user)) }
}

struct HubUnassignCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign", abstract: "End the assignment of a device.",
        discussion: """
            The readings of the device that belong to its person then belong to nobody, until it is assigned again: \
            they are retracted at the receivers, and are in the list of unassigned readings. Users with an assignment \
            of their own keep it. With --user, only the assignment of that user index of the device ends; its stored \
            and its later readings belong to nobody, also if the whole device is assigned, until 'harald hub assign \
            DEVICE PERSON --user N'.
            """)
    @Argument(help: ArgumentHelp("The device.", valueName: "DEVICE")) var device: String
    @Option(help: ArgumentHelp("User index of the device, 0 to 254.", valueName: "index")) var user: Int?
    @OptionGroup var place: HubPlace
    func perform() async throws { try await place.run(.unassign(device: device, user: user)) }
}

struct HubRulesCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules", abstract: "List the ranges with their sources; with --json also their limits.")
    @OptionGroup var place: HubPlace
    func perform() async throws { try await place.run(.listRules) }
}

struct HubGatewaysCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways", abstract: "List the programs that sent readings.")
    @OptionGroup var place: HubPlace
    func perform() async throws { try await place.run(.listGateways) }
}

struct HubDevicesCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices with readings.")
    @OptionGroup var place: HubPlace
    func perform() async throws { try await place.run(.listDevices) }
}
