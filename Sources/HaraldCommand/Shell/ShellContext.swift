import Harald
import Synchronization

/// The open adapter and the connected device of a shell, which its commands use.
final class ShellContext: Sendable {
    /// The shell that the current command belongs to; nil outside of a shell.
    @TaskLocal static var current: ShellContext?

    let adapter: OpenedAdapter
    let pairing: ShellPairing
    private let device = Mutex<Peripheral?>(nil)

    init(_ adapter: OpenedAdapter, _ pairing: ShellPairing) { (self.adapter, self.pairing) = (adapter, pairing) }

    /// The device that the shell is connected to.
    var peripheral: Peripheral? {
        get { device.withLock { $0 } }
        set { device.withLock { $0 = newValue } }
    }

    /// Returns true if the connection to a device is the shell's, and stays after a command.
    func keeps(_ peripheral: Peripheral) -> Bool { self.peripheral == peripheral }

    /// Runs a command on the shell's adapter. Its pairing options apply until it ends.
    func withAdapter<Result>(
        _ pairing: TerminalPairing?, _ body: (OpenedAdapter) async throws -> Result
    ) async throws -> Result {
        self.pairing.use(pairing)
        defer { self.pairing.use(nil) }
        return try await body(adapter)
    }
}

/// Answers questions of pairing as the options of the current command say.
final class ShellPairing: PairingDelegate {
    let capability: PairingCapability
    private let usual: TerminalPairing
    private let current = Mutex<TerminalPairing?>(nil)

    init(_ usual: TerminalPairing) { (self.usual, capability) = (usual, usual.capability) }

    func use(_ pairing: TerminalPairing?) { current.withLock { $0 = pairing } }

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        var pairing = current.withLock { $0 } ?? usual
        pairing.names = usual.names
        return await pairing.pairing(with: peripheral, asks: question)
    }

    func pairing(with peripheral: PeripheralID, heard keypress: Keypress) async {
        await usual.pairing(with: peripheral, heard: keypress)
    }
}
