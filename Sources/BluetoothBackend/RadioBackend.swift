import BluetoothModel
import BluetoothRuntime

/// An adapter as the public APIs see it: the operations of the central and the peripheral role.
///
/// Both public APIs (`Harald` and `CoreBluetooth`) use this protocol, and every backend serves both. A backend is
/// confined to its ``loop``: every call is made there and every callback runs there. A callback may run inside the call
/// that requested it, if the result is known at once; that of ``connect(_:_:completion:)`` never does. Each operation
/// calls its completion exactly once: with the result, an error, its timeout, its cancellation, the end of the link, or
/// the adapter's loss of power.
package protocol RadioBackend: AnyObject {
    /// The serial executor that the backend is confined to.
    var loop: RadioLoop { get }
    /// The adapter's URI, address and summary.
    var adapter: AdapterInfo { get }
    /// The optional features of this backend; an operation that it lacks fails with ``RadioError/unsupported(_:)``.
    var capabilities: BackendCapabilities { get }
    /// The current state of the adapter.
    var state: RadioState { get }
    /// The reason of the state, and the remedy for the user; empty when powered on.
    var stateReason: String { get }
    /// Adds a user after the existing ones.
    ///
    /// A pairing question goes to the user that began the pairing. If a peer began it, the question goes to the local
    /// device to which the peer is connected, otherwise to the oldest user of the link that has a pairing handler.
    /// Without such a user the peer cannot pair.
    func addUser(_ user: RadioUser)
    /// Removes a user: it receives no further questions, and its pending questions are refused. Questions of other
    /// users are not affected.
    func removeUser(_ user: RadioUser)

    /// Adds an observer, which is notified until it is removed or released.
    func addObserver(_ observer: any RadioObserver)
    /// Removes an observer.
    func removeObserver(_ observer: any RadioObserver)

    /// Scans until the returned operation is cancelled, or the adapter is no longer ready, which calls `ended`.
    ///
    /// Several scans may run at the same time; each receives the reports that its own request selects.
    func scan(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation

    /// The reason why the radio has not begun to scan, where it is known: a scan that ends meanwhile has found nothing
    /// because of it.
    var scanDelay: RadioError? { get }

    /// Connects to a device, or adds a share of an existing link.
    ///
    /// A cancelled attempt completes with `cancelled` once the controller has stopped connecting. A link that does not
    /// meet the policy of `user` is not shared with it, and the call completes with ``RadioError/security(_:)``; the
    /// link's other users keep it.
    /// - Parameter user: the user that receives the share; nil for no particular one, with the policy of
    ///   ``SecurityPolicy/init``.
    func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation

    /// Returns the devices known under these identifiers, from this run or an earlier one.
    func knownPeripherals(_ identifiers: [PeripheralID]) -> [KnownPeripheral]
    /// Returns every device known from this run or an earlier one.
    func allKnownPeripherals() -> [KnownPeripheral]
    /// Returns the connected devices that have one of `services`, those of this program and, where the backend reports
    /// them, those of others.
    func connectedPeripherals(withServices services: [BluetoothUUID]) -> [KnownPeripheral]
    /// Returns the device with `address`, which this call adds if it is unknown; nil if the platform hides addresses.
    func peripheral(at address: BluetoothAddress) -> PeripheralID?
    /// Forgets the discovered attributes of the device.
    func forgetCache(_ peripheral: PeripheralID)
    /// The directory where bonds are stored; nil if nothing is stored, or if the system stores them.
    var storeDirectory: String? { get }
    /// The bonded devices.
    var bonds: [BondedPeripheral] { get }
    /// Forgets the bond with the device, and its discovered attributes; an encrypted link ends. Returns false if there
    /// was no bond.
    @discardableResult
    func forgetBond(_ peripheral: PeripheralID) -> Bool

    /// The counters of the adapter since it was opened, and its open links.
    var diagnostics: RadioDiagnostics { get }

    /// Checks that bonds are stored beyond this run of the program.
    /// - Throws: ``RadioError`` with the reason why they are not.
    func checkBondStorage() throws(RadioError)

    /// Creates out-of-band data to be transferred to a peer by other means. It is valid for one pairing, and replaces
    /// earlier data.
    /// - Throws: `RadioError.unsupported` if the adapter does not support it.
    func makeOutOfBandData() throws(RadioError) -> OutOfBandData
    /// Sets the out-of-band data of a peer for its next pairing; nil for both removes it.
    ///
    /// - Parameters:
    ///   - temporaryKey: the temporary key of legacy pairing, shared by both sides: 16 octets, most significant first.
    ///   - peripheral: the peer that the data belongs to; nil for the next one that pairs.
    /// - Throws: `RadioError.unsupported` if the adapter does not support it, `invalidArgument` for a wrong length of
    ///   the key or an unknown peer.
    func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]?, of peripheral: PeripheralID?
    ) throws(RadioError)
    /// Allows a fixed passkey again, 0 to 999999, which was refused after failed attempts.
    /// - Throws: `RadioError.unsupported` if the adapter does not count attempts, or the count cannot be stored.
    func allowPasskey(_ passkey: UInt32) throws(RadioError)
    /// True if an adapter that is ``RadioState/unsupported`` may return by itself. Where false, that state is final.
    var comesBack: Bool { get }
    /// Sets the counter of failed attempts on fixed passkeys, where the adapter has none of its own. To be called
    /// before the adapter is used.
    func limitPasskeys(by limiter: any PasskeyLimiter)
    /// Sends a keypress of the local person who enters the peer's passkey, if both sides agreed on keypress
    /// notifications.
    func tell(_ keypress: Keypress, to peripheral: PeripheralID)

    /// Switches the adapter on or off for all its users, if it has ``BackendCapabilities/power``; completes once the
    /// platform has accepted the request. ``state`` reports the outcome.
    func setPowered(_ isOn: Bool, completion: @escaping (Result<Void, RadioError>) -> Void)

    /// Creates a local device, not advertised yet, with its own identity and its own GATT database.
    /// - Parameter user: The owner of the device. Its handler answers pairing questions for the device; if it has none,
    ///   the handler of the oldest user without a local device answers.
    /// - Throws: ``RadioError`` if the adapter cannot have such a device.
    func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, for user: RadioUser?, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice

    /// Ends all operations and releases the adapter; completes once that is done.
    func close(completion: @escaping () -> Void)
}

