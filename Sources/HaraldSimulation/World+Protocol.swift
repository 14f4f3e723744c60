import BluetoothHost
import BluetoothRuntime
import VirtualBluetooth

/// Checks for violations of the protocol. Both ends of each link are hosts of this library, so neither may violate the
/// protocol towards the other or towards its controller.
extension World {
    /// Checks four times a second. The counters of links that end between two checks are lost.
    func checkProtocolNowAndThen() {
        guard now >= nextProtocolCheck else { return }
        nextProtocolCheck = now + .milliseconds(250)
        checkProtocol()
        checkProgress()
        checkPrivacy()
        lastProtocolCheck = now
    }

    /// Checks the counters of packets that hosts and controllers dropped as violations of the protocol.
    private func checkProtocol() {
        onLoop {
            for host in hosts {
                if let stack = radio.host(ofAdapterNamed: host.adapterName) {
                    check(stack, of: host)
                    checkEndedLinks(of: host, stack)
                }
                guard let controller = controller(host.index), program.isCalm else { continue }
                checkRest(of: host, controller)
                let dropped = controller.counters.droppedPackets
                // Packets that a host sends at the instant at which its link ends are dropped.
                let isEnding = host.line.linkEnd.map { $0 + .milliseconds(50) >= lastProtocolCheck } ?? false
                if dropped > host.droppedPackets, !isEnding {
                    fail(.protocol, "the controller of \(host.name) dropped \(dropped) packets")
                }
                host.droppedPackets = dropped
            }
        }
    }

    /// Checks that private addresses change in time. A controller that delays an attempt to connect may delay that by
    /// some seconds, because the address cannot change during an attempt.
    private func checkPrivacy() {
        guard program.isCalm, !isOver else { return }
        for host in hosts where host.isPrivate && host.isOn && host.central != nil {
            let start = max(host.line.addressTime, RadioInstant(nanoseconds: max(host.lastEnding, 0)))
            if start + SimulatedHost.rotationInterval + .seconds(10) < now {
                fail(.secrecy, "\(host.name) has had the same private address for \(now - host.line.addressTime)")
            }
        }
    }

    /// Checks that a controller neither scans nor connects without a request of its host. The end of an attempt to
    /// connect takes up to two seconds.
    private func checkRest(of host: SimulatedHost, _ controller: VirtualController) {
        let verbs: Set<Verb> = [.scan, .connect, .stay, .visit]
        // A subscription may have kept a peripheral that reconnects, until the program used it again.
        let reconnects = host.peripherals.values.contains { if case .reconnecting = $0.state { true } else { false } }
        let isWanted =
            host.door != .harald || !host.stays.isEmpty || !host.listeners.isEmpty || reconnects
            || running.contains { $0.step.host == host.index && verbs.contains($0.step.verb) }
        guard controller.isScanning || controller.isInitiating, !isWanted else { return host.unwantedSince = nil }
        let since = host.unwantedSince ?? now
        host.unwantedSince = since
        if since + .seconds(4) < now { fail(.leftover, "the controller of \(host.name) works for nobody") }
    }

    /// Checks that no link is left after a central has disconnected from a device, unless it connects again.
    private func checkEndedLinks(of host: SimulatedHost, _ stack: LEHost) {
        defer { host.disconnected = [] }
        for target in host.disconnected where host.peripherals[target]?.isConnected == false {
            let connects = running.contains {
                [.connect, .stay].contains($0.step.verb) && ($0.step.host, $0.step.target) == (host.index, target)
            }
            if !connects, program.isCalm, stack.link(to: hosts[target].deviceAddress) != nil {
                fail(.leftover, "h\(host.index) has disconnected from h\(target), and the link is still there")
            }
        }
    }

    private func check(_ stack: LEHost, of host: SimulatedHost) {
        if let violation = host.line.keys.violation { fail(.secrecy, "\(host.name) \(violation)") }
        if let violation = host.line.requests.violation { fail(.protocol, "\(host.name) \(violation)") }
        let counters = stack.counters
        var broken = [
            ("malformed packets", counters.malformedPackets), ("malformed events", counters.malformedEvents),
            ("packets of an unknown type", counters.ignoredPackets), ("too many credits", counters.excessCredits),
        ]
        if program.isCalm {
            broken.append(("broken frames", counters.brokenFrames))
            // Until the controller is reset, it may report events of links that the host has discarded.
            if !program.steps.contains(where: { $0.verb == .off && $0.host == host.index }) {
                broken.append(("events for unknown links", counters.ignoredEvents))
            }
        }
        if let (name, count) = broken.first(where: { $0.1 > 0 }) {
            fail(.protocol, "\(host.name) received \(count) \(name)")
        }
        // A lost packet leaves responses without a request.
        guard !losesPackets else { return }
        for link in stack.allLinks {
            for kind in faultKinds + securityKinds where link.l2cap.faults.count(of: kind) > 0 {
                fail(.protocol, "\(host.name) counts \(kind) on the link to \(link.peerAddress)")
            }
        }
    }

    /// The faults that never occur between two peers of this library. The other kinds can occur: a frame of a channel
    /// that is closing, a value whose subscription is ending, a command that a changed database no longer permits.
    private var faultKinds: [BluetoothHost.ProtocolAnomalies.Kind] {
        // A response behind the packets of many channels may arrive after the timeout of its request.
        let isLate = program.has(.delay) && program.has(.channel)
        return [.malformedSignal, .malformedAttribute, .unexpectedResponse, .requestTooEarly]
            + (isLate ? [] : [.unexpectedSignal])
    }
    /// The security faults to check. Unexpected security packets are permitted after a cancellation or a fault, because
    /// packets of an abandoned pairing may arrive late.
    private var securityKinds: [BluetoothHost.ProtocolAnomalies.Kind] {
        // The end of a subscription to a whole service cancels its pairing, by itself, with the connection, or with the
        // central.
        let isCancelled = program.steps.contains { step in
            step.verb == .cancel
                || [.unsubscribe, .disconnect, .leave].contains(step.verb)
                    && program.steps.contains {
                        $0.verb == .hold && $0.host == step.host && ($0.target == step.target || step.verb == .leave)
                    }
        }
        return program.isCalm && !isCancelled ? [.unexpectedSecurity] : []
    }
}
