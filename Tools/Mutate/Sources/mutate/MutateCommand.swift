import ArgumentParser
import Foundation
import Mutation

@main
struct MutateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutate",
        abstract:
            "Make one mechanical fault at a time in the sources, and report those that the tests do not detect.",
        discussion: """
            Faults are drawn by the seed: a comparison flipped or shifted, && for ||, plus for minus, a number one up \
            or down, a Boolean negated, a call dropped. All that are drawn are compiled in once, in a copy of the \
            package, and a run of the tests chooses one. Verdicts are kept: a run that was stopped goes on where it \
            was, and a fault is judged again when its file or its tests have changed.

            The last line is `mutate: drawn= noticed= equivalent= missed=`. The status is 0 when 90 % of the faults \
            that are not equivalent were noticed, else 1; 64 for wrong options.
            """)

    static let allModules = ["BluetoothHost", "HostBackend", "BluetoothBackend", "Harald", "CoreBluetooth"]
    static let testTargets = [
        "BluetoothHostTests", "BluetoothBackendTests", "HaraldTests", "CoreBluetoothTests", "VirtualDevicesTests",
    ]

    @Option(help: "The number of faults.") var count = 200
    @Option(help: "The seed: the same one draws the same faults.") var seed: UInt64 = 1
    @Option(help: "The module, one of \(allModules.joined(separator: ", ")) (default: all).") var module: String?
    @Option(help: "Stop after this number of minutes; the figures are of the tested faults.") var minutes: Double?
    @Option(help: "The root of the package.") var root = "."
    @Option(help: "The folder for the copy and the stored results.") var state = ".build/mutate"
    @Flag(help: "Only draw faults and build.") var buildOnly = false
    @Flag(help: "Only list the drawn faults.") var list = false

    func validate() throws {
        if count < 1 { throw ValidationError("COUNT must be at least 1, not \(count).") }
        if let minutes, !(minutes >= 0) { throw ValidationError("--minutes must be 0 or more, not \(minutes).") }
        if let module, !Self.allModules.contains(module) {
            throw ValidationError(
                "There is no module \(module): MODULE must be one of \(Self.allModules.joined(separator: ", ")).")
        }
    }

    func run() throws {
        let root = URL(filePath: root).absoluteURL
        let state = URL(filePath: state).absoluteURL
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        let package = MutatedPackage(
            root: root, tree: state.appending(path: "tree"), modules: module.map { [$0] } ?? Self.allModules,
            testTargets: Self.testTargets)
        let list = root.appending(path: "Tools/Mutate/equivalents.txt")
        let run = MutationRun(
            package: package, state: state,
            equivalents: try Equivalents(text: String(contentsOf: list, encoding: .utf8)),
            count: count, seed: seed, say: Self.say)
        if self.list {
            for fault in Draw.order(try package.sources().flatMap(\.faults), seed: seed).prefix(count) {
                Self.say(fault.text)
            }
            return
        }
        let faults = try run.prepare()
        if buildOnly { return }
        let figures = try run.judge(faults, minutes: minutes)
        Self.say(figures.text)
        if !figures.isEnough { throw ExitCode(1) }
    }

    /// Writes a line without buffering, also into a pipe.
    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
