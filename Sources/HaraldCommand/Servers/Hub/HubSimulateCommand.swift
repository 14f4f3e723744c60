import ArgumentParser
import Explorer
import Foundation
import HealthHub
import HealthHubWeb

struct HubSimulateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Simulate gateways that post readings to hubs, and measure the responses.",
        discussion: """
            Each gateway posts 1 to 3 readings of its cuff at random times; one post in twenty is sent twice, and \
            failed ones are sent again until the time is over; a hub then has 5 more seconds for the posts that it has \
            received. The status is 1 if posts were not acknowledged. The readings are marked as simulated, but are \
            stored: use a hub without real readings. The times are in milliseconds, from the arrival of a post to its \
            acknowledgement, with all retries.

            EXAMPLES
              harald hub simulate --gateways 10000 --url http://127.0.0.1:8093 --token-file token
            """)
    @Option(help: ArgumentHelp("Number of gateways.", valueName: "count")) var gateways = 1000
    @Option(
        help: ArgumentHelp(
            "The address of a hub; beyond this machine, https is required; can be repeated.", valueName: "url"))
    var url: [String]
    @Option(help: ArgumentHelp("The file with a token that may post readings.", valueName: "file"))
    var tokenFile: String
    @Option(help: ArgumentHelp("Mean seconds between two posts of a gateway.", valueName: "seconds"))
    var interval = 300.0
    @Option(help: ArgumentHelp("Duration in seconds.", valueName: "seconds")) var seconds = 60.0
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard (1...1_000_000).contains(gateways) else {
            throw ValidationError("--gateways must be from 1 to 1000000")
        }
        guard interval > 0, seconds > 0, interval.isFinite, seconds <= 86400 else {
            throw ValidationError("--interval and --seconds must be above 0, --seconds at most 86400")
        }
    }

    func perform() async throws {
        let hubs = try url.map { try HubAddress($0) }
        let token = try SecretText.token(in: tokenFile)
        let report = await GatewaySimulation(
            .init(hubs: hubs, token: token, gateways: gateways, interval: interval, seconds: seconds),
            onProblem: { Console.message("\(TerminalText.safe($0)); failed posts are sent again") }
        ).run()
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            Console.line(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            Console.line(
                """
                \(report.posts) posts of \(report.gateways) gateways in \(report.seconds) s: \(report.stored) readings \
                stored, \(report.known) known, \(report.refused) refused, \(report.retries) retries, \
                \(report.failed) posts not acknowledged
                milliseconds: median \(report.median), 95th percentile \(report.p95), 99th \(report.p99), \
                longest \(report.longest)
                """)
        }
        try Task.checkCancellation()
        let reason = report.problem.map { ": \($0)" } ?? ""
        switch (report.failed, report.refused) {
        case (0, 0): break
        case (0, let count): throw ProgramError(.failed, "the hub refused \(count.counted("reading"))")
        case (let count, _):
            throw ProgramError(.failed, "\(count.counted("post was", "posts were")) not acknowledged\(reason)")
        }
    }
}
