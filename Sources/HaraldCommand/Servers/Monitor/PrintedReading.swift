import Synchronization

/// The reading whose line is the last one of the output. The answer to it needs no device and no time; one that is
/// printed elsewhere does.
final class PrintedReading: Sendable {
    private let last = Mutex<String?>(nil)

    func print(reading id: String, _ line: () -> Void) {
        last.withLock { last in
            line()
            last = id
        }
    }

    /// Prints the answer to a reading.
    /// - Parameter line: prints it; its argument is true if the line above is that of the reading.
    func print(answer id: String, _ line: (_ isBelowReading: Bool) -> Void) {
        last.withLock { last in
            line(last == id)
            last = nil
        }
    }
}
