import Explorer
import Harald
import VirtualDevices

/// The effect of a step that ended without an error.
struct ScriptEffect: Sendable {
    /// A description of the result.
    var got = ""
    /// True if the result does not meet the expectation.
    var isUnmet = false
    /// The variables that the step sets.
    var values: [String: String] = [:]
    /// The new current device; nil if it does not change.
    var device: String?
}

/// The actions of steps without nested steps.
extension ScriptRunner {
    func perform(_ operation: ScriptOperation, _ scope: Scope) async throws -> ScriptEffect {
        let end = ContinuousClock.now + operation.timeout
        /// Returns the remaining time of the step, at least 1 ms.
        func left() -> Duration { max(end - .now, .milliseconds(1)) }
        switch operation.action {
        case .scan(let condition, let adapter): return try await scan(condition, adapter, operation)
        case .connect(let text, let name, let adapter):
            let peripheral = try await world.device(text, on: adapter, within: operation.timeout)
            try await peripheral.connect(timeout: left())
            sessions.add(ScriptSession(peripheral), named: name ?? text)
            return ScriptEffect(got: "\(peripheral)", device: name ?? text)
        case .disconnect:
            try await session(operation, scope).disconnect()
            return ScriptEffect()
        case .discover: return try await discover(operation, try session(operation, scope))
        case .read(let path):
            let attribute = try await attribute(path, operation, scope, left())
            return result(try await attribute.read(left()), of: attribute.uuid, operation)
        case .write(let path, let bytes, let type):
            let attribute = try await attribute(path, operation, scope, left())
            try await attribute.write(bytes, type, left())
            return ScriptEffect(got: "wrote \(ValueText(bytes, of: attribute.uuid).hex)")
        case .subscribe(let path, let kind):
            let characteristic = try await characteristic(path, operation, scope, left())
            _ = try await session(operation, scope).feed(characteristic, kind, within: left())
            return ScriptEffect()
        case .unsubscribe(let path):
            let characteristic = try await characteristic(path, operation, scope, left())
            try session(operation, scope).unsubscribe(characteristic)
            return ScriptEffect()
        case .wait(let path, let count):
            let characteristic = try await characteristic(path, operation, scope, left())
            let feed = try await session(operation, scope).feed(characteristic, .any, within: left())
            return try await wait(for: count, from: feed, of: characteristic.uuid, operation, until: end)
        case .waitForEnd: return try await waitForEnd(try session(operation, scope).peripheral)
        case .pair(let level, let passkey):
            let peripheral = try session(operation, scope).peripheral
            await world.beginPairing(with: peripheral, passkey: passkey)
            do {
                let security = try await peripheral.pair(to: level, timeout: operation.timeout)
                await world.endPairing()
                return ScriptEffect(got: SecurityText.text(security))
            } catch {
                await world.endPairing()
                throw error
            }
        case .unpair:
            let hadBond = try await session(operation, scope).peripheral.forgetBond()
            return ScriptEffect(got: hadBond ? "forgotten" : "there was no bond")
        case .link(let wish): return try await link(wish, try session(operation, scope).peripheral, operation)
        case .sleep(let time):
            try await Task.sleep(for: time)
            return ScriptEffect()
        case .set(let values): return ScriptEffect(values: values)
        case .print: return ScriptEffect()
        case .simulate(let command):
            let answer = try await world.simulate(command)
            var effect = ScriptEffect(got: answer)
            if case .text(let pattern) = operation.expectation {
                effect.isUnmet = answer.range(of: pattern, options: .regularExpression) == nil
            }
            return effect
        case .repeat, .each, .parallel, .group: return ScriptEffect()
        }
    }

    // MARK: Devices

    private func session(_ operation: ScriptOperation, _ scope: Scope) throws -> ScriptSession {
        let name = operation.device ?? scope.device
        guard let name else {
            throw BluetoothError(
                .notConnected, operation: "", reason: "no device is connected",
                advice: "add a step 'connect' before this one")
        }
        guard let session = sessions[name] else {
            let known = sessions.names.joined(separator: ", ")
            throw BluetoothError(
                .notConnected, operation: "", reason: "no device is connected as '\(name)'",
                advice: known.isEmpty ? "add a step 'connect' before this one" : "there are \(known)")
        }
        return session
    }

