import BluetoothHost
import BluetoothRuntime
import HostBackend

/// Both ends of each link are of this library, so that neither may break the protocol towards the other, or towards its
/// controller.
extension World {
    /// Looks four times a second: links that end meanwhile take what they counted along.
    func checkProtocolNowAndThen() {
        guard now >= nextProtocolCheck else { return }
        nextProtocolCheck = now + .milliseconds(250)
        checkProtocol()
    }

    /// Looks at what hosts and controllers dropped because it broke the protocol.
    private func checkProtocol() {
        onLoop {
            for host in hosts {
                if let stack = radio.host(ofAdapterNamed: host.adapterName) { check(stack, of: host) }
                guard let controller = controller(host.index), program.isCalm else { continue }
                let dropped = controller.counters.droppedPackets
                if dropped > 0 { fail(.protocol, "the controller of \(host.name) dropped \(dropped) packets") }
            }
        }
    }

    private func check(_ stack: LEHost, of host: SimulatedHost) {
        let counters = stack.counters
        var broken = [
            ("malformed packets", counters.malformedPackets), ("malformed events", counters.malformedEvents),
            ("packets of no kind", counters.ignoredPackets), ("too many credits", counters.excessCredits),
        ]
        if program.isCalm {
            broken += [("broken frames", counters.brokenFrames), ("events for nobody", counters.ignoredEvents)]
        }
        if let (name, count) = broken.first(where: { $0.1 > 0 }) {
            fail(.protocol, "\(host.name) got \(count) \(name)")
        }
        // What was lost leaves answers without a request.
        guard !losesPackets else { return }
        for link in stack.allLinks {
            for kind in Self.faultKinds + securityKinds where link.l2cap.faults.count(of: kind) > 0 {
                fail(.protocol, "\(host.name) counts \(kind) on the link to \(link.peerAddress)")
            }
        }
    }

    /// What no peer of this library does. The others can be: a frame of a channel that is being closed, a value whose
    /// subscription is being ended, a command that a changed database does not permit any more.
    private static let faultKinds: [BluetoothHost.LinkFaults.Kind] = [
        .malformedSignal, .unexpectedSignal, .malformedAttribute, .unexpectedResponse, .requestTooEarly,
    ]
    /// What comes late when a pairing was given up.
    private var securityKinds: [BluetoothHost.LinkFaults.Kind] {
        program.isCalm && !program.steps.contains { $0.verb == .cancel } ? [.unexpectedSecurity] : []
    }
}
