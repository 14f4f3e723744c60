#if Programs
import Foundation
import Harald

/// A question of pairing that a viewer has to answer.
package struct PairingRequest: Hashable, Sendable {
    /// Why a question is over.
    package enum End: String, Hashable, Sendable {
        /// The viewer answered.
        case answered
        /// Nobody answered in time, or the viewer closed: refused.
        case timeout
        /// Pairing went on or ended.
        case withdrawn
    }

    /// Names the question; nobody can guess it.
    package var id: String
    /// The device.
    package var device: PeripheralID
    /// Its name.
    package var name: String?
    /// What is asked.
    package var question: PairingQuestion
    /// Who has to answer.
    package var viewer: ViewerID
    /// When silence becomes a refusal.
    package var expires: Date
    /// Why it is over; nil while it is open.
    package var end: End?

    /// `display`, `enter`, `compare`, `confirm`.
    package var kind: String {
        switch question {
        case .confirm: "confirm"
        case .display: "display"
        case .enterPasskey: "enter"
        case .compare: "compare"
        }
    }

    /// The number that is shown, 0 to 999999; nil where none is.
    package var passkey: UInt32? {
        switch question {
        case .display(let passkey): passkey
        case .compare(let number): number
        case .confirm, .enterPasskey: nil
        }
    }

    /// The number as people see it: six digits.
    package var digits: String? {
        passkey.map { number in
            let text = String(number)
            return String(repeating: "0", count: max(0, 6 - text.count)) + text
        }
    }

    /// One object; a question that is over shows no number.
    package var json: JSONValue {
        var object: [String: JSONValue] = [
            "id": .string(id), "device": .string(device.description), "name": .optional(name),
            "question": .string(kind),
            "expires": .string(expires.jsonText),
        ]
        if let end {
            object["closed"] = .string(end.rawValue)
        } else if let passkey, let digits {
            object["passkey"] = .int(Int(passkey))
            object["digits"] = .string(digits)
        }
        return .object(object)
    }
}
#endif
