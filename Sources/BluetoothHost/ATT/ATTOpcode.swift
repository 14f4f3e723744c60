/// The opcode of an ATT packet, its first octet (Core 6.0, Vol 3, Part F, 3.4.8).
package enum ATTOpcode: UInt8, Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case errorResponse = 0x01
    case exchangeMTURequest = 0x02, exchangeMTUResponse = 0x03
    case findInformationRequest = 0x04, findInformationResponse = 0x05
    case findByTypeValueRequest = 0x06, findByTypeValueResponse = 0x07
    case readByTypeRequest = 0x08, readByTypeResponse = 0x09
    case readRequest = 0x0A, readResponse = 0x0B
    case readBlobRequest = 0x0C, readBlobResponse = 0x0D
    case readMultipleRequest = 0x0E, readMultipleResponse = 0x0F
    case readByGroupTypeRequest = 0x10, readByGroupTypeResponse = 0x11
    case writeRequest = 0x12, writeResponse = 0x13
    case prepareWriteRequest = 0x16, prepareWriteResponse = 0x17
    case executeWriteRequest = 0x18, executeWriteResponse = 0x19
    case handleValueNotification = 0x1B, handleValueIndication = 0x1D, handleValueConfirmation = 0x1E
    case readMultipleVariableRequest = 0x20, readMultipleVariableResponse = 0x21
    case multipleHandleValueNotification = 0x23
    case writeCommand = 0x52, signedWriteCommand = 0xD2

    /// The types of ATT packets (Core 6.0, Vol 3, Part F, 3.3).
    package enum Kind { case request, response, command, notification, indication, confirmation }

    package var kind: Kind {
        switch self {
        case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readRequest,
            .readBlobRequest, .readMultipleRequest, .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest,
            .executeWriteRequest, .readMultipleVariableRequest:
            .request
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse:
            .response
        case .writeCommand, .signedWriteCommand: .command
        case .handleValueNotification, .multipleHandleValueNotification: .notification
        case .handleValueIndication: .indication
        case .handleValueConfirmation: .confirmation
        }
    }

    /// The name in the specification: "Read By Group Type Request".
    package var name: String {
        var words = ""
        for letter in "\(self)" {
            if letter.isUppercase, let last = words.last, !last.isUppercase { words += " " }
            words += words.isEmpty ? letter.uppercased() : String(letter)
        }
        return words.replacing("MTURequest", with: "MTU Request").replacing("MTUResponse", with: "MTU Response")
    }

    /// Returns true if an opcode, known or not, is a command (bit 6 is set), which is never answered.
    package static func isCommand(_ opcode: UInt8) -> Bool { opcode & 0x40 != 0 }
}
