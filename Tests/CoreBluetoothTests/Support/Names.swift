import CoreBluetooth

// The enumerations of the module print without the names of their cases, as those that Swift imports from C do.

extension CBManagerState {
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        @unknown default: "\(rawValue)"
        }
    }
}

extension CBError.Code {
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .invalidParameters: "invalidParameters"
        case .notConnected: "notConnected"
        case .outOfSpace: "outOfSpace"
        case .operationCancelled: "operationCancelled"
        case .connectionTimeout: "connectionTimeout"
        case .peripheralDisconnected: "peripheralDisconnected"
        case .uuidNotAllowed: "uuidNotAllowed"
        case .alreadyAdvertising: "alreadyAdvertising"
        case .connectionFailed: "connectionFailed"
        case .operationNotSupported: "operationNotSupported"
        default: "\(rawValue)"
        }
    }
}

extension CBATTError.Code {
    var name: String {
        switch self {
        case .readNotPermitted: "readNotPermitted"
        case .writeNotPermitted: "writeNotPermitted"
        case .insufficientAuthentication: "insufficientAuthentication"
        case .requestNotSupported: "requestNotSupported"
        case .invalidAttributeValueLength: "invalidAttributeValueLength"
        case .unlikelyError: "unlikelyError"
        case .insufficientResources: "insufficientResources"
        default: "\(rawValue)"
        }
    }
}
