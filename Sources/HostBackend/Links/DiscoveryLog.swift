import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Logging

/// Logs the phases of discovery that send requests to the device. Phases that the cache answers are not logged.
struct DiscoveryLog {
    let log: Logger
    let loop: RadioLoop
    let metadata: Logger.Metadata

    /// The progress of one phase.
    private final class Phase {
        var isOver = false
    }

    /// Runs one phase and logs its start and its result.
    /// - Parameters:
    ///   - name: the phase: "primary services".
    ///   - count: the number of attributes in a result; nil if it is not known.
    func run<Value>(
        _ name: @autoclosure () -> String, at level: Logger.Level = .debug,
        count: @escaping (Value) -> Int?, completion: @escaping (Result<Value, RadioError>) -> Void,
        _ start: (@escaping (Result<Value, RadioError>) -> Void) -> OperationID
    ) -> OperationID {
        guard log.logLevel <= level else { return start(completion) }
        let (name, phase, began) = (name(), Phase(), loop.now)
        var isAsked = false
        let identifier = start { result in
            phase.isOver = true
            if isAsked { ended(name, level, result.map(count), after: loop.now - began) }
            completion(result)
        }
        isAsked = true
        if !phase.isOver { log.log(level: level, "discovering \(name)", metadata: metadata) }
        return identifier
    }

    private func ended(_ name: String, _ level: Logger.Level, _ result: Result<Int?, RadioError>, after time: Duration)
    {
        let seconds = "\(((time / .milliseconds(1)).rounded()) / 1000) s"
        switch result {
        case .success(let count):
            let found = count.map { " \($0)" } ?? ""
            log.log(level: level, "discovered\(found) \(name) in \(seconds)", metadata: metadata)
        case .failure(let error):
            log.info("discovering \(name) failed after \(seconds): \(error)", metadata: metadata)
        }
    }
}
