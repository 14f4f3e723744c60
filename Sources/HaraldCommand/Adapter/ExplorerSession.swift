#if Programs
import Explorer
import Foundation
import Harald

/// An adapter with the model of the explorer on it, for the commands that show it.
struct ExplorerSession: Sendable {
    let adapter: OpenedAdapter
    let model: ExplorerModel
    let capture: CaptureDesk

    /// Opens the adapter that is asked for, also one that is off, runs `body`, gives all links back and closes it.
    /// - Parameter refusesPairing: whether questions of pairing are refused without asking.
    static func run<Result>(
        _ options: SharedOptions, refusesPairing: Bool = false, _ body: (ExplorerSession) async throws -> Result
    ) async throws -> Result {
        try options.checkTimeout()
        let (desk, capture) = (PairingDesk(), CaptureDesk())
        let adapter = try await OpenedAdapter.open(
            try AdapterChoice(options.adapter), options, desk, requiresPower: false, capture: capture.tap)
        var settings = ExplorerSettings()
        settings.favouritesFile = FavouritesFile.path(options)
        settings.refusesPairing = refusesPairing
        let model = ExplorerModel(central: adapter.central, pairing: desk, settings: settings)
        options.note("adapter \(adapter.central.adapter.uri): \(adapter.central.adapter.summary)")
        await model.start()
        do {
            let result = try await body(ExplorerSession(adapter: adapter, model: model, capture: capture))
            await close(model, adapter)
            return result
        } catch {
            await close(model, adapter)
            throw error
        }
    }

    private static func close(_ model: ExplorerModel, _ adapter: OpenedAdapter) async {
        await withoutCancellation { await model.close() }
        await adapter.close()
    }
}

extension SharedOptions {
    /// The directory where the program keeps what is the user's; nil where there is none.
    var dataDirectory: String? { adapterOptions.storage.directory(isVirtual: false) }
}
#endif
