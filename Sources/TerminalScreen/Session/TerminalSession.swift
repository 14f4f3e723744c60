import Dispatch
import Foundation
import Synchronization

/// An event of the terminal.
package enum TerminalEvent: Hashable, Sendable {
    case key(Key)
    /// The size changed, or the program resumed after Ctrl-Z: the picture must be drawn again for `Terminal.size`.
    case changed
    /// The input was closed.
    case closed
}

/// The terminal while a program draws on it and reads its keys: from `init` until `close()`.
///
/// A queue of the session writes the pictures. A slow terminal, as over a network, gets the latest picture when it has
/// consumed the previous one; the caller never waits. Ctrl-C remains a signal, unless the session reads it as a key.
/// Ctrl-Z restores the terminal, and `fg` draws everything again. The terminal is restored however the process ends.
package final class TerminalSession: Sendable {
    /// Keys and changes, in order. At most the first 256 unconsumed events are buffered.
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
    private let readsInterrupt: Bool
    private let write: @Sendable ([UInt8]) -> Void
    /// The previous settings of the keyboard; nil if keys are not read.
    private let settings: Mutex<termios?>
    private let output = DispatchQueue(label: "terminal.output")
    private let input = DispatchQueue(label: "terminal.input")
    private let keys = Mutex((decoder: KeyDecoder(), count: 0))

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - placement: `screen` fills the screen, whose content is restored at the end; `inline` draws below the current
    ///     line.
    ///   - readsKeys: true to read single keys from standard input without echo.
    ///   - readsInterrupt: true to read Ctrl-C as a key, in order with the others. As a signal it may be handled before
    ///     keys that were typed earlier, or after later ones.
    ///   - hasColours: true to use colours.
    ///   - write: writes all of the bytes to standard output.
    package init(
        placement: ScreenEncoder.Placement, readsKeys: Bool, readsInterrupt: Bool = false,
        hasColours: Bool = Terminal.hasColours, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.placement = placement
        self.readsInterrupt = readsInterrupt
        self.write = write
        (events, continuation) = AsyncStream<TerminalEvent>.makeStream(bufferingPolicy: .bufferingOldest(256))
        state = Mutex(State(encoder: ScreenEncoder(placement: placement, hasColours: hasColours)))
        var old = termios()
        settings = Mutex(readsKeys && tcgetattr(STDIN_FILENO, &old) == 0 ? old : nil)
        beginMode()
        watchSignals()
        if readsKeys { watchKeys() }
    }

    /// Shows a picture. Replaces a picture that has not been written yet.
    package func show(_ picture: ScreenBuffer) {
        let isFirst = state.withLock { state in
            state.next = picture
            defer { state.isScheduled = true }
            return !state.isScheduled && !state.isClosed
        }
        if isFirst { output.async { self.writeNext() } }
    }

    /// Ends the session: erases the picture and restores the terminal. Returns when that is done.
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
                self.endMode()
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

    /// Alternate screen, no automatic wrapping, bracketed paste.
    private var beginning: String {
        let paste = settings.withLock { $0 != nil } ? "\u{1B}[?2004h" : ""
        return (placement == .screen ? "\u{1B}[?1049h" : "") + "\u{1B}[?7l" + paste
    }

    private var end: String {
        let paste = settings.withLock { $0 != nil } ? "\u{1B}[?2004l" : ""
        return "\u{1B}[m" + paste + "\u{1B}[?7h\u{1B}[?25h" + (placement == .screen ? "\u{1B}[?1049l" : "")
    }

    private func beginMode() {
        let old = settings.withLock { $0 }
        TerminalRestore.arm(Array(end.utf8), settings: old)
        if var new = old {
            // Ctrl-Z remains a signal; Ctrl-S does not stop the output.
            new.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
            new.c_iflag &= ~tcflag_t(IXON)
            if readsInterrupt {
                let disabled = UInt8(truncatingIfNeeded: fpathconf(STDIN_FILENO, Int32(_PC_VDISABLE)))
                withUnsafeMutableBytes(of: &new.c_cc) { $0[Int(VINTR)] = disabled }
            }
            tcsetattr(STDIN_FILENO, TCSANOW, &new)
        }
        write(Array(beginning.utf8))
    }

    private func endMode() {
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
        endMode()
        // `raise` stops this thread at once until the shell continues the process. A signal sent to the process might
        // be taken by another thread first.
        raise(SIGSTOP)
        resume()
    }

    /// Restarts the session after the shell has drawn on the terminal and changed its settings, also after a SIGSTOP
    /// sent by another process.
    private func resume() {
        guard state.withLock({ !$0.isClosed }) else { return }
        beginMode()
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
            // Cancelled, because the source would report the end of the input again and again.
            state.withLock { $0.keyboard?.cancel() }
            continuation.yield(.closed)
            return
        }
        let (new, waiting, number) = keys.withLock { keys in
            keys.count += 1
            return (keys.decoder.decode(bytes.prefix(count)), keys.decoder.isWaiting, keys.count)
        }
        for key in new { continuation.yield(.key(key)) }
        // Over a network the rest of a sequence may be late, but rarely by more than this.
        if waiting { input.asyncAfter(deadline: .now() + .milliseconds(50)) { self.endSequence(number) } }
    }

    private func endSequence(_ number: Int) {
        let new = keys.withLock { $0.count == number ? $0.decoder.timeout() : [] }
        for key in new { continuation.yield(.key(key)) }
    }
}
