/// The events of a file descriptor.
public struct FileEvents: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Data can be read, or the peer closed.
    public static let readable = FileEvents(rawValue: 1)
    /// Data can be written.
    public static let writable = FileEvents(rawValue: 2)
    /// An error, or a hang-up.
    public static let failed = FileEvents(rawValue: 4)
}

/// A file descriptor that a ``RadioLoop`` watches; confined to the loop.
///
/// The loop retains the watch, and stays alive itself, until ``cancel()``; cancel the watch before the descriptor is
/// closed. Events are level-triggered: they repeat until their cause is removed. A handler that receives `failed`
/// cancels the watch, or continues to read to obtain the error.
public final class FileWatch {
    /// The watched descriptor; the watch does not close it.
    public let descriptor: Int32
    let handler: (FileEvents) -> Void
    /// The index in the loop's set of descriptors; nil once cancelled.
    var index: Int?
    /// Proof of `unowned`: the watch is used on the loop only, and whoever runs the loop retains it: its thread, or a
    /// caller that runs as the loop.
    private unowned let loop: RadioLoop

    /// The events to wait for; `failed` is always reported.
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
