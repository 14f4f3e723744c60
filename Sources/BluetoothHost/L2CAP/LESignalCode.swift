/// The codes of L2CAP signalling packets (Core 6.0, Vol 3, Part A, 4).
package enum LESignalCode {
    package static let commandReject: UInt8 = 0x01
    package static let disconnectionRequest: UInt8 = 0x06, disconnectionResponse: UInt8 = 0x07
    package static let parameterUpdateRequest: UInt8 = 0x12, parameterUpdateResponse: UInt8 = 0x13
    package static let creditConnectionRequest: UInt8 = 0x14, creditConnectionResponse: UInt8 = 0x15
    package static let flowControlCredit: UInt8 = 0x16

    /// The codes of responses, which are never rejected.
    package static let responses: Set<UInt8> = [
        0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A,
    ]
}

/// The reason for rejecting a signalling packet (Core 6.0, Vol 3, Part A, 4.1).
enum CommandRejectReason {
    case notUnderstood
    case signallingMTUExceeded(UInt16)
    case invalidChannel(local: UInt16, remote: UInt16)
}
