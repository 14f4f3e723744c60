import BluetoothModel

extension LEHost {
    // MARK: Own address

    /// The address that this host uses on the air; nil until it is ready.
    public var ownAddress: BluetoothAddress? { addresses.ownAddress }

    /// Changes the address: what blocks the change (scanning, connecting, legacy advertising) pauses for it.
    public func setOwnAddress(
        _ policy: OwnAddressPolicy, completion: @escaping (Result<BluetoothAddress, RadioError>) -> Void
    ) {
        if let fault = unreadiness ?? policy.fault { return completion(.failure(fault)) }
        addresses.change(to: policy, completion: completion)
    }

    // MARK: Scanning

    /// Starts scanning, or changes how. Reports go to ``LEHostDelegate/host(_:discovered:)``.
    ///
    /// - Parameter completion: called once, when the controller scans, or with the error that kept it from scanning;
    ///   with ``RadioError/cancelled`` where another start or a stop came first.
    public func startScan(
        _ configuration: ScanConfiguration = ScanConfiguration(),
        completion: ((Result<Void, RadioError>) -> Void)? = nil
    ) {
        if let fault = unreadiness ?? configuration.fault {
            completion?(.failure(fault))
            return
        }
        scanner.start(configuration, completion: completion)
    }

    /// Stops scanning: no report comes after this call. Does nothing where nobody scans.
    public func stopScan() { scanner.stop() }

    /// Whether a scan was asked for and neither stopped nor failed.
    public var isScanning: Bool { scanner.isWanted }

    // MARK: Connecting

    /// Waits for a device, for as long as it takes, and connects to it as central.
    ///
    /// Any number of devices can be waited for; an absent one delays no other. Timeouts and retries are the caller's.
    ///
    /// - Parameter completion: called exactly once, perhaps before this returns. A link that could not be established
    ///   is ``RadioError/disconnected(_:)`` with the controller's reason (0x3E is worth a retry).
    @discardableResult
    public func connect(
        to address: BluetoothAddress, parameters: ConnectionParametersRequest = .standard,
        completion: @escaping (Result<LELink, RadioError>) -> Void
    ) -> PendingConnection {
        initiator.connect(to: address, parameters: parameters, completion: completion)
    }

    /// Every link that is up.
    public var allLinks: [LELink] { links.all }

    /// The link to a device, by its address or its identity; nil where there is none.
    public func link(to address: BluetoothAddress) -> LELink? {
        links.all.first { $0.peerAddress == address || securityManager?.identity(of: $0) == address }
    }

    // MARK: Advertising

    /// How many devices this host can play at once: the controller's advertising sets; 0 until it is ready.
    public var advertisingSetLimit: Int { controller?.advertisingSetCount ?? 0 }

    /// Takes an advertising set for a device that this host plays. ``AdvertisingSet/remove()`` gives it back.
    ///
    /// - Throws: ``RadioError/limit(_:)`` with the number of sets where all are taken.
    public func makeAdvertiser(_ identity: LocalIdentity) throws(RadioError) -> AdvertisingSet {
        if let unreadiness { throw unreadiness }
        return try advertising.makeSet(identity)
    }
}
