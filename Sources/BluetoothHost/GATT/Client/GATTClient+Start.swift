import BluetoothModel

/// The beginning of a link, and the cache.
extension GATTClient {
    /// Begins: agrees on the MTU, and finds out whether what is kept of the peer is still true. After `completion`, and
    /// behind whatever else is asked for, it subscribes to Service Changed and tells the server what we support.
    ///
    /// It fails only where the link does.
    public func start(_ setup: GATTClientSetup, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard setup.exchangesMTU else { return loadCache(setup, completion: completion) }
        exchangeMTU { [self] result in
            switch result {
            case .success, .failure(.att), .failure(.invalidResponse): loadCache(setup, completion: completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func loadCache(_ setup: GATTClientSetup, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        guard let store = setup.cache, let peer = setup.peer else { return finishStart(setup, completion: completion) }
        readHash(lane: .normal) { [self] result in
            switch result {
            case .success(let hash):
                cache.load(from: store, peer: peer, isBonded: setup.isBonded, hash: hash)
                finishStart(setup, completion: completion)
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }

    private func finishStart(_ setup: GATTClientSetup, completion: @escaping (Result<Void, RadioError>) -> Void) {
        completion(.success(()))
        guard isOpen, setup.followsServiceChanges, follower == nil else { return }
        let follower = GATTServiceFollower(client: self)
        self.follower = follower
        follower.start()
    }

    /// Reads the Database Hash (Core 6.0, Vol 3, Part G, 7.3); nil where the server has none.
    func readHash(lane: ATTOperation.Lane, completion: @escaping (Result<[UInt8]?, RadioError>) -> Void) {
        let operation = bearer.makeOperation(timeout: nil, lane: lane)
        bearer.request(.readByType(Self.allHandles, GATTType.databaseHash), for: operation) { result in
            switch result {
            case .success(let response):
                let values = try? DiscoveryResponse.values(response, asked: Self.allHandles)
                let hash = values?.first?.value
                completion(.success(hash?.count == 16 ? hash : nil))
            case .failure(.att), .failure(.invalidResponse):
                completion(.success(nil))
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }

    /// Forgets what was discovered, on this link and for the next ones.
    public func forgetCache() {
        let hash = cache.entry.hash
        cache.invalidate()
        cache.setHash(hash)
    }

    // MARK: Changes

    /// A response said Database Out Of Sync.
    func databaseIsOutOfSync() {
        cache.invalidate()
        onDatabaseChange?(.outOfSync)
        refreshHash()
    }

    func servicesChanged(_ range: ClosedRange<UInt16>, announcedBy handle: UInt16) {
        cache.invalidate()
        subscriptions.drop(range, except: handle)
        onDatabaseChange?(.servicesChanged(range))
        refreshHash()
    }

    /// Asks for the hash that belongs to what is discovered from now on; reading it also tells the server that we know.
    private func refreshHash() {
        guard isOpen, cache.isKept || follower != nil, !isReadingHash else { return }
        isReadingHash = true
        readHash(lane: .background) { [self] result in
            isReadingHash = false
            if case .success(let hash) = result { cache.setHash(hash) }
        }
    }
}
