import Explorer
import Synchronization
import Workbench

/// Prints the steps of a script as they end, and keeps them for the report.
final class ScriptLog: Sendable {
    private struct State {
        var steps: [StepResult] = []
        /// The steps that began and have not ended.
        var open: [StepResult] = []
    }

    private let asJSON: Bool
    private let report: ScriptReport?
    private let state = Mutex(State())

    /// - Parameter report: the report to write after the last step; nil if none is wanted.
    init(asJSON: Bool, report: ScriptReport? = nil) { (self.asJSON, self.report) = (asJSON, report) }

    var steps: [StepResult] { state.withLock { $0.steps } }

    /// The step that is running: of several in parallel, the one that began last. A block is running only between its
    /// steps.
    var running: StepResult? { state.withLock { state in state.open.last { !$0.isBlock } ?? state.open.last } }

    func note(_ event: ScriptRunner.Event) {
        switch event {
        case .began(let step):
            state.withLock { $0.open.append(step) }
            guard !asJSON, step.isBlock else { return }
            let line = String(repeating: " ", count: max(0, 4 - "\(step.line)".count)) + "\(step.line)"
            let text = "...    \(line)  " + String(repeating: "  ", count: step.depth) + step.heading
            Console.line(TerminalText.safe(text), indent: 13)
        case .ended(let step):
            state.withLock { state in
                state.steps.append(step)
                guard step.outcome != .skipped else { return }
                let index = state.open.lastIndex {
                    $0.line == step.line && $0.depth == step.depth && $0.action == step.action && $0.title == step.title
                }
                if let index { state.open.remove(at: index) }
            }
            if asJSON { Console.json(step.json) } else { Console.line(TerminalText.safe(step.text), indent: 13) }
        case .text(let text): if asJSON { Console.message(text) }
        case .finished: report?.write(steps)
        }
    }
}
