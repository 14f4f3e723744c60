import Harald
import Testing

@testable import HaraldCommand

/// The program's output fits in the terminal, and has one line per record elsewhere.
@Suite struct LayoutTests {
    private let adapters = AdapterListing.all(
        {
            var facts = MachineFacts()
            facts.controllers = [.init(name: "hci0", driver: "btusb")]
            facts.mayAdministrateNetwork = true
            return facts
        }(),
        blueZ: [
            AdapterListing(
                uri: "bluez:hci0", state: .on, address: "00:1A:7D:DA:71:13",
                text: "BlueZ 5.82, 'a machine with a long name'",
                features: ["addresses", "pairing"])
        ])

    @Test(arguments: [40, 60, 80, 173]) func adaptersFitTheWidth(_ width: Int) {
        let lines = AdapterListing.lines(adapters, width: width)
        for line in lines { #expect(TerminalText.width(line) <= width, "\(line)") }
        for word in ["bluez:hci0", "hci:0", "virtual:", "severalIdentities", "pairing"] {
            #expect(lines.contains { $0.contains(word) }, "\(word)")
        }
    }

    @Test func adaptersAreOneLineEachInAPipe() {
        let lines = AdapterListing.lines(adapters, width: nil)
        #expect(lines.count == 1 + adapters.count)
        #expect(lines[0].hasSuffix("FEATURES") && lines[1].hasSuffix("addresses pairing"))
    }

    @Test func theDiagnosisIsWrappedWithoutLoss() {
        var facts = MachineFacts()
        facts.enclosure = .container("docker")
        let diagnosis = Diagnosis(facts)
        for line in diagnosis.lines(width: 60) { #expect(TerminalText.width(line) <= 60, "\(line)") }
        func words(_ lines: [String]) -> [Substring] { lines.flatMap { $0.split(separator: " ") } }
        #expect(words(diagnosis.lines(width: 60)) == words(diagnosis.lines(width: nil)))
    }

    @Test func tableCellsWrap() {
        var table = TextTable([.init(title: "A"), .init(title: "WORDS", leastWidth: 6)])
        table.rows = [[.init("1"), .init("one two three")], [.init("2"), .init("four")]]
        #expect(table.lines(width: 11, wraps: true) == ["A  WORDS", "1  one two", "   three", "2  four"])
        #expect(table.lines(width: 11) == ["A  WORDS", "1  one two…", "2  four"])
    }

    @Test(
        arguments: [
            (false, nil, "error"), (true, nil, "debug"), (false, "info", "info"), (true, "NOTICE", "notice"),
            (false, "loud", "error"),
        ] as [(Bool, String?, String)])
    func theLogLevelFollowsVerboseAndTheVariable(_ isVerbose: Bool, _ variable: String?, _ level: String) {
        let environment = variable.map { ["HARALD_LOG": $0] } ?? [:]
        #expect(ConsoleLog.level(isVerbose: isVerbose, environment: environment).rawValue == level)
    }
}
