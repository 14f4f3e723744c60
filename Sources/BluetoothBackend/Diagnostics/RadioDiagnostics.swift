import BluetoothModel
import BluetoothRuntime

/// Counters of an adapter's connection attempts and their results.
package struct ConnectionCounters: Hashable, Sendable {
    /// The number of attempts. One attempt serves all callers that wait for the same device.
    package var attempts = 0
    /// The number of attempts that led to a link.
    package var established = 0
    /// The number of retries after a link failed to be established.
    package var retries = 0
    /// The numbers of attempts that failed or were cancelled, by error.
    package var failures: [RadioError: Int] = [:]

    /// Creates counters with the value 0.
    package init() {}
}

/// The counters of an adapter since it was opened, for all its users. Counters that the backend does not have are nil.
package struct RadioDiagnostics: Hashable, Sendable {
    /// The attempts to connect.
    package var connections = ConnectionCounters()
    /// The number of links that were established, in both roles.
    package var links = 0
    /// The numbers of ended links, by error.
    package var endedLinks: [RadioError: Int] = [:]
    /// The number of times that the adapter restarted.
    package var restarts = 0
    /// The number of scans that were restarted because no advertisement was received for some time.
    package var scanRestarts = 0
    /// The number of completed pairings.
    package var pairings = 0
    /// The numbers of failed pairings, by error.
    package var pairingFailures: [RadioError: Int] = [:]
    /// The number of links on which a bonded device failed to encrypt with the key of the bond.
    package var lostBonds = 0
    /// The number of advertising reports.
    package var advertisements: Int?
    /// The numbers of dropped or ignored packets, by kind.
    package var anomalies: [String: Int]?
    /// The numbers of commands that the controller refused, by command and status.
    package var refusedCommands: [String: Int]?
    /// The packet counters of all links, ended and open.
    package var packets: PacketCounters?
    /// The open links.
    package var openLinks: [LinkDiagnostics] = []

    /// Creates counters with the value 0; those that not every backend has are nil.
    package init() {}
}

/// Counts the events of an adapter as one of its observers. Confined to the loop.
package final class RadioRecord: RadioObserver {
    /// The counters.
    package private(set) var counters = RadioDiagnostics()
    private let loop: RadioLoop
    private var began: [PeripheralID: RadioInstant] = [:]

    /// Creates a record whose counters are 0.
    package init(loop: RadioLoop) { self.loop = loop }

    /// Returns the time since the link to a device was established.
    package func age(of peripheral: PeripheralID) -> Duration { loop.now - (began[peripheral] ?? loop.now) }

    package func radioStateChanged(_ backend: any RadioBackend) {
        if backend.state == .resetting { counters.restarts += 1 }
    }

    package func peripheralConnected(_ peripheral: PeripheralID) {
        counters.links += 1
        began[peripheral] = loop.now
    }

    package func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {
        counters.endedLinks[error.withoutText, default: 0] += 1
        began[peripheral] = nil
    }

    /// Counts the result of a pairing.
    package func pairingEnded(_ error: RadioError?) {
        if let error {
            counters.pairingFailures[error.withoutText, default: 0] += 1
        } else {
            counters.pairings += 1
        }
    }

    /// Counts a link on which a bonded device failed to encrypt with the key of the bond.
    package func bondLost() { counters.lostBonds += 1 }

    /// Counts a scan that was restarted.
    package func scanRestarted() { counters.scanRestarts += 1 }
}

extension RadioError {
    /// The error without its text and its handle, as the key of a counter.
    package var withoutText: RadioError {
        switch self {
        case .att(let code, _): .att(code, handle: 0)
        case .radio(let state, _): .radio(state, reason: "")
        case .unsupported: .unsupported("")
        case .unanswered: .unanswered("")
        case .invalidResponse: .invalidResponse("")
        case .invalidArgument: .invalidArgument("")
        case .limit: .limit("")
        case .security(let problem): .security(SecurityProblem(problem.kind, ""))
        case .controller, .disconnected, .notConnected, .timeout, .cancelled, .channelRefused: self
        }
    }
}
