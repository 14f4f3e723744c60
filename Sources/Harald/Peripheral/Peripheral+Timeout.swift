import BluetoothRuntime

extension Central {
    /// The adapter's clock, which all timeouts use.
    public var clock: AdapterClock { AdapterClock(loop: radio.loop) }
}

extension Peripheral {
    /// The adapter's clock, which all timeouts use.
    public var clock: AdapterClock { AdapterClock(loop: radio.loop) }

    /// Runs `body`, and cancels it when it takes longer than `duration`.
    /// - Parameters:
    ///   - duration: the limit.
    ///   - operation: the name of the operation, for the error.
    ///   - body: the operation. It must end soon after its task was cancelled.
    /// - Throws: the error of `body`, or ``BluetoothError`` with the code `timeout` or `cancelled`.
    public func withTimeout<Result: Sendable>(
        _ duration: Duration, _ operation: String,
        _ body: @escaping @Sendable () async throws(BluetoothError) -> Result
    ) async throws(BluetoothError) -> Result {
        typealias Outcome = Swift.Result<Result, BluetoothError>
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask {
                do throws(BluetoothError) { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask { [self] in
                do { try await clock.sleep(for: duration) } catch { return .failure(.cancelled) }
                return .failure(
                    BluetoothError(
                        .timeout, operation: operation, reason: "no answer in \(duration.formattedSeconds)",
                        advice: "is the device still busy, or out of range?"))
            }
            // Two tasks were added, so `next()` does not return nil; the fallback is never used.
            let first = await group.next() ?? .failure(.cancelled)
            group.cancelAll()
            return first
        }
        return try outcome.get()
    }
}

extension Duration {
    fileprivate var formattedSeconds: String {
        let milliseconds = Int((self / .milliseconds(1)).rounded())
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }
}
