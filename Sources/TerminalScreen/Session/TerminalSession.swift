import Dispatch
import Foundation
import Synchronization

/// What happens at the terminal.
package enum TerminalEvent: Hashable, Sendable {
    case key(Key)
    /// It has another size, or the program came back after Ctrl-Z: the picture has to be drawn for `Terminal.size`.
    case changed
    /// Nobody is at the keyboard any more.
    case closed
}

/// The terminal while a program draws on it and reads its keys: from `init` until `close()`.
///
/// Pictures are written by a queue of the session. A terminal that is slow, as over a network, gets the latest picture
/// whenever it has taken the one before, and the caller never waits. Ctrl-C stays a signal. Ctrl-Z leaves the terminal as
/// it was, and `fg` draws everything anew. However the process ends, the terminal is left as it was.
package final class TerminalSession: Sendable {
    /// Keys and changes, in their order. What nobody takes is bounded to the first 256.
    package let events: AsyncStream<TerminalEvent>

    private struct State {
        var encoder: ScreenEncoder
        var next: ScreenBuffer?
        var isScheduled = false
        var isClosed = false
        var signals: [any DispatchSourceSignal] = []
        var keyboard: (any DispatchSourceRead)?
    }

    private let state: Mutex<State>
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let placement: ScreenEncoder.Placement
    private let write: @Sendable ([UInt8]) -> Void
    /// The settings of the keyboard before; nil where keys are not read.
    private let settings: Mutex<termios?>
    private let output = DispatchQueue(label: "terminal.output")
    private let input = DispatchQueue(label: "terminal.input")
    private let keys = Mutex((decoder: KeyDecoder(), count: 0))

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - placement: whether pictures fill the screen, which comes back as it was at the end, or stand inline.
    ///   - readsKeys: whether keys are read from standard input, one by one and without being shown.
    ///   - write: writes bytes to standard output, all of them.
    package init(
        placement: ScreenEncoder.Placement, readsKeys: Bool, hasColours: Bool = Terminal.hasColours,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.placement = placement
        self.write = write
        (events, continuation) = AsyncStream<TerminalEvent>.makeStream(bufferingPolicy: .bufferingOldest(256))
        state = Mutex(State(encoder: ScreenEncoder(placement: placement, hasColours: hasColours)))
        var old = termios()
        settings = Mutex(readsKeys && tcgetattr(STDIN_FILENO, &old) == 0 ? old : nil)
        enter()
        watchSignals()
        if readsKeys { watchKeys() }
    }

    /// Shows a picture; one that was not written yet is left out.
    package func show(_ picture: ScreenBuffer) {
        let isFirst = state.withLock { state in
            state.next = picture
            defer { state.isScheduled = true }
            return !state.isScheduled && !state.isClosed
        }
        if isFirst { output.async { self.writeNext() } }
    }

    /// Ends the session: what was drawn disappears, and the terminal is as it was. Returns when that is done.
    package func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            for source in state.signals { source.cancel() }
            state.signals = []
            state.keyboard?.cancel()
            state.keyboard = nil
            return !state.isClosed
        }
        guard isFirst else { return }
        signal(SIGTSTP, SIG_DFL)
        await withCheckedContinuation { continuation in
            output.async {
                self.leave()
                continuation.resume()
            }
        }
        continuation.finish()
    }

    private func writeNext() {
        let bytes: [UInt8] = state.withLock { state in
            state.isScheduled = false
            guard let next = state.next, !state.isClosed else { return [] }
            state.next = nil
            return state.encoder.encode(next)
        }
        if !bytes.isEmpty { write(bytes) }
    }

    // MARK: Modes

    /// The other screen, no wrapping at the margin, pasted text in brackets.
    private var beginning: String {
        let paste = settings.withLock { $0 != nil } ? "\u{1B}[?2004h" : ""
        return (placement == .screen ? "\u{1B}[?1049h" : "") + "\u{1B}[?7l" + paste
    }

    private var end: String {
        let paste = settings.withLock { $0 != nil } ? "\u{1B}[?2004l" : ""
        return "\u{1B}[m" + paste + "\u{1B}[?7h\u{1B}[?25h" + (placement == .screen ? "\u{1B}[?1049l" : "")
    }

    private func enter() {
        let old = settings.withLock { $0 }
        TerminalRestore.arm(Array(end.utf8), settings: old)
        if var new = old {
            // Ctrl-C and Ctrl-Z stay signals; Ctrl-S stops nothing.
            new.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
            new.c_iflag &= ~tcflag_t(IXON)
            tcsetattr(STDIN_FILENO, TCSANOW, &new)
        }
        write(Array(beginning.utf8))
    }

    private func leave() {
        let bytes = state.withLock { $0.encoder.encodeEnd() }
        write(bytes + Array(end.utf8))
        if var old = settings.withLock({ $0 }) { tcsetattr(STDIN_FILENO, TCSANOW, &old) }
        TerminalRestore.disarm()
    }

    // MARK: Signals

    private func watchSignals() {
        signal(SIGTSTP, SIG_IGN)
        let handlers: [(Int32, @Sendable (TerminalSession) -> Void)] = [
            (SIGTSTP, { $0.suspend() }), (SIGCONT, { $0.resume() }), (SIGWINCH, { $0.resize() }),
        ]
        for (number, handler) in handlers {
            state.withLock { [output] state in
                let source = DispatchSource.makeSignalSource(signal: number, queue: output)
                source.setEventHandler { [weak self] in self.map(handler) }
                source.resume()
                state.signals.append(source)
            }
        }
    }

    private func suspend() {
        guard state.withLock({ !$0.isClosed }) else { return }
        leave()
        // Everything stands still here until the shell lets it go on: this thread at once, not only when another one of
        // the process has taken the signal.
        raise(SIGSTOP)
        resume()
    }

    /// The shell has drawn on the terminal and has changed its settings, also after a SIGSTOP from elsewhere.
    private func resume() {
        guard state.withLock({ !$0.isClosed }) else { return }
        enter()
        state.withLock { $0.encoder.forget(clears: placement == .screen) }
        continuation.yield(.changed)
    }

    private func resize() {
        state.withLock { $0.encoder.forget(clears: true) }
        continuation.yield(.changed)
    }

    // MARK: Keys

    private func watchKeys() {
        state.withLock { [input] state in
            let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: input)
            source.setEventHandler { [weak self] in self?.read() }
            source.resume()
            state.keyboard = source
        }
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else {
            // The end comes once: the source would tell of it again and again.
            state.withLock { $0.keyboard?.cancel() }
            continuation.yield(.closed)
            return
        }
        let (new, waiting, number) = keys.withLock { keys in
            keys.count += 1
            return (keys.decoder.decode(bytes.prefix(count)), keys.decoder.isWaiting, keys.count)
        }
        for key in new { continuation.yield(.key(key)) }
        // Over a network the rest of a sequence may be late, but seldom so late.
        if waiting { input.asyncAfter(deadline: .now() + .milliseconds(50)) { self.endSequence(number) } }
    }

    private func endSequence(_ number: Int) {
        let new = keys.withLock { $0.count == number ? $0.decoder.timeout() : [] }
        for key in new { continuation.yield(.key(key)) }
    }
}
