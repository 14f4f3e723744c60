import BluetoothRuntime
import Harald

extension BluetoothError {
    /// Returns true if the error may persist after the faults have stopped: if one side has lost its keys, or if the
    /// central was not notified of changed attributes, because the packet was lost.
    func mayStay(in program: Program, of step: Step) -> Bool {
        switch code {
        case .bondLost, .security, .pairingFailed: true
        case .notConnected: program.losesKeys
        // If the end of a channel was lost, its identifier is still in use on one side.
        case .channelRefused, .invalidResponse, .notFound: program.has(.lose)
        // A link that the two sides encrypt with different keys ends by supervision timeout at the central.
        case .disconnected: program.changesKeys(of: [step.host, step.target])
        case .timeout: program.hasSlowLinks || program.changesKeys(of: [step.host, step.target])
        // A change is announced after the indications that were sent before and are not confirmed yet.
        case .att: program.has(.lose) || program.has(.change) && program.has(.hold)
        default: false
        }
    }
}

/// Decides whether an error of an operation is justified by the program and its faults.
struct Reasons {
    let world: World

    /// Returns an objection to the error; nil if the error is justified.
    func objection(to error: BluetoothError, of operation: Operation) -> String? {
        let host = world.hosts[operation.step.host]
        let target = world.hosts[operation.step.target]
        // The effect of the end of a link may be delayed.
        let isEnded = [host, target].contains {
            $0.lastEnding >= 0 && $0.lastEnding + 5_000_000_000 >= operation.start.nanoseconds
        }
        switch error.code {
        case .cancelled:
            // A device that advertises something else ends the call that was enabling its advertising.
            let isReplaced = operation.step.verb == .show && operation.step != host.lastShow
            let isEnd = operation.isCancelled || isEnded || isReplaced
            return isEnd || !world.program.isCalm ? nil : "it was not cancelled"
        case .timeout:
            if !world.program.isCalm || isEnded || !target.isShown || !target.isOn { return nil }
            if world.program.hasSlowLinks { return nil }
            // A link that the two sides encrypt with different keys ends by supervision timeout.
            if world.program.changesKeys(of: [operation.step.host, operation.step.target]) { return nil }
            if operation.step.verb == .visit, !target.isTwinShown { return nil }
            if hasLapsed(host, operation) { return nil }
            // A device that became connectable shortly before the end of the operation may have been too late.
            if target.shownSince + .seconds(5) > world.now { return nil }
            return "there is no fault"
        case .controller where refuses(operation.step.verb, host, operation): return nil
        case .controller where [.scan, .connect, .stay].contains(operation.step.verb):
            // The end of a link, or of advertising, at the other host does not make the controller refuse commands.
            let isOwn = host.lastEnding >= 0 && host.lastEnding + 5_000_000_000 >= operation.start.nanoseconds
            let resets: Set<Verb> = [.hardware, .stall, .die]
            let isReset = world.program.steps.contains { $0.host == host.index && resets.contains($0.verb) }
            return isOwn || isReset ? nil : "the controller accepts commands"
        case .disconnected, .controller:
            return !world.program.isCalm || isEnded ? nil : "the link was not ended"
        case .limitReached where [.channel, .churn].contains(operation.step.verb):
            // If the end of a channel does not arrive, its identifier stays in use.
            let verbs: Set<Verb> = [.lose, .silence, .delay, .stall]
            return world.program.steps.contains { verbs.contains($0.verb) } ? nil : "few channels are open"
        case .notConnected, .limitReached: return nil
        case .radio:
            // A call that waited to reconnect gets the error of the last attempt.
            let isOn = host.isOn && host.hasCentral && host.lastEnding < operation.start.nanoseconds
            // A controller that delays commands is ready later.
            if let lapse = host.line.lapses[.credit], lapse + .seconds(2) >= operation.start { return nil }
            return !world.program.isCalm || !isOn ? nil : "the adapter is on"
        case .att, .notFound:
            var verbs: Set<Verb> = [.change, .close, .open, .die]
            // A reset ends the services of a peripheral manager.
            if target.door == .coreDevice { verbs.formUnion([.hardware, .stall]) }
            // A central that receives all packets knows of a change within a minute.
            let patience = world.losesPackets || world.isRecovering ? Duration.seconds(100_000) : .seconds(60)
            let hasChanged = world.program.steps.contains {
                $0.host == target.index && verbs.contains($0.verb)
                    && .start + .milliseconds($0.time) + patience >= operation.start
            }
            // The link with the keys ends a little later.
            if let forgotten = host.forgotten[target.index], forgotten + .seconds(5) >= operation.start { return nil }
            return hasChanged ? nil : "the database did not change"
        case .invalidResponse:
            // If the answer to the end of a channel is lost, the device uses its identifier again too soon.
            let isChannel = [.channel, .churn].contains(operation.step.verb)
            return isChannel && world.losesPackets ? nil : "the device follows the protocol"
        case .unsupported:
            let hasStalled = world.program.steps.contains { $0.verb == .stall && $0.host == host.index }
            return hasStalled ? nil : "the controller responds"
        case .bondLost, .security, .pairingFailed, .pairingRefused:
            return isEnded || world.program.losesKeys ? nil : "no key was lost"
        case .channelRefused:
            return isEnded || !target.isShown || !world.program.isCalm ? nil : "the device accepts channels"
        default: return "the error has no possible cause"
        }
    }

    /// True if the controller of a host has delayed an attempt to connect so long that the attempt is too late. A host
    /// waits two seconds for the end of an attempt that it cancels.
    private func hasLapsed(_ host: SimulatedHost, _ operation: Operation) -> Bool {
        guard [.connect, .stay, .visit].contains(operation.step.verb) else { return false }
        if let attempt = host.line.lapses[.attempt], attempt + .seconds(10) >= operation.start { return true }
        return host.line.lapses[.cancellation].map { $0 + .seconds(5) >= world.now } ?? false
    }

    /// True if the controller of a host has refused a command of an operation. A call that waits to reconnect gets the
    /// error of the last attempt. Without a filter accept list a connection may need a scan.
    private func refuses(_ verb: Verb, _ host: SimulatedHost, _ operation: Operation) -> Bool {
        var commands: [RefusableCommand] = []
        var patience = Duration.zero
        switch verb {
        case .scan: commands = [.scan]
        case .connect, .stay, .visit:
            commands = world.program.isOld ? [.scan, .connect] : [.connect]
            patience = .seconds(60)
        default: break
        }
        return commands.contains { command in
            host.line.refusals[command].map { $0 + patience >= operation.start } ?? false
        }
    }
}
