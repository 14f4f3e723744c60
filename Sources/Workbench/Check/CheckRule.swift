import BluetoothModel

/// A rule of `harald check`: a requirement of the specification, and the code that judges it.
package struct CheckRule: Sendable, Identifiable {
    /// The weight of a violation.
    package enum Severity: String, Sendable, CaseIterable {
        /// The specification forbids it, or peers fail because of it.
        case error
        /// The specification permits it, but it wastes energy or air time, reveals data, or confuses peers.
        case warning
    }

    /// The requirements of a rule. A rule whose requirements are not met is not run.
    package struct Needs: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Access to frames below the attribute client. A Bluetooth service of an operating system does not give it.
        package static let raw = Needs(rawValue: 1)
        /// Advertising packets as they were received.
        package static let packets = Needs(rawValue: 1 << 1)
        /// Permission for writes that may change or erase data of the device.
        package static let writes = Needs(rawValue: 1 << 2)
        /// Permission to pair, which replaces existing bonds.
        package static let pair = Needs(rawValue: 1 << 3)
        /// Permission to exceed two minutes.
        package static let slow = Needs(rawValue: 1 << 4)
        /// Permission to send malformed packets.
        package static let hostile = Needs(rawValue: 1 << 5)
        /// A second adapter.
        package static let second = Needs(rawValue: 1 << 6)
        package static let database = Needs(rawValue: 1 << 7)

        /// The names of the permissions that a rule needs.
        package var options: [String] {
            [(Needs.writes, "writes"), (.pair, "pair"), (.slow, "slow"), (.hostile, "hostile"), (.second, "second")]
                .filter { contains($0.0) }.map(\.1)
        }
    }

    /// The stable identifier, in kebab case.
    package let id: String
    package let severity: Severity
    /// The section of the specification. Rules cite version 5.4 of the Core Specification; code outside of the check
    /// cites version 6.0.
    package let section: String
    /// The equivalent test case of the Bluetooth SIG; nil if there is none or it is not known.
    package let test: String?
    package let needs: Needs
    /// True if the rule sends packets and judges the answers; false if it judges received advertising or the database.
    package let sends: Bool
    /// The requirement and its reason.
    package let text: String
    /// A fix for a violation.
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
    /// The device lacks the subject of the rule, which the text names.
    case notApplicable(String)

    /// The reason why the rule was not judged; nil if it was.
    package var reason: String? {
        switch self {
        case .passed, .found: nil
        case .notRun(let reason), .notApplicable(let reason): reason
        }
    }

    /// Returns a verdict of these findings; `passed` if there are none.
    static func findings(_ findings: [CheckFinding]) -> CheckVerdict { findings.isEmpty ? .passed : .found(findings) }
    static func finding(_ message: String, handle: UInt16? = nil, _ evidence: [UInt8]) -> CheckVerdict {
        .found([CheckFinding(message, handle: handle, evidence)])
    }
}

/// A violation of a rule.
package struct CheckFinding: Sendable, Hashable {
    /// The description of the violation.
    package var message: String
    /// The handle of the attribute that violates the rule; nil if the violation concerns no attribute.
    package var handle: UInt16?
    /// The packet or the value that shows the violation, in hexadecimal.
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

/// An error that is thrown if a rule cannot be judged.
struct CheckStop: Error, CustomStringConvertible {
    var description: String
    /// True if the link ended.
    var isLoss = false

    init(_ description: String, isLoss: Bool = false) {
        self.description = description
        self.isLoss = isLoss
    }
}

package struct CheckAnswer: Sendable {
    package let request: [UInt8]
    /// The octets of the response; nil if no response arrived.
    package let bytes: [UInt8]?

    /// True for the response that answers the request, false for an Error Response.
    var isAccepted: Bool { body != nil }
    /// The error code of an Error Response; nil for another response.
    var code: UInt8? { bytes.flatMap { $0.first == 0x01 && $0.count >= 5 ? $0[4] : nil } }
    /// The octets after the opcode, if the opcode is the one that answers the request; nil otherwise.
    var body: [UInt8]? {
        guard let bytes, let first = bytes.first, let asked = request.first, first == asked &+ 1 else { return nil }
        return Array(bytes.dropFirst())
    }
    /// True for an Error Response that requires authentication, authorization or encryption.
    var isAboutSecurity: Bool { code.map { Set.securityRefusals.contains($0) } ?? false }
    var evidence: String {
        "sent \(request.hexText(separator: " ")), received \(bytes.map { $0.hexText(separator: " ") } ?? "nothing")"
    }
    /// A description of the answer for a message.
    var words: String {
        guard let bytes else { return "no answer" }
        if let code { return "error \(ATTErrorCode(rawValue: code))" }
        if bytes.first == 0x01 { return "an Error Response of \(bytes.count) octets" }
        return "a response of \(bytes.count) octets"
    }
}

/// Returns a 16-bit number in little-endian order.
func le(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

extension Array<UInt8> {
    /// Returns the 16-bit little-endian number at an offset; nil beyond the end.
    func u16(_ offset: Int) -> UInt16? {
        offset >= 0 && offset + 1 < count ? UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 : nil
    }

    /// The UUID in these 2 or 16 octets, in little-endian order; nil for another length.
    var uuid: BluetoothUUID? { count == 2 || count == 16 ? withByteView { BluetoothUUID(littleEndian: $0) } : nil }
}

extension BluetoothUUID {
    /// The 2 or 16 octets of the UUID in little-endian order, as in a packet.
    var octets: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        write(to: &writer)
        return writer.bytes
    }

    /// The 16 octets of the UUID in little-endian order, as in a packet.
    var octets128: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        write128(to: &writer)
        return writer.bytes
    }
}

/// Returns a handle as hexadecimal text: "0x0012".
func hexHandle(_ handle: UInt16) -> String { "0x" + handle.hexText(digits: 4) }

extension Set<UInt8> {
    /// The error codes of a refusal because of security: Insufficient Authentication, Authorization, Encryption Key
    /// Size and Encryption (Core 5.4, Vol 3, Part F, 3.4.1.1).
    static let securityRefusals: Set<UInt8> = [0x05, 0x08, 0x0C, 0x0F]
}
