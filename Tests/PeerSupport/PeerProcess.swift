#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Another program that a test talks to line by line: a Python peer, or `harald` itself.
///
/// Its output is read by threads of its own, so nothing here blocks the threads on which tests run. The program is
/// killed when this object goes away. Its input closes when the test process dies, which ends a peer too.
package final class PeerProcess: Sendable {
    private let program: String
    private let output = PeerOutput()
    private let errorOutput: PeerOutput?
    private let child: PeerChild

    /// Starts a program, found in the PATH unless the name has a slash. Its standard error arrives among its lines, or
    /// in ``errors``.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        separatesErrors: Bool = false
    ) throws(PeerError) {
        self.program = program
        let errors = separatesErrors ? PeerOutput() : nil
        errorOutput = errors
        child = try PeerChild.spawn(program, arguments, environment: environment, output: output, errors: errors)
    }

    deinit {
        child.closeInput()
        child.signal(SIGKILL)
    }

    /// The program's identifier; another program's, once this one has ended.
    package var processIdentifier: Int32 { child.processIdentifier }

    /// Everything that the program printed so far.
    package var transcript: String { output.transcript }

    /// Everything that the program printed on its error output so far, where that is separate.
    package var errors: String { errorOutput?.transcript ?? "" }

    /// Every line from the first on; other ways to read take nothing away from it.
    package var lines: AsyncStream<PeerLine> { output.lines() }

    /// The first line that passes a test, of those printed and not yet taken or still to come; takes it.
    package func line(
        _ what: String, timeout: Duration = .seconds(30), where test: @escaping @Sendable (PeerLine) -> Bool
    ) async throws -> PeerLine {
        try await output.line(what, timeout: timeout, where: test)
    }

    /// Takes and returns the next event with that name that passes a test; leaves the others.
    @discardableResult
    package func event(
        _ name: String, timeout: Duration = .seconds(30),
        where test: @escaping @Sendable (PeerLine) -> Bool = { _ in true }
    ) async throws -> PeerLine {
        try await line("event '\(name)'", timeout: timeout) { $0.event == name && test($0) }
    }

    /// Sends a line to the program's input.
    package func send(_ line: String) throws(PeerError) {
        if !child.write(Array((line + "\n").utf8)) { throw .inputClosed(program: program) }
    }

    /// Sends a command to a peer of `Tests/Peers` and waits for its answer.
    @discardableResult
    package func command(_ line: String, timeout: Duration = .seconds(30)) async throws -> PeerLine {
        let name = line.split(separator: " ").first.map(String.init) ?? line
        try send(line)
        let answer = try await self.line("answer to '\(line)'", timeout: timeout) {
            ($0.event == "done" || $0.event == "error") && $0["command"]?.text == name
        }
        guard answer.event == "done" else {
            throw PeerError.refused(command: line, message: answer["message"]?.text ?? "")
        }
        return answer
    }

    /// Closes the program's input, which ends a peer.
    package func closeInput() {
        child.closeInput()
    }

    /// Stops reading the program's output.
    package func closeOutput() { child.shutDownOutput() }

    /// Sends a signal, unless the program has ended already.
    package func signal(_ number: Int32) {
        child.signal(number)
    }

    /// Waits until the program has ended by itself.
    package func exit() async -> PeerExit {
        await output.exit()
    }

    /// Ends the program: closes its input, and kills it when that does not end it in time.
    @discardableResult
    package func terminate(within patience: Duration = .seconds(5)) async -> PeerExit {
        closeInput()
        // A bound on a failure, nothing waits for it to pass.
        let impatience = Task {
            try await Task.sleep(for: patience)
            signal(SIGKILL)
        }
        defer { impatience.cancel() }
        return await output.exit()
    }
}
#endif
