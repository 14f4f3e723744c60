import Foundation
import Harald

/// A pairing request that a viewer has to answer.
package struct PairingRequest: Hashable, Sendable {
    /// The way in which a request ended.
    package enum End: String, Hashable, Sendable {
        /// The viewer answered.
        case answered
        /// Refused, because no answer arrived in time or the viewer closed.
        case timeout
        /// Pairing continued or ended without the answer.
        case withdrawn
    }

    /// The identifier of the request; random, so that it cannot be guessed.
    package var id: String
    /// The device.
    package var device: PeripheralID
    /// The name of the device.
    package var name: String?
    /// The question to answer.
    package var question: PairingQuestion
    /// The viewer that has to answer.
    package var viewer: ViewerID
    /// The time at which the request is refused without an answer.
    package var expires: Date
    /// The way in which the request ended; nil while it is open.
    package var end: End?

    /// The kind of question: `display`, `enter`, `compare`, `confirm`.
    package var kind: String {
        switch question {
        case .confirm: "confirm"
        case .display: "display"
        case .enterPasskey: "enter"
        case .compare: "compare"
        }
    }

    /// The number to show, 0 to 999999; nil if there is none.
    package var passkey: UInt32? {
        switch question {
        case .display(let passkey): passkey
        case .compare(let number): number
        case .confirm, .enterPasskey: nil
        }
    }

    /// The number with six digits.
    package var digits: String? {
        passkey.map { number in
            let text = String(number)
            return String(repeating: "0", count: max(0, 6 - text.count)) + text
        }
    }

    /// The request as a JSON object; without the number after it has ended.
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