    private func attribute(
        _ path: String, _ operation: ScriptOperation, _ scope: Scope, _ time: Duration
    ) async throws -> ScriptAttribute {
        try await world.attribute(path, of: try session(operation, scope).peripheral, within: time)
    }

    private func characteristic(
        _ path: String, _ operation: ScriptOperation, _ scope: Scope, _ time: Duration
    ) async throws -> Characteristic {
        guard case .characteristic(let characteristic) = try await attribute(path, operation, scope, time) else {
            throw BluetoothError(
                .invalidArgument, operation: "subscribe to \(path)", reason: "descriptors do not send values")
        }
        return characteristic
    }

    /// Returns the devices that meet the conditions: all of them after `time`, or, if it is nil, the first
    /// `condition.count`; and the values of the last other one that only they exclude.
    func heard(
        _ condition: ScanCondition, _ adapter: String?, for time: Duration? = nil, within limit: Duration? = nil
    ) async throws -> (found: [ScanResult], deviation: String?) {
        var found: [ScanResult] = []
        var last: String?
        for try await device in try world.central(adapter).scan(duplicates: true, duration: time ?? limit) {
            guard condition.selects(device), !found.contains(where: { $0.id == device.id }) else { continue }
            if let deviation = condition.deviation(of: device) {
                last = "\(device.name ?? device.peripheral.address?.text ?? "\(device.id)") has \(deviation)"
                continue
            }
            found.append(device)
            if time == nil, found.count == condition.count { break }
        }
        try Task.checkCancellation()
        return (found, last)
    }

    private func scan(
        _ condition: ScanCondition, _ adapter: String?, _ operation: ScriptOperation
    ) async throws -> ScriptEffect {
        let (found, deviation) = try await heard(condition, adapter, within: operation.timeout)
        guard found.count >= condition.count, let first = found.first else {
            let time = ScriptText.seconds(operation.timeout)
            let count = found.isEmpty ? "no matching device" : "only \(found.count)"
            throw ScriptNotFound("\(count) in \(time): \(condition)" + (deviation.map { "; \($0)" } ?? ""))
        }
        var effect = ScriptEffect(got: found.map { "\($0)" }.joined(separator: ", "))
        for saving in operation.savings {
            let address = first.peripheral.address?.text ?? "\(first.id)"
            effect.values[saving.name] =
                switch saving.form {
                case .device("name"): first.name ?? ""
                case .device("id"): "\(first.id)"
                case .device("rssi"): first.rssi.map(String.init) ?? ""
                default: address
                }
        }
        return effect
    }

    private func discover(_ operation: ScriptOperation, _ session: ScriptSession) async throws -> ScriptEffect {
        let services = try await session.peripheral.discoverAll(timeout: operation.timeout)
        let count = session.peripheral.services.reduce(0) { $0 + $1.characteristics.count }
        var effect = ScriptEffect(got: "\(services.count.counted("service")), \(count.counted("characteristic"))")
        guard case .attributes(let paths) = operation.expectation else { return effect }
        for path in paths {
            do {
                _ = try await world.attribute(path, of: session.peripheral, within: operation.timeout)
            } catch let error as ScriptNotFound {
                effect.isUnmet = true
                effect.got = "\(error)"
                return effect
            }
        }
        return effect
    }

    private func waitForEnd(_ peripheral: Peripheral) async throws -> ScriptEffect {
        for try await state in peripheral.states {
            guard case .disconnected(let error) = state else { continue }
            return ScriptEffect(got: error?.reason ?? "disconnected")
        }
        try Task.checkCancellation()
        return ScriptEffect(got: "disconnected")
    }

