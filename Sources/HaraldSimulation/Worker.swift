import Foundation

/// The process that runs worlds, one after the other: a world that crashes takes it along, and the process that started it
/// goes on with another.
enum Worker {
    /// Sets of Swift have the same order in every run only with this in the environment before the program starts.
    static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

    /// Runs the worlds of the seeds that come on the standard input, one a line, or the program of a file that is named
    /// there, and prints a line for each.
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

/// A verdict on its way to another process.
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

    /// One line of JSON.
    var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }

    init?(_ text: String) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}
