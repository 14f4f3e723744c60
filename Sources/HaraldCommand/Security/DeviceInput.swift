#if Programs
import ArgumentParser
import Harald

/// What a simulated device can show and its user can enter.
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
#endif
