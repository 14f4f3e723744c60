import Harald
import Synchronization
import VirtualDevices

/// Runs the steps of a script in order, until one fails.
package final class ScriptRunner: Sendable {
    /// An event for the user of the runner.
    package enum Event: Sendable {
        case began(StepResult)
        case ended(StepResult)
        /// Text of the action `print`.
        case text(String)
        /// All steps have ended; the devices are about to be disconnected.
        case finished
    }

    /// The variables and the current device at a point of the script.
    struct Scope: Sendable {
        var values: [String: String]
        var device: String?
        var depth = 0
    }

    /// Thrown after a step that failed was reported.
    struct Stop: Error {
        /// True if no further step can run, because an adapter is lost.
        var isFinal = false
    }

    let script: Script
    let world: any ScriptWorld
    let sessions = ScriptSessions()
    private let reader: ScriptReader
    private let keepsGoing: Bool
    private let interruption: @Sendable () -> String
    private let report: @Sendable (Event) -> Void
    private let failures = Mutex<[StepResult]>([])

    /// - Parameters:
    ///   - reader: the reader that read the script.
    ///   - keepsGoing: True to continue after a failed step.
    ///   - interruption: returns why the steps were cancelled.
    ///   - report: receives the events; calls of steps in parallel may overlap.
    package init(
        _ script: Script, reader: ScriptReader, world: any ScriptWorld, keepsGoing: Bool = false,
        interruption: @escaping @Sendable () -> String = { "interrupted" }, report: @escaping @Sendable (Event) -> Void
    ) {
        (self.script, self.reader, self.world, self.keepsGoing) = (script, reader, world, keepsGoing)
        (self.interruption, self.report) = (interruption, report)
    }

    /// Runs the script and disconnects its devices.
    /// - Returns: The failed steps, in the order of their failures.
    /// - Throws: ``DeviceFileError`` if a step is invalid with the values of its variables; the error of
    ///   ``ScriptWorld/checkAdapters()`` if an adapter is lost and no step failed; `CancellationError`.
    package func run() async throws -> [StepResult] {
        var scope = Scope(values: script.variables)
        do {
            do {
                try await run(script.steps, &scope)
                try await world.checkAdapters()
            } catch is Stop {
                // The failed step was recorded.
            }
        } catch {
            report(.finished)
            await disconnect()
            throw error
        }
        report(.finished)
        await disconnect()
        try Task.checkCancellation()
        return failures.withLock { $0 }
    }

    /// Disconnects all devices, even if the task was cancelled.
    private func disconnect() async {
        let all = sessions.removeAll()
        await Task { for session in all { await session.disconnect() } }.value
    }

    // MARK: Steps

    func run(_ steps: [ScriptStep], _ scope: inout Scope) async throws {
        for (index, step) in steps.enumerated() {
            guard !Task.isCancelled else {
                skip(steps[index...], scope)
                throw CancellationError()
            }
            do {
                try await run(step, &scope)
            } catch let stop as Stop {
                if keepsGoing, !stop.isFinal { continue }
                skip(steps[(index + 1)...], scope)
                throw stop
            } catch let error as CancellationError {
                skip(steps[(index + 1)...], scope)
                throw error
            }
        }
    }

    private func skip(_ steps: ArraySlice<ScriptStep>, _ scope: Scope) {
        for step in steps {
            var result = StepResult(
                line: step.line, action: step.action.rawValue, title: step.title, depth: scope.depth,
                isBlock: step.action.isBlock)
            result.outcome = .skipped
            report(.ended(result))
        }
    }

    private func run(_ step: ScriptStep, _ scope: inout Scope) async throws {
        let operation = try reader.reader(step, scope.values, script).operation()
        var result = StepResult(
            line: step.line, action: step.action.rawValue, title: operation.title,
            device: operation.device ?? (step.action.concernsDevice ? scope.device : nil), depth: scope.depth,
            isBlock: step.action.isBlock)
        result.expected = operation.expectation.map { "\($0)" }
        report(.began(result))
        let start = ContinuousClock.now
        do {
            var effect: ScriptEffect
            if step.action.isBlock {
                let (before, runner) = (scope, self)
                let (after, ended) = try await Self.limited(operation.timeout) {
                    var inner = before
                    inner.depth += 1
                    let ended = try await runner.runBlock(step, operation, &inner)
                    return (inner, ended)
                }
                (scope.values, scope.device) = (after.values, after.device ?? scope.device)
                effect = ended
            } else {
                let (runner, current) = (self, scope)
                // The operations have timeouts of their own with more specific errors, so this one is later.
                effect = try await Self.limited(operation.timeout + .seconds(1)) {
                    try await runner.perform(operation, current)
                }
                if case .error? = operation.expectation {
                    effect.isUnmet = true
                    effect.got = "no error" + (effect.got.isEmpty ? "" : ": \(effect.got)")
                }
            }
            result.got = effect.got.isEmpty ? nil : effect.got
            result.device = effect.device ?? result.device
            result.outcome = effect.isUnmet ? .failed : .passed
            if !effect.isUnmet {
                scope.values.merge(effect.values) { $1 }
                scope.device = effect.device ?? scope.device
            }
        } catch let stop as Stop {
            result.seconds = (ContinuousClock.now - start) / .seconds(1)
            result.outcome = .failed
            result.got = "a step inside failed"
            report(.ended(result))
            throw stop
        } catch let error as DeviceFileError {
            throw error
        } catch {
            if error is CancellationError || Task.isCancelled {
                result.seconds = (ContinuousClock.now - start) / .seconds(1)
                (result.outcome, result.got, result.error) = (.failed, interruption(), CancellationError())
                report(.ended(result))
                throw CancellationError()
            }
            result.got = "\(error)"
            if case .error(let test) = operation.expectation {
                result.outcome = test.accepts(error) ? .passed : .failed
            } else {
                (result.outcome, result.error) = (.failed, error)
            }
        }
        result.seconds = (ContinuousClock.now - start) / .seconds(1)
        var stop: Stop?
        if result.outcome == .failed {
            stop = Stop()
            do { try await world.checkAdapters() } catch {
                // The loss is the cause of the error of the step.
                (result.error, result.got, result.expected) = (error, "\(error)", nil)
                stop?.isFinal = true
            }
            failures.withLock { [result] in $0.append(result) }
        }
        report(.ended(result))
        if case .print(let text) = operation.action { report(.text(text)) }
        if let stop { throw stop }
    }

    /// Runs `body` for a limited time.
    /// - Throws: ``BluetoothError`` with the code `timeout`, or the error of `body`.
    static func limited<Result: Sendable>(
        _ time: Duration, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else {
                throw BluetoothError(.timeout, operation: "", reason: "it took longer than \(ScriptText.seconds(time))")
            }
            return result
        }
    }
}

extension ScriptActionName {
    var concernsDevice: Bool {
        switch self {
        case .scan, .connect, .sleep, .set, .print, .simulate, .repeat, .each, .parallel, .group: false
        default: true
        }
    }
}

extension ScriptStep {
    /// The subject of the action as written in the file.
    var title: String { node.value(of: "name")?.text ?? node.value(of: action.rawValue)?.text ?? "" }
}
