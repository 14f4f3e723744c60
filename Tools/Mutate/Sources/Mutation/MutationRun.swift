import Foundation

/// Draws faults, builds them, and runs the tests against each.
package struct MutationRun {
    package struct Figures: Equatable, Sendable {
        package var drawn = 0
        package var noticed = 0
        package var equivalent = 0
        package var missed = 0

        /// True if 90 % of the faults that are not equivalent were noticed.
        package var isEnough: Bool { noticed * 10 >= (drawn - equivalent) * 9 }
        /// The last line of a run.
        package var text: String {
            "mutate: drawn=\(drawn) noticed=\(noticed) equivalent=\(equivalent) missed=\(missed)"
        }

        package init() {}
    }

    let package: MutatedPackage
    /// The folder of the state between runs.
    let state: URL
    let equivalents: Equivalents
    let count: Int
    let seed: UInt64
    let say: (String) -> Void

    package init(
        package: MutatedPackage, state: URL, equivalents: Equivalents, count: Int, seed: UInt64,
        say: @escaping (String) -> Void
    ) {
        self.package = package
        self.state = state
        self.equivalents = equivalents
        self.count = count
        self.seed = seed
        self.say = say
    }

    /// Draws and builds.
    package func prepare() throws -> [Fault] {
        let sources = try package.sources()
        let all = sources.flatMap(\.faults)
        for identity in equivalents.stale(among: all) where package.modules.contains(where: identity.isIn) {
            say("The list of equivalents has an entry that no longer matches a line:\n\(identity)")
        }
        let order = Draw.order(all, seed: seed)
        say("\(all.count) faults can be made in \(package.modules.joined(separator: ", "))")
        let rejectedFile = state.appending(path: "rejected.jsonl")
        let known = Set(try JSONLines<String>(rejectedFile).all())
        let builder = Builder(package: package, log: state.appending(path: "build.log"), say: say)
        let (faults, rejected) = try builder.build(sources, order: order, count: count, rejected: known)
        for identity in rejected.subtracting(known).sorted() { try JSONLines<String>(rejectedFile).append(identity) }
        return faults
    }

    /// Runs the tests against each of `faults`, in the order in which they were drawn.
    ///
    /// After `minutes` only faults with a known verdict count; nil for no limit.
    package func judge(_ faults: [Fault], minutes: Double? = nil) throws -> Figures {
        let end = minutes.map { ContinuousClock.now + .seconds($0 * 60) }
        var unjudged = 0
        let verdictFile = JSONLines<Verdict>(state.appending(path: "verdicts.jsonl"))
        var kept: [String: Verdict] = [:]
        for verdict in try verdictFile.all() { kept[verdict.fault] = verdict }
        var versions = try Versions(package)
        var judge: Judge?
        var figures = Figures()
        var missed: [(Fault, String)] = []
        for fault in faults {
            if let explanation = equivalents.explanations[fault.identity] {
                figures.drawn += 1
                figures.equivalent += 1
                say("equivalent \(fault.text)\n           \(explanation)")
                continue
            }
            let verdict: Verdict
            if let old = kept[fault.identity],
                try old.version == versions.version(for: fault, noticedBy: old.test)
            {
                verdict = old
            } else {
                if let end, ContinuousClock.now > end {
                    unjudged += 1
                    continue
                }
                if judge == nil { judge = try Judge(package: package, state: state, say: say) }
                let passing = (kept[fault.identity]?.passing ?? [:]).filter { versions.targets[$0.key] == $0.value }
                guard let found = try judge?.judge(fault, passing: Set(passing.keys)) else { continue }
                verdict = Verdict(
                    fault: fault.identity, kind: found.kind, reason: found.reason,
                    version: try versions.version(for: fault, noticedBy: found.test), test: found.test,
                    passing: found.kind == .missed ? versions.targets : nil)
                try verdictFile.append(verdict)
            }
            figures.drawn += 1
            switch verdict.kind {
            case .noticed:
                figures.noticed += 1
                say("noticed    \(fault.text)\n           \(verdict.reason)")
            case .missed:
                figures.missed += 1
                missed.append((fault, verdict.reason))
                say("MISSED     \(fault.text)\n           \(verdict.reason)")
            }
        }
        if !missed.isEmpty { say("\nmissed:") }
        for (fault, reason) in missed.sorted(by: { ($0.0.file, $0.0.line) < ($1.0.file, $1.0.line) }) {
            say("\(fault.identity)\n    line \(fault.line): \(reason)\n")
        }
        if unjudged > 0 { say("the time elapsed before \(unjudged) more faults; the next run continues with them") }
        return figures
    }
}

extension String {
    /// Returns true if the fault with this identity is in `module`.
    fileprivate func isIn(_ module: String) -> Bool { hasPrefix("Sources/\(module)/") }
}
