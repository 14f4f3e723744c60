import Harald
import VirtualDevices

/// The conditions, expectations and requests of steps.
extension ScriptStepReader {
    func condition(_ node: FileNode) throws(DeviceFileError) -> ScanCondition {
        var condition = ScanCondition()
        guard node.isMapping else {
            let text = try node.string("scan")
            if !text.isEmpty, text != "~", text != "null" { condition.device = text }
            return condition
        }
        let mapping = try node.mapping(.scan)
        if let device = mapping["device"] { condition.device = try device.string("device") }
        if let service = mapping["service"] { condition.services = try service.uuids("a service", .service) }
        if let company = mapping["company"] {
            condition.company = UInt16(try company.integer("company", in: 0...0xFFFF))
        }
        if let rssi = mapping["rssi"] { condition.rssi = try NumberTest(minimum: rssi, "rssi") }
        if let flag = mapping["connectable"] { condition.isConnectable = try flag.bool("connectable") }
        if let count = mapping["count"] { condition.count = try count.integer("count", in: 1...10_000) }
        return condition
    }

    func expectation(_ node: FileNode) throws(DeviceFileError) -> ScriptOperation.Expectation {
        if let entries = node.entries, entries.contains(where: { $0.key.text == "error" }) {
            let mapping = try node.mapping("expect", keys: ["error"])
            return .error(try ErrorTest(try mapping.required("error")))
        }
        switch step.action {
        case .read, .wait: return .value(try ValueTest(node))
        case .link: return .link(try links(node))
        case .discover:
            var paths: [String] = []
            for element in node.listOrOne() { paths.append(try path(element)) }
            return .attributes(paths)
        case .simulate: return .text(try node.string("the answer"))
        case .scan:
            throw node.error("a scan is expected to find advertised fields: expect: {temperature: {min: 20}}")
        default: throw node.error("a \(step.action.rawValue) can only be expected to fail: expect: {error: 0x03}")
        }
    }

    /// Returns the tests of advertised fields, by their names; nil for the expectation of an error.
    func advertisedTests(_ node: FileNode) throws(DeviceFileError) -> [ScanCondition.FieldTest]? {
        guard let entries = node.entries, !entries.contains(where: { $0.key.text == "error" }) else { return nil }
        var tests: [ScanCondition.FieldTest] = []
        for (key, value) in entries {
            let name = try key.string("the name of an advertised field")
            tests.append(ScanCondition.FieldTest(name: name, test: try NumberTest(value, name, isNumber: false)))
        }
        return tests
    }

    private func links(_ node: FileNode) throws(DeviceFileError) -> [(name: String, test: NumberTest)] {
        _ = try node.mapping(.expectedLink)
        var tests: [(name: String, test: NumberTest)] = []
        for (key, value) in node.entries ?? [] {
            let name = try key.string("a property")
            tests.append(
                (
                    name,
                    name == "rssi"
                        ? try NumberTest(minimum: value, name)
                        : try NumberTest(value, name, isNumber: name != "phy" && name != "security")
                ))
        }
        return tests
    }

    func wish(_ node: FileNode) throws(DeviceFileError) -> LinkWish {
        var wish = LinkWish()
        guard node.isMapping else {
            guard node.text?.isEmpty ?? false || node.text == "~" else {
                throw node.error("link must be a mapping such as {phy: 2M, interval: 15-30}, or empty")
            }
            return wish
        }
        let mapping = try node.mapping(.link)
        if let phy = mapping["phy"] {
            wish.phy = try phy.choice("phy", ["1M": PHY.le1M, "2M": .le2M, "coded": .leCoded])
        }
        if let length = mapping["dataLength"] {
            wish.dataLength = UInt16(try length.integer("dataLength", in: 27...251))
        }
        guard ["interval", "latency", "supervisionTimeout"].contains(where: { mapping[$0] != nil }) else { return wish }
        var request = ConnectionParametersRequest.standard
        if let interval = mapping["interval"] { request.interval = try self.interval(interval) }
        if let latency = mapping["latency"] { request.latency = UInt16(try latency.integer("latency", in: 0...499)) }
        if let timeout = mapping["supervisionTimeout"] {
            request.supervisionTimeout = .milliseconds(try timeout.integer("supervisionTimeout", in: 100...32_000))
        }
        guard request.isValid else {
            throw node.error("the supervision timeout has to be longer than twice the interval times (latency + 1)")
        }
        wish.parameters = request
        return wish
    }

    /// Reads an interval, or a range of intervals, in milliseconds.
    private func interval(_ node: FileNode) throws(DeviceFileError) -> ClosedRange<Duration> {
        let text = try node.string("interval")
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first >= 7.5,
            first <= last, last <= 4000
        else { throw node.error("interval must be milliseconds or a range, such as 30 or 15-30, 7.5 to 4000") }
        return .milliseconds(first) ... .milliseconds(last)
    }

    func savings(_ node: FileNode) throws(DeviceFileError) -> [ScriptOperation.Saving] {
        guard let entries = node.entries else {
            return [ScriptOperation.Saving(name: try ScriptReader.variable(node), form: .plain)]
        }
        var savings: [ScriptOperation.Saving] = []
        for (key, value) in entries {
            let name = try ScriptReader.variable(key)
            savings.append(ScriptOperation.Saving(name: name, form: try form(value)))
        }
        return savings
    }

    private func form(_ node: FileNode) throws(DeviceFileError) -> SavedForm {
        let word = try node.string("the form of a variable")
        if step.action == .scan {
            let known = ["address", "name", "id", "rssi"]
            guard known.contains(word) else {
                throw node.error("a device can be saved as \(known.joined(separator: ", "))")
            }
            return .device(word)
        }
        switch word {
        case "hex": return .plain
        case "text": return .text
        case "value": return .value
        default:
            do { return .number(try NumberColumns(word)) } catch {
                throw node.error("a value can be saved as hex, text, value, or as a number: \(error.message)")
            }
        }
    }
}

extension ScanCondition: CustomStringConvertible {
    /// The conditions in one line.
    var description: String {
        var parts: [String] = []
        if let device { parts.append(device) }
        if !services.isEmpty { parts.append("service \(services.map(\.description).joined(separator: " and "))") }
        if let company { parts.append("company \(CompanyIdentifier(rawValue: company))") }
        if let rssi { parts.append("rssi \(rssi)") }
        if let isConnectable { parts.append(isConnectable ? "connectable" : "not connectable") }
        if parts.isEmpty { parts.append("any device") }
        if count > 1 { parts.append(count.counted("device")) }
        return parts.joined(separator: ", ")
    }
}
