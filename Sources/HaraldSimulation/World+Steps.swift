import BluetoothRuntime
import Harald
import VirtualBluetooth

extension World {
    /// Starts a step. A step has no effect if its host or target is absent.
    func begin(_ step: Step) {
        let host = hosts[step.host]
        let done =
            switch step.verb {
            case .scan, .connect, .stay, .disconnect, .discover, .read, .write, .command, .subscribe, .unsubscribe,
                .rssi, .cancel, .drop, .leave, .join, .pair, .forget, .channel, .churn, .parameters, .phy,
                .hold, .visit:
                beginCentral(step, host)
            case .notify, .update, .change, .kick, .hide, .show, .close, .open, .unbond, .twin: beginDevice(step, host)
            case .off, .on: power(step, host)
            case .cut, .cutlater, .silence, .hear, .delay, .lose, .stall, .answer, .hardware, .refuse, .reject, .lapse,
                .mute:
                goWrong(step, host)
            case .full: fill(step)
            case .die: die(step, host)
            }
        if done { tally[step.verb, default: 0] += 1 }
    }

    /// Runs an operation as a task, records its end, and checks that its error is justified.
    @discardableResult
    func operate(
        _ step: Step, limit: Duration, _ body: @escaping @Sendable (Operation) async throws -> Void
    ) -> Operation {
        let operation = Operation(
            operations.count + 1, step, start: now, limit: limit, life: hosts[step.host].life)
        operation.hasToSucceed = allIsWell
        operations.append(operation)
        running.append(operation)
        operation.task = task { [self] in
            do {
                try await body(operation)
                ended(operation, nil)
            } catch {
                let error = error as? BluetoothError
                ended(operation, error ?? BluetoothError(.invalidArgument, operation: "", reason: "no BluetoothError"))
            }
        }
        return operation
    }

    /// Creates a task on the executor that the program selects.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if program.prefersLoop { return Task(executorPreference: scheduler.loop) { await body() } }
        return Task { await body() }
    }

    private func ended(_ operation: Operation, _ error: BluetoothError?) {
        operation.end = now
        operation.task = nil
        running.removeAll { $0 === operation }
        if operation.step.pairs {
            for index in [operation.step.host, operation.step.target] { hosts[index].lastPairing = now }
        }
        let outcome = error.map { "\($0.code)" } ?? "done"
        trace.add(
            now.nanoseconds, Array("\(operation.number) \(outcome)".utf8),
            "'\(operation.step)' \(error.map { "\($0.code): \($0)" } ?? "done")")
        // Results of operations of an earlier life are ignored.
        guard operation.life == hosts[operation.step.host].life else { return }
        if let error, operation.hasToSucceed, !error.mayStay(in: program, of: operation.step) {
            return fail(.recovery, "without faults, '\(operation.step)' failed with \(error.code): \(error)")
        }
        if let error, let reason = Reasons(world: self).objection(to: error, of: operation) {
            fail(.reason, "'\(operation.step)' failed with \(error.code): \(error), though \(reason)")
        }
    }

    // MARK: Faults

    private func goWrong(_ step: Step, _ host: SimulatedHost) -> Bool {
        var done = false
        onLoop {
            guard let controller = controller(step.host) else { return }
            done = true
            switch step.verb {
            case .cut:
                done = !controller.links.isEmpty
                for link in controller.links { link.cut() }
            case .cutlater:
                done = !controller.links.isEmpty
                for link in controller.links {
                    link.faults.disconnectAtPacket = link.packetCount + step.amount
                }
            case .silence: controller.faults.isSilent = true
            case .hear: controller.faults.isSilent = false
            case .delay: controller.faults.delay = .milliseconds(step.amount)
            case .lose: host.line.lossPercent = step.amount
            case .stall: controller.faults.answersCommands = false
            case .answer: controller.faults.answersCommands = true
            case .hardware: controller.raiseHardwareError(code: 1)
            case .mute: host.line.isMute = step.amount > 0
            case .reject: host.line.refusedCommand = RefusableCommand(rawValue: step.amount)
            case .lapse: host.line.lapse = ControllerLapse(rawValue: step.amount)
            case .refuse: controller.faults.failedEstablishments = step.amount
            default: done = false
            }
        }
        if ![.reject, .lapse].contains(step.verb) { host.note(step) }
        return done
    }

    /// Fills the disk that the hosts share: no file becomes longer than that many octets. Without a number there is
    /// room again.
    private func fill(_ step: Step) -> Bool {
        room = step.amount > 0 ? step.amount : nil
        return true
    }

    /// Ends a host without closing anything; its peers detect it by supervision timeout. After some time the host
    /// starts a new life with its previous files.
    private func die(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard !host.isJoining, !host.isOpening else { return false }
        let (central, device, twin) = (host.central, host.device, host.twin)
        onLoop { controller(step.host)?.powerOff() }
        host.line.die()
        host.line.lossPercent = 0
        host.line.isMute = false
        host.line.refusedCommand = nil
        host.line.lapse = nil
        host.lastEnding = now.nanoseconds
        host.lastFault = now
        // The remains in this process end by themselves; their results are ignored.
        for listener in host.listeners { listener.task?.cancel() }
        let room = room
        self.room = nil
        host.beginLife()
        self.room = room
        let burial = Step(time: step.time, host: step.host, verb: .leave)
        let operation = operate(burial, limit: .seconds(120)) { _ in
            await central?.close()
            await device?.close()
            await twin?.close()
        }
        operation.life -= 1
        let scheduler = scheduler
        _ = task { [self] in
            await scheduler.sleep(.milliseconds(step.amount))
            guard !isOver else { return }
            begin(Step(time: step.time, host: step.host, verb: .open))
            begin(Step(time: step.time, host: step.host, verb: .join))
        }
        return true
    }

    private func power(_ step: Step, _ host: SimulatedHost) -> Bool {
        let isOn = step.verb == .on
        guard host.isOn != isOn, host.hasCentral || host.hasDevice || host.twin != nil else { return false }
        host.isOn = isOn
        // The program has to advertise again.
        if !isOn {
            host.isShown = false
            host.isTwinShown = false
        }
        host.lastEnding = now.nanoseconds
        operate(step, limit: .seconds(1)) { [radio] _ in
            await radio.setPowered(isOn, adapterNamed: host.adapterName)
        }
        return true
    }
}
