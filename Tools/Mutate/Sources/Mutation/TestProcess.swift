import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A run of some of the tests, which ends at the first failure.
struct TestProcess {
    enum Outcome: Equatable {
        case passed
        /// A test recorded an issue: its identifier and the message.
        case failed(test: String, issue: String)
        case crashed(status: Int32)
        /// No progress within the time limit; the tests that had not ended.
        case hung(tests: [String])
    }

    let program: URL
    let directory: URL
    let events: URL
    let log: URL

    /// Runs the tests whose identifiers match one of `filters`, until none starts or ends for `patience` seconds.
    func run(_ filters: [String], fault: Int?, reached: URL?, patience: Double) throws -> Outcome {
        let process = Process()
        process.executableURL = program
        process.currentDirectoryURL = directory
        process.arguments =
            [
                "--testing-library", "swift-testing", "--event-stream-output-path", events.path,
                "--event-stream-version", "0",
            ]
            + filters.flatMap { ["--filter", $0] }
        var environment = ProcessInfo.processInfo.environment
        environment[MutatedPackage.chosenVariable] = fault.map(String.init)
        environment[MutatedPackage.reachedVariable] = reached?.path
        process.environment = environment
        try Files.empty(events)
        try Files.empty(log)
        let output = try FileHandle(forWritingTo: log)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        Children.began(process)
        defer { Children.ended() }
        var reader = try EventReader(events)
        var end = ContinuousClock.now + .seconds(patience)
        while process.isRunning {
            if let failure = try reader.firstIssue() {
                Self.end(process)
                return failure
            }
            if reader.takeProgress() || Self.isStopped(process) { end = ContinuousClock.now + .seconds(patience) }
            if ContinuousClock.now > end {
                Self.end(process)
                return .hung(tests: reader.unfinished)
            }
            usleep(20_000)
        }
        process.waitUntilExit()
        if let failure = try reader.firstIssue() { return failure }
        if process.terminationReason == .uncaughtSignal || !reader.hasEnded {
            return .crashed(status: process.terminationStatus)
        }
        return process.terminationStatus == 0
            ? .passed : .failed(test: "", issue: "status \(process.terminationStatus)")
    }

    /// Returns true if a signal stopped the process, as SIGSTOP does: then its tests do not hang.
    private static func isStopped(_ process: Process) -> Bool {
        let file = "/proc/\(process.processIdentifier)/stat"
        guard let line = try? String(contentsOfFile: file, encoding: .utf8), let name = line.lastIndex(of: ")") else {
            return false
        }
        return line[name...].dropFirst(2).first == "T"
    }

    /// Kills the process and its children.
    private static func end(_ process: Process) {
        let id = process.processIdentifier
        // Foundation starts a process in its own process group.
        if getpgid(id) == id { kill(-id, SIGKILL) } else { kill(id, SIGKILL) }
        process.waitUntilExit()
    }
}

/// The running process, which ends with this one. Foundation starts it in its own process group, which an interrupt
/// from the keyboard does not reach.
enum Children {
    private static let current = Atomic<Int32>(0)

    static func began(_ process: Process) {
        if process.processIdentifier > 0 { current.store(process.processIdentifier, ordering: .relaxed) }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                let child = Children.current.load(ordering: .relaxed)
                if child > 0 { kill(getpgid(child) == child ? -child : child, SIGTERM) }
                _exit(128 + number)
            }
        }
    }

    static func ended() { current.store(0, ordering: .relaxed) }
}

/// Reads the event stream of a test run, as far as it is written.
struct EventReader {
    private let file: FileHandle
    private var rest = Data()
    private var running: Set<String> = []
    /// True after the end of the run.
    private(set) var hasEnded = false
    private var hasProgress = false

    init(_ url: URL) throws { file = try FileHandle(forReadingFrom: url) }

    /// The tests, without their suites, that started and have not ended.
    var unfinished: [String] { running.filter { $0.contains("/") }.sorted() }

    /// Returns true if a test started or ended since the last call.
    mutating func takeProgress() -> Bool {
        defer { hasProgress = false }
        return hasProgress
    }

    private struct Record: Decodable {
        struct Payload: Decodable {
            struct Message: Decodable { let text: String }
            struct Issue: Decodable {
                let isKnown: Bool?
                let severity: String?
            }
            let kind: String?
            let testID: String?
            let messages: [Message]?
            let issue: Issue?
        }
        let kind: String
        let payload: Payload
    }

    /// Returns the first issue among the events since the last call.
    mutating func firstIssue() throws -> TestProcess.Outcome? {
        rest.append(try file.readToEnd() ?? Data())
        guard let last = rest.lastIndex(of: 0x0A) else { return nil }
        let lines = rest[..<last].split(separator: 0x0A)
        rest = Data(rest[(last + 1)...])
        for line in lines {
            guard let record = try? JSONDecoder().decode(Record.self, from: Data(line)), record.kind == "event" else {
                continue
            }
            let test = record.payload.testID ?? ""
            hasProgress = true
            switch record.payload.kind {
            case "testStarted": running.insert(test)
            case "testEnded", "testSkipped": running.remove(test)
            case "runEnded": hasEnded = true
            case "issueRecorded"
            where record.payload.issue?.isKnown != true && record.payload.issue?.severity != "warning":
                let text = record.payload.messages?.map(\.text).joined(separator: " ") ?? ""
                return .failed(test: test, issue: text)
            default: break
            }
        }
        return nil
    }
}
