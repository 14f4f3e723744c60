import Explorer
import Foundation
import Harald
import Synchronization
import VirtualDevices

/// Writes a script from the actions of an explorer's users. Passkeys are never written: the script has a variable in
/// their place.
package final class ScriptRecorder: Sendable {
    private struct Step: Sendable {
        /// The device; nil for a change of the air.
        var device: Int?
        var keys: [(key: String, value: String)]
        /// The path and the value of a read. Later reads decide whether the value becomes an expectation.
        var read: (path: String, bytes: [UInt8])?
        /// True for a step that was created from an answer to a pairing question.
        var isAnswer = false
        /// The setting that a change of the air sets: a later step that sets the same replaces this one.
        var setting: String?
        var comment = ""
    }

    private struct State {
        /// The names of the devices in the order of their connections.
        var devices: [(id: PeripheralID, name: String, address: String?)] = []
        /// The virtual radio whose devices were changed, and the devices that were added to it.
        var adapter: String?
        var added: [(source: AirSource, distance: Double)] = []
        var steps: [Step] = []
        /// The paths with changing values, each prefixed with its device.
        var changing: Set<String> = []
        /// The last value that was read at a path, since the last write to the device.
        var lastReads: [String: [UInt8]] = [:]
        /// The subscriptions whose next value becomes a step.
        var awaited: Set<String> = []
        var needsPasskey = false
        var problem: String?
    }

    private let path: String?
    /// The maximum number of steps; further actions are not recorded.
    private static let limit = 10_000
    private let state = Mutex(State())
    /// Writes the file outside the executor of the adapter.
    private let queue = DispatchQueue(label: "record")

    /// - Parameter path: The path of the file, which is rewritten after each step; nil to keep the script in memory.
    package init(path: String?) { self.path = path }

    /// Adds an action. It can be given to ``ExplorerSettings/onAct``.
    package func note(_ act: ExplorerAct) { note { Self.add(act, to: &$0) } }

    /// Adds a change of the devices on the virtual radio `adapter`. Only there can it be repeated.
    package func note(_ act: AirAct, on adapter: String) {
        note { state in
            state.adapter = adapter
            Self.add(act, to: &state)
            return true
        }
    }

    private func note(_ add: (inout State) -> Bool) {
        let text = state.withLock { state -> String? in
            guard state.steps.count < Self.limit, add(&state), path != nil else { return nil }
            return Self.text(of: state)
        }
        guard let text, let path else { return }
        queue.async { [self] in write(text, to: path) }
    }

    /// Waits until the file is written. Returns an error message if that failed.
    package func finish() -> String? {
        queue.sync {}
        return state.withLock { $0.problem }
    }

    private func write(_ text: String, to path: String) {
        do {
            // A pipe or a device is written in place, because an atomic write would replace it with a regular file.
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            let options: Data.WritingOptions = type == nil || type == .typeRegular ? .atomic : []
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: options)
        } catch {
            state.withLock { $0.problem = error.localizedDescription }
        }
    }

    /// True if a passkey was entered, which the script expects in a variable.
    package var needsPasskey: Bool { state.withLock { $0.needsPasskey } }
    /// The script so far.
    package var text: String { state.withLock { Self.text(of: $0) } }

    // MARK: Steps

    /// Adds an action to the steps. Returns false if it is no step.
    private static func add(_ act: ExplorerAct, to state: inout State) -> Bool {
        let device: Int
        if let known = state.devices.firstIndex(where: { $0.id == act.device }) {
            device = known
        } else {
            device = state.devices.count
            state.devices.append((act.device, act.name, act.address))
        }
        let key = "\(device) \(act.path ?? "")"
        let quoted = YAMLText.quoted(act.path ?? "")
        var step = Step(device: device, keys: [])
        switch act.action {
        case .connect: step.keys = [("connect", "\"${\(variable(device))}\""), ("as", variable(device))]
        case .disconnect: step.keys = [("disconnect", variable(device))]
        case .read:
            step.keys = [("read", quoted)]
            if let bytes = act.bytes {
                step.read = (key, bytes)
                if let last = state.lastReads[key], last != bytes { state.changing.insert(key) }
                state.lastReads[key] = bytes
            }
        case .write(let bytes, let type):
            step.keys = [("write", quoted), ("value", YAMLText.quoted(bytes.hexText(separator: " ")))]
            if let type { step.keys.append(("response", type == .withResponse ? "true" : "false")) }
            // A write may change every value of the device.
            state.lastReads = state.lastReads.filter { !$0.key.hasPrefix("\(device) ") }
            for step in state.steps where step.device == device && step.keys.first?.key == "subscribe" {
                state.awaited.insert("\(device) \(plain(step.keys[0].value))")
            }
        case .subscribe:
            step.keys = [("subscribe", quoted)]
            if act.error == nil { state.awaited.insert(key) }
        case .unsubscribe:
            step.keys = [("unsubscribe", quoted)]
            state.awaited.remove(key)
        case .pair(let level):
            // The steps from pairing answers already pair, with a passkey if one was entered.
            let answers = state.steps.reversed().prefix { $0.isAnswer && $0.device == device }
            if !answers.isEmpty {
                guard act.error != nil else { return false }
                state.steps.removeLast(answers.count)
            }
            step.keys = [("pair", "\(level)")]
        case .answerPairing(let entersPasskey):
            if let last = state.steps.last, last.isAnswer, last.device == device { state.steps.removeLast() }
            step.keys = [("pair", entersPasskey ? "{passkey: \"${passkey}\"}" : "encrypted")]
            step.isAnswer = true
            if entersPasskey { state.needsPasskey = true }
        case .receive:
            if let bytes = act.bytes, let last = state.lastReads[key], last != bytes { state.changing.insert(key) }
            // Only the first value after a subscription or a write is a step.
            guard state.awaited.remove(key) != nil else { return false }
            step.keys = [("wait", quoted)]
        }
        if let error = act.error { step.keys.append(("expect", "{error: \(word(for: error))}")) }
        state.steps.append(step)
        return true
    }

    /// Adds a change of the air: a device of the script, or steps with commands to a device.
    private static func add(_ act: AirAct, to state: inout State) {
        var commands: [(command: String, setting: String?)] = []
        let device = act.address ?? "\"\(act.name)\""
        func set(_ command: String, _ value: String) { commands.append(("\(command) \(value)", command)) }
        switch act.action {
        case .add(let source, let distance): state.added.append((source, distance))
        case .remove: commands = [("remove \(device)", nil)]
        case .cut: commands = [("cut \(device)", nil)]
        case .move(let distance): set("move \(device)", "\(distance)")
        case .walk(let isWalking): set("walk \(device)", isWalking ? "on" : "off")
        case .faults(let faults):
            if let isSilent = faults.isSilent { set("fault \(device) silent", isSilent ? "on" : "off") }
            if let isAway = faults.isOutOfRange { set("fault \(device) away", isAway ? "on" : "off") }
            if let loss = faults.loss { set("fault \(device) loss", "\(loss)") }
            if let delay = faults.delay { set("fault \(device) delay", "\(delay / .seconds(1))") }
            if let count = faults.failedConnects { set("fault \(device) failing", "\(count)") }
        }
        for (command, setting) in commands {
            // A slider sends each of its places.
            if let setting, state.steps.last?.setting == setting { state.steps.removeLast() }
            state.steps.append(
                Step(keys: [("simulate", literal(command))], setting: setting, comment: comment(act.name)))
        }
    }

    private static func comment(_ text: String) -> String { "  # \(PrintableText.escape(text))" }

    private static func variable(_ device: Int) -> String { device == 0 ? "device" : "device\(device + 1)" }

    private static func plain(_ quoted: String) -> String { String(quoted.dropFirst().dropLast()) }

    /// The name of an error in a script.
    private static func word(for error: BluetoothError) -> String {
        switch error.code {
        case .att(let code): "0x" + [code.rawValue].hexText()
        case .timeout: "timeout"
        case .disconnected: "disconnected"
        case .notConnected: "notConnected"
        case .notFound: "notFound"
        case .unsupported: "unsupported"
        case .pairingRefused, .pairingFailed, .wrongPasskey, .bondLost: "pairing"
        case .security: "security"
        default: "any"
        }
    }

    // MARK: Text

    private static func text(of state: State) -> String {
        var lines = ["# Recorded by harald. 'harald run' runs it; values that changed by themselves are not expected."]
        if state.needsPasskey { lines.append("# The passkey is not recorded; the variable 'passkey' takes it.") }
        if let adapter = state.adapter { lines.append("adapter: \(YAMLText.quoted(adapter))") }
        if !state.added.isEmpty { lines.append("devices:") }
        for (source, distance) in state.added {
            lines += self.lines(of: source) + ["    distance: \(distance) m"]
        }
        if !state.devices.isEmpty || state.needsPasskey { lines.append("variables:") }
        for (index, device) in state.devices.enumerated() {
            // A clone has the name of its original. On a virtual radio the addresses are the same in every run.
            if state.adapter != nil, let address = device.address {
                lines.append("  \(variable(index)): \(YAMLText.quoted(address))\(comment(device.name))")
            } else {
                lines.append("  \(variable(index)): \(literal(device.name))")
            }
        }
        if state.needsPasskey { lines.append("  passkey: \"000000\"") }
        lines += ["timeout: 30 s", "steps:"]
        if state.steps.isEmpty { lines.append("  - {print: \"\(state.added.count) added\"}") }
        for step in state.steps {
            var keys = step.keys
            if let device = step.device, state.devices.count > 1,
                !["connect", "disconnect"].contains(keys.first?.key)
            {
                keys.append(("device", variable(device)))
            }
            var comment = step.comment
            if let (path, bytes) = step.read {
                comment = ValueText(bytes, of: 0).text.map(self.comment) ?? ""
                if !state.changing.contains(path) {
                    keys.append(("expect", YAMLText.quoted(bytes.hexText(separator: " "))))
                }
            }
            lines.append("  - {" + keys.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}" + comment)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The key `device` of a device that was added.
    private static func lines(of source: AirSource) -> [String] {
        guard case .file(var yaml) = source else {
            if case .builtIn(let name) = source { return ["  - device: \(name)"] }
            return []
        }
        // Marks of documents and directives cannot stand inside of one.
        if yaml.split(whereSeparator: \.isNewline).contains(where: { $0.hasPrefix("---") || $0.hasPrefix("%") }) {
            yaml = (try? DeviceFile(yaml: yaml))?.yaml ?? yaml
        }
        var lines = yaml.replacing("${", with: "$${").split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return ["  - device:"] + lines.map { $0.isEmpty ? "" : "      \($0)" }
    }

    /// Quotes text of a device so that it contains no variable.
    private static func literal(_ text: String) -> String { YAMLText.quoted(text.replacing("${", with: "$${")) }
}
