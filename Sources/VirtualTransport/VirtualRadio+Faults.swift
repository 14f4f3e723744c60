import BluetoothModel
import VirtualBluetooth

/// Faults and positions of the adapters on the air. Each call returns when it has taken effect, and returns false if no
/// adapter with the name is open.
extension VirtualRadio {
    /// Ends the links of an adapter at once, as after a loss of the radio signal: both sides get a connection timeout.
    @discardableResult
    public func disconnect(adapterNamed name: String) async -> Bool {
        await withController(named: name) { controller in for link in controller.links { link.cut() } }
    }

    /// Places an adapter at a position; the adapters that are too far away do not receive it.
    @discardableResult
    public func place(adapterNamed name: String, at position: AirPosition) async -> Bool {
        await withController(named: name) { $0.position = position }
    }

    /// Changes the faults that the controller of an adapter injects.
    @discardableResult
    public func injectFaults(
        adapterNamed name: String, _ change: @escaping @Sendable (inout ControllerFaults) -> Void
    ) async -> Bool {
        await withController(named: name) { change(&$0.faults) }
    }

    /// Changes the faults of the existing links of an adapter; those of later links are
    /// ``VirtualBluetooth/ControllerFaults/link``.
    @discardableResult
    public func injectLinkFaults(
        adapterNamed name: String, _ change: @escaping @Sendable (inout InjectedLinkFaults) -> Void
    ) async -> Bool {
        await withController(named: name) { controller in for link in controller.links { change(&link.faults) } }
    }

    /// Makes the controller of an adapter report a hardware error with this code, after which its host restarts it.
    @discardableResult
    public func failHardware(adapterNamed name: String, code: UInt8 = 0) async -> Bool {
        await withController(named: name) { $0.raiseHardwareError(code: code) }
    }

    /// The number of links on the air.
    public var linkCount: Int {
        get async { await loop.run { [self] in air.value.allLinks.count } }
    }

    /// Runs `body` with the controller of an adapter, on the loop.
    private func withController(
        named name: String, _ body: @escaping @Sendable (VirtualController) -> Void
    ) async -> Bool {
        await loop.run { [self] in
            guard let controller = controller(named: name) else { return false }
            body(controller)
            return true
        }
    }
}
