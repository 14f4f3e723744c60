import BluetoothModel

/// Whether a client knows the attributes as they are now (Core 6.0, Vol 3, Part G, 2.5.2.1).
enum GATTChangeAwareness {
    case aware
    /// It does not; once it was told with an error, or has read the hash, its next request shows that it knows.
    case unaware(wasTold: Bool)
}

extension GATTServerSession {
    /// Whether the client wants to be kept from using handles that changed.
    var hasRobustCaching: Bool { clientFeatures & GATTClientFeatures.robustCaching != 0 }

    /// Whether the client must not be sent values, because it may take them for something else.
    var isKeptFromValues: Bool {
        if case .unaware = awareness { hasRobustCaching } else { false }
    }

    /// Whether a request goes through; false where the client has to be told that it is out of sync.
    func admit(_ request: ATTIncomingRequest) -> Bool {
        guard case .unaware(let wasTold) = awareness else { return true }
        if wasTold {
            awareness = .aware
            return true
        }
        guard hasRobustCaching, request.namesAttributes else { return true }
        awareness = .unaware(wasTold: true)
        return false
    }

    /// The client read the hash; its next request shows that it has it.
    func hashWasRead() {
        if case .unaware = awareness { awareness = .unaware(wasTold: true) }
    }

    /// Attributes in a range came or went.
    func databaseChanged(_ range: ClosedRange<UInt16>) {
        guard isOpen else { return }
        awareness = .unaware(wasTold: false)
        prepared.removeAll()
        guard subscription(to: server.serviceChangedHandle).contains(.indications) else { return }
        if let untold = untoldChange {
            untoldChange = min(untold.lowerBound, range.lowerBound)...max(untold.upperBound, range.upperBound)
        } else {
            untoldChange = range
        }
        tellChange()
    }

    /// Indicates what the client was not told yet; changes in the meantime become one.
    private func tellChange() {
        guard !isTellingChange, let range = untoldChange else { return }
        untoldChange = nil
        isTellingChange = true
        var value = ByteWriter(capacity: 4)
        value.append(range)
        value.withByteView { value in
            bearer.indicate(handle: server.serviceChangedHandle, value, id: bearer.makeOperationID()) { [weak self] in
                self?.changeWasTold($0)
            }
        }
    }

    private func changeWasTold(_ result: Result<Void, RadioError>) {
        isTellingChange = false
        switch result {
        case .success where untoldChange == nil: awareness = .aware
        case .success: tellChange()
        case .failure: untoldChange = nil
        }
    }
}

extension ATTIncomingRequest {
    /// Whether the request names attributes by their handles, rather than looking for them.
    var namesAttributes: Bool {
        switch self {
        case .read, .readBlob, .readMultiple, .readMultipleVariable, .write, .prepareWrite, .writeCommand: true
        case .exchangeMTU, .findInformation, .findByTypeValue, .readByType, .readByGroupType, .executeWrite: false
        }
    }

    /// The attribute that an error is about.
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
