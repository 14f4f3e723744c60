import BluetoothBackend
import BluetoothModel

/// Writes without response.
extension RemoteDevice {
    /// Returns true if one more write may be passed to the loop; callable from any thread.
    func admitWrite() -> Bool {
        let count = outstandingWrites.add(1, ordering: .relaxed).newValue
        guard count <= Self.writeLimit else {
            outstandingWrites.subtract(1, ordering: .relaxed)
            waitsForRoom.store(true, ordering: .relaxed)
            return false
        }
        return true
    }

    /// True while the number of outstanding writes is below the mark; callable from any thread.
    var hasRoomForWrites: Bool {
        if outstandingWrites.load(ordering: .relaxed) < Self.writeMark { return true }
        waitsForRoom.store(true, ordering: .relaxed)
        // The count may have fallen below the mark between the load and the store.
        return outstandingWrites.load(ordering: .relaxed) < Self.writeMark
    }

    func write(_ bytes: [UInt8], to attribute: AttributeID) {
        // The next link begins to count at 0. Until then the writes count as outstanding, so that a program that writes
        // while there is room ends, and receives the end of the link.
        guard let link else { return }
        guard backlog.isEmpty, link.canWriteWithoutResponse else { return backlog.append(.write(bytes, attribute)) }
        send(bytes, to: attribute, link)
    }

    private func send(_ bytes: [UInt8], to attribute: AttributeID, _ link: any PeripheralLink) {
        link.writeWithoutResponse(bytes, to: attribute, timeout: nil) { [self] result in
            if case .failure(.invalidArgument(let reason)) = result {
                Misuse.report("writeValue(_:for:type: .withoutResponse): \(reason)")
            }
            writeEnded()
        }
    }

    func writeEnded() {
        let left = outstandingWrites.subtract(1, ordering: .relaxed).newValue
        guard link != nil, left < Self.writeMark / 2, waitsForRoom.load(ordering: .relaxed) else { return }
        waitsForRoom.store(false, ordering: .relaxed)
        postToPeripheral { $0.isReadyToWrite() }
    }

    func linkIsReadyToWriteWithoutResponse() {
        guard let link else { return }
        while let next = backlog.first {
            if case .write = next, !link.canWriteWithoutResponse { return }
            // Removed first, because the calls below may call this method again.
            backlog.removeFirst()
            switch next {
            case .write(let bytes, let attribute): send(bytes, to: attribute, link)
            case .request(let request):
                if request.place != nil { request.identifier = perform(request, link) }
            }
        }
    }
}
