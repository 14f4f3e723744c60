import Explorer
import Harald

/// A step with its variables replaced, ready to run.
struct ScriptOperation: Sendable {
    enum Action: Sendable {
        case scan(ScanCondition, adapter: String?)
        case connect(String, as: String?, adapter: String?)
        case disconnect
        case discover
        case read(String)
        case write(String, [UInt8], WriteType?)
        case subscribe(String, SubscriptionKind)
        case unsubscribe(String)
        case wait(String, count: Int)
        /// Waits until the device is disconnected.
        case waitForEnd
        case pair(LinkSecurity.Level, passkey: UInt32?)
        case unpair
        case link(LinkWish)
        case sleep(Duration)
        case set([String: String])
        case print(String)
        case simulate(String)
        case `repeat`(Int?, as: String?, every: Duration?, until: Duration?)
        case each(Each, as: String)
        case parallel
        case group
    }

    /// The values of a loop.
    enum Each: Sendable {
        case values([String])
        /// The devices that are received in this time.
        case devices(ScanCondition, adapter: String?, time: Duration)
    }

    /// The expectation about the result.
    enum Expectation: Sendable {
        case value(ValueTest)
        case error(ErrorTest)
        /// Properties of the link by their names in JSON.
        case link([(name: String, test: NumberTest)])
        /// Attributes that a discovery must find.
        case attributes([String])
        /// A regular expression that the answer of a simulated device matches.
        case text(String)
    }

    /// A variable and the form in which a result is stored in it.
    struct Saving: Sendable {
        var name: String
        var form: SavedForm
    }

    var line: Int
    var column: Int
    var action: Action
    var name: ScriptActionName
    /// The subject of the action in words.
    var title: String
    /// The name of the device; nil for the device of the last connection.
    var device: String?
    var timeout: Duration
    var expectation: Expectation?
    var savings: [Saving] = []
}

/// The conditions of a scan. A device must meet all of them.
struct ScanCondition: Sendable {
    /// A name, its beginning, an address or an identifier; nil for any device.
    var device: String?
    var services: [BluetoothUUID] = []
    var company: UInt16?
    var rssi: NumberTest?
    var isConnectable: Bool?
    /// The tests of advertised fields, each of which a field must pass.
    var values: [FieldTest] = []
    /// The number of devices that must be found.
    var count = 1

    /// A test of the advertised fields with a name.
    struct FieldTest: Sendable {
        var name: String
        var test: NumberTest
    }

    /// True if the device meets the conditions but those on its values.
    func selects(_ found: ScanResult) -> Bool {
        let data = found.advertisement
        if !services.allSatisfy({ data.serviceUUIDs.contains($0) || data.serviceData[$0] != nil }) { return false }
        if let company, !data.manufacturerData.contains(where: { $0.company.rawValue == company }) { return false }
        if let rssi, !(found.rssi.map { rssi.accepts([String($0)]) } ?? false) { return false }
        if let isConnectable, found.isConnectable != isConnectable { return false }
        guard let device else { return true }
        let (text, address) = (device.lowercased(), found.peripheral.address)
        if found.id.description.lowercased() == text || address?.text.lowercased() == text { return true }
        return [AdvertisedReader.shared.name(of: address), found.name].contains {
            $0?.lowercased().hasPrefix(text) == true
        }
    }

    /// Returns what the values of a selected device are in place of the expected ones; nil if all are as expected.
    func deviation(of found: ScanResult) -> String? {
        guard !self.values.isEmpty else { return nil }
        let values = AdvertisedReader.shared.values(of: found)
        let fields = values.flatMap(\.fields)
        for value in self.values {
            let own = fields.filter { $0.name.lowercased() == value.name.lowercased() }
            if own.contains(where: { value.test.accepts(ValueTest.texts(of: $0)) }) { continue }
            if let field = own.first { return "\(field)" }
            if let problem = values.lazy.compactMap(\.problem).first { return problem }
            let known = fields.map(\.name).joined(separator: ", ")
            return known.isEmpty ? "no values" : "no '\(value.name)', but \(known)"
        }
        return nil
    }
}

/// The form of a stored value.
enum SavedForm: Hashable, Sendable {
    /// The bytes in hexadecimal; for a device its address.
    case plain
    case text
    /// The only field of the decoded value.
    case value
    case number(NumberColumns)
    /// Name, address, identifier or signal strength of a device.
    case device(String)
}
