import Foundation

/// The configuration of a channel sounding session. No adapter supports it on Linux: a session ends at once.
open class CBChannelSoundingSessionConfiguration: NSObject {
    /// The role of this side: initiator or reflector.
    public typealias Role = CBChannelSoundingSessionConfigurationRole

    private let ownRole: Role

    /// Creates a configuration.
    public init(role: Role) {
        ownRole = role
        super.init()
    }

    /// The role of this side: initiator or reflector.
    open var role: Role { ownRole }
}

/// The result of channel sounding; there is none on Linux.
open class CBChannelSoundingProcedureResults: NSObject {
    private let metres: Double

    init(distance: Double) {
        metres = distance
        super.init()
    }

    /// The distance in metres.
    open var distance: Double { metres }
}
