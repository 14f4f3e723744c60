import Foundation
import Synchronization

/// Restores the terminal however the process ends: by `exit`, by a signal, or by a crash.
///
/// The necessary data is kept in memory that a signal handler may use: restoring takes no lock and allocates nothing.
enum TerminalRestore {
    private struct Record {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        var settings: termios
        let hasSettings: Bool
    }

    /// The address of the armed record, 0 for none. The atomic exchange gives it to a single caller, so it is used
    /// once.
    private static let armed = Atomic<UInt>(0)

    private static func take(leaving new: UnsafeMutablePointer<Record>? = nil) -> UnsafeMutablePointer<Record>? {
        UnsafeMutablePointer(bitPattern: armed.exchange(UInt(bitPattern: new), ordering: .acquiringAndReleasing))
    }

    /// The signals of a crash, and Ctrl-\.
    private static let fatalSignals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT]

    private static let areHandlersInstalled = Atomic(false)

    /// Arms the restoration.
    /// - Parameters:
    ///   - bytes: the output that resets the modes of the terminal.
    ///   - settings: the settings of standard input; nil if they were not changed.
    static func arm(_ bytes: [UInt8], settings: termios?) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        record.initialize(to: Record(bytes: copy, settings: settings ?? termios(), hasSettings: settings != nil))
        free(take(leaving: record))
        installHandlers()
    }

    /// Disarms the restoration.
    static func disarm() { free(take()) }

    /// Restores the terminal, if armed.
    static func restore() { free(perform()) }

    private static func free(_ record: UnsafeMutablePointer<Record>?) {
        guard let record else { return }
        record.pointee.bytes.deallocate()
        record.deallocate()
    }

    /// Restores the terminal; calls only functions that a signal handler may call.
    private static func perform() -> UnsafeMutablePointer<Record>? {
        guard let record = take() else { return nil }
        // A terminal that accepts no output, as over a dead link, must not delay the end of the process.
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&output, 1, 100) > 0 {
            _ = write(STDOUT_FILENO, record.pointee.bytes.baseAddress, record.pointee.bytes.count)
        }
        if record.pointee.hasSettings { tcsetattr(STDIN_FILENO, TCSANOW, &record.pointee.settings) }
        return record
    }

    // MARK: Signals

    private static func installHandlers() {
        guard !areHandlersInstalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        atexit { TerminalRestore.restore() }
        for number in fatalSignals {
            var (new, old) = (sigaction(), sigaction())
            #if canImport(Darwin)
            new.__sigaction_u.__sa_handler = { TerminalRestore.handle($0) }
            #else
            new.__sigaction_handler.sa_handler = { TerminalRestore.handle($0) }
            #endif
            // On the alternate stack that the runtime provides for stack overflows, if there is one.
            new.sa_flags = Int32(bitPattern: UInt32(SA_ONSTACK))
            guard sigaction(number, &new, &old) == 0 else { continue }
            HandlerTable.shared.keep(old, for: number)
        }
    }

    /// In the signal handler: restores the terminal, then passes the signal to the previous handler.
    private static func handle(_ number: Int32) {
        // The record is not freed, because freeing takes a lock; the system reclaims the memory.
        _ = perform()
        HandlerTable.shared.restore(number)
        raise(number)
    }
}

/// The previous signal handlers, in memory that a signal handler may read.
///
/// Proof of `@unchecked Sendable`: `keep` is called by a single thread, once for each signal, right after the handler
/// of that signal was set; all other accesses only read. The memory is never freed.
private final class HandlerTable: @unchecked Sendable {
    static let shared = HandlerTable()
    private static let capacity = 65
    private let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: capacity)

    private init() { actions.initialize(repeating: sigaction(), count: Self.capacity) }

    func keep(_ action: sigaction, for number: Int32) { actions[Int(number)] = action }

    /// Reinstalls the previous handler of a signal; the default if there was none.
    func restore(_ number: Int32) { sigaction(number, &actions[Int(number)], nil) }
}
