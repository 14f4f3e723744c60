import ArgumentParser
import Harald

/// The input and output capabilities of a simulated device.
enum DeviceInput: String, Hashable, Sendable, CaseIterable, ExpressibleByArgument {
    case none, display, yesno, keyboard, keyboardDisplay

    var capability: PairingCapability {
        switch self {
        case .none: .noInputNoOutput
        case .display: .displayOnly
        case .yesno: .displayYesNo
        case .keyboard: .keyboardOnly
        case .keyboardDisplay: .keyboardDisplay
        }
    }
}
