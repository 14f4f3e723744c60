#if os(Linux)
import Foundation
import Synchronization
import TerminalScreen

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program in a pseudo-terminal: its output, and input of keys.
package final class TerminalProcess: Sendable {
    private struct State {
        var emulator: TerminalEmulator
        var byteCount = 0
        var isASCII = true
        var exit: PeerExit?
        var isStopped = false
        /// True if all output was read.
        var isDrained = false
    }

    /// `POSIX_SPAWN_SETSID` of glibc and musl, which is defined for GNU sources only.
    private static let newSession: Int16 = 0x80

    package let processIdentifier: Int32
    private let terminal: Int32
    private let state: Mutex<State>
    /// Something was drawn, or the program stopped or ended.
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    /// The settings of the terminal before the program began.
    private let settings: [UInt8]

    /// Starts a program as the leader of a session, whose terminal this is.
    package init(
        _ program: String, _ arguments: [String], columns: Int, rows: Int, environment: [String: String]
    ) throws {
        var (ours, theirs) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 256)
        guard openpty(&ours, &theirs, &name, nil, nil) == 0 else {
            throw PeerError.notStarted(program: "a pseudo-terminal", code: errno)
        }
        // Other children of the tests do not hold it open.
        for descriptor in [ours, theirs] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        defer { close(theirs) }
        terminal = ours
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        state = Mutex(State(emulator: TerminalEmulator(columns: columns, rows: rows)))
        (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        Self.setSize(of: terminal, columns, rows)
        settings = Self.settings(of: terminal)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        // The leader of a session gets the first terminal that it opens.
        posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        closeInherited(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Self.newSession)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argumentPointers = ([program] + arguments).map { strdup($0) } + [nil]
        var environmentPointers = variables.map { strdup("\($0)=\($1)") } + [nil]
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, &attributes, &argumentPointers, &environmentPointers)
        for pointer in argumentPointers + environmentPointers { free(pointer) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        processIdentifier = identifier
        // The terminal is closed with the object.
        guard code == 0 else {
            throw PeerError.notStarted(program: program, code: code)
        }
        Thread.detachNewThread { self.read() }
        Thread.detachNewThread { self.reap() }
    }

    deinit { close(terminal) }

    // MARK: Screen

    /// The current screen.
    package var screen: TerminalEmulator { state.withLock { $0.emulator } }
    /// True if all output is ASCII.
    package var isASCII: Bool { state.withLock { $0.isASCII } }
    /// The number of bytes written.
    package var byteCount: Int { state.withLock { $0.byteCount } }
    /// True if the terminal has the settings of the time before the program.
    package var isRestored: Bool {
        let screen = screen
        return Self.settings(of: terminal) == settings && !screen.isOtherScreen && screen.wraps && screen.isCursorShown
    }

    /// Waits until the screen satisfies the condition, or the program has ended.
    /// - Parameter patience: the time limit.
    /// - Returns: true if the screen satisfied the condition.
    package func wait(
        patience: Duration = TerminalProcess.patience, until isRight: (TerminalEmulator) -> Bool
    ) async -> Bool {
        var wasRight = false
        await wait(patience) { state in
            wasRight = isRight(state.emulator)
            return wasRight || state.isDrained
        }
        return wasRight
    }

    /// Waits until the text is on the screen.
    package func wait(for text: String) async -> Bool { await wait { $0.text.contains(text) } }

    /// Waits until the program was stopped by a signal.
    package func untilStopped() async { await wait(Self.patience) { $0.isStopped || $0.exit != nil } }

    /// The end of the program, once it has ended. A program that does not end is killed.
    package var exit: PeerExit {
        get async {
            if await !wait(Self.patience, until: { $0.isDrained && $0.exit != nil }) {
                signal(SIGKILL)
                await wait(Self.patience) { $0.exit != nil }
            }
            return state.withLock { $0.exit } ?? .signal(SIGKILL)
        }
    }

    /// The time limit for a program on a busy machine.
    package static let patience = Duration.seconds(45)

    /// Waits for a change of the state after which the condition holds.
    /// - Returns: true if the condition held within the time limit.
    @discardableResult
    private func wait(_ patience: Duration, until holds: (State) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + patience
        let alarm = DispatchWorkItem { [change] in change.yield() }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .milliseconds(Int(patience.components.seconds) * 1000 + 10), execute: alarm)
        defer { alarm.cancel() }
        var iterator = changes.makeAsyncIterator()
        while true {
            if state.withLock({ holds($0) }) { return true }
            // A test that was cancelled gets no more changes.
            guard ContinuousClock.now < deadline, await iterator.next() != nil else { return false }
        }
    }

    // MARK: Input

    /// Types a text.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Foundation.write(terminal, bytes, bytes.count)
    }

    /// Changes the size of the terminal.
    package func resize(columns: Int, rows: Int) {
        state.withLock { $0.emulator.resize(columns: columns, rows: rows) }
        Self.setSize(of: terminal, columns, rows)
    }

    /// Sends a signal to the program.
    package func signal(_ number: Int32) {
        state.withLock { state in
            if state.exit == nil { kill(processIdentifier, number) }
            if number == SIGCONT { state.isStopped = false }
        }
    }

    // MARK: Threads

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Foundation.read(terminal, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            state.withLock { state in
                state.emulator.write(Array(chunk[..<count]))
                state.byteCount += count
                if chunk[..<count].contains(where: { $0 >= 0x80 }) { state.isASCII = false }
            }
            change.yield()
        }
        state.withLock { $0.isDrained = true }
        change.yield()
    }

    private func reap() {
        while true {
            var status: Int32 = 0
            let result = waitpid(processIdentifier, &status, WUNTRACED)
            if result < 0, errno == EINTR { continue }
            // 0x7F in the low byte: stopped, not ended.
            let isStop = result > 0 && status & 0xFF == 0x7F
            state.withLock { state in
                if isStop { state.isStopped = true } else { state.exit = PeerExit(waitStatus: status) }
            }
            change.yield()
            guard isStop else { return }
        }
    }

    private static func setSize(of terminal: Int32, _ columns: Int, _ rows: Int) {
        var size = winsize()
        (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    private static func settings(of terminal: Int32) -> [UInt8] {
        var settings = termios()
        tcgetattr(terminal, &settings)
        return withUnsafeBytes(of: settings) { Array($0) }
    }
}
#endif
