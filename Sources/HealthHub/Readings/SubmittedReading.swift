import Foundation
import JSON

/// A reading as sent by a gateway: the object of `POST /api/v1/readings` and of `harald monitor --json`.
package struct SubmittedReading: Sendable, Equatable {
    /// The known attributes of the device. The first known one of serial number, System ID, address, identifier and
    /// name identifies it.
    package struct Device: Sendable, Hashable {
        /// The identifier that the gateway uses for the device.
        package var id: String?
        /// Serial Number String (2A25).
        package var serial: String?
        /// System ID (2A23), in hexadecimal.
        package var systemID: String?
        package var address: String?
        /// Model Number String (2A24).
        package var model: String?
        package var name: String?

        package init(
            id: String? = nil, serial: String? = nil, systemID: String? = nil, address: String? = nil,
            model: String? = nil, name: String? = nil
        ) {
            (self.id, self.serial, self.systemID) = (id, serial, systemID)
            (self.address, self.model, self.name) = (address, model, name)
        }
    }

    /// The identifier that the gateway generated when it queued the reading. It identifies a reading without a device
    /// time.
    package var id: String?
    package var device: Device?
    /// The UUID of the characteristic; nil for a vendor's frame.
    package var characteristic: String?
    /// The value as transmitted over the air, in hexadecimal.
    package var hex: String?
    /// The decoded fields, in the form of `harald decode --json`. Used if `hex` cannot be decoded.
    package var fields: [String: JSONValue]?
    /// The time on the device's clock, without a time zone: "2026-11-21T08:00:00". Used if `hex` contains no time.
    package var deviceTime: String?
    /// The device's clock, read as UTC, minus true UTC; in seconds.
    package var clockOffset: Double?
    /// The time at which the gateway received the reading (RFC 3339).
    package var time: String?
    /// The name of the gateway; by default the name of the token.
    package var gateway: String?
    package var simulated: Bool?
    /// The identity of a reading without a device time that a hub exported, 16 octets in hexadecimal. The reading keeps
    /// it in every hub.
    package var identity: String?
    /// True for a reading that a hub exported and whose sender has marked it as entered in error. It is refused.
    package var retracted: Bool?
    /// The person to whom the reading belongs, if the sender may specify it; never part of the JSON.
    var person: Int64?
    /// The identity of that person instead. A person of another hub is unknown here: the assignment of the device
    /// decides.
    var personIdentity: String?
    /// The octets of ``identity``, or of the identifier of an exported Observation; never part of the JSON.
    var key: Data?
    /// The identifier that, with the device, identifies the reading whatever its value is; never part of the JSON.
    var identifier: String?
    /// The reason why the JSON was not a reading; never part of the JSON.
    package var problem: String?

    /// Creates an empty reading.
    package init() {}
}
