import BluetoothModel
import BluetoothRuntime

/// One adapter, as the front doors see it: what a central and a peripheral can ask of a radio.
///
/// Both front doors stand on this protocol and every backend serves both. A backend is confined to its ``loop``: every
/// call is made there and every callback runs there, now and then inside the call that asked for it, where the answer is
/// known at once (but never that of ``connect(_:_:completion:)``). Each operation calls its
/// completion exactly once: with the result, an error, its timeout, its cancellation, the end of the link, or the radio
/// going off.
public protocol RadioBackend: AnyObject {
    /// The serial executor that the backend lives on.
    var loop: RadioLoop { get }
    /// What is known of the adapter.
    var adapter: AdapterInfo { get }
    /// What this backend can do; what it lacks ends with ``RadioError/unsupported(_:)``.
    var capabilities: BackendCapabilities { get }
    /// What the adapter can do at the moment.
    var state: RadioState { get }
    /// Why the state is what it is, and what the user can do about it; empty when powered on.
    var stateReason: String { get }
    /// Adds a user behind those that are there.
    ///
    /// A question of pairing goes to the user who began the pairing. What a peer begins is asked of the device of our
    /// own that it is connected to, else of the oldest user of the link that has a pairing handler; where there is
    /// none, the peer cannot pair.
    func addUser(_ user: RadioUser)
    /// Removes a user: it is asked nothing more, and its open questions are answered with no. The others' stay.
    func removeUser(_ user: RadioUser)

    /// Tells `observer` what happens, until it is removed or released.
    func addObserver(_ observer: any RadioObserver)
    /// Tells `observer` nothing more.
    func removeObserver(_ observer: any RadioObserver)

    /// Scans until the returned operation is cancelled, or the radio is no longer ready, which calls `ended`.
    ///
    /// Several scans run side by side; each gets what its own request asks for.
    func scan(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation

    /// Connects to a device, or takes a further share in a link that lives already.
    ///
    /// Cancelling ends with `cancelled` once the controller has given up trying. A link that does not meet the policy
    /// of `user` is not shared with it, which ends with ``RadioError/security(_:)``; the link's other users keep it.
    /// - Parameter user: who gets the share; nil for nobody in particular, with the policy of ``SecurityPolicy/init``.
    func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation

    /// The devices known under these identifiers, from this run or an earlier one.
    func knownPeripherals(_ identifiers: [PeripheralID]) -> [KnownPeripheral]
    /// Every device known from this run or an earlier one.
    func allKnownPeripherals() -> [KnownPeripheral]
    /// The connected devices that have one of `services`, for this program or, where the backend knows, for others.
    func connectedPeripherals(withServices services: [BluetoothUUID]) -> [KnownPeripheral]
    /// The device that has `address`, known or made known by this call; nil where the platform hides addresses.
    func peripheral(at address: BluetoothAddress) -> PeripheralID?
    /// Forgets what was learned of the device's attributes.
    func forgetCache(_ peripheral: PeripheralID)
    /// The devices that keys are shared with.
    var bonds: [BondedPeripheral] { get }
    /// Forgets the keys shared with the device, and what was learned of its attributes; a link that is encrypted ends.
    /// False where there were none.
    @discardableResult
    func forgetBond(_ peripheral: PeripheralID) -> Bool

    /// Checks that bonds outlive this program.
    /// - Throws: why they do not.
    func checkBondStorage() throws(RadioError)

    /// Data of ours for a peer to get another way than over this radio; good for one pairing, and instead of what was
    /// made before.
    func makeOutOfBandData() throws(RadioError) -> OutOfBandData
    /// Takes what came from a peer another way, for its next pairing; nil for both takes it back.
    ///
    /// - Parameters:
    ///   - temporaryKey: for legacy pairing: 16 octets, most significant first, that both sides have.
    ///   - peripheral: whose they are; nil for whoever pairs next.
    func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]?, of peripheral: PeripheralID?
    ) throws(RadioError)
    /// Sets a fixed passkey anew, 0 to 999999, after failed attempts on it had it refused.
    func allowPasskey(_ passkey: UInt32) throws(RadioError)
    /// Whether an adapter that is ``RadioState/unsupported`` can come back by itself. Where not, that is its end.
    var comesBack: Bool { get }
    /// Counts the failed attempts on fixed passkeys, where the adapter has no count of its own. Called before the
    /// adapter is used.
    func limitPasskeys(by limiter: any PasskeyLimiter)
    /// Tells a peer what our user does while entering its passkey, where both sides agreed on that.
    func tell(_ keypress: Keypress, to peripheral: PeripheralID)

    /// Switches the adapter on or off for all its users, where there is ``BackendCapabilities/power``; `completion` once the
    /// platform has taken the wish. ``state`` says what came of it.
    func setPowered(_ isOn: Bool, completion: @escaping (Result<Void, RadioError>) -> Void)

    /// A device of our own, not advertised yet, with its own identity and its own GATT database.
    /// - Parameter user: whose device it is. Its handler answers for the device; where it has none, the oldest user
    ///   with a handler that plays no device.
    func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, for user: RadioUser?, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice

    /// Ends everything that runs and gives the adapter back; `completion` once that is done.
    func close(completion: @escaping () -> Void)
}

