import Foundation
import Harald

@testable import VirtualDevices

/// Writes a database of the vectors as a device file.
struct GATTVectorDatabase {
    /// Constants that the entries use and the file does not define: bits of ATT permissions and of properties, assigned
    /// numbers.
    private static let constants = [
        "BT_ATT_PERM_READ": 0x01, "BT_ATT_PERM_WRITE": 0x02, "BT_ATT_PERM_READ_ENCRYPT": 0x04,
        "BT_ATT_PERM_WRITE_ENCRYPT": 0x08, "BT_ATT_PERM_ENCRYPT": 0x0C, "BT_GATT_CHRC_PROP_BROADCAST": 0x01,
        "BT_GATT_CHRC_PROP_READ": 0x02, "BT_GATT_CHRC_PROP_WRITE_WITHOUT_RESP": 0x04,
        "BT_GATT_CHRC_PROP_WRITE": 0x08, "BT_GATT_CHRC_PROP_NOTIFY": 0x10, "BT_GATT_CHRC_PROP_INDICATE": 0x20,
        "BT_GATT_CHRC_PROP_AUTH": 0x40, "BT_GATT_CHRC_PROP_EXT_PROP": 0x80,
    ]
    private static let uuids = [
        "GAP_UUID": "1800", "GATT_UUID": "1801", "HEART_RATE_UUID": "180D", "DEVICE_INFORMATION_UUID": "180A",
        "GATT_CHARAC_DEVICE_NAME": "2A00", "GATT_CHARAC_APPEARANCE": "2A01",
        "GATT_CHARAC_PERIPHERAL_PREF_CONN": "2A04", "GATT_CHARAC_SERVICE_CHANGED": "2A05",
        "GATT_CHARAC_MANUFACTURER_NAME_STRING": "2A29", "GATT_CHARAC_SOFTWARE_REVISION_STRING": "2A28",
        "GATT_CHARAC_EXT_PROPER_UUID": "2900", "GATT_CHARAC_USER_DESC_UUID": "2901",
        "GATT_CLIENT_CHARAC_CFG_UUID": "2902", "GATT_SERVER_CHARAC_CFG_UUID": "2903", "GATT_CHARAC_FMT_UUID": "2904",
        "GATT_CHARAC_AGREG_FMT_UUID": "2905",
    ]

    private let source: CSource
    private(set) var yaml = "name: Vectors\ngenericServices: false\nadvertise: {services: []}\nservices:\n"

    init(_ entries: [String], source: CSource) throws {
        self.source = source
        var rest = entries.compactMap(CSource.call)[...]
        while let entry = rest.popFirst() {
            guard entry.name.hasSuffix("SERVICE"), let first = CSource.number(entry.arguments[0]),
                let count = CSource.number(entry.arguments[2])
            else { throw GATTVectorFile.Malformed(description: "no service: \(entry)") }
            yaml += "  - uuid: \(try uuid(entry.arguments[1]))\n    name: service \(first)\n"
            yaml += "    primary: \(entry.name.hasPrefix("PRIMARY"))\n"
            yaml += "    handle: \(first)\n    endHandle: \(first + count - 1)\n"
            let contents = rest.prefix { !$0.name.hasSuffix("SERVICE") }
            rest = rest.dropFirst(contents.count)
            try service(contents)
        }
    }

    private mutating func service(_ contents: ArraySlice<(name: String, arguments: [String])>) throws {
        let includes = contents.filter { $0.name == "INCLUDE" }.compactMap { CSource.number($0.arguments[0]) }
        if !includes.isEmpty {
            yaml += "    includes: [\(includes.map { "service \($0)" }.joined(separator: ", "))]\n"
        }
        var rest = contents.filter { $0.name != "INCLUDE" }[...]
        if !rest.isEmpty { yaml += "    characteristics:\n" }
        while let entry = rest.popFirst() {
            let descriptors = rest.prefix { $0.name.hasPrefix("DESCRIPTOR") }
            rest = rest.dropFirst(descriptors.count)
            try characteristic(entry, descriptors)
        }
    }

    private mutating func characteristic(
        _ entry: (name: String, arguments: [String]), _ descriptors: ArraySlice<(name: String, arguments: [String])>
    ) throws {
        var arguments = entry.arguments[...]
        let handle = entry.name.hasSuffix("_AT") ? arguments.removeFirst() : nil
        yaml += "      - uuid: \(try uuid(arguments.removeFirst()))\n"
        if let handle { yaml += "        handle: \(handle)\n" }
        yaml += "        permissions: [\(try permissions(arguments.removeFirst()))]\n"
        guard let bits = CSource.number(arguments.removeFirst(), Self.constants) else {
            throw GATTVectorFile.Malformed(description: "no properties: \(entry)")
        }
        let properties = CharacteristicProperties(rawValue: UInt16(bits)).names.joined(separator: ", ")
        yaml += "        properties: [\(properties)]\n"
        yaml += "        value: \(try value(entry.name, arguments))\n"
        let isConfigured = descriptors.contains { $0.arguments.contains { (try? uuid($0)) == "2902" } }
        if !isConfigured { yaml += "        cccd: false\n" }
        if !descriptors.isEmpty { yaml += "        descriptors:\n" }
        for descriptor in descriptors { try self.descriptor(descriptor) }
    }

    private mutating func descriptor(_ entry: (name: String, arguments: [String])) throws {
        var arguments = entry.arguments[...]
        let handle = entry.name.hasSuffix("_AT") ? arguments.removeFirst() : nil
        let uuid = try uuid(arguments.removeFirst())
        let permissions = try permissions(arguments.removeFirst())
        yaml += "          - {uuid: \(uuid)"
        if let handle { yaml += ", handle: \(handle)" }
        // The stack stores the value of a client configuration for each client.
        if uuid != "2902" { yaml += ", permissions: [\(permissions)], value: \(try value(entry.name, arguments))" }
        yaml += "}\n"
    }

    // MARK: Pieces

    private func uuid(_ text: String) throws -> String {
        if let known = Self.uuids[text] { return known }
        let written = source.string(text) ?? text
        let digits = written.hasPrefix("0x") ? String(written.dropFirst(2)) : written
        guard BluetoothUUID(digits) != nil else { throw GATTVectorFile.Malformed(description: "no UUID: \(text)") }
        return digits
    }

    private func permissions(_ text: String) throws -> String {
        guard let bits = CSource.number(text, Self.constants) else {
            throw GATTVectorFile.Malformed(description: "no permissions: \(text)")
        }
        var words: [String] = []
        if bits & 0x05 != 0 { words.append("readable") }
        if bits & 0x0A != 0 { words.append("writeable") }
        if bits & 0x04 != 0 { words.append("readEncrypted") }
        if bits & 0x08 != 0 { words.append("writeEncrypted") }
        return words.joined(separator: ", ")
    }

    private func value(_ name: String, _ arguments: ArraySlice<String>) throws -> String {
        let bytes =
            name.contains("_STR")
            ? source.string(arguments.joined(separator: ",")).map { Array($0.utf8) } : CSource.bytes(Array(arguments))
        guard let bytes else { throw GATTVectorFile.Malformed(description: "no value: \(arguments)") }
        return "{hex: \"\(bytes.map { String(format: "%02X", $0) }.joined())\"}"
    }
}
