#if Programs
import Harald
import Synchronization

/// Takes the questions of pairing of a central to the model, which asks the viewer whose operation leads to them.
/// Until a model is attached, everything is refused.
package final class PairingDesk: PairingDelegate {
    private struct Reference { weak var model: ExplorerModel? }

    /// What viewers can see and enter.
    package let capability: PairingCapability
    private let model = Mutex(Reference())

    /// A desk; by default viewers can see numbers and enter them.
    package init(capability: PairingCapability = .keyboardDisplay) { self.capability = capability }

    func attach(_ model: ExplorerModel) { self.model.withLock { $0.model = model } }

    private var attached: ExplorerModel? { model.withLock { $0.model } }

    package func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        await attached?.ask(peripheral, question) ?? .refuse
    }

    package func pairingEnded(with peripheral: PeripheralID) async { await attached?.pairingEnded(with: peripheral) }
}
#endif
