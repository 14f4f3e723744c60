import Foundation
import VirtualDevices

/// Reads scripts from YAML.
package struct ScriptReader {
    private let checkPath: @Sendable (String) throws -> Void
    private let checkAdapter: @Sendable (String) throws -> Void

    /// - Parameters:
    ///   - checkPath: throws an error with a message if a text is no path of an attribute.
    ///   - checkAdapter: throws an error with a message if a text is no URI of an adapter.
    package init(
        checkPath: @escaping @Sendable (String) throws -> Void,
        checkAdapter: @escaping @Sendable (String) throws -> Void = { _ in }
    ) {
        self.checkPath = checkPath
        self.checkAdapter = checkAdapter
    }

    /// Reads a script, and checks the steps whose variables have values.
    /// - Parameter settings: values of variables that take precedence over those of the file.
    /// - Throws: ``DeviceFileError`` with the position of the error.
    package func script(
        yaml: String, file: String, settings: [String: String] = [:]
    ) throws(DeviceFileError) -> Script {
        let root = try DeviceDocument.root(
            yaml, file, least: "a script requires at least one step: 'steps: [{connect: NAME}]'")
        // A list of steps is a script too.
        let mapping = root.isList ? nil : try root.mapping(.script)
        var script = Script(
            name: URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent, file: file, variables: settings)
        script.names = try ScriptVariables.names(in: root)
        script.names.formUnion(mapping?["variables"]?.entries?.compactMap(\.key.text) ?? [])
        if let variables = mapping?["variables"] { try read(variables, settings, into: &script) }
        let values = script.variables
        func value(_ key: String) throws(DeviceFileError) -> FileNode? {
            guard let node = mapping?[key] else { return nil }
            return try ScriptVariables.replaced(in: node, values)
        }
        if let name = try value("name") { script.name = try name.string("name") }
        if let timeout = try value("timeout") {
            script.timeout = try timeout.duration("timeout", atLeast: .milliseconds(1))
        }
        if let adapter = try value("adapter") { script.adapter = try self.adapter(adapter) }
        if let adapters = try value("adapters") {
            guard let entries = adapters.entries else {
                throw adapters.error("adapters must be a mapping from names to adapters: {second: \"hci:1\"}")
            }
            for (key, node) in entries {
                script.adapters.append(
                    .init(name: try key.string("the name of an adapter"), uri: try self.adapter(node)))
            }
        }
        let devices = if let node = try value("devices") { try node.list("devices") } else { [FileNode]() }
        for node in devices {
            script.devices.append(try device(node, script.adapters.map(\.name)))
        }
        let steps = if let mapping { try mapping.required("steps").list("steps") } else { try root.list("a script") }
        guard !steps.isEmpty else { throw (mapping?["steps"] ?? root).error("a script must have at least one step") }
        script.steps = try self.steps(steps)
        try check(script)
        return script
    }

    /// Reads the name of a variable.
    static func variable(_ node: FileNode) throws(DeviceFileError) -> String {
        let name = try node.string("a variable")
        guard ScriptVariables.isName(name) else {
            throw node.error("the name of a variable must consist of letters, digits, '_' and '-', but is '\(name)'")
        }
        return name
    }

    private func read(
        _ node: FileNode, _ settings: [String: String], into script: inout Script
    ) throws(DeviceFileError) {
        guard let entries = node.entries else { throw node.error("variables must be a mapping from names to values") }
        for (key, value) in entries {
            let name = try Self.variable(key)
            let text = try ScriptVariables.replaced(in: value, script.variables).string("the value of a variable")
            script.variables[name] = settings[name] ?? text
        }
    }

    private func adapter(_ node: FileNode) throws(DeviceFileError) -> String {
        let text = try node.string("an adapter")
        do { try checkAdapter(text) } catch { throw node.error("\(error)") }
        return text
    }

    /// Reads a device: its name, its file, or a mapping as in a scene.
    private func device(_ node: FileNode, _ adapters: [String]) throws(DeviceFileError) -> Script.Device {
        if let text = node.text {
            guard text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml") else {
                guard let device = try BuiltIn.device(named: text) else {
                    let meant = Spelling.nearest(to: text, among: BuiltIn.deviceNames).map { "; did you mean '\($0)'?" }
                    throw node.error(
                        "unknown device '\(text)'\(meant ?? ";") Known devices: "
                            + "\(BuiltIn.deviceNames.joined(separator: ", ")); or name a file: ./\(text).yaml")
                }
                return Script.Device(scenery: SceneDevice(device))
            }
            let beside = URL(fileURLWithPath: node.file).deletingLastPathComponent().appendingPathComponent(text).path
            return Script.Device(scenery: SceneDevice(try DeviceFile(path: text.hasPrefix("/") ? text : beside)))
        }
        var device = Script.Device(scenery: try SceneFileReader().device(node, more: FileKeys.simulatedDevice.keys))
        if let on = node.value(of: "on") {
            let name = try on.string("on")
            guard adapters.contains(name) else {
                throw on.error("unknown adapter '\(name)': 'adapters:' does not contain it")
            }
            device.adapter = name
        }
        return device
    }

    // MARK: Steps

    private func steps(_ nodes: [FileNode]) throws(DeviceFileError) -> [ScriptStep] {
        var steps: [ScriptStep] = []
        for node in nodes { steps.append(try step(node)) }
        return steps
    }

    private func step(_ node: FileNode) throws(DeviceFileError) -> ScriptStep {
        // "- disconnect" is an action with the content that is the default.
        let node = node.text.flatMap(ScriptActionName.init(rawValue:))?.isComplete == true ? node.asKey : node
        guard let entries = node.entries else {
            throw node.error("a step must be a mapping such as {read: 180F/2A19}, not '\(node.text ?? "a list")'")
        }
        let names = ScriptActionName.allCases.map(\.rawValue)
        let actions = entries.compactMap { entry in entry.key.text.flatMap { ScriptActionName(rawValue: $0) } }
        guard let action = actions.first else {
            let first = entries.first?.key
            let meant = first?.text.flatMap { Spelling.nearest(to: $0, among: names) }.map { "; did you mean '\($0)'?" }
            throw (first ?? node).error(
                "unknown action '\(first?.text ?? "")'\(meant ?? ";") The actions are \(names.joined(separator: ", "))")
        }
        guard actions.count == 1 else {
            throw node.error(
                "a step must have one action, but this one has \(actions.map(\.rawValue).joined(separator: " and "))")
        }
        _ = try node.mapping("the step '\(action.rawValue)'", keys: [action.rawValue] + action.keys)
        var step = ScriptStep(line: node.line, action: action, node: node)
        if action == .parallel {
            for element in try (node.value(of: "parallel") ?? node).list("parallel") {
                // A branch of several steps is a group.
                step.inner.append(
                    element.isList
                        ? ScriptStep(
                            line: element.line, action: .group, node: element, inner: try steps(element.list("steps")))
                        : try self.step(element))
            }
        } else if action.isBlock {
            guard let inner = node.value(of: "steps") else {
                throw node.error("'\(action.rawValue)' requires the key 'steps'")
            }
            step.inner = try steps(inner.list("steps"))
        }
        return step
    }

    // MARK: Checks

    /// Checks all steps. A step whose variables all have values is checked completely, any other step only for
    /// undefined variables.
    private func check(_ script: Script) throws(DeviceFileError) {
        var known = Set(script.variables.keys)
        Self.collect(script.steps, &known)
        for step in script.steps { try check(step, known, script) }
    }

    private static func collect(_ steps: [ScriptStep], _ names: inout Set<String>) {
        for step in steps {
            for key in ["set", "save"] {
                guard let node = step.node.value(of: key) else { continue }
                names.formUnion(node.entries?.compactMap(\.key.text) ?? [node.text ?? ""])
            }
            switch step.action {
            case .each: names.insert(step.node.value(of: "as")?.text ?? "device")
            case .repeat: names.formUnion(step.node.value(of: "as")?.text.map { [$0] } ?? [])
            default: break
            }
            collect(step.inner, &names)
        }
    }

    private func check(_ step: ScriptStep, _ known: Set<String>, _ script: Script) throws(DeviceFileError) {
        var names: Set<String> = []
        for (key, value) in step.node.entries ?? [] where key.text != "steps" && key.text != "parallel" {
            for name in try ScriptVariables.names(in: value) {
                guard known.contains(name) else {
                    throw ScriptVariables.unknown(name, at: value, known: known.sorted())
                }
                names.insert(name)
            }
        }
        if names.isSubset(of: script.variables.keys), step.node.entries != nil {
            _ = try reader(step, script.variables, script).operation()
        }
        for inner in step.inner { try check(inner, known, script) }
    }

    func reader(_ step: ScriptStep, _ values: [String: String], _ script: Script) -> ScriptStepReader {
        ScriptStepReader(
            step: step, values: values, timeout: script.timeout, checkPath: checkPath,
            adapters: script.adapters.map(\.name))
    }
}

/// Formats parts of messages.
enum ScriptText {
    /// "2 s", "0.5 s".
    static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }
}
