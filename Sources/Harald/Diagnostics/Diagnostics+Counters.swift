import BluetoothBackend

extension Diagnostics {
    /// One number of the diagnostics.
    public struct Counter: Hashable, Sendable, CustomStringConvertible {
        /// The name of the counter: "connection attempts".
        public let name: String
        /// The reason or kind that was counted: "timeout"; empty for a counter without such a division.
        public let reason: String
        /// The number.
        public let value: Int

        /// Name, reason and number: "connection failures (timeout) 2".
        public var description: String { name + (reason.isEmpty ? "" : " (\(reason))") + " \(value)" }
    }

    /// The counters of the adapter and of this central. Those that the platform does not report are absent, as are
    /// reasons that did not occur.
    public var counters: [Counter] {
        var all: [Counter] = []
        func add(_ name: String, _ value: Int?) {
            if let value { all.append(Counter(name: name, reason: "", value: value)) }
        }
        func add(_ name: String, _ values: [String: Int]?) {
            for (reason, value) in (values ?? [:]).sorted(by: { $0.key < $1.key }) {
                all.append(Counter(name: name, reason: reason, value: value))
            }
        }
        add("connection attempts", connectionAttempts)
        add("established connections", establishedConnections)
        add("connection retries", connectionRetries)
        add("connection failures", connectionFailures.byText)
        add("ended links", endedLinks.byText)
        add("pairings", pairings)
        add("pairing failures", pairingFailures.byText)
        add("lost bonds", lostBonds)
        add("failed operations", failedOperations.byText)
        add("sent packets", packets?.sent)
        add("received packets", packets?.received)
        add("received values", packets?.values)
        add("dropped values", droppedValues)
        add("dropped packets", droppedPackets)
        add("advertisements", advertisements)
        add("dropped scan results", droppedScanResults)
        add("scan restarts", scanRestarts)
        add("adapter restarts", adapterRestarts)
        add("refused commands", refusedCommands)
        return all
    }
}

extension Diagnostics: CustomStringConvertible {
    /// One line for the adapter, one for each counter above 0, and one for each open link.
    public var description: String {
        var lines = ["adapter \(adapter.uri): \(adapter.summary), \(state.text)"]
        lines += counters.filter { $0.value > 0 }.map { "\($0)" }
        return (lines + links.map { "\($0)" }).joined(separator: "\n")
    }
}

extension [BluetoothError.Code: Int] {
    /// The same numbers by the text of the code.
    fileprivate var byText: [String: Int] {
        [String: Int](map { ($0.key.text, $0.value) }, uniquingKeysWith: +)
    }
}

extension BluetoothError.Code {
    /// The kind of failure in a few words.
    fileprivate var text: String {
        switch self {
        case .plain(let kind): kind.rawValue
        case .disconnected(let status): "\(status)"
        case .radio(let state): "adapter \(state.text)"
        case .att(let code): "device: \(code)"
        case .controller(let status): "controller: \(status)"
        case .channelRefused(let result): "channel refused: \(result)"
        }
    }
}
