import Foundation

/// Runs the tests that reach a fault, with the fault enabled.
struct Judge {
    struct Finding {
        let kind: Verdict.Kind
        let reason: String
        /// The test that noticed the fault, or its target if the test is unknown.
        let test: String?
    }

    private let package: MutatedPackage
    private let tests: TestProcess
    private let reach: Reach

    init(package: MutatedPackage, state: URL, say: @escaping (String) -> Void) throws {
        self.package = package
        let products = package.tree.appending(path: ".build/debug")
        let program = try FileManager.default.contentsOfDirectory(atPath: products.path)
            .first { $0.hasSuffix("PackageTests.xctest") }
        guard let program else { throw MutationError("There are no built tests in \(products.path).") }
        tests = TestProcess(
            program: products.appending(path: program), directory: package.tree,
            events: state.appending(path: "events.jsonl"), log: state.appending(path: "test.log"))
        let listing = try Self.output(of: tests.program, ["--testing-library", "swift-testing", "--list-tests"])
        reach = try ReachSurvey(package: package, tests: tests, state: state.appending(path: "reach.jsonl"), say: say)
            .run(listing: listing)
    }

    /// - Parameter passing: the targets whose tests are known to pass with the fault.
    func judge(_ fault: Fault, passing: Set<String>) throws -> Finding {
        let groups = reach.groups(reaching: fault, targets: package.testTargets)
        if groups.isEmpty { return Finding(kind: .missed, reason: "no test reaches it", test: nil) }
        var isDoubtful = false
        for group in groups where !passing.contains(group[0].target) {
            switch try judge(fault, by: group) {
            case .noticed(let reason, let test): return Finding(kind: .noticed, reason: reason, test: test)
            case .missed: continue
            case .doubtful: isDoubtful = true
            }
        }
        let count = groups.reduce(0) { $0 + $1.count }
        let result = isDoubtful ? "pass, or fail occasionally without it" : "pass"
        return Finding(kind: .missed, reason: "\(count) suites reach it, and \(result)", test: nil)
    }

    private enum Answer {
        case noticed(String, by: String)
        case missed
        case doubtful
    }

    /// Runs the suites of one target. A failure has to be caused by the fault alone: it has to repeat with the fault,
    /// and not occur without it.
    private func judge(_ fault: Fault, by group: [Reach.Suite]) throws -> Answer {
        let all = group.map(\.filter)
        // No test takes longer than its suite.
        let patience = 20 + 4 * (group.map(\.seconds).max() ?? 0)
        for _ in 1...3 {
            switch try run(all, fault, patience) {
            case .passed: return .missed
            case .failed(let test, let issue):
                let one = [Self.filter(of: test)]
                guard try run(one, fault, patience) != .passed, try run(one, nil, patience) == .passed else { continue }
                return .noticed("\(test.testName): \(issue)", by: test.testName)
            case .crashed(let status):
                guard try run(all, nil, patience) == .passed else { continue }
                return .noticed("the tests of \(group[0].target) crash (\(status))", by: group[0].target)
            case .hung(let names):
                guard try run(names.map(Self.filter), nil, patience) == .passed else { continue }
                return .noticed(
                    "hangs in \(names.prefix(3).map(\.testName).joined(separator: ", "))",
                    by: names.first?.testName ?? group[0].target)
            }
        }
        return .doubtful
    }

    private func run(_ filters: [String], _ fault: Fault?, _ patience: Double) throws -> TestProcess.Outcome {
        try tests.run(filters, fault: fault?.number, reached: nil, patience: patience)
    }

    /// Returns the filter of one test: its identifier without the position in the sources.
    private static func filter(of test: String) -> String {
        "^" + test.testName.map { $0.isLetter || $0.isNumber || $0 == "/" ? String($0) : "\\\($0)" }.joined()
    }

    static func output(of program: URL, _ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

extension String {
    /// A test's identifier without the file and line at its end.
    fileprivate var testName: String {
        let parts = split(separator: "/")
        guard let last = parts.last, last.contains(".swift:") else { return self }
        return parts.dropLast().joined(separator: "/")
    }
}