    private func link(
        _ wish: LinkWish, _ peripheral: Peripheral, _ operation: ScriptOperation
    ) async throws -> ScriptEffect {
        try await wish.ask(peripheral, timeout: operation.timeout)
        let report = try await LinkReport.read(peripheral, timeout: operation.timeout)
        var effect = ScriptEffect(got: report.line)
        let unmet = wish.unmet(in: report)
        if !unmet.isEmpty { (effect.isUnmet, effect.got) = (true, unmet.joined(separator: "; ") + ": " + report.line) }
        guard case .link(let tests) = operation.expectation else { return effect }
        effect.isUnmet = effect.isUnmet || !tests.allSatisfy { $0.test.accepts(report.texts(of: $0.name)) }
        return effect
    }

    // MARK: Values

    private func result(_ bytes: [UInt8], of uuid: BluetoothUUID, _ operation: ScriptOperation) -> ScriptEffect {
        var effect = ScriptEffect(got: ValueText(bytes, of: uuid).line)
        if case .value(let test) = operation.expectation { effect.isUnmet = !test.accepts(bytes, of: uuid) }
        for saving in operation.savings { effect.values[saving.name] = saving.form.text(of: bytes, uuid) }
        return effect
    }

    /// Waits until `count` values have met the expectation; with a count of 0, until the time is over without one.
    /// - Throws: ``BluetoothError`` with the code `timeout` if an error is expected and the values did not arrive.
    private func wait(
        for count: Int, from feed: ScriptFeed, of uuid: BluetoothUUID, _ operation: ScriptOperation,
        until end: ContinuousClock.Instant
    ) async throws -> ScriptEffect {
        var (others, last, left) = (0, [UInt8]?.none, count)
        while true {
            let time = end - .now
            guard time > .zero, let bytes = try await feed.next(within: time) else {
                try Task.checkCancellation()
                if count == 0 { return ScriptEffect(got: "none in \(ScriptText.seconds(operation.timeout))") }
                let value = last.map { ", the last \(ValueText($0, of: uuid).line)" } ?? ""
                let came =
                    count - left + others == 0 ? "no value" : "\(count - left) of \(count - left + others) values fit"
                let text = "\(came) in \(ScriptText.seconds(operation.timeout))\(value)"
                if case .error = operation.expectation { throw BluetoothError(.timeout, operation: "", reason: text) }
                return ScriptEffect(got: text, isUnmet: true)
            }
            last = bytes
            if case .value(let test) = operation.expectation, !test.accepts(bytes, of: uuid) {
                others += 1
                continue
            }
            if count == 0 { return ScriptEffect(got: "\(ValueText(bytes, of: uuid).line)", isUnmet: true) }
            left -= 1
            if left == 0 { return result(bytes, of: uuid, operation) }
        }
    }
}

extension SavedForm {
    /// Returns a value in the form of the step.
    func text(of bytes: [UInt8], _ uuid: BluetoothUUID) -> String {
        switch self {
        case .plain, .device: return bytes.hexText(separator: " ")
        case .text: return String(decoding: bytes, as: UTF8.self)
        case .value:
            guard let field = ValueText(bytes, of: uuid).fields?.first else { return bytes.hexText(separator: " ") }
            if case .text(let text) = field.value { return text }
            return field.value.description
        case .number(let columns): return columns.numbers(in: bytes).texts.joined(separator: " ")
        }
    }
}

extension LinkReport {
    /// Returns the texts that match a property in an expectation; empty if the property is unknown.
    fileprivate func texts(of name: String) -> [String] {
        let value = json[name] ?? .null
        switch value {
        case .object(let object):
            return ["transmit", "transmitOctets"].compactMap {
                object[$0]?.string ?? object[$0]?.number.map(Self.text)
            }
        case .string(let text): return [text]
        default: return value.number.map { [Self.text($0)] } ?? []
        }
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}

extension ScriptOperation.Expectation: CustomStringConvertible {
    /// The expectation in one line.
    var description: String {
        switch self {
        case .value(let test): "\(test)"
        case .error(let test): "\(test)"
        case .link(let tests): tests.map { "\($0.name) \($0.test)" }.joined(separator: ", ")
        case .attributes(let paths): paths.joined(separator: ", ")
        case .text(let pattern): "text that matches \(pattern)"
        }
    }
}
