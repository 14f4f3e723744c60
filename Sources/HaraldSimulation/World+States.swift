import BluetoothRuntime
import Harald

/// The states of peripherals: which follow each other, and when operations may succeed.
extension World {
    // MARK: Operations

    /// The state of a peripheral at the beginning of an operation on its link.
    struct LinkUse {
        let peripheral: Peripheral
        let wasConnected: Bool
        let start: RadioInstant

        init(_ peripheral: Peripheral, _ now: RadioInstant) {
            self.peripheral = peripheral
            wasConnected = peripheral.isConnected
            start = now
        }
    }

    /// Checks that the operation, which has succeeded, did not begin on a link before it was usable: before it was up,
    /// and the attributes that had been discovered before were checked. An operation reaches the link at the instant at
    /// which it begins.
    func check(_ use: LinkUse, of step: Step) {
        let host = hosts[step.host]
        guard !use.wasConnected, host.peripherals[step.target] === use.peripheral,
            let since = host.watches[step.target]?.connectedSince, since > use.start
        else { return }
        fail(.state, "'\(step)' has succeeded, and began before the peripheral was connected")
    }

    // MARK: Streams of states

    /// The newest values of the streams of a peripheral.
    ///
    /// Proof of `@unchecked Sendable`: the scheduler runs all tasks of a world on one thread, one at a time, and only
    /// these tasks and the world access it.
    final class Watch: @unchecked Sendable {
        var state: ConnectionState?
        /// When the peripheral was last connected.
        var connectedSince: RadioInstant?
        var security: LinkSecurity?
        var tasks: [Task<Void, Never>] = []
    }

    /// Reads the states of a peripheral and the security of its links until the program releases it.
    func watch(_ peripheral: Peripheral, _ host: SimulatedHost, _ target: Int) {
        let watch = Watch()
        let (states, securities) = (peripheral.states, peripheral.securityChanges)
        let name = "h\(target) as a peripheral of \(host.name)"
        watch.tasks.append(
            task { [self] in
                do throws(BluetoothError) {
                    for try await state in states {
                        // A full stream drops states.
                        if states.droppedCount == 0 { check(state, after: watch.state, name) }
                        watch.state = state
                        if state == .connected { watch.connectedSince = now }
                    }
                } catch {
                    fail(.state, "the states of \(name) ended with \(error)")
                }
            })
        watch.tasks.append(
            task { [self] in
                do throws(BluetoothError) {
                    for try await security in securities {
                        if security == watch.security { fail(.state, "the security of \(name) is again \(security)") }
                        watch.security = security
                    }
                } catch {
                    fail(.state, "the security of \(name) ended with \(error)")
                }
            })
        host.watches[target] = watch
    }

    private func check(_ state: ConnectionState, after last: ConnectionState?, _ name: String) {
        guard let last else { return }
        let isPossible =
            switch (last, state) {
            case (.connecting, .connected), (.reconnecting, .connected): true
            case (_, .connected), (.disconnected, .disconnecting): false
            case (.disconnecting, .disconnected(nil)): true
            case (.disconnecting, _): false
            case (.disconnected, .reconnecting): false
            default: last != state
            }
        if !isPossible { fail(.state, "the states of \(name) are \(last) and then \(state)") }
    }

    /// Checks that the streams have reported the present states, when nothing happens.
    func checkStates() {
        for host in hosts {
            for (target, watch) in host.watches.sorted(by: { $0.key < $1.key }) {
                guard let peripheral = host.peripherals[target] else { continue }
                if watch.state != peripheral.state {
                    let last = watch.state.map { "\($0)" } ?? "nothing"
                    fail(.state, "h\(target) is \(peripheral.state) for \(host.name), but the stream reported \(last)")
                }
                if watch.security != peripheral.security {
                    let last = watch.security.map { "\($0)" } ?? "nothing"
                    fail(.state, "the link to h\(target) has \(peripheral.security), but the stream reported \(last)")
                }
            }
        }
    }

    // MARK: Silence

    /// Receives values until the stream ends, with a limit for the time between two of them.
    func receive(
        _ stream: BluetoothStream<[UInt8]>, limit: Duration, clock: AdapterClock, _ step: Step,
        _ body: ([UInt8]) -> Void
    ) async throws(BluetoothError) {
        var iterator = stream.makeAsyncIterator()
        let tolerance = Duration.milliseconds(program.isLate ? 10 : 0)
        while true {
            let start = now
            let arrival = try await iterator.next(within: limit, clock: clock)
            if now > start + limit + tolerance {
                fail(.time, "'\(step)' has waited \(now - start) for a value or for silence")
            }
            switch arrival {
            case .value(let value): body(value)
            case .silence where now < start + limit:
                return fail(.time, "'\(step)' was told of silence after \(now - start)")
            case .silence: break
            case .end: return
            }
        }
    }
}
