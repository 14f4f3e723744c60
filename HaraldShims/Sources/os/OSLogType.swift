import Logging

/// The level of a message. Each raw value is accepted.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The number of the level, as on Apple's systems.
    public var rawValue: UInt8

    /// A level by its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A level by its number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// The level of messages that are needed to find faults; `notice` of swift-log.
    public static let `default` = OSLogType(rawValue: 0x00)
    /// The level of additional information; `info` of swift-log.
    public static let info = OSLogType(rawValue: 0x01)
    /// The level of messages for development; `debug` of swift-log.
    public static let debug = OSLogType(rawValue: 0x02)
    /// The level of errors of the process; `error` of swift-log.
    public static let error = OSLogType(rawValue: 0x10)
    /// The level of faults of the system or of several processes; `critical` of swift-log.
    public static let fault = OSLogType(rawValue: 0x11)

    /// The corresponding level of swift-log; an unknown raw value has the level of `default`.
    var level: Logging.Logger.Level {
        switch self {
        case .info: .info
        case .debug: .debug
        case .error: .error
        case .fault: .critical
        default: .notice
        }
    }
}
