import Foundation

/// Builds a copy of the package, and removes the faults that do not compile.
package struct Builder {
    let package: MutatedPackage
    let log: URL
    let say: (String) -> Void

    package init(package: MutatedPackage, log: URL, say: @escaping (String) -> Void) {
        self.package = package
        self.log = log
        self.say = say
    }

    /// Builds with the first `count` faults of `order` that compile.
    /// - Returns: those faults, and those that did not compile.
    package func build(
        _ sources: [SourceText], order: [Fault], count: Int, rejected known: Set<String>
    ) throws -> (faults: [Fault], rejected: Set<String>) {
        var rejected = known
        for _ in 1...40 {
            let faults = Array(order.lazy.filter { !rejected.contains($0.identity) }.prefix(count))
            try package.write(sources, faults: faults)
            say("building the tests with \(faults.count) faults")
            let (isBuilt, errors) = try compile()
            if isBuilt { return (faults, rejected) }
            let wrong = try blamed(faults, for: errors)
            if wrong.isEmpty {
                throw MutationError(
                    "The tests do not build, but not because of a fault; the output is in \(log.path):\n"
                        + errors.prefix(10).map(\.text).joined(separator: "\n"))
            }
            say("\(wrong.count) faults do not compile and are replaced by others")
            rejected.formUnion(wrong.map(\.identity))
        }
        throw MutationError("After 40 builds there are still faults that do not compile; see \(log.path).")
    }

    struct CompilerError: Hashable {
        /// The path from the root of the copy.
        let file: String
        let line: Int
        let text: String
    }

    private func compile() throws -> (Bool, [CompilerError]) {
        try Files.empty(log)
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "build", "--build-tests", "--package-path", package.tree.path,
            "-debug-info-format", "none",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        Children.began(process)
        process.waitUntilExit()
        Children.ended()
        try output.close()
        let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        return (process.terminationStatus == 0, Self.errors(in: text, below: package.tree.path))
    }

    static func errors(in text: String, below root: String) -> [CompilerError] {
        var errors: [CompilerError] = []
        for line in text.split(separator: "\n") where line.contains(": error: ") {
            let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, parts[0].hasPrefix(root + "/"), let number = Int(parts[1]) else {
                errors.append(CompilerError(file: "", line: 0, text: String(line)))
                continue
            }
            let error = CompilerError(
                file: String(parts[0].dropFirst(root.count + 1)), line: number, text: String(line))
            if !errors.contains(error) { errors.append(error) }
        }
        return errors
    }

    /// Returns the faults to blame: those on the lines of errors in the copy, else the last one above, else all of the
    /// file.
    private func blamed(_ faults: [Fault], for errors: [CompilerError]) throws -> [Fault] {
        var wrong: Set<Fault> = []
        var others: [CompilerError] = []
        let byFile = Dictionary(grouping: faults, by: \.file)
        for error in errors {
            guard let here = byFile[error.file] else { continue }
            let lines = try String(contentsOf: package.tree.appending(path: error.file), encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.indices.contains(error.line - 1) else { continue }
            let blamed = here.filter { lines[error.line - 1].contains(FaultWriter.chosen($0)) }
            if blamed.isEmpty { others.append(error) }
            wrong.formUnion(blamed)
        }
        guard wrong.isEmpty else { return Array(wrong) }
        // Errors elsewhere may be consequences of those above; without those, the cause has to be guessed.
        for error in others {
            let lines = try String(contentsOf: package.tree.appending(path: error.file), encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let above = lines[..<min(error.line, lines.count)].reversed().lazy
                .compactMap { line in byFile[error.file]?.first { line.contains(FaultWriter.chosen($0)) } }
                .first
            wrong.formUnion(above.map { [$0] } ?? byFile[error.file] ?? [])
        }
        return Array(wrong)
    }
}
