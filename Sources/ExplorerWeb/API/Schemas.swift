import Explorer
import HaraldDevices

/// The schemas of the API's objects in the OpenAPI document.
enum Schemas {
    static let text = APISchema.text()
    static let time = APISchema.text(format: "date-time")
    static let identifier = APISchema.text(
        pattern: "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$")
    static let anything = APISchema(["type": "object"])
    static let phases = APISchema.choice(ConnectionPhase.allCases.map(\.rawValue))

    static let all: [String: APISchema] = [
        "Problem": problem, "State": state, "Device": device, "DeviceList": deviceList, "DeviceDetail": deviceDetail,
        "Connection": connection, "Decoded": decoded, "Value": value, "Tree": tree, "Subscription": subscription,
        "Values": values,
        "Security": security, "Question": question, "Bond": bond, "AirDevice": airDevice, "Air": air,
        "Capture": capture, "SensorTag": sensorTag, "LogEntry": logEntry,
    ]

    private static let problem = APISchema.object([
        "type": text, "title": text, "status": .integer(), "detail": text, "advice": text,
    ])
    private static let state = APISchema.object([
        "version": text, "boot": text, "readOnly": .flag, "scanning": .flag, "air": .flag, "counters": anything,
        "adapter": .object(["uri": text, "address": text.orNull, "summary": text, "capabilities": .list(text)]),
        "radio": .object(["state": text, "reason": text, "advice": text, "canPowerOn": .flag]),
    ])
    private static let deviceKeys: [String: APISchema] = [
        "id": identifier, "name": text.orNull, "rssi": APISchema.integer().orNull, "services": .list(text),
        "connectable": .flag, "address": text, "addressType": text, "manufacturer": .list(anything),
        "serviceData": anything, "txPower": APISchema.integer().orNull, "appearance": APISchema.integer().orNull,
        "title": text, "alias": text.orNull, "kind": .choice(DeviceKind.allCases.map(\.rawValue)), "kindName": text,
        "scanResponses": .integer(), "distance": anything, "interval": APISchema.number().orNull, "lastSeen": time,
        "firstSeen": time, "advertisements": .integer(), "company": text.orNull, "serviceNames": .list(text),
        "values": .list(anything), "measurements": .list(anything),
        "favourite": .flag, "connection": phases, "sensorTag": text.orNull,
        "rssiHistory": .list(.list(.integer())),
    ]
    private static let deviceOptional: Set<String> = ["address", "addressType", "distance", "rssiHistory"]
    private static let device = APISchema.object(deviceKeys, optional: deviceOptional)
    private static let deviceList = APISchema.object([
        "devices": .list(.named("Device")), "hidden": .integer(), "total": .integer(),
    ])
    private static let deviceDetail = APISchema.object(
        deviceKeys.merging([
            "merged": .flag, "fields": .list(anything), "history": .list(anything), "link": .named("Connection"),
        ]) { $1 }, optional: deviceOptional)
    private static let connection = APISchema.object([
        "id": identifier, "name": text.orNull, "state": phases, "since": time, "reason": text.orNull,
        "advice": text.orNull, "attempt": APISchema.integer().orNull, "reconnect": .flag, "mtu": .integer(),
        "phy": anything.orNull, "parameters": anything.orNull, "rssi": APISchema.integer().orNull, "security": text,
        "keySize": .integer(), "bonded": .flag, "viewers": .integer(), "maximumWrite": anything,
    ])
    private static let decoded = APISchema.object(
        ["hex": text, "parts": .list(anything), "text": text, "fields": anything, "problem": text],
        optional: ["text", "fields", "problem"])
    private static let value = APISchema.object(
        [
            "hex": text, "device": anything, "service": text, "characteristic": text, "descriptor": text,
            "name": text.orNull, "handle": .integer(), "time": time, "acknowledged": .flag, "text": text,
            "fields": anything, "problem": text, "parts": .list(anything),
        ], optional: ["text", "fields", "problem", "descriptor", "acknowledged"])
    private static let tree = APISchema.object([
        "id": identifier, "name": text.orNull, "address": text.orNull, "mtu": .integer(), "services": .list(anything),
    ])
    private static let subscription = APISchema.object([
        "id": identifier, "handle": .integer(), "subscribed": .flag, "subscribers": .integer(),
    ])
    private static let values = APISchema.object([
        "id": identifier, "handle": .integer(), "values": .list(anything), "dropped": .integer(),
    ])
    private static let security = APISchema.object([
        "id": identifier, "name": text.orNull, "address": text.orNull, "security": text, "keySize": .integer(),
        "bonded": .flag,
    ])
    private static let question = APISchema.object(
        [
            "id": text, "device": identifier, "name": text.orNull, "expires": time, "passkey": .integer(),
            "digits": text,
            "question": .choice(["display", "enter", "compare", "confirm"]),
        ], optional: ["passkey", "digits"])
    private static let bond = APISchema.object([
        "id": identifier, "name": text.orNull, "address": text.orNull, "security": text, "keySize": .integer(),
        "localAddress": text.orNull,
    ])
    private static let airDevice = APISchema.object([
        "id": text, "name": text, "address": text.orNull, "device": identifier.orNull, "connectable": .flag,
        "links": .integer(), "distance": .number(), "position": anything, "walking": .flag, "faults": anything,
    ])
    private static let air = APISchema.object([
        "available": .flag, "reason": text.orNull, "devices": .list(.named("AirDevice")),
    ])
    private static let capture = APISchema.object([
        "available": .flag, "state": .choice(["off", "running", "stopped"]), "packets": .integer(), "bytes": .integer(),
        "started": time.orNull, "reason": text.orNull,
    ])
    private static let sensorTag = APISchema.object([
        "id": identifier, "name": text.orNull, "model": text, "address": text.orNull,
        "rssi": APISchema.integer().orNull,
        "state": phases, "pairing": .flag, "reason": text.orNull, "sensors": APISchema.list(anything).orNull,
        "information": anything.orNull,
    ])
    private static let logEntry = APISchema.object([
        "sequence": .integer(), "time": time, "kind": text, "device": identifier.orNull, "name": text.orNull,
        "handle": APISchema.integer().orNull, "characteristic": text.orNull,
        "characteristicName": text.orNull, "hex": text.orNull, "text": text, "error": .flag, "advice": text,
    ])
}
