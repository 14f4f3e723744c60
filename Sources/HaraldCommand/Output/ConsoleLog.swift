import Foundation
import Logging
import Synchronization

/// Prints log events of the libraries as messages of the program: errors, and more on request.
struct ConsoleLog: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    /// The adapters with events so far.
    private static let adapters = Mutex(Set<String>())

    init(level: Logger.Level) { logLevel = level }

    /// The level given by `HARALD_LOG`, else `debug` for `--verbose` and `error` without.
    static func level(
        isVerbose: Bool, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Logger.Level {
        let wanted = environment["HARALD_LOG"].flatMap { Logger.Level(rawValue: $0.lowercased()) }
        return wanted ?? (isVerbose ? .debug : .error)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let level = event.level < .error ? "[\(event.level)] " : ""
        var metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        if let adapter = metadata["adapter"], !Self.isAmbiguous("\(adapter)") { metadata["adapter"] = nil }
        let details = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        Console.message("\(level)\(event.message)" + (details.isEmpty ? "" : " (\(details))"))
    }

    /// Returns true if a message has to name its adapter, because there are several.
    private static func isAmbiguous(_ adapter: String) -> Bool {
        adapters.withLock { adapters in
            adapters.insert(adapter)
            return adapters.count > 1
        }
    }
}
