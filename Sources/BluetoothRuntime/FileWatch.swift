/// What happened to a file descriptor.
public struct FileEvents: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// A set by its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is something to read, or the other side closed.
    public static let readable = FileEvents(rawValue: 1)
    /// There is room to write.
    public static let writable = FileEvents(rawValue: 2)
    /// An error, or a hang-up.
    public static let failed = FileEvents(rawValue: 4)
}

/// A file descriptor that a ``RadioLoop`` watches; confined to the loop.
///
/// The loop keeps it, and itself alive, until ``cancel()``; cancel it before the descriptor is closed. Events repeat
/// until their cause is dealt with: a handler that is told `failed` cancels the watch, or reads on to learn the error.
public final class FileWatch {
    /// The watched descriptor; the watch does not close it.
    public let descriptor: Int32
    let handler: (FileEvents) -> Void
    /// The place in the loop's set of descriptors; nil once cancelled.
    var index: Int?
    private unowned let loop: RadioLoop

    /// What to wait for; `failed` is always reported.
    public var interest: FileEvents {
        didSet { if interest != oldValue { loop.interestChanged(of: self) } }
    }

    init(descriptor: Int32, interest: FileEvents, loop: RadioLoop, handler: @escaping (FileEvents) -> Void) {
        self.descriptor = descriptor
        self.interest = interest
        self.loop = loop
        self.handler = handler
    }

    /// Ends the watch; the handler is not called again. A second call does nothing.
    public func cancel() { if index != nil { loop.remove(self) } }
}
