import Logging

/// Writes messages to the log of a subsystem and a category. They go to swift-log: a program chooses where with
/// `LoggingSystem.bootstrap`, and which levels its handler keeps.
public struct Logger: Sendable {
    private let log: OSLog

    /// A logger of a subsystem and a category.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// A logger without a subsystem; its label is the name of the process.
    public init() { log = .default }

    /// A logger that writes to a log.
    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message of the level `default`.
    public func log(_ message: OSLogMessage) { log.write(.notice) { message.text } }
    /// Writes a message.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(level.level) { message.text } }
    /// Writes a message of the level `trace` of swift-log.
    public func trace(_ message: OSLogMessage) { log.write(.trace) { message.text } }
    /// Writes a message of the level `debug`.
    public func debug(_ message: OSLogMessage) { log.write(.debug) { message.text } }
    /// Writes a message of the level `info`.
    public func info(_ message: OSLogMessage) { log.write(.info) { message.text } }
    /// Writes a message of the level `default`.
    public func notice(_ message: OSLogMessage) { log.write(.notice) { message.text } }
    /// Writes a message of the level `warning` of swift-log.
    public func warning(_ message: OSLogMessage) { log.write(.warning) { message.text } }
    /// Writes a message of the level `error`.
    public func error(_ message: OSLogMessage) { log.write(.error) { message.text } }
    /// Writes a message of the level `fault`.
    public func critical(_ message: OSLogMessage) { log.write(.critical) { message.text } }
    /// Writes a message of the level `fault`.
    public func fault(_ message: OSLogMessage) { log.write(.critical) { message.text } }
}
