import VirtualDevices

/// A script: simulated devices, variables, and steps with expectations.
package struct Script: Sendable {
    package struct Adapter: Hashable, Sendable {
        package var name: String
        package var uri: String
    }

    /// A simulated device that runs with the script.
    package struct Device: Hashable, Sendable {
        /// The device, its position and its faults.
        package var scenery: SceneDevice
        /// The adapter that it runs on; nil for the adapter of the script.
        package var adapter: String?
    }

    /// The name of the script; by default that of the file.
    package var name: String
    /// The path of the file, as given.
    package var file: String
    /// The adapter; nil if the user chooses.
    package var adapter: String?
    package var adapters: [Adapter] = []
    package var devices: [Device] = []
    /// The names of the variables that the file defines or uses.
    package var names: Set<String> = []
    /// The values of the variables before the first step.
    package var variables: [String: String] = [:]
    /// The default timeout of a step.
    package var timeout = Duration.seconds(10)
    package var steps: [ScriptStep] = []

    package var entersPasskeys: Bool { steps.contains(where: \.entersPasskey) }
}

/// A step of a script. Its variables are replaced when it runs.
package struct ScriptStep: Sendable {
    /// The line in the file, from 1.
    package var line: Int
    /// The action, such as `read`.
    package var action: ScriptActionName
    let node: FileNode
    /// The nested steps, in the order of the file.
    package var inner: [ScriptStep] = []

    var entersPasskey: Bool {
        let hasPasskey = action == .pair && node.value(of: "pair")?.hasKey("passkey") == true
        return hasPasskey || inner.contains(where: \.entersPasskey)
    }
}

/// The actions of steps; the raw value is the key in the file.
package enum ScriptActionName: String, Hashable, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case scan, connect, disconnect, discover, read, write, subscribe, unsubscribe, wait, pair, unpair, link, sleep, set,
        print, simulate, `repeat`, each, parallel, group

    /// The keys of a step with this action, beside the action itself.
    var keys: [String] {
        let common = ["name", "within"]
        switch self {
        case .scan: return common + ["on", "save", "expect"]
        case .connect: return common + ["as", "on", "expect"]
        case .disconnect: return common + ["device", "expect"]
        case .discover: return common + ["device", "expect"]
        case .read: return common + ["device", "expect", "save"]
        case .write: return common + ["device", "value", "response", "expect"]
        case .subscribe: return common + ["device", "kind", "expect"]
        case .unsubscribe: return common + ["device"]
        case .wait: return common + ["device", "expect", "count", "save"]
        case .pair: return common + ["device", "expect"]
        case .unpair: return common + ["device"]
        case .link: return common + ["device", "expect"]
        case .sleep, .set, .print: return ["name"]
        case .simulate: return common + ["expect"]
        case .repeat: return common + ["steps", "every", "for", "as"]
        case .each: return common + ["as", "on", "for", "steps"]
        case .parallel: return common
        case .group: return common + ["steps", "device"]
        }
    }

    /// True for actions whose content is optional.
    var isComplete: Bool { [.scan, .disconnect, .discover, .pair, .unpair, .link].contains(self) }

    /// True for actions with steps of their own.
    var isBlock: Bool { [.repeat, .each, .parallel, .group].contains(self) }
}
