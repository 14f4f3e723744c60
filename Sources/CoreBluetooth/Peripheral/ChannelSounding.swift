import Foundation

/// How to measure a distance by channel sounding. No adapter of ours can: a session ends at once.
open class CBChannelSoundingSessionConfiguration: NSObject {
    /// Which of the two sides begins.
    public typealias Role = CBChannelSoundingSessionConfigurationRole

    private let ownRole: Role

    /// A configuration.
    public init(role: Role) {
        ownRole = role
        super.init()
    }

    /// Which of the two sides begins.
    open var role: Role { ownRole }
}

/// What channel sounding measured; there is none on Linux.
open class CBChannelSoundingProcedureResults: NSObject {
    private let metres: Double

    init(distance: Double) {
        metres = distance
        super.init()
    }

    /// The distance in metres.
    open var distance: Double { metres }
}
