import BluetoothModel
import Explorer
import Harald
import VirtualDevices

/// Reads a step of a script with the values of its variables.
struct ScriptStepReader {
    let step: ScriptStep
    let values: [String: String]
    let timeout: Duration
    let checkPath: @Sendable (String) throws -> Void
    let adapters: [String]

    private var node: FileNode { step.node }

    /// Returns the value of a key with its variables replaced; nil if it is missing.
    func value(_ key: String) throws(DeviceFileError) -> FileNode? {
        guard let value = node.value(of: key) else { return nil }
        return try ScriptVariables.replaced(in: value, values)
    }

    private func content() throws(DeviceFileError) -> FileNode { try value(step.action.rawValue) ?? node }

    private func optionalText(_ what: String) throws(DeviceFileError) -> String? {
        let text = try content().string(what)
        return text.isEmpty || text == "~" || text == "null" ? nil : text
    }

    func operation() throws(DeviceFileError) -> ScriptOperation {
        var operation = ScriptOperation(
            line: node.line, column: node.column, action: .group, name: step.action, title: "", timeout: timeout)
        if let within = try value("within") {
            operation.timeout = try within.duration("within", atLeast: .milliseconds(1))
        }
        if let device = try value("device") { operation.device = try device.string("device") }
        (operation.action, operation.title) = try action(&operation)
        if let expect = try value("expect") {
            if case .scan(var condition, let adapter) = operation.action, let tests = try advertisedTests(expect) {
                condition.values = tests
                operation.action = .scan(condition, adapter: adapter)
            } else {
                operation.expectation = try expectation(expect)
            }
        }
        if let save = try value("save") { operation.savings = try savings(save) }
        if let name = try value("name") { operation.title = try name.string("name") }
        return operation
    }

    private func action(
        _ operation: inout ScriptOperation
    ) throws(DeviceFileError) -> (ScriptOperation.Action, String) {
        switch step.action {
        case .scan:
            let condition = try self.condition(try content())
            return (.scan(condition, adapter: try adapter()), "\(condition)")
        case .connect:
            let device = try content().string("the device to connect to")
            guard !device.isEmpty else {
                throw try content().error("'connect' requires the name or the address of a device")
            }
            return (.connect(device, as: try value("as")?.string("as"), adapter: try adapter()), device)
        case .disconnect:
            operation.device = try optionalText("the device to disconnect") ?? operation.device
            return (.disconnect, operation.device ?? "")
        case .discover:
            operation.device = try optionalText("the device to discover") ?? operation.device
            return (.discover, operation.device ?? "")
        case .read:
            let path = try path(try content())
            return (.read(path), path)
        case .write:
            let path = try path(try content())
            guard let node = try value("value") else { throw self.node.error("'write' requires the key 'value'") }
            let type = try value("response").map { node throws(DeviceFileError) -> WriteType in
                try node.bool("response") ? .withResponse : .withoutResponse
            }
            return (.write(path, try bytes(node), type), path)
        case .subscribe:
            let path = try path(try content())
            let kind: SubscriptionKind =
                try value("kind")?.choice(
                    "kind", ["any": .any, "notifications": .notifications, "indications": .indications]) ?? .any
            return (.subscribe(path, kind), path)
        case .unsubscribe:
            let path = try path(try content())
            return (.unsubscribe(path), path)
        case .wait: return try wait()
        case .pair: return try pair()
        case .unpair:
            operation.device = try optionalText("the device to forget") ?? operation.device
            return (.unpair, operation.device ?? "")
        case .link: return (.link(try wish(try content())), "")
        case .sleep:
            let time = try content().duration("sleep")
            operation.timeout = time + .seconds(10)
            return (.sleep(time), "\(ScriptText.seconds(time))")
        case .set: return try set()
        case .print:
            let text = try content().string("print")
            return (.print(text), text)
        case .simulate:
            let line = try content().string("a command to a simulated device")
            return (.simulate(line), line)
        case .repeat: return try repetition(&operation)
        case .each: return try each(&operation)
        case .parallel:
            operation.timeout = try value("within") == nil ? .seconds(1e9) : operation.timeout
            return (.parallel, "\(step.inner.count) at once")
        case .group:
            operation.timeout = try value("within") == nil ? .seconds(1e9) : operation.timeout
            // A branch of several steps has no name.
            return (.group, node.isList ? "" : try content().string("the name of a group"))
        }
    }

