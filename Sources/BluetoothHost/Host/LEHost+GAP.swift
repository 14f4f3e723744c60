import BluetoothHCI
import BluetoothModel

extension LEHost {
    // MARK: Own address

    /// The address that this host uses; nil until it is ready.
    package var ownAddress: BluetoothAddress? { addresses.ownAddress }

    /// Changes the own address. Scanning, connecting and legacy advertising pause for the change.
    package func setOwnAddress(
        _ policy: OwnAddressPolicy, completion: @escaping (Result<BluetoothAddress, RadioError>) -> Void
    ) {
        if let fault = unavailableError ?? policy.fault { return completion(.failure(fault)) }
        addresses.change(to: policy, completion: completion)
    }

    // MARK: Scanning

    /// Starts scanning, or changes the scan. Reports are delivered to ``LEHostDelegate/host(_:discovered:)``.
    ///
    /// - Parameter completion: Called once, when the controller scans or with the error that prevented it; with
    ///   ``RadioError/cancelled`` if another start or a stop came first.
    package func startScan(
        _ configuration: ScanConfiguration = ScanConfiguration(),
        completion: ((Result<Void, RadioError>) -> Void)? = nil
    ) {
        if let fault = unavailableError ?? configuration.fault {
            completion?(.failure(fault))
            return
        }
        scanner.start(configuration, completion: completion)
    }

    /// Stops scanning. No report is delivered after this call. No effect if there is no scan.
    package func stopScan() { scanner.stop() }

    /// The command whose response the host awaits; nil if there is none.
    package var unansweredCommand: HCIOpcode? { commands.awaited }

    /// True if a scan was requested and has neither been stopped nor failed.
    package var isScanning: Bool { scanner.isWanted }

    // MARK: Connecting

    /// Connects to a device as central, without a timeout.
    ///
    /// Any number of connections may be pending; an absent device does not delay others. Timeouts and retries are left
    /// to the caller.
    ///
    /// - Parameter completion: Called exactly once, possibly before this returns. If a link could not be established,
    ///   the error is ``RadioError/disconnected(_:)`` with the controller's reason (a retry is useful for 0x3E).
    @discardableResult
    package func connect(
        to address: BluetoothAddress, parameters: ConnectionParametersRequest = .standard,
        completion: @escaping (Result<LELink, RadioError>) -> Void
    ) -> PendingConnection {
        initiator.connect(to: address, parameters: parameters, completion: completion)
    }

    /// All links that are up.
    package var allLinks: [LELink] { links.all }

    /// Returns the link to a device, by its address or its identity address; nil if there is none.
    package func link(to address: BluetoothAddress) -> LELink? {
        links.all.first { $0.peerAddress == address || securityManager?.identity(of: $0) == address }
    }

    // MARK: Advertising

    /// The maximum number of advertised devices: the number of the controller's advertising sets; 0 until the host is
    /// ready.
    package var advertisingSetLimit: Int { controller?.advertisingSetCount ?? 0 }

    /// Creates an advertising set for a device of this host. ``AdvertisingSet/remove()`` releases it.
    ///
    /// - Throws: ``RadioError/limit(_:)`` if all sets are in use; ``RadioError/invalidArgument(_:)`` for an invalid
    ///   address of the identity; ``RadioError/radio(_:reason:)`` or another error of the host's state if it is not
    ///   ready.
    package func makeAdvertiser(_ identity: LocalIdentity) throws(RadioError) -> AdvertisingSet {
        if let unavailableError { throw unavailableError }
        return try advertising.makeSet(identity)
    }
}
