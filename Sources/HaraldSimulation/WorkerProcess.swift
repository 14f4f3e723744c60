import Foundation
import Synchronization

/// The parent's side of a worker. After a crash the next world gets a new process.
final class WorkerProcess {
    private var process: Process?
    private var input: FileHandle?
    private var output: FileHandle?
    private var errors: FileHandle?
    private var pending = Data()
    /// The time limit of a world, in seconds; a longer run counts as a hang.
    private let limit: Double

    /// The fault to activate in the library; nil for none.
    private let fault: String?

    init(limit: Double = 120, fault: String? = nil) {
        self.limit = limit
        self.fault = fault
    }

    /// Runs the world of a seed, or the program of a file.
    func run(_ world: String) -> WorkerLine {
        if process?.isRunning != true { start() }
        try? input?.write(contentsOf: Data("\(world)\n".utf8))
        guard let line = nextLine(until: Date().addingTimeInterval(limit)) else { return ended() }
        return WorkerLine(line) ?? WorkerLine(crash: "the worker said '\(line)'")
    }

    func stop() {
        try? input?.close()
        process?.waitUntilExit()
        process = nil
    }

    private func start() {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--worker"]
        process.environment = ProcessInfo.processInfo.environment.merging(Worker.environment) { $1 }
        process.environment?["HARALD_FAULT"] = fault
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try? process.run()
        self.process = process
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        self.errors = errors.fileHandleForReading
        pending = Data()
    }

    private func nextLine(until deadline: Date) -> String? {
        guard let output else { return nil }
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending = Data(pending[(end + 1)...])
                return line
            }
            var descriptor = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let left = deadline.timeIntervalSinceNow
            guard left > 0, poll(&descriptor, 1, Int32(left * 1000)) > 0 else { return nil }
            let more = output.availableData
            if more.isEmpty { return nil }
            pending += more
        }
    }

    private func ended() -> WorkerLine {
        let hangs = process?.isRunning == true && !hasExited()
        if hangs, let process { kill(process.processIdentifier, SIGKILL) }
        process?.waitUntilExit()
        process = nil
        if hangs { return WorkerLine(crash: "it hangs: no end in \(Int(limit)) s") }
        let text = String(decoding: errors?.availableData ?? Data(), as: UTF8.self)
        let first = text.split(separator: "\n").first { $0.contains("rror") } ?? "the program ended"
        return WorkerLine(crash: String(first))
    }

    /// Returns true if the worker's output has ended: the process is about to exit.
    private func hasExited() -> Bool {
        guard let output else { return true }
        var descriptor = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }
}
