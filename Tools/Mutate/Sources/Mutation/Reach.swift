import Foundation

/// The faults that the tests of each suite reach, recorded from a run of each suite without a fault. Stored per version
/// of the sources and of the suite's target.
struct Reach {
    struct Suite: Codable {
        /// `TARGET.SUITE`.
        let name: String
        /// The version of the sources and the tests.
        let version: String
        let seconds: Double
        /// True if all its tests passed without a fault. The result of a failing suite is no evidence about faults.
        let passes: Bool
        /// The numbers of the reached faults.
        let faults: Set<Int>

        var target: String { String(name.prefix { $0 != "." }) }
        /// The filter that selects its tests.
        var filter: String { "^\(name.replacing(".", with: "\\."))/" }
    }

    let suites: [Suite]

    /// Returns the suites whose tests reach a fault, in groups that run together: the faster half of each target, then
    /// the other half of each; the target that is named after the fault's module first.
    func groups(reaching fault: Fault, targets: [String]) -> [[Suite]] {
        let order = targets.filter { $0 == fault.module + "Tests" } + targets.filter { $0 != fault.module + "Tests" }
        let halves = order.map { target -> (quick: [Suite], slow: [Suite]) in
            let reaching = suites.filter { $0.target == target && $0.passes && $0.faults.contains(fault.number) }
                .sorted { $0.seconds < $1.seconds }
            let half = (reaching.count + 1) / 2
            return (Array(reaching.prefix(half)), Array(reaching.dropFirst(half)))
        }
        return (halves.map(\.quick) + halves.map(\.slow)).filter { !$0.isEmpty }
    }
}

/// Runs each suite without a fault.
struct ReachSurvey {
    let package: MutatedPackage
    let tests: TestProcess
    let state: URL
    let say: (String) -> Void

    func run(listing: String) throws -> Reach {
        let sources = try Files.digest(of: [package.tree.appending(path: "Sources")])
        var versions: [String: String] = [:]
        for target in package.testTargets {
            versions[target] = try sources + Files.digest(of: [package.tree.appending(path: "Tests/\(target)")])
        }
        var known: [String: Reach.Suite] = [:]
        for suite in try JSONLines<Reach.Suite>(state).all() { known[suite.name] = suite }
        var suites: [Reach.Suite] = []
        let names = Self.suites(in: listing, targets: package.testTargets)
        let fresh = names.filter { known[$0]?.version != versions[String($0.prefix { $0 != "." })] }
        if !fresh.isEmpty {
            say("running \(fresh.count) suites without a fault, to determine the faults that each reaches")
        }
        for name in names {
            let version = versions[String(name.prefix { $0 != "." })] ?? ""
            if let suite = known[name], suite.version == version {
                suites.append(suite)
                continue
            }
            let suite = try survey(name, version)
            try JSONLines<Reach.Suite>(state).append(suite)
            suites.append(suite)
        }
        let failing = suites.filter { !$0.passes }
        if !failing.isEmpty {
            say("not used, because they fail without a fault: \(failing.map(\.name).joined(separator: ", "))")
        }
        return Reach(suites: suites)
    }

    private func survey(_ name: String, _ version: String) throws -> Reach.Suite {
        let marks = state.deletingLastPathComponent().appending(path: "reached")
        try Data(count: Fault.tableSize).write(to: marks)
        let empty = Reach.Suite(name: name, version: version, seconds: 0, passes: false, faults: [])
        let clock = ContinuousClock()
        var outcome = TestProcess.Outcome.passed
        let time = try clock.measure {
            // Retried once: a flaky failure is dealt with when a fault is judged.
            for _ in 1...2 {
                outcome = try tests.run([empty.filter], fault: nil, reached: marks, patience: 120)
                if outcome == .passed { break }
            }
        }
        let bytes = [UInt8](try Data(contentsOf: marks))
        if outcome != .passed { say("\(name) without a fault: \(outcome)") }
        return Reach.Suite(
            name: name, version: version, seconds: time / .seconds(1), passes: outcome == .passed,
            faults: Set(bytes.indices.filter { bytes[$0] != 0 }))
    }

    /// Returns the suites in the output of `--list-tests`: `TARGET.SUITE/test()` per line.
    static func suites(in listing: String, targets: [String]) -> [String] {
        let names = listing.split(separator: "\n").compactMap { line -> String? in
            guard let slash = line.firstIndex(of: "/") else { return nil }
            let name = String(line[..<slash])
            return targets.contains(String(name.prefix { $0 != "." })) ? name : nil
        }
        return Set(names).sorted()
    }
}

/// A file with one JSON value per line; if a process is killed while writing, only the last line is lost.
struct JSONLines<Value: Codable> {
    let file: URL

    init(_ file: URL) { self.file = file }

    func all() throws -> [Value] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let decoder = JSONDecoder()
        return try Data(contentsOf: file).split(separator: 0x0A).compactMap {
            try? decoder.decode(Value.self, from: $0)
        }
    }

    func append(_ value: Value) throws {
        if !FileManager.default.fileExists(atPath: file.path) { try Files.empty(file) }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.seekToEnd()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try handle.write(contentsOf: encoder.encode(value) + [0x0A])
    }
}
