import Explorer
import Foundation
import Harald
import Workbench

/// An open adapter and the explorer's model on it, for the commands that present the model.
struct ExplorerSession: Sendable {
    let adapter: OpenedAdapter
    /// The URI of the adapter's air, if that is one of this process.
    let ownAir: String
    let model: ExplorerModel
    let capture: CaptureDesk
    /// The script of what was done.
    let recorder: ScriptRecorder

    /// Opens the selected adapter, even if it is switched off, runs `body`, closes all links and the adapter.
    /// - Parameters:
    ///   - refusesPairing: true to refuse pairing requests without asking.
    ///   - recording: the file for a script of the actions.
    /// - Throws: an error of opening the adapter, or the error of `body`.
    static func run<Result>(
        _ options: SharedOptions, refusesPairing: Bool = false, recording: RecordOption,
        _ body: (ExplorerSession) async throws -> Result
    ) async throws -> Result {
        try options.checkTimeout()
        let recorder = try recording.recorder()
        let (desk, capture) = (PairingDesk(), CaptureDesk())
        let choice = try AdapterChoice(options.adapter)
        let adapter = try await OpenedAdapter.open(
            choice, options, desk, requiresPower: false, capture: capture.tap)
        var settings = ExplorerSettings()
        settings.favouritesFile = FavouritesFile.path(options)
        settings.aliasesFile = FavouritesFile.aliases(options)
        settings.refusesPairing = refusesPairing
        let script = recorder ?? ScriptRecorder(path: nil)
        settings.onAct = { script.note($0) }
        let model = ExplorerModel(central: adapter.central, pairing: desk, settings: settings)
        options.note("adapter \(adapter.central.adapter.uri): \(adapter.central.adapter.summary)")
        await model.start()
        return try await closing {
            try await body(
                ExplorerSession(
                    adapter: adapter, ownAir: choice.ownAir, model: model, capture: capture, recorder: script))
        } with: {
            await model.close()
            await adapter.close()
            recording.report(recorder)
        }
    }
}

extension SharedOptions {
    /// The directory with the user's data; nil if there is none.
    var dataDirectory: String? { adapterOptions.storage.directory(isVirtual: false) }
}