extension RadioBackend {
    package var scanDelay: RadioError? { nil }
    package var storeDirectory: String? { nil }

    /// Connects for no particular user.
    package func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        connect(peripheral, request, for: nil, completion: completion)
    }

    /// Creates a local device for no particular user.
    /// - Throws: ``RadioError`` if the adapter cannot have such a device.
    package func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice {
        try makeLocalDevice(configuration, for: nil, delegate: delegate)
    }
}

/// Defaults for the features that not every platform has.
extension RadioBackend {
    /// Default: does nothing, because the system stores bonds.
    package func checkBondStorage() throws(RadioError) {}
    /// Default: not supported.
    /// - Throws: `RadioError.unsupported`.
    package func makeOutOfBandData() throws(RadioError) -> OutOfBandData {
        throw .unsupported("this adapter does not pair with out-of-band data")
    }
    /// Default: not supported.
    /// - Throws: `RadioError.unsupported`.
    package func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]?, of peripheral: PeripheralID?
    ) throws(RadioError) {
        throw .unsupported("this adapter does not pair with out-of-band data")
    }
    /// Default: not supported.
    /// - Throws: `RadioError.unsupported`: an adapter without a limit has nothing to allow again.
    package func allowPasskey(_ passkey: UInt32) throws(RadioError) {
        throw .unsupported("this adapter does not count failed passkey attempts")
    }
    /// Default: nothing is counted.
    package var diagnostics: RadioDiagnostics { RadioDiagnostics() }
    /// Default: false.
    package var comesBack: Bool { false }
    /// Default: does nothing, because the platform counts attempts or has no fixed passkeys.
    package func limitPasskeys(by limiter: any PasskeyLimiter) {}
    /// Default: does nothing.
    package func tell(_ keypress: Keypress, to peripheral: PeripheralID) {}
    /// Default: not supported; the user switches the adapter in the system's settings.
    package func setPowered(_ isOn: Bool, completion: @escaping (Result<Void, RadioError>) -> Void) {
        completion(.failure(.unsupported("programs cannot switch this adapter on or off: use the system's settings")))
    }
}

/// Receives the events of an adapter. Confined to the loop.
package protocol RadioObserver: AnyObject {
    /// ``RadioBackend/state`` changed.
    func radioStateChanged(_ backend: any RadioBackend)
    /// A link to a device was established, for any user.
    func peripheralConnected(_ peripheral: PeripheralID)
    /// The last link to a device ended.
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError)
}

/// A running operation that can be cancelled.
package protocol BackendOperation: AnyObject {
    /// Cancels the operation, which then completes if it has a completion. Further calls do nothing.
    func cancel()
    /// Cancels as ``cancel()`` does, with a reason for counters and logs: the timeout of the caller.
    /// - Returns: The reason, or a more precise one.
    @discardableResult
    func cancel(because reason: RadioError) -> RadioError
}

extension BackendOperation {
    /// Default: the reason is not recorded.
    package func cancel(because reason: RadioError) -> RadioError {
        cancel()
        return reason
    }
}