    private func wait() throws(DeviceFileError) -> (ScriptOperation.Action, String) {
        let node = try content()
        let text = try node.string("what to wait for")
        if text.lowercased() == "disconnected" {
            if let other = ["expect", "count", "save"].first(where: { self.node.hasKey($0) }) {
                throw self.node.error("'wait: disconnected' cannot have the key '\(other)'")
            }
            return (.waitForEnd, "disconnected")
        }
        let count = try value("count")?.integer("count", in: 0...1_000_000) ?? 1
        if count == 0, let save = self.node.value(of: "save") {
            throw save.error("'wait' with 'count: 0' ends without a value to save")
        }
        let path = try path(node)
        return (.wait(path, count: count), path + (count == 1 ? "" : ", \(count) values"))
    }

    private func pair() throws(DeviceFileError) -> (ScriptOperation.Action, String) {
        let node = try content()
        let levels: KeyValuePairs<String, LinkSecurity.Level> = [
            "encrypted": .encrypted, "authenticated": .authenticated, "secureConnections": .secureConnections,
        ]
        guard node.isMapping else {
            guard let word = try optionalText("pair") else { return (.pair(.encrypted, passkey: nil), "") }
            return (.pair(try node.choice("pair", levels), passkey: nil), word)
        }
        let mapping = try node.mapping(.pair)
        let passkey = try mapping["passkey"].map { node throws(DeviceFileError) in try node.passkey() }
        let level = try mapping["level"]?.choice("level", levels) ?? (passkey == nil ? .encrypted : .authenticated)
        // The passkey is not part of the title, which is printed and reported.
        return (.pair(level, passkey: passkey), "\(level)")
    }

    private func set() throws(DeviceFileError) -> (ScriptOperation.Action, String) {
        let node = try content()
        guard let entries = node.entries else { throw node.error("set must be a mapping from variables to values") }
        var values: [String: String] = [:]
        for (key, value) in entries {
            values[try ScriptReader.variable(key)] = try value.string("the value of a variable")
        }
        return (.set(values), values.keys.sorted().joined(separator: ", "))
    }

    private func repetition(
        _ operation: inout ScriptOperation
    ) throws(DeviceFileError) -> (ScriptOperation.Action, String) {
        let time = try value("for")?.duration("for", atLeast: .milliseconds(1))
        let every = try value("every")?.duration("every", atLeast: .milliseconds(1))
        let count: Int?
        if let text = try optionalText("repeat"), text != "forever" {
            count = try content().integer("repeat", in: 1...1_000_000)
        } else {
            count = nil
            guard time != nil else {
                throw try content().error("repeat must be a number of times, or have the key 'for'")
            }
        }
        operation.timeout = try value("within") == nil ? .seconds(1e9) : operation.timeout
        let title = [count.map { "\($0) times" }, time.map { "for \(ScriptText.seconds($0))" }].compactMap { $0 }
        return (
            .repeat(
                count, as: try value("as").map { node throws(DeviceFileError) in try ScriptReader.variable(node) },
                every: every, until: time), title.joined(separator: ", ")
        )
    }

    private func each(_ operation: inout ScriptOperation) throws(DeviceFileError) -> (ScriptOperation.Action, String) {
        let node = try content()
        let name = try value("as").map { node throws(DeviceFileError) in try ScriptReader.variable(node) } ?? "device"
        operation.timeout = try value("within") == nil ? .seconds(1e9) : operation.timeout
        if node.isMapping {
            let condition = try condition(node)
            let time = try value("for")?.duration("for", atLeast: .milliseconds(1)) ?? .seconds(5)
            return (.each(.devices(condition, adapter: try adapter(), time: time), as: name), "\(condition)")
        }
        var values: [String] = []
        for element in node.listOrOne() { values.append(try element.string("a value of the loop")) }
        return (.each(.values(values), as: name), values.joined(separator: ", "))
    }

    // MARK: Parts

    func path(_ node: FileNode) throws(DeviceFileError) -> String {
        let text = try node.string("an attribute")
        do { try checkPath(text) } catch { throw node.error("\(error)") }
        return text
    }

    private func adapter() throws(DeviceFileError) -> String? {
        guard let node = try value("on") else { return nil }
        let name = try node.string("on")
        guard adapters.contains(name) else {
            let known =
                adapters.isEmpty ? "the script has no 'adapters:'" : "there are \(adapters.joined(separator: ", "))"
            throw node.error("unknown adapter '\(name)'; \(known)")
        }
        return name
    }

    private func bytes(_ node: FileNode) throws(DeviceFileError) -> [UInt8] {
        let bytes: [UInt8]
        if node.text != nil {
            let text = try node.string("a value")
            do { bytes = try ValueInput.bytes(text.isEmpty ? [] : [text]) } catch { throw node.error("\(error)") }
        } else {
            bytes = try node.fixedValue("the value of a write")
        }
        guard bytes.count <= 512 else { throw node.error("a value has at most 512 bytes, but this has \(bytes.count)") }
        return bytes
    }
}
