import Harald

/// A request to the model that a key triggers.
enum ExploreAction: Hashable, Sendable {
    case quit
    case setScanning(Bool)
    case powerOn
    case setFavourite(PeripheralID, Bool)
    case connect(PeripheralID, reconnects: Bool)
    case disconnect(PeripheralID)
    case pair(PeripheralID)
    case read(PeripheralID, UInt32)
    case readAll(PeripheralID)
    case write(PeripheralID, UInt32, [UInt8], withResponse: Bool)
    case subscribe(PeripheralID, UInt32)
    case unsubscribe(PeripheralID, UInt32)
    case answer(String, PairingAnswer)
    case exportLog(path: String, PeripheralID?)
    case clone(PeripheralID, path: String)

    /// The description of the action in progress; nil for actions that take no time.
    var progress: String? {
        switch self {
        case .connect: "connecting"
        case .disconnect: "disconnecting"
        case .pair: "pairing"
        case .read: "reading"
        case .readAll, .clone: "reading all values"
        case .write: "writing"
        case .subscribe: "subscribing"
        case .unsubscribe: "unsubscribing"
        case .powerOn: "switching Bluetooth on"
        case .quit, .setScanning, .setFavourite, .answer, .exportLog: nil
        }
    }
}
