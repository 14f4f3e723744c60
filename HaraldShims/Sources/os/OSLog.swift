import Foundation
import Logging
import Synchronization

/// The log of a subsystem and a category: a logger of swift-log with the subsystem as its label, and the category in
/// its metadata.
public final class OSLog: NSObject, Sendable {
    /// A category with a meaning of its own on Apple's systems.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// A category by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Points of interest for Instruments; on Linux, a category like any other.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
    }

    /// The log without a subsystem; its label is the name of the process.
    public static let `default` = OSLog(label: ProcessInfo.processInfo.processName, category: nil)
    /// A log that drops everything.
    public static let disabled = OSLog(label: nil, category: nil)

    private let label: String?
    private let category: String?
    /// Created with the first message, so that a log that exists before `LoggingSystem.bootstrap` uses the handler that
    /// the bootstrap sets.
    private let made = Mutex<Logging.Logger?>(nil)

    private init(label: String?, category: String?) {
        self.label = label
        self.category = category
        super.init()
    }

    /// A log.
    public convenience init(subsystem: String, category: String) { self.init(label: subsystem, category: category) }

    /// A log.
    public convenience init(subsystem: String, category: Category) {
        self.init(label: subsystem, category: category.rawValue)
    }

    /// Returns true if messages of the level are logged.
    public func isEnabled(type: OSLogType) -> Bool { logger.map { $0.logLevel <= type.level } ?? false }

    private var logger: Logging.Logger? {
        guard let label else { return nil }
        return made.withLock { made in
            if let made { return made }
            var logger = Logging.Logger(label: label)
            if let category { logger[metadataKey: "category"] = "\(category)" }
            made = logger
            return logger
        }
    }

    func write(_ level: Logging.Logger.Level, _ message: () -> String) {
        guard let logger, logger.logLevel <= level else { return }
        logger.log(level: level, "\(message())", source: category ?? label)
    }
}
