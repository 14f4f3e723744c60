import VirtualDevices

extension FileKeys {
    /// All mappings of scripts, in the order of the documentation.
    package static let scripts = [
        script, simulatedDevice, actions, step, scan, pair, link, expectedValue, number, expectedLink,
    ]

    static let script = FileKeys(
        "a script",
        [
            Key("steps", "the steps. A file that is a list of steps is a script too", "required"),
            Key("name", "the name in reports", "that of the file"),
            Key("variables", "variables and their values"),
            Key("timeout", "the timeout of each step without the key `within`", "`10 s`"),
            Key("adapter", "the adapter, unless the command names one", "as of every command"),
            Key("adapters", "names and URIs of further adapters, which steps select with `on`"),
            Key("devices", "simulated devices that run with the script"),
        ])

    /// The key of a device of a script, beside those of a device of a scene.
    static let simulatedDevice = FileKeys(
        "a device of a script", [Key("on", "the adapter of `adapters` that it runs on", "that of the script")])

    /// The actions, with their content and the other keys of their steps.
    static let actions = FileKeys(
        "a step", last: "further keys",
        ScriptActionName.allCases.map { action in
            Key(action.rawValue, action.content, action.ownKeys.map { "`\($0)`" }.joined(separator: ", "))
        })

    static let step = FileKeys(
        "the keys of a step", last: "default",
        [
            Key("name", "a title for reports", "the action and its content"),
            Key(
                "within", "the timeout; of `each`, `repeat`, `parallel` and `group` that of all their steps",
                "the script's `timeout`; of steps with steps no limit"),
            Key(
                "device", "the device of the step: the name in `as`, otherwise the text of `connect`",
                "the device that was connected last"),
            Key("on", "the adapter of `adapters`", "that of the script"),
            Key("expect", "what has to be true of the result", "success"),
            Key("save", "a variable for the result"),
            Key(
                "as", "of `connect` a name for the device; of `repeat` and `each` the variable of the loop",
                "of `each`: `device`"),
            Key("value", "what is written: a text as for `harald write`, or a value as in device files", "required"),
            Key("response", "false to write without response", "as the characteristic allows"),
            Key("kind", "`any`, `notifications` or `indications`", "`any`"),
            Key("count", "the number of values to wait for; with 0 no value may meet `expect` during `within`", "1"),
            Key("steps", "the steps of a block", "required"),
            Key("every", "the interval between the beginnings of the turns"),
            Key(
                "for",
                "of `repeat` the time after which no further turn begins; of `each` the time of the scan",
                "of `each`: `5 s`"),
        ])

    static let scan = FileKeys(
        "scan",
        [
            Key("device", "a name, its beginning, an address or an identifier", "any"),
            Key("service", "an advertised service, or a list of them", "any"),
            Key("company", "the company of manufacturer data, a number", "any"),
            Key("rssi", "the least signal strength in dBm, or a condition", "any"),
            Key("connectable", "true or false", "any"),
            Key("count", "the number of devices to find", "1"),
        ])

    static let pair = FileKeys(
        "pair",
        [
            Key(
                "level", "`encrypted`, `authenticated` or `secureConnections`",
                "`encrypted`, with a passkey `authenticated`"),
            Key("passkey", "the six digits that the device shows, or that are printed on it"),
        ])

    static let link = FileKeys(
        "link",
        [
            Key("phy", "`1M`, `2M` or `coded`", "not requested"),
            Key("interval", "milliseconds, or a range such as `15-30`, 7.5 to 4000", "not requested"),
            Key("latency", "0 to 499 connection events", "not requested"),
            Key("supervisionTimeout", "100 to 32,000 milliseconds", "not requested"),
            Key("dataLength", "27 to 251 octets", "not requested"),
        ])

    static let expectedValue = FileKeys(
        "expect, of a value", last: "example",
        [
            Key("hex", "bytes; `??` is any byte, `*` at the end any further bytes", "`{hex: \"01 ?? *\"}`"),
            Key("text", "the text, or the value as it is shown", "`{text: Polar}`"),
            Key("match", "a regular expression for the text", "`{match: \"^v[0-9]+\"}`"),
            Key("length", "the number of bytes", "`{length: {min: 2}}`"),
            Key("skip", "bytes before the next number", "`[{skip: 1}, {i16: {max: 0}}]`"),
            Key("value", "the decoded value, if it has one field", "`{value: {min: 20}}`"),
            Key(
                "fields", "decoded fields, by the names of `harald decode`",
                "`{fields: {heartRateMeasurementValue: {min: 40}}}`"),
        ])

    static let number = FileKeys(
        "a number that is expected", last: "example",
        [
            Key("min", "the least value", "`{min: 1, max: 9}`"),
            Key("max", "the greatest value", "`{max: 100}`"),
            Key("in", "one of these", "`{in: [1, 2]}`"),
            Key("not", "none of these; without other conditions", "`{not: 0}`"),
        ])

    static let expectedLink = FileKeys(
        "what is expected of a link", last: "example",
        [
            Key("mtu", "the MTU in octets", "`{mtu: {min: 185}}`"),
            Key("phy", "`1M`, `2M` or `coded`", "`{phy: 2M}`"),
            Key("interval", "the connection interval in milliseconds", "`{interval: {max: 30}}`"),
            Key("latency", "the peripheral latency in connection events", "`{latency: 0}`"),
            Key("supervisionTimeout", "milliseconds", "`{supervisionTimeout: {min: 2000}}`"),
            Key("dataLength", "octets of a packet", "`{dataLength: 251}`"),
            Key("rssi", "dBm; a single value is the minimum", "`{rssi: -80}`"),
            Key("security", "`none`, `encrypted`, `authenticated` or `secureConnections`", "`{security: encrypted}`"),
        ])
}

extension ScriptActionName {
    /// The content of the action, in Markdown.
    var content: String {
        switch self {
        case .scan:
            "waits until devices are found: a name, an address, or a mapping of conditions. `expect`: advertised fields, "
                + "such as `{temperature: {min: 20}}`"
        case .connect: "a name, the beginning of a unique name, an address or an identifier"
        case .disconnect: "the name of a device; by default the current one: `- disconnect`"
        case .discover: "discovers all attributes. `expect`: paths that have to exist"
        case .read: "a path such as `180F/2A19`, `battery/battery-level`, `180F/2A19/2902` or `#0x0012`"
        case .write: "a path"
        case .subscribe: "a path"
        case .unsubscribe: "a path"
        case .wait:
            "a path: waits for a value that meets `expect`, and subscribes if necessary. Values that arrived since the "
                + "subscription count; each is used once. `wait: disconnected` waits for the end of the link"
        case .pair: "`encrypted`, `authenticated`, `secureConnections`, or a mapping"
        case .unpair: "deletes the bond"
        case .link: "requests parameters of the link, or nothing. `expect`: what is expected of the link"
        case .sleep: "a duration"
        case .set: "a mapping of variables to values"
        case .print: "a text"
        case .simulate:
            "a command to a simulated device of the script, as for `harald simulate`. `expect`: a regular expression for "
                + "its answer"
        case .repeat: "the number of turns, or `forever` with the key `for`"
        case .each:
            "a list of values. With the conditions of a scan instead of a list, the addresses of all devices that are found"
        case .parallel:
            "a list of steps, or of lists of steps, which run at the same time. Each branch has its own current device "
                + "and its own variables"
        case .group: "a title"
        }
    }

    /// The keys of a step with this action that not every step has.
    var ownKeys: [String] { keys.filter { !["name", "within"].contains($0) } }
}
