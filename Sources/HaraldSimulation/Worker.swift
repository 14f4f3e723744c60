import Foundation

/// The process that runs worlds, one after the other. If a world crashes, the process ends with it, and the parent
/// starts another one.
enum Worker {
    /// The environment that makes the order of Swift's sets reproducible. It must be set before the program starts.
    static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

    /// Runs the world of each line of standard input, a seed or the path of a program file, and prints a line for each.
    static func run() {
        while let line = readLine() {
            guard let program = program(line) else { continue }
            say(WorkerLine(Verdict(of: program)).text)
        }
    }

    static func program(_ line: String) -> Program? {
        if let seed = UInt64(line) { return Program(seed: seed) }
        return try? Program(String(contentsOfFile: line, encoding: .utf8))
    }
}

/// A verdict in the form that is sent to the parent process.
struct WorkerLine: Codable {
    var invariant: String?
    var step = 0
    var time: Int64 = 0
    var detail = ""
    var seconds: Double
    var operations: Int
    var faults: Int
    var tally: [String: Int]

    init(_ verdict: Verdict) {
        invariant = verdict.failure?.invariant.rawValue
        step = verdict.failure?.step ?? 0
        time = verdict.failure?.time ?? 0
        detail = verdict.failure?.detail ?? ""
        seconds = verdict.seconds
        operations = verdict.operations
        faults = verdict.faults
        tally = Dictionary(uniqueKeysWithValues: verdict.tally.map { ($0.key.rawValue, $0.value) })
    }

    init(crash detail: String) {
        invariant = Failure.Invariant.crash.rawValue
        self.detail = detail
        (seconds, operations, faults, tally) = (0, 0, 0, [:])
    }

    /// The verdict as one line of JSON.
    var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }

    init?(_ text: String) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}
