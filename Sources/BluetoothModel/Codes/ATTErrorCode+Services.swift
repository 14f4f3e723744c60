extension ATTErrorCode {
    /// Returns the name of an application error (0x80 to 0x9F, in some services up to 0xA3) in the specification of
    /// `service`: "control point not supported". Nil for other codes and unknown services.
    public func name(in service: BluetoothUUID) -> String? { Self.applicationErrors[service]?[rawValue] }

    /// Returns the name of the code in the context of `service`, with the code: "control point not supported (0x80)".
    public func description(in service: BluetoothUUID) -> String {
        name(in: service).map { "\($0) (0x\([rawValue].hexText()))" } ?? description
    }

    private static let recordAccessErrors: [UInt8: String] = [
        0x80: "procedure already in progress", 0x81: "client characteristic configuration improperly configured",
    ]

    /// From the sections "Attribute Protocol Application Error Codes" of the services' specifications.
    private static let applicationErrors: [BluetoothUUID: [UInt8: String]] = [
        // Current Time
        "1805": [0x80: "data field ignored"],
        // Glucose
        "1808": recordAccessErrors,
        // Health Thermometer
        "1809": [0x80: "out of range"],
        // Heart Rate
        "180D": [0x80: "control point not supported"],
        // Alert Notification
        "1811": [0xA0: "command not supported"],
        // Running Speed and Cadence
        "1814": recordAccessErrors,
        // Cycling Speed and Cadence
        "1816": recordAccessErrors,
        // Cycling Power
        "1818": [0x80: "inappropriate connection parameters"],
        // Location and Navigation
        "1819": recordAccessErrors,
        // Environmental Sensing
        "181A": [0x80: "write request rejected", 0x81: "condition not supported"],
        // User Data
        "181C": [0x80: "user data access not permitted"],
        // Bond Management
        "181E": [0x80: "op code not supported", 0x81: "operation failed"],
        // Continuous Glucose Monitoring
        "181F": [0x80: "missing CRC", 0x81: "invalid CRC"],
        // HTTP Proxy
        "1823": [0x81: "invalid request", 0x82: "network not available"],
        // Object Transfer
        "1825": [
            0x80: "write request rejected", 0x81: "object not selected", 0x82: "concurrency limit exceeded",
            0x83: "object name already exists",
        ],
        // Insulin Delivery
        "183A": [0x80: "missing CRC", 0x81: "invalid CRC"],
        // Audio Input Control
        "1843": [
            0x80: "invalid change counter", 0x81: "op code not supported", 0x82: "mute disabled",
            0x83: "value out of range", 0x84: "gain mode change not allowed",
        ],
        // Volume Control
        "1844": [0x80: "invalid change counter", 0x81: "op code not supported"],
        // Volume Offset Control
        "1845": [0x80: "invalid change counter", 0x81: "op code not supported", 0x82: "value out of range"],
        // Coordinated Set Identification
        "1846": [
            0x80: "lock denied", 0x81: "lock release not allowed", 0x82: "invalid lock value",
            0x83: "SIRK out of band only", 0x84: "lock already granted",
        ],
        // Microphone Control
        "184D": [0x80: "mute disabled"],
        // Broadcast Audio Scan
        "184F": [0x80: "op code not supported", 0x81: "invalid source identifier"],
        // Hearing Access
        "1854": [
            0x80: "invalid op code", 0x81: "write name not allowed", 0x82: "preset synchronization not supported",
            0x83: "preset operation not possible", 0x84: "invalid parameters length",
        ],
        // Apple Notification Center
        "7905F431-B5CE-4E99-A40F-4B1E122D00D0": [
            0xA0: "unknown command", 0xA1: "invalid command", 0xA2: "invalid parameter", 0xA3: "action failed",
        ],
        // Apple Media
        "89D3502B-0F36-433A-8EF4-C502AD55F8DC": [
            0xA0: "invalid state", 0xA1: "invalid command", 0xA2: "absent attribute",
        ],
    ]
}
