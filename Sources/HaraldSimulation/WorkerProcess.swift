import Foundation
import Synchronization

/// The parent's side of a worker. After a crash the next world gets a new process.
final class WorkerProcess {
    private var process: Process?
    private var input: FileHandle?
    private var output: FileHandle?
    /// The standard error of the worker: the log of the stack and the reason of a crash. It is a file, because a pipe
    /// that is not read would fill up.
    private var errors: FileHandle?
    private var pending = Data()
    /// The time limit of a world, in seconds; a longer run counts as a hang.
    private let limit: Double

    /// The fault to activate in the library; nil for none.
    private let fault: String?

    init(limit: Double = 60, fault: String? = nil) {
        self.limit = limit
        self.fault = fault
    }

    /// Runs the world of a seed, or the program of a file, for `limit` seconds at most where that is given.
    func run(_ world: String, limit: Double? = nil) -> WorkerLine {
        if process?.isRunning != true { start() }
        let limit = min(limit ?? self.limit, self.limit)
        try? errors?.truncate(atOffset: 0)
        try? input?.write(contentsOf: Data("\(world)\n".utf8))
        guard let line = nextLine(until: Date().addingTimeInterval(limit)) else { return ended(limit) }
        return WorkerLine(line) ?? WorkerLine(crash: "the worker printed '\(line)'")
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
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        errors = Self.fileWithoutName()
        process.standardError = errors ?? FileHandle.nullDevice
        try? process.run()
        self.process = process
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        pending = Data()
    }

    /// Returns an unlinked temporary file, which is deleted with its last descriptor. Writes append.
    private static func fileWithoutName() -> FileHandle? {
        var name = Array((FileManager.default.temporaryDirectory.path + "/harald-simulate-XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        unlink(name)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
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

    private func ended(_ limit: Double) -> WorkerLine {
        let hangs = process?.isRunning == true && !hasExited()
        if hangs, let process { kill(process.processIdentifier, SIGKILL) }
        process?.waitUntilExit()
        process = nil
        if hangs { return WorkerLine(crash: "the worker hangs: it did not end in \(Int(limit.rounded(.up))) s") }
        try? errors?.seek(toOffset: 0)
        let lines = String(decoding: (try? errors?.readToEnd()) ?? Data(), as: UTF8.self).split(separator: "\n")
        let reason = lines.first { $0.contains("atal error") } ?? lines.first { $0.contains("ERROR: ") } ?? lines.last
        return WorkerLine(crash: reason.map(String.init) ?? "the program ended")
    }

    /// Returns true if the worker's output has ended: the process is about to exit.
    private func hasExited() -> Bool {
        guard let output else { return true }
        var descriptor = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }
}
