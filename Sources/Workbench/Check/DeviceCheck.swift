import BluetoothModel
import BluetoothRuntime
import Harald

/// Runs rules on a device.
package struct DeviceCheck {
    /// The result of one rule.
    package struct Outcome: Sendable {
        package let rule: CheckRule
        package var verdict: CheckVerdict
        package var findings: [CheckFinding] { if case .found(let findings) = verdict { findings } else { [] } }
    }

    package var options: CheckOptions
    /// Called with each outcome, in the order of the rules.
    package var progress: (Outcome) -> Void = { _ in }

    /// The reason of rules that were not judged because the task was cancelled.
    static let interruption = "interrupted"

    package init(_ options: CheckOptions = CheckOptions()) { self.options = options }

    /// Checks a device. If the task is cancelled, the remaining rules are reported as not run.
    /// - Parameters:
    ///   - hasFrames: true if the adapter gives access to the frames of a link.
    ///   - second: The device as seen by a second adapter.
    package func run(
        _ peripheral: Peripheral, heard: CheckAdvertising, hasFrames: Bool, second: Peripheral? = nil
    ) async -> [Outcome] {
        let run = CheckRun(peripheral, advertising: heard, options: options, second: second)
        let end = options.limit.map { run.clock.now + $0 }
        var allowed = options.allowed
        if hasFrames { allowed.insert(.raw) }
        if heard.showsPackets { allowed.insert(.packets) }
        if second != nil { allowed.insert(.second) }
        let rules = CheckRule.all.filter { options.only?.contains($0.id) ?? true }
        let needsLink = rules.contains { $0.needs.contains(.database) || $0.needs.contains(.raw) }
        if !heard.isConnectable {
            run.databaseProblem = "the device does not accept connections"
        } else if needsLink {
            do {
                if hasFrames { try await run.survey() } else { try await run.surveyWithClient() }
                allowed.insert(.database)
            } catch let stop as CheckStop {
                run.databaseProblem = stop.description
                // Rules judge the services that were discovered before the failure.
                if run.linkCount > 0, !run.database.services.isEmpty { allowed.insert(.database) }
            } catch {
                // After a cancellation no rule is judged.
                run.databaseProblem = (error as? BluetoothError)?.reason ?? "\(error)"
            }
        }
        var outcomes: [Outcome] = []
        for rule in rules {
            let outcome = Outcome(rule: rule, verdict: await judge(rule, run, allowed, end))
            outcomes.append(outcome)
            progress(outcome)
        }
        if !Task.isCancelled { await run.restore() }
        await run.close()
        return outcomes
    }

    private func judge(
        _ rule: CheckRule, _ run: CheckRun, _ allowed: CheckRule.Needs, _ end: RadioInstant?
    ) async -> CheckVerdict {
        let verdict = Task.isCancelled ? nil : await verdict(rule, run, allowed, end)
        // A verdict of a cancelled task is not reliable.
        return Task.isCancelled ? .notRun(Self.interruption) : verdict ?? .notRun(Self.interruption)
    }

    private func verdict(
        _ rule: CheckRule, _ run: CheckRun, _ allowed: CheckRule.Needs, _ end: RadioInstant?
    ) async -> CheckVerdict {
        if let reason = Self.obstacle(rule.needs.subtracting(allowed), run) { return .notRun(reason) }
        if let end, end <= run.clock.now { return .notRun("the time of the check was over") }
        do {
            let verdict = try await rule.judge(run)
            guard case .found(var findings) = verdict, !run.database.isRaw else { return verdict }
            // Without raw access the adapter hides the handles, and the library numbers the attributes itself.
            for index in findings.indices { findings[index].handle = nil }
            return .found(findings)
        } catch let stop as CheckStop {
            return .notRun(stop.description)
        } catch {
            return .notRun((error as? BluetoothError)?.reason ?? "\(error)")
        }
    }

    /// Returns the reason why a rule cannot run without the requirements in `missing`; nil if there is none.
    private static func obstacle(_ missing: CheckRule.Needs, _ run: CheckRun) -> String? {
        if let option = missing.options.first {
            return option == "second" ? "requires a second adapter" : "requires the permission '\(option)'"
        }
        if missing.contains(.raw) {
            return "this adapter gives no access to the frames of a link: the system's Bluetooth service keeps them"
        }
        if missing.contains(.packets) { return "this adapter does not show advertising packets as they were received" }
        if missing.contains(.database) { return run.databaseProblem ?? "there is no database" }
        return nil
    }
}
