import BluetoothModel

/// The change-awareness of a client (Core 6.0, Vol 3, Part G, 2.5.2.1).
enum GATTChangeAwareness {
    case aware
    /// The client does not know of a change. After an error response or a read of the hash (`wasTold`), its next
    /// request makes it change-aware.
    case unaware(wasTold: Bool)
}

extension GATTServerSession {
    /// True if the client supports robust caching, so that requests with outdated handles are refused.
    var hasRobustCaching: Bool { clientFeatures & GATTClientFeatures.robustCaching != 0 }

    /// True if values must not be sent to the client, because it might attribute them to the wrong characteristic.
    var isKeptFromValues: Bool {
        if case .unaware = awareness { hasRobustCaching } else { false }
    }

    /// Returns false if a request must be refused with Database Out Of Sync.
    func admit(_ request: ATTIncomingRequest) -> Bool {
        guard case .unaware(let wasTold) = awareness else { return true }
        if wasTold {
            awareness = .aware
            if !followsChanges { pendingChange = nil }
            return true
        }
        guard hasRobustCaching, request.namesAttributes else { return true }
        awareness = .unaware(wasTold: true)
        return false
    }

    /// Records that the client has read the hash, so that its next request makes it change-aware.
    func hashWasRead() {
        if case .unaware = awareness { awareness = .unaware(wasTold: true) }
    }

    /// Handles a change of the attributes in a range.
    func databaseChanged(_ range: ClosedRange<UInt16>) {
        guard isOpen else { return }
        awareness = .unaware(wasTold: false)
        prepared.discard()
        if let pending = pendingChange {
            pendingChange = min(pending.lowerBound, range.lowerBound)...max(pending.upperBound, range.upperBound)
        } else {
            pendingChange = range
        }
        tellChange()
    }

    /// True if the client is subscribed to indications of Service Changed.
    private var followsChanges: Bool { subscription(to: server.serviceChangedHandle).contains(.indications) }

    /// Handles a new subscription of the client to Service Changed: indicates a change that is pending. Otherwise the
    /// client would not be notified of a change between its read of the hash and the subscription, and values would be
    /// withheld from it.
    func changeSubscriptionChanged() {
        if case .unaware = awareness { tellChange() }
    }

    /// Indicates a pending change; changes during an indication are merged into one.
    private func tellChange() {
        guard !isIndicatingChange, followsChanges, let range = pendingChange else { return }
        pendingChange = nil
        isIndicatingChange = true
        var value = ByteWriter(capacity: 4)
        value.append(range)
        value.withByteView { value in
            bearer.indicate(
                handle: server.serviceChangedHandle, value, id: bearer.makeOperationID(), usesReserve: true
            ) { [weak self] in self?.changeWasTold($0) }
        }
    }

    private func changeWasTold(_ result: Result<Void, RadioError>) {
        isIndicatingChange = false
        switch result {
        case .success where pendingChange == nil: awareness = .aware
        case .success: tellChange()
        case .failure: pendingChange = nil
        }
    }
}

extension ATTIncomingRequest {
    /// True if the request contains attribute handles rather than a range to search.
    var namesAttributes: Bool {
        switch self {
        case .read, .readBlob, .readMultiple, .readMultipleVariable, .write, .prepareWrite, .writeCommand: true
        case .exchangeMTU, .findInformation, .findByTypeValue, .readByType, .readByGroupType, .executeWrite: false
        }
    }

    /// The handle to report in an error response.
    var firstHandle: UInt16 {
        switch self {
        case .read(let handle), .readBlob(let handle, _), .write(let handle, _), .prepareWrite(let handle, _, _),
            .writeCommand(let handle, _):
            handle
        case .readMultiple(let handles), .readMultipleVariable(let handles): handles.uint16(at: 0)
        case .findInformation(let range), .findByTypeValue(let range, _, _), .readByType(let range, _),
            .readByGroupType(let range, _):
            range.first
        case .exchangeMTU, .executeWrite: 0
        }
    }
}
