import Harald
import Synchronization

/// Forwards the pairing requests of a central to the model, which asks the viewer whose operation caused them. Refuses
/// everything until a model is attached.
package final class PairingDesk: PairingGate {
    private struct Reference { weak var model: ExplorerModel? }

    /// The input and output capabilities of viewers.
    package let capability: PairingCapability
    private let model = Mutex(Reference())

    /// Creates a desk; by default viewers can see and enter numbers.
    package init(capability: PairingCapability = .keyboardDisplay) { self.capability = capability }

    func attach(_ model: ExplorerModel) { self.model.withLock { $0.model = model } }

    private var attached: ExplorerModel? { model.withLock { $0.model } }

    package func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        await attached?.ask(peripheral, question) ?? .refuse
    }

    package func permitsPairing(with peripheral: PeripheralID) -> Bool {
        attached?.assumeIsolated { $0.permitsPairing(with: peripheral) } ?? true
    }

    package func pairingEnded(with peripheral: PeripheralID) async { await attached?.pairingEnded(with: peripheral) }
}
