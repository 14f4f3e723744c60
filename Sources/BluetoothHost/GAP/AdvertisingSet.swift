import BluetoothModel
import BluetoothRuntime

/// One device that this host advertises, with its own address and GATT database.
///
/// Created by ``LEHost/makeAdvertiser(_:)``. A connection of a central ends advertising, and the link gets the
/// identity's database. Advertising does not restart by itself.
package final class AdvertisingSet {
    /// The contents of an advertisement.
    struct Content: Hashable {
        var parameters: AdvertisingParameters
        var data: [UInt8]
        var scanResponse: [UInt8]
    }

    /// An advertisement that the controller runs or is being configured for.
    struct Running: Hashable {
        var content: Content
        var address: BluetoothAddress
    }

    /// The state of the set in the controller.
    enum State {
        case off
        /// The commands that start advertising are outstanding.
        case starting(Running)
        case on(Running)
        /// New data is being sent to the controller, which continues to advertise.
        case updating(Running)
        case stopping
        case removed
    }

    typealias Completion = (Result<Void, RadioError>) -> Void

    /// The advertised device.
    package let identity: LocalIdentity
    /// The advertising handle in the controller, 0 to 0xEF.
    package let handle: UInt8
    /// Called when advertising ends without having been stopped.
    package var onTerminated: ((AdvertisingTermination) -> Void)?
    /// The transmit power that the controller selected, in dBm; nil if it did not report one.
    package internal(set) var selectedTxPower: Int8?

    var state = State.off
    /// The most recently requested advertisement; nil for none.
    var wanted: Content?
    /// The completions to call when the controller's state matches `wanted`.
    var completions: [Completion] = []
    /// The advertisement that is configured in the controller; nil if there is none, or it is unknown.
    var configured: Running?
    /// True if the controller may have the advertising set.
    var isKnownToController = false
    /// True if a central may have connected while the set was being stopped.
    var wasConnectable = false
    /// The current private address; nil if the identity uses none.
    private(set) var privateAddress: BluetoothAddress?
    /// The timer that replaces the private address.
    var rotation: QueuedTimer?
    /// Proof of `unowned`: nil once the set was removed or the controller's `deinit` has run.
    unowned var controller: AdvertisingController?

    init(identity: LocalIdentity, handle: UInt8, controller: AdvertisingController) {
        self.identity = identity
        self.handle = handle
        self.controller = controller
    }

    /// True while the controller advertises the set.
    package var isAdvertising: Bool {
        switch state {
        case .on, .updating: true
        case .off, .starting, .stopping, .removed: false
        }
    }

    /// True while an advertisement is requested: the controller advertises it, or is about to.
    package var isRequested: Bool { wanted != nil }

    /// True after the set was removed, or the controller was reset or powered off.
    package var isRemoved: Bool { if case .removed = state { true } else { false } }

    /// True if the controller does not advertise the set and no start or stop is outstanding.
    var isOff: Bool { if case .off = state { true } else { false } }

    /// Completes the pending requests.
    func complete(_ result: Result<Void, RadioError>) {
        guard !completions.isEmpty else { return }
        let ended = completions
        completions = []
        for completion in ended { completion(result) }
    }

    /// The address that the set advertises with, possibly a private one; nil while the adapter is not ready.
    package var address: BluetoothAddress? { privateAddress ?? fixedAddress }

    /// The address that stays the same when private addresses rotate; nil while the adapter is not ready.
    package var fixedAddress: BluetoothAddress? {
        switch identity.address {
        case .staticRandom(let address): address
        case .adapter: controller?.adapterAddress
        }
    }

    /// The address that was advertised when a central connected.
    var metAddress: BluetoothAddress? {
        switch state {
        case .on(let running), .updating(let running), .starting(let running): running.address
        case .off, .stopping, .removed: configured?.address ?? address
        }
    }

    /// Replaces the private address. The controller receives it with the next step.
    /// - Returns: The lifetime of the address; nil if the set uses no private addresses.
    func renewPrivateAddress() -> Duration? {
        guard case .staticRandom = identity.address, let privacy = identity.privacy, let time = privacy.time else {
            return nil
        }
        privateAddress = .resolvable(with: privacy.key)
        return time
    }

    /// Continues with a previous private address of the set; returns false if the address is not resolved by the set's
    /// key.
    func goOn(with address: BluetoothAddress) -> Bool {
        guard privateAddress != nil, let privacy = identity.privacy, address.isResolved(by: privacy.key) else {
            return false
        }
        privateAddress = address
        return true
    }

    /// Starts advertising, or changes the advertisement.
    ///
    /// - Parameters:
    ///   - data: The advertising data in its wire form: at most 31 octets in legacy packets, and up to the controller's
    ///     limit in extended packets, which are used if the controller supports them and 31 octets do not suffice.
    ///   - scanResponse: The scan response data, with the same limits. An extended advertisement has either data or a
    ///     scan response.
    ///   - completion: Called once, when the set advertises, or with the error that prevented it: an invalid argument,
    ///     the controller's error, or ``RadioError/cancelled`` if a later call replaced this one.
    package func start(
        parameters: AdvertisingParameters = AdvertisingParameters(), data: [UInt8], scanResponse: [UInt8] = [],
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let controller else { return completion(.failure(.cancelled)) }
        controller.start(
            self, Content(parameters: parameters, data: data, scanResponse: scanResponse), completion: completion)
    }

    /// Stops advertising. The completion is called when the controller has stopped. Links are not affected.
    package func stop(completion: ((Result<Void, RadioError>) -> Void)? = nil) {
        guard let controller else {
            completion?(.success(()))
            return
        }
        controller.stop(self, completion: completion)
    }

    /// Stops advertising and releases the set's handle; the set cannot be used afterwards. Links are not affected.
    package func remove() { controller?.remove(self) }
}
