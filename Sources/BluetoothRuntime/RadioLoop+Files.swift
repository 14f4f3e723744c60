/// The descriptors of a loop: watches and readers, and their events.
extension RadioLoop {
    /// Watches a descriptor until the watch is cancelled. To be called on the loop.
    public func watch(
        _ descriptor: Int32, for interest: FileEvents, handler: @escaping (FileEvents) -> Void
    ) -> FileWatch {
        preconditionOnLoop()
        let watch = FileWatch(descriptor: descriptor, interest: interest, loop: self, handler: handler)
        polled.add(watch)
        return watch
    }

    /// Reads a socket as data arrives, until the reader is cancelled or the socket ends. To be called on the loop.
    /// Returns nil if the system does not support it: then watch the descriptor and read it.
    ///
    /// - Parameter handler: called when data arrived, to take all of it with ``SocketReader/takeAll(_:)``.
    public func read(_ descriptor: Int32, handler: @escaping (SocketReader) -> Void) -> SocketReader? {
        preconditionOnLoop()
        #if os(Linux) || os(Android)
        guard !isLent else { return nil }
        let reader = SocketReader(descriptor: descriptor, loop: self, handler: handler)
        return polled.add(reader) ? reader : nil
        #else
        return nil
        #endif
    }

    func remove(_ reader: SocketReader) {
        preconditionOnLoop()
        #if os(Linux) || os(Android)
        polled.remove(reader)
        #endif
    }

    func remove(_ watch: FileWatch) {
        preconditionOnLoop()
        polled.remove(watch)
    }

    func interestChanged(of watch: FileWatch) {
        preconditionOnLoop()
        polled.update(watch)
    }

    func tellEvents() {
        #if os(Linux) || os(Android)
        tellReads()
        #endif
        // Watches that handlers add have later indices, and no event yet.
        for place in polled.places {
            guard let (watch, events) = polled.takeEvent(at: place) else { continue }
            watch.handler(events)
            finishEvent()
        }
    }

    /// Submits held packets, which do not wait for other work.
    func handOver() {
        #if os(Linux) || os(Android)
        if polled.direct.holds {
            polled.direct.flush()
            if polled.direct.hasUnsent { tellReads() }
        }
        guard polled.ring.hasPackets else { return }
        polled.ring.handOver()
        if polled.ring.hasUnsent { tellReads() }
        #endif
    }

    #if os(Linux) || os(Android)
    func tellDirectRead() { if polled.direct.tell() { finishEvent() } }

    private func tellReads() {
        tellDirectRead()
        guard polled.isRingOpen else { return }
        while let reader = polled.ring.next() {
            guard reader.isReading else { continue }
            reader.tell()
            finishEvent()
        }
        if polled.ring.hasEvents { polled.lookForEvents() }
    }
    #endif
}