extension RadioBackend {
    /// Connects for nobody in particular.
    public func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        connect(peripheral, request, for: nil, completion: completion)
    }

    /// Makes a device of nobody in particular.
    public func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice {
        try makeLocalDevice(configuration, for: nil, delegate: delegate)
    }
}

/// What not every platform has.
extension RadioBackend {
    /// The system keeps them.
    public func checkBondStorage() throws(RadioError) {}
    /// There is none.
    public func makeOutOfBandData() throws(RadioError) -> OutOfBandData {
        throw .unsupported("this adapter does not pair with out-of-band data")
    }
    /// It is of no use.
    public func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]?, of peripheral: PeripheralID?
    ) throws(RadioError) {
        throw .unsupported("this adapter does not pair with out-of-band data")
    }
    /// There is no limit here.
    /// - Throws: `RadioError.unsupported`: an adapter without a limit has nothing to allow again.
    public func allowPasskey(_ passkey: UInt32) throws(RadioError) {
        throw .unsupported("this adapter does not count attempts on passkeys")
    }
    /// It does not.
    public var comesBack: Bool { false }
    /// There is a count, or there are no passkeys.
    public func limitPasskeys(by limiter: any PasskeyLimiter) {}
    /// Nothing.
    public func tell(_ keypress: Keypress, to peripheral: PeripheralID) {}
    /// The user does it.
    public func setPowered(_ isOn: Bool, completion: @escaping (Result<Void, RadioError>) -> Void) {
        completion(.failure(.unsupported("no program may switch this adapter: do it in the system's settings")))
    }
}

/// Hears what happens to an adapter; confined to the loop.
public protocol RadioObserver: AnyObject {
    /// ``RadioBackend/state`` changed.
    func radioStateChanged(_ backend: any RadioBackend)
    /// A link to a device was established, for whichever user.
    func peripheralConnected(_ peripheral: PeripheralID)
    /// The last link to a device ended.
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError)
}

/// Something that runs and can be given up.
public protocol BackendOperation: AnyObject {
    /// Gives it up; the completion follows where there is one. Does nothing the second time.
    func cancel()
}

/// What is known of an adapter.
public struct AdapterInfo: Hashable, Sendable {
    /// The URI that the adapter was opened by.
    public var uri: String
    /// The public address, where the platform shows it.
    public var address: BluetoothAddress?
    /// What it is: "HCI 5.4, Linux Foundation", "virtual radio".
    public var summary: String

    /// A description of an adapter.
    public init(uri: String, address: BluetoothAddress? = nil, summary: String) {
        self.uri = uri
        self.address = address
        self.summary = summary
    }
}

/// What a backend can do beyond what all can.
public struct BackendCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set by its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Addresses of devices are shown.
    public static let addresses = BackendCapabilities(rawValue: 1 << 0)
    /// Physical layers are read and set.
    public static let phy = BackendCapabilities(rawValue: 1 << 1)
    /// Connection parameters are read and asked for.
    public static let connectionParameters = BackendCapabilities(rawValue: 1 << 2)
    /// A subscriber chooses between notifications and indications.
    public static let subscriptionKind = BackendCapabilities(rawValue: 1 << 3)
    /// Attribute handles are shown, and chosen on the local side.
    public static let handles = BackendCapabilities(rawValue: 1 << 4)
    /// L2CAP channels with credits.
    public static let channels = BackendCapabilities(rawValue: 1 << 5)
    /// Devices of our own can be advertised.
    public static let peripheralRole = BackendCapabilities(rawValue: 1 << 6)
    /// Several devices of our own, each with its own address, at the same time.
    public static let severalIdentities = BackendCapabilities(rawValue: 1 << 7)
    /// Pairing.
    public static let pairing = BackendCapabilities(rawValue: 1 << 8)
    /// How well a link is protected is told in full, and a level can be insisted on.
    public static let securityLevels = BackendCapabilities(rawValue: 1 << 9)
    /// A program can switch the adapter on and off.
    public static let power = BackendCapabilities(rawValue: 1 << 10)

    /// The name of each capability in the set.
    public var names: [String] {
        let all = [
            "addresses", "phy", "connectionParameters", "subscriptionKind", "handles", "channels", "peripheralRole",
            "severalIdentities", "pairing", "securityLevels", "power",
        ]
        return all.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }.map(\.element)
    }
}
