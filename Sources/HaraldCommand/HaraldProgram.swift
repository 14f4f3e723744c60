import ArgumentParser
import CBuild
import Foundation
import Harald
import Logging

struct HaraldProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "harald",
        abstract: "Bluetooth Low Energy from the terminal, on real adapters and on a virtual radio.",
        discussion: """
            DEVICES are selected by name (case-insensitive; a prefix is enough if only one device has it), by \
            identifier, by address, or with --pick strongest|first|only. --pick alone lists the devices in range with \
            numbers and asks for one. CHARACTERISTICS are selected by service and characteristic, '180F/2A19' or \
            'battery/battery-level', by the characteristic alone if only one service has it, or by value handle, \
            '#0x0012'.

            ADAPTERS are named by URI: auto, virtual:[SCENE], tcp:HOST:PORT, tcp-server:[HOST:]PORT, unix:PATH, \
            seq:PATH, serial:DEVICE,BAUD, hci:N, bluez:hciN; 'harald adapters' lists them. Without --adapter, the \
            variable HARALD_ADAPTER selects the adapter. If it is not set, the machine's first free adapter is used; \
            if there is none, the virtual radio. 'virtual:' joins the air that 'harald air' or 'harald simulate' \
            serves; if there is none, it creates one with the scene 'default'.

            EXAMPLES
              harald scan
              harald tree polar
              harald read polar battery/battery-level --json
              harald notify polar 180D/2A37 --count 5
              harald write gadget FFF0/FFF1 AA BB --without-response

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: version,
        subcommands: [
            ScanCommand.self, ExploreCommand.self, ShellCommand.self, TreeCommand.self, ReadCommand.self,
            WriteCommand.self, NotifyCommand.self, PairCommand.self, BondsCommand.self, IdentitiesCommand.self,
            RSSICommand.self,
            LinkCommand.self, L2CAPCommand.self, FramesCommand.self, InfoCommand.self, CloneCommand.self,
            CheckCommand.self, RunCommand.self, StressCommand.self, ReplayCommand.self, SimulateCommand.self,
            AirCommand.self, UUIDCommand.self, DecodeCommand.self, DissectCommand.self, DeannaCommand.self,
            AdaptersCommand.self, PowerCommand.self, DoctorCommand.self, DemoCommand.self,
        ] + ServerCommands.all + onLinux)

    #if os(Linux)
    private static let onLinux: [any ParsableCommand.Type] = [BlueZCommand.self]
    #else
    private static let onLinux: [any ParsableCommand.Type] = []
    #endif

    /// The output of `--version`: the version, and the commit and date of a release.
    static let version: String = {
        let (commit, date) = (String(cString: build_commit()), String(cString: build_date()))
        let build = commit.isEmpty ? "not built from a commit" : "commit \(commit.prefix(12)), \(date)"
        let absent = ServerCommands.absent.joined(separator: ", ")
        let parts = absent.isEmpty ? "with the trait Programs" : "without \(absent)"
        return "harald \(HaraldVersion.current) (\(build); \(parts))"
    }()

    /// Runs the program with the arguments of the process.
    static func start() async {
        // A write to a closed pipe then fails with an error instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        report_crashes(version)
        let level = ConsoleLog.level(
            isVerbose: CommandLine.arguments.contains { $0 == "--verbose" || $0 == "-v" })
        LoggingSystem.bootstrap { _ in ConsoleLog(level: level) }
        let arguments = CommandLineWords.expanded(Array(CommandLine.arguments.dropFirst()))
        if let problem = CommandLineWords.misspelledCommand(in: arguments) {
            Console.message(problem)
            Foundation.exit(ExitStatus.usage.rawValue)
        }
        UserNames.load(arguments[...])
        UserFormats.load(arguments[...])
        await main(arguments)
    }
}
