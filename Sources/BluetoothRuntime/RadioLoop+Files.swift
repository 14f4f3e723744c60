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
    /// Returns nil if the loop reads another socket already, or the system does not support it: then watch the
    /// descriptor and read it.
    ///
    /// - Parameter handler: called when data arrived, to take all of it with ``SocketReader/takeAll(_:)``.
    public func read(_ descriptor: Int32, handler: @escaping (SocketReader) -> Void) -> SocketReader? {
        preconditionOnLoop()
        #if os(Linux) || os(Android)
        guard !isEntered else { return nil }
        let reader = SocketReader(descriptor: descriptor, handler: handler)
        return polled.add(reader) ? reader : nil
        #else
        return nil
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

    func deliverEvents() {
        #if os(Linux) || os(Android)
        deliverRead()
        #endif
        // Watches that handlers add have later indices, and no event yet.
        for place in polled.places {
            guard let (watch, events) = polled.takeEvent(at: place) else { continue }
            watch.handler(events)
            finishEvent()
        }
    }

    #if os(Linux) || os(Android)
    func deliverRead() { if polled.direct.deliver() { finishEvent() } }

    /// Sends held packets, which do not wait for other work.
    func sendHeld() {
        guard polled.direct.holds else { return }
        polled.direct.flush()
        if polled.direct.hasUnsent { deliverRead() }
    }
    #endif
}
