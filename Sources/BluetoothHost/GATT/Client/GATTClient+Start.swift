import BluetoothModel
import BluetoothRuntime

/// The start of a link, and the cache.
extension GATTClient {
    /// Exchanges the MTU and validates the cached database of the peer. After `completion`, and with lower priority
    /// than all other requests, the client subscribes to Service Changed and writes its supported features to the
    /// server.
    ///
    /// Fails only if the link fails, or the peer does not answer: with ``RadioError/unanswered(_:)``.
    package func start(_ setup: GATTClientSetup, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard setup.exchangesMTU else { return loadCache(setup, completion: completion) }
        exchangeMTU { [self] result in
            switch result {
            case .success, .failure(.att), .failure(.invalidResponse): loadCache(setup, completion: completion)
            case .failure(.timeout): completion(.failure(.unanswered(ATTOpcode.exchangeMTURequest.name)))
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
                cache.isProvisional = setup.followsServiceChanges
                finishStart(setup, completion: completion)
            case .failure(.timeout): completion(.failure(.unanswered(ATTOpcode.readByTypeRequest.name)))
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }

    /// The request that the server has not answered yet, as the specification names it; nil if there is none.
    package var unansweredRequest: String? { ATTOpcode(rawValue: bearer.awaitedRequest)?.name }

    private func finishStart(_ setup: GATTClientSetup, completion: @escaping (Result<Void, RadioError>) -> Void) {
        completion(.success(()))
        guard isOpen, setup.followsServiceChanges, follower == nil else { return }
        let follower = GATTServiceFollower(client: self)
        self.follower = follower
        follower.start()
    }

    /// Reads the Database Hash (Core 6.0, Vol 3, Part G, 7.3); nil if the server has none.
    /// - Parameter isNext: true to send the request before waiting ones.
    func readHash(
        lane: ATTOperation.Lane, isNext: Bool = false, completion: @escaping (Result<[UInt8]?, RadioError>) -> Void
    ) {
        let operation = bearer.makeOperation(timeout: nil, lane: lane)
        let request = ATTRequest.readByType(Self.allHandles, GATTType.databaseHash)
        let handle: ATTCompletion = { [self] result in
            hashTime = bearer.channel.now
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
        if isNext {
            bearer.proceed(request, for: operation, completion: handle)
        } else {
            bearer.request(request, for: operation, completion: handle)
        }
    }

    /// Reads the hash again before a discovery that does not follow another one closely. The discovery may find a
    /// change that the server has not announced, because it waits for the confirmation of an earlier indication, and
    /// that has been undone when the next link reads the hash.
    func confirmHash() {
        let isOld = bearer.channel.now > hashTime + .seconds(5)
        hashTime = bearer.channel.now
        if isOld, cache.entry.hash != nil { refreshHash(lane: .normal) }
    }

    /// Reads the hash again after a discovery of the whole database, when no other request waits. A change during the
    /// discovery belongs to another hash; if it is not announced on this link, the stored attributes would be taken for
    /// those of the first hash.
    func confirmHashWhenIdle() {
        if cache.entry.hash != nil { refreshHash(lane: .background) }
    }

    /// Completes a discovery that began in `generation` of the cache, and records its result. The hash is read again
    /// after the requests that `completion` makes.
    func finish<Found>(
        _ result: Result<Found, RadioError>, _ generation: Int, _ completion: (Result<Found, RadioError>) -> Void,
        record: (inout GATTCacheEntry, Found) -> Void
    ) {
        if case .success(let found) = result { cache.record(generation) { record(&$0, found) } }
        completion(result)
        confirmCache()
    }

    /// Reads the hash again if discovered attributes are not stored yet, once it is decided whether the server reports
    /// changes.
    func confirmCache() {
        if cache.unstoredCount > 0, follower?.isDecided ?? false { refreshHash() }
    }

    /// Discards the discovered attributes, on this link and in the store.
    package func forgetCache() {
        let hasHash = cache.entry.hash != nil
        cache.invalidate()
        // The next discovery may find attributes that the server has added after that hash and not announced yet. It
        // begins after the new hash was read.
        if hasHash { refreshHash(lane: .normal) }
    }

    // MARK: Changes

    /// Handles a response with the error Database Out Of Sync.
    func databaseIsOutOfSync() {
        cache.invalidate()
        if follower?.isFollowing == true {
            // The server announces the range of the change too, usually before the response to a further request.
            awaitsAnnouncement = true
        } else {
            voidDatabase()
        }
        refreshHash()
    }

    /// Makes all attributes invalid, because it is not known which have changed.
    private func voidDatabase() {
        awaitsAnnouncement = false
        onDatabaseChange?(.outOfSync)
    }

    func servicesChanged(_ range: ClosedRange<UInt16>) {
        cache.invalidate()
        awaitsAnnouncement = false
        bearer.operationDuringChange = bearer.slot.operationID
        onDatabaseChange?(.servicesChanged(range))
        refreshHash()
    }

    /// Reads the hash of the changed database. The read also makes the client change-aware.
    private func refreshHash(lane: ATTOperation.Lane = .background) {
        guard isOpen, cache.isKept || follower != nil, !isReadingHash else { return }
        isReadingHash = true
        let awaited = awaitsAnnouncement
        let (unstored, reportsChanges) = (cache.unstoredCount, follower?.isFollowing ?? false)
        // Waiting requests have handles that may be invalid.
        readHash(lane: awaited ? .normal : lane, isNext: awaited) { [self] result in
            isReadingHash = false
            guard case .success(let hash) = result else { return }
            let known = cache.entry.hash
            cache.setHash(hash)
            // After a change that is known, no hash is known. The next request makes the client change-aware, so the
            // server would accept handles from before a change that it has not announced.
            if known != nil, known != hash { return voidDatabase() }
            // A result that was received after this request may be that of a later change.
            if reportsChanges || cache.unstoredCount == unstored { cache.confirm(reportsChanges: reportsChanges) }
            confirmCache()
            guard awaitsAnnouncement else { return }
            if awaited { voidDatabase() } else { refreshHash() }
        }
    }
}
