import Foundation
import Testing

@testable import HaraldCommand

/// Messages of the libraries are read in programs that have no such options.
@Suite struct LibraryMessagesTests {
    /// The modules that only the program has.
    private static let programs: Set<String> = [
        "HaraldCommand", "HaraldBench", "HaraldSimulation", "HubBench", "Explorer", "ExplorerWeb", "HealthHub",
        "HealthHubWeb", "Gateway", "Forwarding", "WebServer", "TerminalScreen",
    ]

    /// The options of containers and of bluetoothd.
    private static let others: Set<Substring> = ["--net", "--experimental"]

    @Test func libraryMessagesContainNoOptionOfTheProgram() throws {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let sources = root.appendingPathComponent("Sources")
        let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path)
        var found: [String] = []
        for module in modules where !Self.programs.contains(module) {
            let folder = sources.appendingPathComponent(module)
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    // In a text, an option: '--adapter'.
                    guard let option = line.firstMatch(of: /"[^"]*(--[a-z][a-z-]+)/)?.1, !Self.others.contains(option)
                    else {
                        continue
                    }
                    found.append("\(module)/\(path): \(option)")
                }
            }
        }
        #expect(found.isEmpty)
    }
}
