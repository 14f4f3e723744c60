import Harald

/// The actions of steps with nested steps.
extension ScriptRunner {
    func runBlock(
        _ step: ScriptStep, _ operation: ScriptOperation, _ scope: inout Scope
    ) async throws -> ScriptEffect {
        switch operation.action {
        case .repeat(let count, let name, let every, let time):
            return try await runAgain(step, count, name, every, time, &scope)
        case .each(let values, let name): return try await runEach(step, values, name, &scope)
        case .parallel: return try await runParallel(step, scope)
        default:
            if let device = operation.device { scope.device = device }
            try await run(step.inner, &scope)
            return ScriptEffect()
        }
    }

    private func runAgain(
        _ step: ScriptStep, _ count: Int?, _ name: String?, _ every: Duration?, _ time: Duration?,
        _ scope: inout Scope
    ) async throws -> ScriptEffect {
        let start = ContinuousClock.now
        var turn = 0
        while turn < count ?? .max {
            if let time, ContinuousClock.now - start >= time { break }
            turn += 1
            if let name { scope.values[name] = String(turn) }
            try await run(step.inner, &scope)
            guard let every, turn < count ?? .max else { continue }
            // Iterations begin at multiples of the interval; those that elapse during a long iteration are skipped.
            let now = ContinuousClock.now - start
            let next = every * Double((now / every).rounded(.down) + 1)
            if let time, next >= time { break }
            try await Task.sleep(for: next - now)
        }
        return ScriptEffect(got: turn.counted("time"))
    }

    private func runEach(
        _ step: ScriptStep, _ values: ScriptOperation.Each, _ name: String, _ scope: inout Scope
    ) async throws -> ScriptEffect {
        let all: [String]
        switch values {
        case .values(let values): all = values
        case .devices(let condition, let adapter, let time):
            all = try await heard(condition, adapter, for: time).found.map { $0.peripheral.address?.text ?? "\($0.id)" }
            guard all.count >= condition.count else {
                throw ScriptNotFound(
                    "\(all.count.counted("device was", "devices were")) heard in \(ScriptText.seconds(time)): \(condition)"
                )
            }
        }
        for value in all {
            scope.values[name] = value
            try await run(step.inner, &scope)
        }
        return ScriptEffect(got: all.count.counted("value"))
    }

    /// Runs all branches concurrently. Each has its own variables and its own current device.
    private func runParallel(_ step: ScriptStep, _ scope: Scope) async throws -> ScriptEffect {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for branch in step.inner {
                let (runner, scope) = (self, scope)
                group.addTask {
                    var scope = scope
                    // A branch that is a list of steps has no step of its own.
                    try await runner.run(branch.isBranch ? branch.inner : [branch], &scope)
                }
            }
            defer { group.cancelAll() }
            while try await group.next() != nil {}
            return ScriptEffect()
        }
    }
}

extension ScriptStep {
    /// True for a list of steps in `parallel`.
    var isBranch: Bool { action == .group && node.isList }
}
