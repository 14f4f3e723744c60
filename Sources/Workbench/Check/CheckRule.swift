import BluetoothModel

/// A rule of `harald check`: what the specification demands, and how it is judged.
package struct CheckRule: Sendable, Identifiable {
    /// The weight of a violation.
    package enum Severity: String, Sendable, CaseIterable {
        /// The specification forbids it, or peers fail because of it.
        case error
        /// The specification permits it, but it wastes something, reveals something or confuses peers.
        case warning
    }

    /// The requirements of a rule. A rule whose requirements are not met is not run.
    package struct Needs: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Frames below the attribute client, which no operating system's Bluetooth service gives.
        package static let raw = Needs(rawValue: 1)
        /// Advertising packets as they were received.
        package static let packets = Needs(rawValue: 1 << 1)
        /// Consent to writes that may lose data of the device.
        package static let writes = Needs(rawValue: 1 << 2)
        /// Consent to pair, which replaces bonds.
        package static let pair = Needs(rawValue: 1 << 3)
        /// Time beyond two minutes.
        package static let slow = Needs(rawValue: 1 << 4)
        /// Consent to malformed packets.
        package static let hostile = Needs(rawValue: 1 << 5)
        /// A second adapter.
        package static let second = Needs(rawValue: 1 << 6)
        /// A discovered database.
        package static let database = Needs(rawValue: 1 << 7)

        /// The names of the options that a rule needs.
        package var options: [String] {
            [(Needs.writes, "writes"), (.pair, "pair"), (.slow, "slow"), (.hostile, "hostile"), (.second, "second")]
                .filter { contains($0.0) }.map(\.1)
        }
    }

    /// The stable identifier, in kebab case.
    package let id: String
    package let severity: Severity
    /// The section of the specification.
    package let section: String
    /// The test case of the Bluetooth SIG that covers the same; nil if there is none, or it is not known.
    package let test: String?
    package let needs: Needs
    /// True if the rule sends something and judges the answer; false if it judges what was heard or discovered.
    package let sends: Bool
    /// The requirement, and its reason.
    package let text: String
    /// The remedy for a violation.
    package let advice: String
    package let judge: Judge

    /// Judges the rule on a device.
    package typealias Judge = @Sendable (CheckRun) async throws -> CheckVerdict

    init(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, needs: Needs = [],
        sends: Bool = false, _ text: String, fix advice: String, judge: @escaping Judge
    ) {
        self.id = id
        self.severity = severity
        self.section = section
        self.test = test
        self.needs = needs
        self.sends = sends
        self.text = text
        self.advice = advice
        self.judge = judge
    }
}

/// The result of a rule on a device.
package enum CheckVerdict: Sendable, Hashable {
    case passed
    /// At least one finding.
    case found([CheckFinding])
    /// The rule could not be judged, for a reason.
    case notRun(String)

    /// Found, or passed if there are none.
    static func findings(_ findings: [CheckFinding]) -> CheckVerdict { findings.isEmpty ? .passed : .found(findings) }
    static func finding(_ message: String, handle: UInt16? = nil, _ evidence: [UInt8]) -> CheckVerdict {
        .found([CheckFinding(message, handle: handle, evidence)])
    }
}

/// A violation of a rule.
package struct CheckFinding: Sendable, Hashable {
    /// The description of the violation.
    package var message: String
    /// The attribute handle that it is about.
    package var handle: UInt16?
    /// The bytes that show it.
    package var evidence: String

    init(_ message: String, handle: UInt16? = nil, _ evidence: [UInt8]) {
        self.init(message, handle: handle, text: evidence.isEmpty ? "-" : evidence.hexText(separator: " "))
    }

    init(_ message: String, handle: UInt16? = nil, text: String) {
        self.message = message
        self.handle = handle
        evidence = text
    }

    init(_ message: String, handle: UInt16? = nil, _ answer: CheckAnswer) {
        self.init(message, handle: handle, text: answer.evidence)
    }
}

/// The reason why a rule cannot be judged.
struct CheckStop: Error, CustomStringConvertible {
    var description: String
    /// The link ended, or stopped answering, because of what this rule sent.
    var isLoss = false

    init(_ description: String, isLoss: Bool = false) {
        self.description = description
        self.isLoss = isLoss
    }
}

/// The answer to a request.
package struct CheckAnswer: Sendable {
    package let request: [UInt8]
    /// The response; nil if none came.
    package let bytes: [UInt8]?

    /// The first octet of the response.
    var opcode: UInt8? { bytes?.first }
    /// The code of an Error Response.
    var code: UInt8? { bytes.flatMap { $0.first == 0x01 && $0.count >= 5 ? $0[4] : nil } }
    /// The octets after the opcode of a response of the expected kind; nil otherwise.
    var body: [UInt8]? {
        guard let bytes, let first = bytes.first, let asked = request.first, first == asked &+ 1 else { return nil }
        return Array(bytes.dropFirst())
    }
    /// True if the device asks for pairing or authorization.
    var isAboutSecurity: Bool { code.map { [0x05, 0x08, 0x0C, 0x0F].contains($0) } ?? false }
    var evidence: String {
        "sent \(request.hexText(separator: " ")), received \(bytes.map { $0.hexText(separator: " ") } ?? "nothing")"
    }
    /// The answer in words.
    var words: String {
        guard let bytes else { return "no answer" }
        if let code { return "error \(ATTErrorCode(rawValue: code))" }
        if bytes.first == 0x01 { return "an Error Response of \(bytes.count) octets" }
        return "a response of \(bytes.count) octets"
    }
}

/// Little-endian octets.
func le(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

extension Array<UInt8> {
    /// The little-endian number at an offset; nil beyond the end.
    func u16(_ offset: Int) -> UInt16? {
        offset >= 0 && offset + 1 < count ? UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 : nil
    }

    /// The UUID of these octets, 2 or 16.
    var uuid: BluetoothUUID? { count == 2 || count == 16 ? withByteView { BluetoothUUID(littleEndian: $0) } : nil }
}

extension BluetoothUUID {
    /// The octets as in a packet, 2 or 16.
    var octets: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        write(to: &writer)
        return writer.bytes
    }

    /// The 16 octets as in a packet.
    var octets128: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        write128(to: &writer)
        return writer.bytes
    }
}

/// A handle in hexadecimal digits: "0x0012".
func hexHandle(_ handle: UInt16) -> String {
    "0x" + [UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)].hexText()
}
