import Explorer
import Harald
import VirtualDevices

/// An event between a central and a simulated device.
struct DeviceEvent: Sendable {
    /// The kind of an event; the raw value is its name in JSON.
    enum Kind: String, Sendable {
        case connected, disconnected, secured, subscribed, unsubscribed, read, write, truncated
        /// A message of the device itself.
        case device
    }

    var device: String
    var kind: Kind
    /// A description in words.
    var what: String
    var central: PeripheralID?
    var attribute: AttributeID?
    var path: (service: BluetoothUUID, characteristic: BluetoothUUID)?
    /// The value that was read or written.
    var value: [UInt8]?
    /// The ATT error with which a read or a write was refused.
    var refusal: ATTErrorCode?

    /// Creates an event for a message of the device.
    init(device: String, _ what: String) {
        (self.device, self.what) = (device, what)
        kind = .device
    }

    init(_ activity: LocalPeripheral.Activity, of device: VirtualDevice) {
        self.init(device: device.file.name, "")
        switch activity {
        case .event(let event): take(event, device)
        case .read(let central, let attribute, .success(let value)):
            request(.read, central, attribute, device, value)
        case .read(let central, let attribute, .failure(let code)):
            request(.read, central, attribute, device, nil, code)
        case .written(let central, let attribute, let value, let code):
            request(.write, central, attribute, device, value, code)
        case .truncated(let central, let attribute, let length, let sent):
            locate(attribute, device)
            about(
                .truncated, central,
                "receives \(sent) of \(length) octets of \(place): its MTU is \(sent + 3); it has to read the rest")
        }
    }

    private mutating func take(_ event: LocalPeripheral.Event, _ device: VirtualDevice) {
        switch event {
        case .connected(let central): about(.connected, central, "connected")
        case .disconnected(let central, let error): about(.disconnected, central, "disconnected: \(error.reason)")
        case .secured(let central, let security):
            about(.secured, central, "")
            what = "the link to central \(central) is \(SecurityText.text(security))"
        case .subscribed(let central, let attribute, let kind):
            locate(attribute, device)
            about(.subscribed, central, "subscribed to \(place)" + (kind == .indications ? ", indications" : ""))
        case .unsubscribed(let central, let attribute):
            locate(attribute, device)
            about(.unsubscribed, central, "unsubscribed from \(place)")
        case .passkeyBlocked:
            what = "its passkey is refused after three failed attempts; --renew-passkey accepts it again"
        case .advertisingEnded(let error): what = "advertising ended: \(error.reason)"
        }
    }

    private mutating func request(
        _ kind: Kind, _ central: PeripheralID, _ attribute: AttributeID, _ device: VirtualDevice, _ value: [UInt8]?,
        _ refusal: ATTErrorCode? = nil
    ) {
        locate(attribute, device)
        (self.value, self.refusal) = (value, refusal)
        let text = value.map { ": " + ValueText($0, of: path?.characteristic ?? 0).line } ?? ""
        let answer = refusal.map { code in
            ", refused: " + (path.map { code.description(in: $0.service) } ?? code.description)
        }
        about(kind, central, (kind == .read ? "read " : "wrote ") + place + text + (answer ?? ""))
    }

    private mutating func about(_ kind: Kind, _ central: PeripheralID, _ text: String) {
        (self.kind, self.central) = (kind, central)
        what = "central \(central) \(text)"
    }

    private mutating func locate(_ attribute: AttributeID, _ device: VirtualDevice) {
        (self.attribute, path) = (attribute, device.path(of: attribute))
    }

    /// "180F/2A19 Battery Level #0x001C"
    private var place: String {
        let handle = attribute.map { "#" + HandleText.text($0.rawValue) }
        let name = path.flatMap { AssignedNumbers.characteristicName($0.characteristic) }
        return [path.map { "\($0.service)/\($0.characteristic)" }, name, handle].compactMap { $0 }.joined(
            separator: " ")
    }

    /// The members of the JSON object; absent values are null.
    var json: [String: JSONValue] {
        var object: [String: JSONValue] = [
            "event": .string(kind.rawValue), "name": .string(device), "what": .string(what),
            "central": .optional(central?.description), "service": .optional(path?.service.description),
            "characteristic": .optional(path?.characteristic.description),
            "handle": .optional(attribute.map { Int($0.rawValue) }), "value": .optional(value?.hexText()),
        ]
        if let refusal { object["error"] = .int(Int(refusal.rawValue)) }
        return object
    }
}
