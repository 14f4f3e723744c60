import BluetoothModel
import BluetoothRuntime

/// One device that this host plays: an advertisement with an address and a GATT database of its own.
///
/// Made by ``LEHost/makeAdvertiser(_:)``. When a central connects, advertising ends and the link gets the identity's
/// database; whether to advertise again is the caller's decision.
public final class AdvertisingSet {
    /// What is to be advertised.
    struct Content: Hashable {
        var parameters: AdvertisingParameters
        var data: [UInt8]
        var scanResponse: [UInt8]
    }

    /// What is on the air, or about to be.
    struct Running: Hashable {
        var content: Content
        var address: BluetoothAddress
    }

    /// What the controller does with the set.
    enum State {
        case off
        /// Commands that end in advertising are under way.
        case starting(Running)
        case on(Running)
        /// New data is on its way to the controller, which goes on advertising.
        case updating(Running)
        case stopping
        case removed
    }

    typealias Completion = (Result<Void, RadioError>) -> Void

    /// The device.
    public let identity: LocalIdentity
    /// The number of the set in the controller, 0 to 0xEF.
    public let handle: UInt8
    /// Told when advertising ends without having been stopped.
    public var onTerminated: ((AdvertisingTermination) -> Void)?
    /// The transmit power that the controller chose, in dBm; nil where it did not say.
    public internal(set) var selectedTxPower: Int8?

    var state = State.off
    /// What the caller asked for last; nil is silence.
    var wanted: Content?
    /// Whoever waits for `wanted` to be so.
    var completions: [Completion] = []
    /// What the controller has of the set; nil where that is nothing, or not known.
    var configured: Running?
    /// Whether the controller has been told of the set.
    var isKnownToController = false
    /// Whether a central may have connected while the set stops.
    var wasConnectable = false
    /// The private address of the moment; nil where the identity has none.
    private(set) var privateAddress: BluetoothAddress?
    /// Makes the next one.
    var rotation: QueuedTimer?
    /// nil once the set was removed, or the host is gone.
    unowned var controller: AdvertisingController?

    init(identity: LocalIdentity, handle: UInt8, controller: AdvertisingController) {
        self.identity = identity
        self.handle = handle
        self.controller = controller
    }

    /// Whether the controller advertises the set at this moment.
    public var isAdvertising: Bool {
        switch state {
        case .on, .updating: true
        case .off, .starting, .stopping, .removed: false
        }
    }

    /// Whether the set is no longer the host's: it was removed, or the controller was reset or switched off.
    public var isRemoved: Bool { if case .removed = state { true } else { false } }

    /// Whether the controller does nothing for the set, nor will.
    var isOff: Bool { if case .off = state { true } else { false } }

    /// Ends what waits for the last wish.
    func complete(_ result: Result<Void, RadioError>) {
        guard !completions.isEmpty else { return }
        let ended = completions
        completions = []
        for completion in ended { completion(result) }
    }

    /// The address that the set advertises with, which may be a private one; nil where the adapter is not ready.
    public var address: BluetoothAddress? { privateAddress ?? fixedAddress }

    /// The address that stays when private ones of the set come and go; nil where the adapter is not ready.
    public var fixedAddress: BluetoothAddress? {
        switch identity.address {
        case .staticRandom(let address): address
        case .adapter: controller?.adapterAddress
        }
    }

    /// The address that a central met which connected just now.
    var metAddress: BluetoothAddress? {
        switch state {
        case .on(let running), .updating(let running), .starting(let running): running.address
        case .off, .stopping, .removed: configured?.address ?? address
        }
    }

    /// Takes another private address; the controller hears of it with the next step.
    /// - Returns: how long it lasts; nil where the set has none.
    func renewPrivateAddress() -> Duration? {
        guard case .staticRandom = identity.address, let privacy = identity.privacy, let time = privacy.time else {
            return nil
        }
        privateAddress = .resolvable(with: privacy.key)
        return time
    }

    /// Goes on with a private address that the set had before; false where it is none of the set's.
    func goOn(with address: BluetoothAddress) -> Bool {
        guard privateAddress != nil, let privacy = identity.privacy, address.isResolved(by: privacy.key) else {
            return false
        }
        privateAddress = address
        return true
    }

    /// Advertises, or changes what is advertised.
    ///
    /// - Parameters:
    ///   - data: the advertising data in its wire form: at most 31 bytes in legacy packets, and as many as the
    ///     controller takes in extended ones, which are used where the controller has them and 31 do not suffice.
    ///   - scanResponse: the scan response data, with the same bounds; extended packets have either of the two.
    ///   - completion: called once, when the set advertises, or with what keeps it from that: a wrong argument, the
    ///     controller's refusal, ``RadioError/cancelled`` where a later call took its place.
    public func start(
        parameters: AdvertisingParameters = AdvertisingParameters(), data: [UInt8], scanResponse: [UInt8] = [],
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let controller else { return completion(.failure(.cancelled)) }
        controller.start(
            self, Content(parameters: parameters, data: data, scanResponse: scanResponse), completion: completion)
    }

    /// Changes the data of a set that advertises, or will.
    public func update(
        data: [UInt8], scanResponse: [UInt8] = [], completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let controller, let parameters = wanted?.parameters else {
            return completion(.failure(.invalidArgument("the set does not advertise")))
        }
        controller.start(
            self, Content(parameters: parameters, data: data, scanResponse: scanResponse), completion: completion)
    }

    /// Stops advertising; the completion is called when the controller has stopped. Links stay.
    public func stop(completion: ((Result<Void, RadioError>) -> Void)? = nil) {
        guard let controller else {
            completion?(.success(()))
            return
        }
        controller.stop(self, completion: completion)
    }

    /// Stops, and gives the set back for another device; it cannot be used after that. Links stay.
    public func remove() { controller?.remove(self) }
}
