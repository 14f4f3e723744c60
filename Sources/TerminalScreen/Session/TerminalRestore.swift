import Foundation
import Synchronization

/// Leaves the terminal as it was when the process ends in whatever way: by `exit`, by a signal, or by a crash.
///
/// What has to be done is kept in memory that a signal handler may use: it takes no lock and allocates nothing.
enum TerminalRestore {
    private struct Record {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        var settings: termios
        let hasSettings: Bool
    }

    /// The address of the record of what is to be done, 0 for none. Whoever takes it does it, so it is done once.
    private static let armed = Atomic<UInt>(0)

    private static func take(leaving new: UnsafeMutablePointer<Record>? = nil) -> UnsafeMutablePointer<Record>? {
        UnsafeMutablePointer(bitPattern: armed.exchange(UInt(bitPattern: new), ordering: .acquiringAndReleasing))
    }

    /// The signals of a crash, and Ctrl-\.
    private static let fatalSignals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT]

    private static let areHandlersInstalled = Atomic(false)

    /// Notes what is to be done from now on.
    /// - Parameters:
    ///   - settings: the settings of standard input; nil where they were not changed.
    static func arm(_ bytes: [UInt8], settings: termios?) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        record.initialize(to: Record(bytes: copy, settings: settings ?? termios(), hasSettings: settings != nil))
        free(take(leaving: record))
        installHandlers()
    }

    /// Nothing is to be done any more.
    static func disarm() { free(take()) }

    /// Does it, if there is anything to do.
    static func restore() { free(perform()) }

    private static func free(_ record: UnsafeMutablePointer<Record>?) {
        guard let record else { return }
        record.pointee.bytes.deallocate()
        record.deallocate()
    }

    /// Does it; calls nothing that a signal handler may not call.
    private static func perform() -> UnsafeMutablePointer<Record>? {
        guard let record = take() else { return nil }
        // A terminal that takes nothing, as over a dead link, must not hold up the end.
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
            // On the stack that the runtime has set aside for an overflow of the other one, where there is one.
            new.sa_flags = Int32(bitPattern: UInt32(SA_ONSTACK))
            guard sigaction(number, &new, &old) == 0 else { continue }
            HandlerTable.shared.keep(old, for: number)
        }
    }

    /// In the handler: the terminal first, then what was there before gets the signal.
    private static func handle(_ number: Int32) {
        // The memory of the record is the system's: freeing takes a lock.
        _ = perform()
        HandlerTable.shared.restore(number)
        raise(number)
    }
}

/// What handled signals before, in memory that a handler may read.
///
/// `@unchecked Sendable`: `keep` is called by one thread, once for each signal, right after the handler of that signal was
/// set; everybody else only reads. The memory is never freed.
private final class HandlerTable: @unchecked Sendable {
    static let shared = HandlerTable()
    private static let capacity = 65
    private let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: capacity)

    private init() { actions.initialize(repeating: sigaction(), count: Self.capacity) }

    func keep(_ action: sigaction, for number: Int32) { actions[Int(number)] = action }

    /// Gives the signal back to what handled it before; the default where nothing did.
    func restore(_ number: Int32) { sigaction(number, &actions[Int(number)], nil) }
}
