import Explorer
import Harald

extension DeviceTree {
    /// Returns a line for the device and one for each attribute. Lines longer than `width` are wrapped. `value` formats
    /// the bytes of a value; nil for the default format.
    func lines(
        width: Int?, glyphs: Glyphs = .unicode, value: ([UInt8]) -> String? = { _ in nil }
    ) -> [String] {
        var lines: [String] = []
        let (branch, last, line) = glyphs.tree
        func mark(_ isLast: Bool) -> String { isLast ? last : branch }
        func indent(_ isLast: Bool) -> String { isLast ? "   " : line }
        func add(_ line: String, indent: String = "") {
            let safe = TerminalText.safe(line)
            lines += width.map { TerminalText.wrap(safe, to: $0, indent: indent + "   ") } ?? [safe]
        }
        let title = [
            advertisedName ?? name ?? deviceName ?? "-", otherName.map { "(Device Name '\($0)')" },
            address ?? id.description, "MTU \(mtu)",
        ]
        add(title.compactMap { $0 }.joined(separator: "  "))
        for (index, service) in services.enumerated() {
            let isLast = index == services.count - 1
            let includes = service.includes.map { "\($0.uuid) #\(HandleText.text($0.handle))" }
            let title = [
                service.uuid.description, service.name, service.isPrimary ? nil : "(secondary)",
                includes.isEmpty ? nil : "includes " + includes.joined(separator: ", "),
            ]
            let outer = indent(isLast)
            add(mark(isLast) + title.compactMap { $0 }.joined(separator: " "), indent: outer)
            for (number, characteristic) in service.characteristics.enumerated() {
                let isLast = number == service.characteristics.count - 1
                let inner = outer + indent(isLast)
                add(
                    outer + mark(isLast) + Self.text(characteristic, value),
                    indent: inner + indent(characteristic.descriptors.isEmpty))
                for descriptor in characteristic.descriptors {
                    let isLast = descriptor == characteristic.descriptors.last
                    add(inner + mark(isLast) + Self.text(descriptor, value), indent: inner + indent(isLast))
                }
            }
        }
        return lines
    }

    /// The Device Name where it differs from the advertised name.
    private var otherName: String? { deviceName == (advertisedName ?? name ?? deviceName) ? nil : deviceName }

    private static func text(_ characteristic: Characteristic, _ value: ([UInt8]) -> String?) -> String {
        let parts = [
            characteristic.uuid.description, characteristic.name,
            "[\(characteristic.properties.joined(separator: " "))]",
            "#\(HandleText.text(characteristic.handle))",
            characteristic.value.map { "= \(value($0.bytes) ?? $0.line)" },
            characteristic.problem.map { "(\($0))" },
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }

    private static func text(_ descriptor: Descriptor, _ value: ([UInt8]) -> String?) -> String {
        let parts = [
            descriptor.uuid.description, descriptor.name, "#\(HandleText.text(descriptor.handle))",
            descriptor.value.map { "= \(value($0.bytes) ?? $0.line)" }, descriptor.problem.map { "(\($0))" },
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}
