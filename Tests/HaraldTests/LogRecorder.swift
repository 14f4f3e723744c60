import Logging
import Synchronization

/// Records the log events of the adapters that a test follows; events of other adapters are not created.
enum LogRecorder {
    private static let lines = Mutex([String: [String]]())
    private static let isInstalled: Bool = {
        LoggingSystem.bootstrap { _ in Handler() }
        return true
    }()

    /// Follows an adapter. To be called before it is opened.
    static func follow(_ adapter: String) {
        _ = isInstalled
        lines.withLock { $0[adapter] = [] }
    }

    /// The events of an adapter so far: level, message, and metadata without the adapter.
    static func events(of adapter: String) -> [String] { lines.withLock { $0[adapter] ?? [] } }

    private struct Handler: LogHandler {
        var metadata: Logger.Metadata = [:]

        private var adapter: String { metadata["adapter"].map { "\($0)" } ?? "" }

        var logLevel: Logger.Level {
            get { LogRecorder.lines.withLock { $0[adapter] != nil } ? .debug : .critical }
            set {}
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = "[\(event.level)] \(event.message) \(details.joined(separator: " "))"
            LogRecorder.lines.withLock { $0[adapter]?.append(line) }
        }
    }
}
