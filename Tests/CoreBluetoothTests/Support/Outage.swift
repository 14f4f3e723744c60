import Testing
import VirtualBluetooth

/// A kind of outage of a radio: its loss and its return.
enum Outage: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// The controller loses its state and starts again by itself: `resetting`, a state below `poweredOff`.
    case hardwareError
    /// The user switches the radio off, and on again.
    case switchedOff

    var testDescription: String { rawValue }

    /// The first event that the delegate receives.
    var state: String { self == .hardwareError ? "state resetting" : "state poweredOff" }

    func begin(_ adapter: String, of bench: Bench) async {
        switch self {
        case .hardwareError: await bench.fault(adapter) { $0.raiseHardwareError(code: 1) }
        case .switchedOff: await bench.radio.setPowered(false, adapterNamed: adapter)
        }
    }

    func end(_ adapter: String, of bench: Bench) async {
        if self == .switchedOff { await bench.radio.setPowered(true, adapterNamed: adapter) }
    }
}
